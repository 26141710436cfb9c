/* The checks of `cupping doctor`, in the order in which they are printed. */
#include "cli/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "analysis/base/units.h"
#include "analysis/metrics/functions/call_tree.h"
#include "cli/verbs.h"
#include "include/releases.h"

#define FIT(...) cup_doctor_find(finding, CUP_DOCTOR_FIT, __VA_ARGS__)
#define UNKNOWN(...) cup_doctor_find(finding, CUP_DOCTOR_UNKNOWN, __VA_ARGS__)
#define LACKS(...) cup_doctor_find(finding, CUP_DOCTOR_LACKS, __VA_ARGS__)
#define WRONG(...) cup_doctor_find(finding, CUP_DOCTOR_WRONG, __VA_ARGS__)
#define ADVISE(...) cup_doctor_advise(finding, __VA_ARGS__)

/* The first line of a file; "" if it cannot be read. */
static const char *read_line(const char *path, char to[128])
{
    FILE *file = fopen(path, "r");
    to[0] = '\0';
    if (file && !fgets(to, 128, file))
        to[0] = '\0';
    if (file)
        fclose(file);
    to[strcspn(to, "\n")] = '\0';
    return to;
}

/* ---- the machine -------------------------------------------------------------------------- */

static const char *container_name(void)
{
    static const struct {
        const char *name, *variable, *file;
    } known[] = {{"Apptainer", "APPTAINER_CONTAINER", "/.singularity.d"},
                 {"Singularity", "SINGULARITY_CONTAINER", "/.singularity.d"},
                 {"Podman", NULL, "/run/.containerenv"},
                 {"Docker", NULL, "/.dockerenv"},
                 {"Kubernetes", "KUBERNETES_SERVICE_HOST", NULL}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((known[i].variable && getenv(known[i].variable)) ||
            (known[i].file && access(known[i].file, F_OK) == 0))
            return known[i].name;
    return NULL;
}

static void check_machine(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    struct utsname machine;
    const char *container = container_name();
    (void)doctor;
    if (uname(&machine) != 0 || strcmp(machine.machine, "x86_64") != 0) {
        WRONG("%s: cupping is for x86_64", machine.machine);
        return;
    }
    FIT("%s, Linux %s, %s, %s", machine.machine, machine.release,
        CUP_SHOW_COUNTED((uint64_t)sysconf(_SC_NPROCESSORS_ONLN), "core"),
        container ? container : "no container");
}

static void check_clock(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    char source[128];
    (void)doctor;
    read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", source);
    bool fast =
        !*source || strcmp(source, "tsc") == 0 || strstr(source, "kvm") || strstr(source, "hyperv");
    if (fast) {
        FIT("%s", *source ? source : "the kernel does not name its clock source");
        return;
    }
    LACKS("%s: reading the time is a system call, so that cupping costs more than elsewhere",
          source);
    ADVISE("if you administer the machine, clocksource=tsc");
}

/* The sampler reads other threads' stacks with this call, which containers may forbid. */
static void check_ptrace(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    char yama[128], perf[128], from = 1, to = 0;
    struct iovec here = {&to, 1}, there = {&from, 1};
    (void)doctor;
    read_line("/proc/sys/kernel/yama/ptrace_scope", yama);
    read_line("/proc/sys/kernel/perf_event_paranoid", perf);
    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1) {
        FIT("process_vm_readv works; ptrace_scope (%s) and perf_event_paranoid (%s) do not matter",
            *yama ? yama : "none", *perf ? perf : "none");
        return;
    }
    LACKS("process_vm_readv: %s: no samples of where threads use the CPU", strerror(errno));
    ADVISE("let the container have this call, as with --cap-add SYS_PTRACE or a seccomp profile");
}

/* ---- the library and Python --------------------------------------------------------------- */

/* The message with which cupping-run refused to run Python; NULL: it did run it. */
static const char *refusal_of(const struct cup_doctor_run *probe)
{
    static const char begin[] = "cupping-run: ";
    /* The shell may have written lines of its own before it. */
    for (const char *line = probe->err; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, begin, sizeof begin - 1) == 0)
            return line + sizeof begin - 1;
    }
    return NULL;
}

