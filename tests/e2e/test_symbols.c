/* The symbols that the library exports and needs: exactly its hooks, with all their siblings,
 * and nothing that an older image lacks. */
#include "preload/hooks/api.h"
#include "preload/sys/hook_list.h"
#include "tests/e2e/child.h"

#include <criterion/criterion.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define LIBRARY CUP_BUILD "/libcupping.so"

static const char *const hooks[] = {
#define X(name, family, need) #name,
    CUP_HOOKS(X)
#undef X
};
enum { HOOKS = sizeof hooks / sizeof *hooks };

/* Methods of XRootD's client: of no library that every program has. */
static const char *const methods[] = {
#define X(name) #name,
    CUP_XROOTD_HOOKS(X)
#undef X
        NULL};
enum { METHODS = sizeof methods / sizeof *methods - 1 };

/* What programs may call if they want to. */
static const char *const functions[] = {
#define X(name) #name,
    CUP_API(X)
#undef X
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static bool is_function(const char *name)
{
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strcmp(functions[i], name) == 0)
            return true;
    return false;
}

static bool is_hook(const char *name)
{
    for (size_t i = 0; i < HOOKS; i++)
        if (strcmp(hooks[i], name) == 0)
            return true;
    return false;
}

static bool is_method(const char *name)
{
    for (size_t i = 0; i < METHODS; i++)
        if (strcmp(methods[i], name) == 0)
            return true;
    return false;
}

static char *symbols_of(const char *library)
{
    return output_of(
        &(struct child){.argv = {"nm", "-D", "--defined-only", "--format=posix", library}});
}

Test(symbols, exported_are_exactly_the_hooks)
{
    char *symbols = symbols_of(LIBRARY);
    size_t count = 0;
    for (char *line = strtok(symbols, "\n"); line; line = strtok(NULL, "\n")) {
        line[strcspn(line, " ")] = '\0';
        cr_expect(is_hook(line) || is_method(line) || is_function(line),
                  "%s is exported and in no list", line);
        count++;
    }
    cr_expect(count == HOOKS + METHODS + FUNCTIONS, "%zu symbols, %d in lists", count,
              HOOKS + METHODS + FUNCTIONS);
    free(symbols);
}

/* The methods that a client has besides, beside those that are hooked: in both of the ABIs that
 * the last letter of their names tells apart. */
Test(symbols, methods_are_there_in_both_versions)
{
    for (size_t i = 0; i < METHODS; i++) {
        char other[256];
        snprintf(other, sizeof other, "%s", methods[i]);
        char *last = other + strlen(other) - 1;
        *last = *last == 't' ? 'l' : 't';
        cr_expect(is_method(other), "%s has no %s", methods[i], other);
    }
}

/* ---- siblings
 * ------------------------------------------------------------------------------------- */

/* How libc names the other forms of a function N. */
static const char *const patterns[] = {
    "%s64",          "__%s",          "__%s_chk",    "__%s64",
    "__%s64_chk",    "_IO_%s",        "__%s_2",      "__%s64_2",
    "%s_unlocked",   "__%s_unlocked", "%sv2",        "%s64v2",
    "__libc_%s",     "__isoc99_%s",   "__isoc23_%s", "__%s_unlocked_chk",
    "__%s_nocancel", "%sat",          "__%s_time64", "__posix_%s",
    "v%s",           "__v%s_chk",     "_%s",
};

/* Public siblings that are not hooked, and why. */
static const struct {
    const char *name, *why;
} exceptions[] = {
    {"_IO_fclose", "in no header since glibc 2.28; programs call fclose"},
    {"_IO_fgets", "likewise"},
    {"_IO_fopen", "likewise"},
    {"_IO_fprintf", "likewise"},
    {"_IO_fputs", "likewise"},
    {"_IO_fread", "likewise"},
    {"_IO_fwrite", "likewise"},
    {"_IO_fsetpos", "in no header since glibc 2.28; programs call fsetpos"},
    {"_IO_fsetpos64", "in no header since glibc 2.28; programs call fsetpos64"},
    {"_IO_vfprintf", "likewise"},
    {"_IO_vfscanf", "likewise"},
    {"_IO_printf", "likewise"},
    {"_IO_puts", "likewise"},
    {"_IO_getline", "likewise; not getline, but a part of fgets"},
    {"__vfscanf", "in no header; the name under which libc calls itself"},
    {"__pthread_mutex_unlock", "CPython releases the GIL by pthread_mutex_unlock"},
    {"__libc_malloc", "for allocators that wrap libc's: what they hand out passes malloc"},
    {"__libc_calloc", "likewise"},
    {"__libc_realloc", "likewise"},
    {"__libc_free", "likewise"},
    {"__libc_memalign", "likewise"},
    {"__libc_valloc", "likewise"},
    {"__libc_pvalloc", "likewise"},
};

static bool is_exception(const char *name)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (strcmp(exceptions[i].name, name) == 0)
            return true;
    return false;
}

