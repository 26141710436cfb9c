/* The programs that `cupping doctor` runs under the library. */
#include "cli/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/verbs.h"
#include "include/environment.h"

/* Prints NAME=VALUE lines, and has the library open a log. It runs on any Python 3. */
const char cup_doctor_probe_program[] =
    "import importlib, platform, sys, sysconfig\n"
    "def say(name, value):\n"
    "    print(name + '=' + ' '.join(str(value).split())[:200])\n"
    "say('python', platform.python_version())\n"
    "say('implementation', platform.python_implementation())\n"
    "say('executable', sys.executable)\n"
    "say('free-threaded', int(bool(sysconfig.get_config_var('Py_GIL_DISABLED'))))\n"
    "say('libc', ' '.join(platform.libc_ver()))\n"
    "try:\n"
    "    from importlib.metadata import version\n"
    "except ImportError:\n"
    "    version = lambda name: importlib.import_module(name).__version__\n"
    "for name in ('dask', 'distributed', 'coffea', 'uproot', 'awkward', 'xrootd', "
    "'fsspec-xrootd',\n"
    "             'aiohttp', 's3fs'):\n"
    "    try:\n"
    "        say(name, version(name))\n"
    "    except Exception:\n"
    "        continue\n"
    "for name in ('distributed', 'uproot', 'coffea.processor'):\n"
    "    top = name.split('.')[0]\n"
    "    try:\n"
    "        importlib.import_module(name)\n"
    "    except Exception as error:\n"
    "        if not isinstance(error, ModuleNotFoundError) or error.name != top:\n"
    "            say('broken-' + top, type(error).__name__ + ': ' + str(error))\n"
    "with open(sys.argv[1] + '/probe.root', 'rb') as file:\n"
    "    file.read()\n";

/* Some ten seconds of tasks that read and compute, with what they read as an independent count. */
const char cup_doctor_job_program[] =
    "import os, sys, time\n"
    "plain, tree = sys.argv[1] + '/plain.root', sys.argv[1] + '/tree.root'\n"
    "size, tasks, branches = 10000000, 30, 4\n"
    "with open(plain, 'wb') as file:\n"
    "    file.write(os.urandom(size))\n"
    "try:\n"
    "    import numpy, uproot\n"
    "    with uproot.recreate(tree) as file:\n"
    "        names = ['b%d' % i for i in range(branches)]\n"
    "        file.mktree('Events', {name: 'f8' for name in names})\n"
    "        file['Events'].extend({name: numpy.random.rand(100000) for name in names})\n"
    "except ImportError:\n"
    "    tree = None\n"
    "def cupping_doctor_task(number):\n"
    "    end = time.perf_counter() + 0.5\n"
    "    with open(plain, 'rb', 0) as file:\n"
    "        done = len(file.read())\n"
    "    baskets = 0\n"
    "    if tree:\n"
    "        import uproot\n"
    "        with uproot.open(tree) as file:\n"
    "            file['Events'].arrays(library='np')\n"
    "            baskets = sum(branch.num_baskets for branch in file['Events'].branches)\n"
    "    while time.perf_counter() < end:\n"
    "        sum(range(1000))\n"
    "    return done, baskets\n"
    "try:\n"
    "    from distributed import Client, LocalCluster\n"
    "except ImportError:\n"
    "    Client = None\n"
    "begin = time.perf_counter()\n"
    "if Client:\n"
    "    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=':0',\n"
    "                      local_directory=sys.argv[1]) as cluster, Client(cluster) as client:\n"
    "        done = client.gather(client.map(cupping_doctor_task, range(tasks), pure=False))\n"
    "else:\n"
    "    tasks //= 2\n"
    "    done = [cupping_doctor_task(number) for number in range(tasks)]\n"
    "print('seconds=%.1f' % (time.perf_counter() - begin))\n"
    "print('tasks=%d' % (tasks if Client else 0))\n"
    "print('bytes=%d' % sum(bytes for bytes, baskets in done))\n"
    "print('baskets=%d' % sum(baskets for bytes, baskets in done))\n";

/* ---- the scratch directory ---------------------------------------------------------------- */

static int make_scratch(struct cup_doctor *doctor, const char *directory)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/.cupping-doctor-XXXXXX", directory) >= (int)sizeof path ||
        !mkdtemp(path))
        return -1;
    memcpy(doctor->scratch, path, sizeof path);
    return 0;
}

static void write_probe_file(const char *scratch)
{
    char path[PATH_MAX + 16], bytes[4096] = "probe";
    snprintf(path, sizeof path, "%s/probe.root", scratch);
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fwrite(bytes, 1, sizeof bytes, file);
    fclose(file);
}