static bool is_for_musl(const struct cup_doctor_run *probe)
{
    return strstr(probe->err, "Error loading shared library") ||
           strstr(probe->err, "Error relocating");
}

/* As a shell, cupping-run ends with 126 or 127 if it is the command that cannot be executed. */
static bool lacks_python(const struct cup_doctor_run *probe)
{
    return refusal_of(probe) && (probe->status == 126 || probe->status == 127);
}

static void check_library(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    static const char message[] = "/libcupping.so' from LD_PRELOAD cannot be preloaded";
    const struct cup_doctor_run *probe = &doctor->probe;
    const char *refusal = refusal_of(probe), *why = strstr(probe->err, message);
    if (lacks_python(probe))
        UNKNOWN("not tried: this needs Python");
    else if (refusal)
        WRONG("%.*s", (int)strcspn(refusal, "\n"), refusal);
    else if (is_for_musl(probe))
        WRONG("%s is a program of musl: cupping needs one of glibc", doctor->python);
    else if (why)
        WRONG("libcupping.so cannot be preloaded%.*s", (int)strcspn(why + sizeof message - 1, "\n"),
              why + sizeof message - 1);
    else
        FIT("libcupping.so can be preloaded");
}

/* The last line that a program wrote to standard error: of a Python traceback, the exception. */
static const char *last_line(const char *text)
{
    static char line[300];
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n')
        length--;
    size_t from = length;
    while (from > 0 && text[from - 1] != '\n')
        from--;
    snprintf(line, sizeof line, "%.*s", (int)(length - from), text + from);
    return length > from ? line : "it printed nothing";
}

/* False if the interpreter could not be started or is no Python: then no package was looked for. */
static bool has_answered(const struct cup_doctor_run *probe)
{
    char version[256];
    return cup_doctor_fact(probe, "python", version);
}

/* True if the probe ran on a Python that cupping records, so there should be a log. */
static bool is_recorded(const struct cup_doctor_run *probe)
{
    char version[256], kind[256];
    unsigned minor = 0;
    return cup_doctor_fact(probe, "python", version) && sscanf(version, "3.%u", &minor) == 1 &&
           minor >= 9 && cup_doctor_fact(probe, "implementation", kind) &&
           strcmp(kind, "CPython") == 0;
}

static void check_python(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    const struct cup_doctor_run *probe = &doctor->probe;
    char version[256], where[256], free_threaded[256], kind[256];
    if (lacks_python(probe)) {
        WRONG("%.*s", (int)strcspn(refusal_of(probe), "\n"), refusal_of(probe));
        ADVISE("name the interpreter with --python FILE");
        return;
    }
    if (refusal_of(probe) || is_for_musl(probe)) {
        UNKNOWN("without the library it was not tried");
        return;
    }
    if (!cup_doctor_fact(probe, "python", version)) {
        WRONG("%s does not run: %s", doctor->python, last_line(probe->err));
        ADVISE("name the interpreter with --python FILE");
        return;
    }
    cup_doctor_fact(probe, "executable", where);
    cup_doctor_fact(probe, "implementation", kind);
    if (!is_recorded(probe)) {
        WRONG("%s %s (%s) is not recorded: cupping needs CPython 3.9 or newer", kind, version,
              where);
        ADVISE("use a newer Python, or --python FILE");
    } else if (cup_doctor_fact(probe, "free-threaded", free_threaded) && *free_threaded == '1') {
        LACKS("%s without the GIL (%s): no tasks, chunks and stacks", version, where);
    } else {
        FIT("%s, %s", version, where);
    }
}

/* As CUP_RELEASE() makes it; 0: the version is no number. */
static uint64_t read_release(const char *version)
{
    unsigned parts[3] = {0};
    return sscanf(version, "%u.%u.%u", &parts[0], &parts[1], &parts[2]) < 2
               ? 0
               : CUP_RELEASE(parts[0], parts[1], parts[2]);
}

