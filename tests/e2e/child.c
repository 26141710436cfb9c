#include "tests/e2e/child.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *text(const char *format, ...)
{
    char *result = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&result, format, arguments) < 0)
        abort();
    va_end(arguments);
    return result;
}

/* ---- running ----------------------------------------------------------------------------------
 */

static void clean_environment(void)
{
    static const char *const ours[] = {
        "LD_PRELOAD",       "CUPPING_DIR",        "CUPPING_DISABLE",        "CUPPING_MAX_BYTES",
        "CUPPING_INTERVAL", "CUPPING_VERBOSE",    "PYTHONDEVMODE",          "PYTHONFAULTHANDLER",
        "PYTHONWARNINGS",   "PYTHONASYNCIODEBUG", "MALLOC_TRIM_THRESHOLD_", "PYTHONUNBUFFERED",
        "PYTHONMALLOC",     "DASK_CONFIG",        "CUPPING_STACKS",         "CUPPING_CPU_HZ",
        "CUPPING_SHARE"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        unsetenv(ours[i]);
}

static void apply(const char *setting)
{
    const char *equals = strchr(setting, '=');
    if (equals)
        setenv(strndup(setting, (size_t)(equals - setting)), equals + 1, 1);
    else
        unsetenv(setting);
}

static void become(const struct child *child)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL); /* ignored if the tests run in the background of a script */
    signal(SIGQUIT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    int in = open("/dev/null", O_RDONLY);
    int out = open(child->out_path, O_WRONLY | O_APPEND);
    int err = open(child->err_path, O_WRONLY | O_APPEND);
    dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    for (int fd = 3; fd < 256; fd++)
        close(fd); /* Criterion's pipes are not the child's */
    clean_environment();
    for (int i = 0; child->settings[i]; i++)
        apply(child->settings[i]);
    if (child->prepare)
        child->prepare();
    execvp(child->argv[0], (char *const *)child->argv);
    dprintf(2, "cannot run %s: %s\n", child->argv[0], strerror(errno));
    _exit(127);
}

static char *output_file(void)
{
    char *path = strdup("/tmp/cupping-out-XXXXXX");
    int fd = mkstemp(path);
    cr_assert(fd >= 0, "no temporary file: %s", strerror(errno));
    close(fd);
    return path;
}

void child_start(struct child *child)
{
    child->out_path = output_file();
    child->err_path = output_file();
    child->pid = fork();
    cr_assert(child->pid >= 0);
    if (child->pid == 0)
        become(child);
    setpgid(child->pid, child->pid); /* whoever comes first */
}

static char *read_all(char *path, size_t *bytes)
{
    FILE *file = fopen(path, "r");
    cr_assert(file != NULL);
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    char *all = calloc(*bytes + 1, 1);
    cr_assert(fread(all, 1, *bytes, file) == *bytes);
    fclose(file);
    unlink(path);
    free(path);
    return all;
}

/* A guard against hangs, not a measurement. */
enum { PATIENCE_SECONDS = 240 };

static bool ended(struct child *child)
{
    pid_t pid = waitpid(child->pid, &child->status, WNOHANG);
    cr_assert(pid >= 0 || errno == EINTR);
    return pid == child->pid;
}

void child_wait(struct child *child)
{
    const struct timespec pause = {0, 10000000};
    long pauses = PATIENCE_SECONDS * 100L;
    while (!ended(child) && pauses-- > 0)
        nanosleep(&pause, NULL);
    bool hangs = pauses < 0;
    kill(-child->pid, SIGKILL); /* and whatever it left behind */
    if (hangs)
        waitpid(child->pid, &child->status, 0);
    cr_expect(!hangs, "%s %s hangs", child->argv[0], child->argv[1] ? child->argv[1] : "");
    child->out = read_all(child->out_path, &child->out_bytes);
    child->err = read_all(child->err_path, &child->err_bytes);
}

void child_run(struct child *child)
{
    child_start(child);
    child_wait(child);
}

void child_free(struct child *child)
{
    free(child->out);
    free(child->err);
}

struct child child_recorded(const struct child *plain, const char *directory)
{
    struct child child = *plain;
    bool preloaded = false, directed = false;
    int count = 0;
    for (; child.settings[count]; count++) {
        preloaded |= strncmp(child.settings[count], "LD_PRELOAD", 10) == 0;
        directed |= strncmp(child.settings[count], "CUPPING_DIR", 11) == 0;
    }
    cr_assert(count + 2 < CHILD_SETTINGS);
    if (!preloaded)
        child.settings[count++] = "LD_PRELOAD=" CUP_BUILD "/libcupping.so";
    if (!directed)
        child.settings[count++] = text("CUPPING_DIR=%s", directory);
    return child;
}