int cup_doctor_open(struct cup_doctor *doctor)
{
    int result = make_scratch(doctor, doctor->directory), why = errno;
    doctor->unwritable = result != 0 ? why : 0;
    if (result != 0)
        make_scratch(doctor, "/tmp");
    if (*doctor->scratch)
        write_probe_file(doctor->scratch);
    errno = why;
    return result;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

static void free_run(struct cup_doctor_run *run)
{
    if (run && run->loaded)
        cup_profile_free(&run->profile);
}

void cup_doctor_close(struct cup_doctor *doctor)
{
    free_run(&doctor->probe);
    free_run(doctor->job);
    if (*doctor->scratch)
        nftw(doctor->scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- running ------------------------------------------------------------------------------ */

static void redirect(const char *scratch, const char *name, int to, int flags)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    int fd = open(name[0] == '/' ? name : path, flags, 0600);
    if (fd >= 0)
        dup2(fd, to);
}

/* Removes libcupping.so from LD_PRELOAD, because cupping-run adds it: the other libraries there
 * stay, because what can be recorded depends on them. */
static void remove_library(void)
{
    static const char library[] = "libcupping.so", separators[] = ": ";
    const char *preload = getenv("LD_PRELOAD");
    char *kept = preload ? calloc(1, strlen(preload) + 2) : NULL;
    for (const char *at = preload; kept && *at;) {
        size_t bytes = strcspn(at, separators), tail = sizeof library - 1;
        bool own = bytes >= tail && memcmp(at + bytes - tail, library, tail) == 0;
        if (bytes > 0 && !own)
            sprintf(kept + strlen(kept), "%s%.*s", *kept ? ":" : "", (int)bytes, at);
        at += bytes + (at[bytes] != '\0');
    }
    unsetenv("LD_PRELOAD");
    if (kept && *kept)
        setenv("LD_PRELOAD", kept, 1);
    free(kept);
}

static void remove_settings(void)
{
    static const char *const settings[] = {
#define X(variable, otherwise, meaning) #variable,
        CUP_ENVIRONMENT(X)
#undef X
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        unsetenv(settings[i]);
}

/* Executes cupping-run with a Python program, or with `true` if PROGRAM is NULL. */
static void execute(const struct cup_doctor *doctor, const char *name, const char *program)
{
    const char *command = program ? doctor->python : "true";
    char wrapper[PATH_MAX];
    redirect(doctor->scratch, "/dev/null", STDIN_FILENO, O_RDONLY);
    redirect(doctor->scratch, "out", STDOUT_FILENO, O_WRONLY | O_CREAT | O_TRUNC);
    redirect(doctor->scratch, "err", STDERR_FILENO, O_WRONLY | O_CREAT | O_TRUNC);
    if (program)
        remove_settings();
    remove_library();
    if (cup_find_wrapper(wrapper) != 0) {
        fprintf(stderr, "cupping-run: it is not next to the program cupping: reinstall\n");
        _exit(CUP_EXIT_FAILED);
    }
    /* The link ./cupping-latest is then made there, too. */
    if (chdir(doctor->scratch) == 0)
        execl(wrapper, "cupping-run", "-o", name, "--", command, program ? "-c" : (char *)NULL,
              program, doctor->scratch, (char *)NULL);
    fprintf(stderr, "cupping-run: %s: %s\n", wrapper, strerror(errno));
    _exit(CUP_EXIT_FAILED);
}

static void read_back(const struct cup_doctor *doctor, const char *name, char *to, size_t room)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/%s", doctor->scratch, name);
    FILE *file = fopen(path, "r");
    size_t bytes = file ? fread(to, 1, room - 1, file) : 0;
    to[bytes] = '\0';
    if (file)
        fclose(file);
}

void cup_doctor_run(const struct cup_doctor *doctor, const char *name, const char *program,
                    struct cup_doctor_run *run)
{
    const struct cup_load_options options = {.counters = true, .run = CUP_ALL_RUNS};
    char profile[PATH_MAX + 16];
    int status = 0;
    *run = (struct cup_doctor_run){.status = CUP_EXIT_FAILED};
    pid_t child = fork();
    if (child == 0)
        execute(doctor, name, program);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    run->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    read_back(doctor, "out", run->out, sizeof run->out);
    read_back(doctor, "err", run->err, sizeof run->err);
    snprintf(profile, sizeof profile, "%s/%s", doctor->scratch, name);
    run->loaded = cup_profile_load(&run->profile, profile, &options, &run->error) == 0;
}

const char *cup_doctor_fact(const struct cup_doctor_run *run, const char *name, char to[256])
{
    size_t length = strlen(name);
    for (const char *line = run->out; *line;) {
        size_t bytes = strcspn(line, "\n");
        if (bytes > length && memcmp(line, name, length) == 0 && line[length] == '=') {
            snprintf(to, 256, "%.*s", (int)(bytes - length - 1), line + length + 1);
            return to;
        }
        line += bytes + (line[bytes] == '\n');
    }
    return NULL;
}