static void check_release(const struct cup_doctor *doctor, struct cup_finding *finding,
                          enum cup_release which)
{
    static const struct {
        const char *package, *unknown, *oldest, *newest;
        uint64_t from, to;
    } releases[] = {
#define X(id, package, unknown, oldest, from, newest, to)                                          \
    {package, unknown, oldest, newest, from, to},
        CUP_RELEASES(X)
#undef X
    };
    char version[256], broken[256], name[64];
    const char *package = releases[which].package;
    snprintf(name, sizeof name, "broken-%s", package);
    bool is_broken = cup_doctor_fact(&doctor->probe, name, broken);
    if (!has_answered(&doctor->probe)) {
        UNKNOWN("not examined: the Python program of this test did not run");
        return;
    }
    if (!cup_doctor_fact(&doctor->probe, package, version)) {
        UNKNOWN(
            "%s is not installed for %s; if that is not the Python of your analysis: --python FILE",
            package, doctor->python);
        return;
    }
    uint64_t number = read_release(version);
    if (is_broken)
        LACKS("%s %s cannot be imported: %s", package, version, broken);
    else if (number && number < releases[which].from)
        LACKS("%s %s is too old: its %s are not recorded", package, version,
              releases[which].unknown);
    else if (number > releases[which].to)
        LACKS("%s %s was not tried: what it does in another way will be missing", package, version);
    else
        FIT("%s %s", package, version);
    if (finding->state != CUP_DOCTOR_FIT && !is_broken)
        ADVISE("releases from %s to %s were tried", releases[which].oldest, releases[which].newest);
}

static void check_dask(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    check_release(doctor, finding, CUP_RELEASE_DISTRIBUTED);
}

static void check_coffea(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    check_release(doctor, finding, CUP_RELEASE_COFFEA);
}

static void check_readers(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    static const char *const packages[] = {"uproot",        "awkward", "xrootd",
                                           "fsspec-xrootd", "aiohttp", "s3fs"};
    char list[300] = "", version[256], broken[256];
    if (!has_answered(&doctor->probe)) {
        UNKNOWN("not examined: the Python program of this test did not run");
        return;
    }
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (cup_doctor_fact(&doctor->probe, packages[i], version))
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s %.30s",
                     *list ? ", " : "", packages[i], version);
    if (cup_doctor_fact(&doctor->probe, "broken-uproot", broken))
        LACKS("uproot cannot be imported: %s", broken);
    else
        FIT("%s",
            *list
                ? list
                : "none of uproot, awkward, xrootd, fsspec-xrootd, aiohttp and s3fs is installed");
}

/* ---- what was recorded of the probe ------------------------------------------------------- */

/* Why, as the library wrote it into the log; "" if it did not. */
static const char *note_of(const struct cup_profile *profile, const char *word, char to[200])
{
    to[0] = '\0';
    for (size_t i = 0; i < profile->note_count; i++) {
        struct cup_text text = cup_profile_text(profile, profile->notes[i].text);
        snprintf(to, 200, "%.*s", (int)text.length, text.bytes);
        if (strstr(to, word))
            return to;
    }
    return strcpy(to, "");
}

/* The library verifies most features when Dask or Coffea is imported. */
static bool has_dask(const struct cup_doctor_run *probe)
{
    char version[256];
    return cup_doctor_fact(probe, "distributed", version) ||
           cup_doctor_fact(probe, "coffea", version);
}

/* True if the probe's log can show whether the feature is on. The list of requested baskets is
 * verified when uproot reads a basket, and threads are sampled while they run tasks: the probe does
 * neither. Native frames have a row of their own. */
static bool is_known(enum cup_feature feature, bool dask)
{
    const unsigned never = CUP_FEATURE_REQUESTED | CUP_FEATURE_NATIVE | CUP_FEATURE_CPU;
    const unsigned always = CUP_FEATURE_FILES | CUP_FEATURE_HEAP | CUP_FEATURE_RSS |
                            CUP_FEATURE_MAPPED | CUP_FEATURE_WAITS | CUP_FEATURE_RUN_DELAY |
                            CUP_FEATURE_BASKETS | CUP_FEATURE_OPENS | CUP_FEATURE_ACCESS;
    return !(feature & never) && (dask || feature & always);
}