/* Where two outputs part. */
static const char *difference(const char *one, const char *other)
{
    size_t line = 0, at = 0;
    for (; one[at] && one[at] == other[at]; at++)
        if (one[at] == '\n')
            line = at + 1;
    return text("without: %.300s\nwith:    %.300s", one + line, other + line);
}

void child_expect_same(const struct child *plain, const struct child *recorded)
{
    cr_expect(plain->status == recorded->status, "%s %s: status 0x%x without, 0x%x with\n%s",
              plain->argv[0], plain->argv[1] ? plain->argv[1] : "", plain->status, recorded->status,
              recorded->err);
    cr_expect(plain->out_bytes == recorded->out_bytes &&
                  memcmp(plain->out, recorded->out, plain->out_bytes) == 0,
              "output differs\n%s", difference(plain->out, recorded->out));
    cr_expect(plain->err_bytes == 0, "stderr without the library:\n%s", plain->err);
    cr_expect(recorded->err_bytes == 0, "stderr with the library:\n%s", recorded->err);
}

/* ---- directories ------------------------------------------------------------------------------
 */

char *test_directory(void)
{
    char *path = strdup("/tmp/cupping-test-XXXXXX");
    cr_assert(mkdtemp(path) != NULL, "no temporary directory: %s", strerror(errno));
    return path;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    remove(path);
    return 0;
}

void test_directory_remove(char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(path);
}

/* ---- every Python -----------------------------------------------------------------------------
 */

void for_each_python(void (*check)(const char *python))
{
    const char *const pythons[] = {CUP_PYTHON, CUP_PYTHON_3_9, CUP_PYTHON_3_13, CUP_PYTHON_3_14};
    const char *missing = NULL;
    for (size_t i = 0; i < sizeof pythons / sizeof *pythons; i++)
        if (access(pythons[i], X_OK) == 0)
            check(pythons[i]);
        else
            missing = pythons[i];
    if (missing)
        cr_skip_test("the other Pythons passed, but there is no %s", missing);
}

char *output_of(const struct child *command)
{
    struct child child = *command;
    child_run(&child);
    cr_assert(child.status == 0, "%s: 0x%x: %s%s", child.argv[1], child.status, child.out,
              child.err);
    free(child.err);
    return child.out;
}

/* ---- reading back -----------------------------------------------------------------------------
 */

static json_t *json_of(const char *verb, const char *directory)
{
    struct child child = {.argv = {CUP_BUILD "/cupping", verb, directory, "--json", "-"}};
    child_run(&child);
    cr_assert(child.status == 0, "cupping %s %s: status 0x%x: %s", verb, directory, child.status,
              child.err);
    json_error_t error;
    json_t *document = json_loads(child.out, JSON_REJECT_DUPLICATES, &error);
    cr_assert(document != NULL, "cupping %s: %s\n%.500s", verb, error.text, child.out);
    child_free(&child);
    return document;
}

json_t *tasks_of(const char *directory)
{
    return json_of("tasks", directory);
}

json_t *report_of(const char *directory)
{
    return json_of("report", directory);
}

json_t *task_of(json_t *document, const char *key)
{
    size_t at;
    json_t *task;
    json_array_foreach(json_object_get(document, "tasks"), at, task)
    {
        if (strcmp(json_string_value(json_object_get(task, "key")), key) == 0)
            return task;
    }
    return NULL;
}

size_t tasks_count(json_t *document)
{
    return json_array_size(json_object_get(document, "tasks"));
}

long long task_number(json_t *document, const char *key, const char *field)
{
    json_t *value = json_object_get(task_of(document, key), field);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

/* ---- dumps --------------------------------------------------------------------------------- */

char *dump_of(const char *directory)
{
    struct child child = {.argv = {"sh", "-c",
                                   "exec " CUP_BUILD
                                   "/cupping dump \"$(ls -S \"$0\"/*.cup | head -n 1)\"",
                                   directory}};
    child_run(&child);
    cr_assert(child.status == 0, "cupping dump: %s", child.err);
    free(child.err);
    return child.out;
}

const char *in_line(const char *at, const char *words)
{
    const char *found = strstr(at, words);
    return found && found < at + strcspn(at, "\n") ? found : NULL;
}

long long number_in(const char *at, const char *name)
{
    const char *word = text(" %s=", name), *found = in_line(at, word);
    return found ? atoll(found + strlen(word)) : -1;
}

long long task_of_key(const char *dump, const char *key)
{
    const char *word = text(" key=\"%s\"", key);
    for (const char *at = dump; (at = strstr(at, " TASK_BEGIN ")); at++)
        if (in_line(at, word))
            return number_in(at, "task");
    cr_assert_fail("no task %s", key);
    return -1;
}

long long raw_number(const char *logs, const char *name)
{
    char *out = output_of(
        &(struct child){.argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/raw_log.py", logs}});
    const char *word = text(" %s=", name), *at = strstr(out, word);
    long long number = at ? atoll(at + strlen(word)) : -1;
    free(out);
    return number;
}