static const char *libc_path(void)
{
    char *map = output_of(&(struct child){.argv = {"ldd", LIBRARY}});
    char *path = strstr(map, "libc.so.6 => ");
    cr_assert(path != NULL, "%s", map);
    path += strlen("libc.so.6 => ");
    path[strcspn(path, " ")] = '\0';
    return path;
}

/* "\nNAME@" is in the list: exported by libc, and not for its own use only. */
static bool is_public(const char *symbols, const char *name)
{
    const char *entry = strstr(symbols, text("\n%s@", name));
    return entry &&
           strncmp(strchr(entry, '@') + strspn(strchr(entry, '@'), "@"), "GLIBC_PRIVATE", 13) != 0;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

Test(symbols, no_sibling_is_missed)
{
    char *symbols = symbols_of(libc_path());
    cr_assert(is_public(symbols, "__read_chk"), "libc's symbols cannot be read");
    for (size_t i = 0; i < HOOKS; i++)
        for (size_t j = 0; j < sizeof patterns / sizeof *patterns; j++) {
            char sibling[128];
            snprintf(sibling, sizeof sibling, patterns[j], hooks[i]);
            cr_expect(is_hook(sibling) || is_exception(sibling) || !is_public(symbols, sibling),
                      "libc has %s beside %s: hook it, or say in this test why not", sibling,
                      hooks[i]);
        }
    free(symbols);
}

Test(symbols, exceptions_exist)
{
    char *symbols = symbols_of(libc_path());
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        cr_expect(!is_hook(exceptions[i].name) && is_public(symbols, exceptions[i].name),
                  "%s is hooked, or not in libc", exceptions[i].name);
    free(symbols);
}

/* ---- what it needs
 * -------------------------------------------------------------------------------- */

static int version_number(const char *version)
{
    int major = 0, minor = 0;
    sscanf(version, "GLIBC_%d.%d", &major, &minor);
    return major * 1000 + minor;
}

Test(symbols, loads_on_glibc_2_17)
{
    char *needs = output_of(&(struct child){.argv = {"nm", "-D", "--undefined-only", LIBRARY}});
    int highest = 0;
    const char *which = "";
    for (char *line = strtok(needs, "\n"); line; line = strtok(NULL, "\n")) {
        char *version = strstr(line, "GLIBC_");
        if (version && version_number(version) > highest) {
            highest = version_number(version);
            which = line + strspn(line, " ");
        }
    }
    cr_log_info("highest glibc symbol: %s", which);
    cr_expect(highest > 0 && highest <= 2017, "needs %s", which);
    free(needs);
}

/* Before glibc 2.34 the first dlsym() of a thread allocates: it calls hooks whose real functions it
 * is about to find. */
Test(symbols, loads_where_dlsym_allocates)
{
    const char *const commands[] = {"exit 3", "cat /proc/self/maps | grep -c libdlsym >&2; exit 3"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct child child = {
            .argv = {"sh", "-c", commands[i]},
            .settings = {"LD_PRELOAD=" LIBRARY ":" CUP_BUILD "/tests/trace/libdlsym.so"}};
        child_run(&child);
        cr_expect(WIFEXITED(child.status) && WEXITSTATUS(child.status) == 3, "status %x",
                  (unsigned)child.status);
        cr_expect(i == 0 || atoi(child.err) > 0, "libdlsym.so is not loaded: %s", child.err);
        child_free(&child);
    }
}

/* In glibc 2.25 to 2.29, a try that succeeds may leave other threads asleep for ever. */
Test(symbols, tries_no_read_write_lock)
{
    char *logs = test_directory();
    struct child plain = {
        .argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/run_task.py", "-c",
                 "import ctypes\n"
                 "libc = ctypes.CDLL(None)\n"
                 "lock = ctypes.create_string_buffer(56)\n"
                 "for name in ('rdlock', 'unlock', 'wrlock', 'unlock'):\n"
                 "    assert libc['pthread_rwlock_' + name](lock) == 0\n"},
        .settings = {"LD_PRELOAD=" LIBRARY ":" CUP_BUILD "/tests/trace/librwlock.so"}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_expect(recorded.status == 0, "status 0x%x: %s", recorded.status, recorded.err);
    json_t *tasks = tasks_of(logs);
    cr_expect(tasks_count(tasks) == 1);
    json_decref(tasks);
    test_directory_remove(logs);
    child_free(&recorded);
}

/* libdl is glibc's own, and holds dlsym before 2.34. */
Test(symbols, needs_libc_alone)
{
    char *dynamic = output_of(&(struct child){.argv = {"readelf", "-d", LIBRARY}});
    int needed = 0;
    for (char *at = dynamic; (at = strstr(at, "(NEEDED)")); needed++) {
        at += strcspn(at, "[") + 1;
        size_t bytes = strcspn(at, "]");
        cr_log_info("needed: %.*s", (int)bytes, at);
        cr_expect(strncmp(at, "libc.so.6", bytes) == 0 || strncmp(at, "libdl.so.2", bytes) == 0,
                  "needs %.*s", (int)bytes, at);
    }
    cr_expect(needed == 2, "%d libraries needed", needed);
    cr_expect(!strstr(dynamic, "RPATH") && !strstr(dynamic, "RUNPATH"), "%s", dynamic);
    cr_expect(!strstr(dynamic, "TEXTREL"));
    free(dynamic);
}

/* The reserve for libraries that come late with initial-exec storage is 512 bytes on old glibc. */
Test(symbols, little_thread_local_storage)
{
    char *segments = output_of(&(struct child){.argv = {"readelf", "-lW", LIBRARY}});
    unsigned long offset, address, physical, in_file, in_memory = 0;
    char *line = strstr(segments, "  TLS ");
    cr_assert(line != NULL);
    sscanf(line, " TLS %lx %lx %lx %lx %lx", &offset, &address, &physical, &in_file, &in_memory);
    cr_log_info("thread-local storage: %lu bytes", in_memory);
    cr_expect(in_memory > 0 && in_memory <= 512, "%lu bytes", in_memory);
    free(segments);
}

/* ---- beside another preloaded allocator
 * ------------------------------------------------------------- */

static const char *jemalloc_path(void)
{
    char *cache =
        output_of(&(struct child){.argv = {"sh", "-c",
                                           "PATH=$PATH:/sbin:/usr/sbin; ldconfig -p | sed -n "
                                           "'s/.*libjemalloc[.]so[.]2 .*=> //p'"}});
    cache[strcspn(cache, "\n")] = '\0';
    return *cache ? cache : NULL;
}

/* A task that allocates 50 MB, and what was recorded of it. */
static json_t *tasks_of_python(const char *python, const char *preload, const char *setting)
{
    char *logs = test_directory();
    struct child plain = {.argv = {python, CUP_TOP "/tests/workloads/run_task.py", "-c",
                                   "open('/dev/zero', 'rb', 0).read(1000); bytearray(50000000)"},
                          .settings = {text("LD_PRELOAD=%s", preload), setting}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_expect(recorded.status == 0, "%s: status 0x%x", preload, recorded.status);
    cr_expect(recorded.err_bytes == 0, "%s: %s", preload, recorded.err);
    json_t *tasks = tasks_of(logs);
    cr_expect(tasks_count(tasks) == 1);
    test_directory_remove(logs);
    child_free(&recorded);
    return tasks;
}

static json_t *tasks_with(const char *preload)
{
    return tasks_of_python(CUP_PYTHON, preload, NULL);
}

static const char *need_jemalloc(void)
{
    const char *jemalloc = jemalloc_path();
    if (!jemalloc)
        cr_skip_test("libjemalloc2 is not installed");
    return jemalloc;
}

/* What jemalloc maps for itself is not counted beside what it hands out. */
Test(symbols, before_jemalloc)
{
    json_t *tasks = tasks_with(text("%s:%s", LIBRARY, need_jemalloc()));
    long long bytes = task_number(tasks, "run_task", "alloc_bytes");
    long long freed = task_number(tasks, "run_task", "freed_bytes");
    cr_expect(bytes >= 50000000 && bytes < 60000000, "%lld allocated", bytes);
    cr_expect(freed >= 50000000 && freed <= bytes, "%lld freed", freed);
    json_decref(tasks);
}

/* There our malloc is never called: nothing is known of the heap, and that is said. */
Test(symbols, after_jemalloc)
{
    json_t *tasks = tasks_with(text("%s:%s", need_jemalloc(), LIBRARY));
    json_t *bytes = json_object_get(task_of(tasks, "run_task"), "alloc_bytes");
    cr_expect(json_is_null(bytes), "alloc_bytes is %s", json_dumps(bytes, JSON_ENCODE_ANY));
    json_decref(tasks);
}

/* Where the address of malloc is one in the program itself, as in Debian's python3, which is linked
 * to lie at a fixed place. */
Test(symbols, in_a_program_at_a_fixed_place)
{
    static const char python[] = "/usr/bin/python3";
    static const char same[] = "import sys, sysconfig; print(sys.version_info[:2], "
                               "sysconfig.get_paths()['purelib'], sep='\\n')";
    char *theirs = output_of(&(struct child){.argv = {python, "-c", same}});
    char *ours = output_of(&(struct child){.argv = {CUP_PYTHON, "-c", same}});
    size_t version = strcspn(ours, "\n");
    if (strncmp(theirs, ours, version + 1))
        cr_skip_test("the system's Python is another one than the virtual environment's");
    ours[strlen(ours) - 1] = '\0';
    json_t *tasks = tasks_of_python(python, LIBRARY, text("PYTHONPATH=%s", ours + version + 1));
    long long bytes = task_number(tasks, "run_task", "alloc_bytes");
    cr_expect(bytes >= 50000000 && bytes < 60000000, "%lld allocated", bytes);
    json_decref(tasks);
    free(theirs);
    free(ours);
}