static void check_records(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    static const struct {
        enum cup_feature feature;
        const char *missing;
    } features[] = {
#define X(id, name, text, missing) {CUP_FEATURE_##id, missing},
        CUP_FEATURES(X)
#undef X
    };
    const struct cup_doctor_run *probe = &doctor->probe;
    char list[500] = "", note[200];
    if (!probe->loaded) {
        if (is_recorded(probe))
            WRONG("a Python program ran as a test and opened a ROOT file, but wrote no log");
        else
            UNKNOWN("not tried: no Python program that cupping records could run as a test");
        return;
    }
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (is_known(features[i].feature, has_dask(probe)) &&
            !(probe->profile.features & features[i].feature))
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? "; " : "",
                     features[i].missing);
    if (*list) {
        LACKS("%s", list);
        ADVISE("%s", note_of(&probe->profile, "not recorded", note));
    } else if (has_dask(probe)) {
        FIT("all that cupping can measure was on in a test");
    } else {
        UNKNOWN("reads were measured in a test; tasks and stacks need Dask or Coffea");
    }
}

static void check_native(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    char note[200];
    const struct cup_doctor_run *probe = &doctor->probe;
    if (!probe->loaded || !(probe->profile.features & CUP_FEATURE_STACKS)) {
        UNKNOWN(
            "not tried: stacks of C and C++ functions need Python stacks, and the test has none");
    } else if (probe->profile.features & CUP_FEATURE_NATIVE) {
        FIT("libunwind is there: stacks will have C and C++ functions");
    } else {
        note_of(&probe->profile, "libunwind", note);
        LACKS("stacks will have Python functions only%s%s", *note ? ": " : "", note);
        if (!*note || strstr(note, "not installed"))
            ADVISE("install libunwind (Debian: libunwind8; EL: libunwind of EPEL)");
    }
}

/* ---- where profiles are written ----------------------------------------------------------- */

/* Numbers from linux/magic.h and from the file systems' own sources. */
static const char *file_system_name(unsigned long number, bool *network)
{
    static const struct {
        unsigned long number;
        const char *name;
        bool network;
    } known[] = {
        {0xef53, "ext4", false},      {0x58465342, "xfs", false},     {0x9123683e, "btrfs", false},
        {0x01021994, "tmpfs", false}, {0x794c7630, "overlay", false}, {0x2fc12fc1, "zfs", false},
        {0x6969, "NFS", true},        {0xff534d42, "CIFS", true},     {0xfe534d42, "SMB", true},
        {0x0bd00bd0, "Lustre", true}, {0x47504653, "GPFS", true},     {0x65735546, "FUSE", true},
        {0x00c36400, "CephFS", true}, {0x5346414f, "AFS", true},      {0x19830326, "BeeGFS", true},
        {0x01021997, "9p", true}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == number) {
            *network = known[i].network;
            return known[i].name;
        }
    *network = false;
    return "file system of unknown kind";
}

/* Does what the library does with a log. Returns NULL, or what failed. */
static const char *try_log(const char *scratch)
{
    enum { BYTES = 1 << 20 };
    char path[PATH_MAX + 16];
    const char *failed = NULL;
    snprintf(path, sizeof path, "%s/log", scratch);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return "making a file";
    if (fallocate(fd, 0, 0, BYTES) != 0 && ftruncate(fd, BYTES) != 0)
        failed = "reserving space";
    void *log = failed ? MAP_FAILED : mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!failed && log == MAP_FAILED)
        failed = "mapping a file into memory for writing (mmap)";
    int why = errno;
    if (log != MAP_FAILED)
        munmap(log, BYTES);
    close(fd);
    errno = why;
    return failed;
}

static void check_directory(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    enum { LEAST = 100 << 20 };
    const char *directory = doctor->directory;
    struct statfs system;
    struct rlimit most;
    bool network = false;
    if (doctor->unwritable || statfs(directory, &system) != 0) {
        WRONG("%s: cannot write there: %s", directory,
              strerror(doctor->unwritable ? doctor->unwritable : errno));
        ADVISE("name another directory: cupping doctor DIR, cupping run -o DIR");
        return;
    }
    const char *name = file_system_name((unsigned long)system.f_type & 0xffffffff, &network);
    uint64_t left = (uint64_t)system.f_bavail * (uint64_t)system.f_bsize;
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < LEAST) {
        LACKS("a file may have %s at most (ulimit -f): logs are cut there",
              CUP_SHOW_BYTES(most.rlim_cur));
        ADVISE("ulimit -f unlimited");
        return;
    }
    const char *failed = try_log(doctor->scratch);
    if (failed) {
        WRONG("%s (%s): %s fails: %s", directory, name, failed, strerror(errno));
        ADVISE("write profiles to another file system: cupping run -o DIR");
    } else if (left < LEAST) {
        WRONG("%s (%s): only %s left", directory, name, CUP_SHOW_BYTES(left));
        ADVISE("make room, or cupping run -o DIR; a log takes a few MB, at most CUPPING_MAX_BYTES");
    } else {
        FIT("%s: %s%s, %s free", directory, name, network ? " (a network file system)" : "",
            CUP_SHOW_BYTES(left));
    }
}

/* ---- settings ----------------------------------------------------------------------------- */

static void check_settings(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    static const struct {
        const char *variable, *value, *missing;
    } losses[] = {{"CUPPING_DISABLE", "1", "nothing is recorded"},
                  {"CUPPING_STACKS", "0", "no stacks"},
                  {"CUPPING_NATIVE", "0", "no native functions in stacks"},
                  {"CUPPING_CPU_HZ", "0", "no samples of where threads use the CPU"},
                  {"CUPPING_INTERVAL", "0", "no samples of Dask's own state"}};
    struct cup_doctor_run own;
    cup_doctor_run(doctor, "settings", NULL, &own);
    const char *refusal = refusal_of(&own);
    if (refusal && own.status == CUP_EXIT_USAGE) {
        WRONG("`cupping run` refuses %.*s", (int)strcspn(refusal, "\n"), refusal);
        ADVISE("unset the variable, or set it to what is allowed");
    }
    if (own.loaded)
        cup_profile_free(&own.profile);
    if (finding->state != CUP_DOCTOR_FIT)
        return;
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        const char *value = getenv(losses[i].variable);
        if (!value || strcmp(value, losses[i].value) != 0)
            continue;
        cup_doctor_find(finding, i == 0 ? CUP_DOCTOR_WRONG : CUP_DOCTOR_LACKS, "%s=%s: %s",
                        losses[i].variable, value, losses[i].missing);
        ADVISE("unset %s", losses[i].variable);
        return;
    }
    const char *preload = getenv("LD_PRELOAD");
    FIT("%s%.200s",
        preload && *preload ? "LD_PRELOAD is already " : "the environment switches nothing off",
        preload ? preload : "");
}

const struct cup_doctor_check cup_doctor_checks[] = {
    {"machine", check_machine},
    {"clock", check_clock},
    {"library", check_library},
    {"Python", check_python},
    {"Dask", check_dask},
    {"Coffea", check_coffea},
    {"readers", check_readers},
    {"measures", check_records},
    {"native", check_native},
    {"sampling", check_ptrace},
    {"directory", check_directory},
    {"settings", check_settings},
    {NULL, NULL},
};

/* ---- the job of --run --------------------------------------------------------------------- */

static uint64_t number_of(const struct cup_doctor_run *job, const char *name)
{
    char text[256];
    return cup_doctor_fact(job, name, text) ? strtoull(text, NULL, 10) : 0;
}

static void check_job(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    const struct cup_doctor_run *job = doctor->job;
    char seconds[256];
    if (job->status != 0 || !cup_doctor_fact(job, "seconds", seconds))
        WRONG("the job failed with exit status %d: %s", job->status, last_line(job->err));
    else if (!job->loaded)
        WRONG("the job left no logs: %s", job->error.text);
    else
        FIT("%s in %s s, %s", number_of(job, "tasks") ? "a LocalCluster" : "one process", seconds,
            CUP_SHOW_COUNTED(job->profile.process_count, "log"));
}

static const char task_name[] = "cupping_doctor_task";

static void check_tasks(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    uint64_t tasks = number_of(doctor->job, "tasks"), recorded = 0;
    const struct cup_profile *profile = &doctor->job->profile;
    for (size_t i = 0; i < profile->prefix_count && doctor->job->loaded; i++)
        if (cup_text_is(cup_profile_text(profile, profile->prefixes[i].name), task_name))
            recorded = profile->prefixes[i].tasks;
    if (recorded != tasks)
        WRONG("%llu of %llu Dask tasks were recorded", (unsigned long long)recorded,
              (unsigned long long)tasks);
    else
        cup_doctor_find(finding, tasks ? CUP_DOCTOR_FIT : CUP_DOCTOR_UNKNOWN, "%s",
                        tasks ? "all Dask tasks were recorded" : "not tried: this needs Dask");
}

/* plain.root is read by the tasks only. */
static void check_bytes(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    const struct cup_profile *profile = &doctor->job->profile;
    uint64_t bytes = number_of(doctor->job, "bytes"), all = 0, of_tasks = 0;
    for (size_t i = 0; i < profile->file_sum_count && doctor->job->loaded; i++) {
        const struct cup_file_sum *sum = &profile->file_sums[i];
        struct cup_text path = cup_profile_text(profile, profile->files[sum->file].path);
        static const char end[] = "/plain.root";
        if (path.length < sizeof end ||
            memcmp(path.bytes + path.length - (sizeof end - 1), end, sizeof end - 1) != 0)
            continue;
        all += sum->counters[CUP_F_READ_BYTES];
        of_tasks += sum->prefix != CUP_NO_PREFIX ? sum->counters[CUP_F_READ_BYTES] : 0;
    }
    if (all != bytes)
        WRONG("%s of %s read were recorded", CUP_SHOW_BYTES(all), CUP_SHOW_BYTES(bytes));
    else if (of_tasks != all && number_of(doctor->job, "tasks"))
        WRONG("only %s of %s were attributed to the task that read them", CUP_SHOW_BYTES(of_tasks),
              CUP_SHOW_BYTES(all));
    else
        FIT("%s of %s read were recorded", CUP_SHOW_BYTES(all), CUP_SHOW_BYTES(bytes));
}

static void check_baskets(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    const struct cup_profile *profile = &doctor->job->profile;
    uint64_t baskets = number_of(doctor->job, "baskets"), recorded = 0;
    for (size_t i = 0; i < profile->branch_count && doctor->job->loaded; i++)
        recorded += profile->branches[i].sums.baskets;
    if (recorded != baskets)
        WRONG("%llu of %llu baskets of a TTree were recorded", (unsigned long long)recorded,
              (unsigned long long)baskets);
    else
        cup_doctor_find(finding, baskets ? CUP_DOCTOR_FIT : CUP_DOCTOR_UNKNOWN, "%s",
                        baskets ? "all baskets of a TTree were recorded"
                                : "not tried: this needs uproot");
}

/* The job's tasks compute in cupping_doctor_task(), so stacks must have this function. */
static void check_stacks(const struct cup_doctor *doctor, struct cup_finding *finding)
{
    static const struct cup_call_ask all;
    struct cup_call_tree calls = {0};
    bool found = false;
    size_t count = 0;
    if (doctor->job->loaded && cup_call_tree_make(&calls, &doctor->job->profile, &all) == 0) {
        count = calls.function_count;
        for (size_t i = 0; i < count && !found; i++)
            found = cup_text_is(cup_call_text(&calls, calls.functions[i].name), task_name);
    }
    cup_call_tree_free(&calls);
    if (!number_of(doctor->job, "tasks"))
        UNKNOWN("not tried: this needs Dask");
    else if (found)
        FIT("%s recorded, the one that the tasks ran among them",
            CUP_SHOW_COUNTED(count, "function"));
    else
        LACKS("no stack has the function that the tasks ran (%s recorded)",
              CUP_SHOW_COUNTED(count, "function"));
}

const struct cup_doctor_check cup_doctor_job_checks[] = {
    {"job", check_job},         {"tasks", check_tasks},   {"bytes", check_bytes},
    {"baskets", check_baskets}, {"stacks", check_stacks}, {NULL, NULL},
};
