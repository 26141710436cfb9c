#include "preload/process.h"

#include "preload/attribution/attribution.h"
#include "preload/attribution/child_processes.h"
#include "preload/attribution/helper.h"
#include "preload/coffea/coffea_columns.h"
#include "preload/coffea/requested_baskets.h"
#include "preload/counters/block.h"
#include "preload/dask/dask_tasks.h"
#include "preload/dask/runner_calls.h"
#include "preload/dask/server_samples.h"
#include "preload/io/connecting.h"
#include "preload/io/descriptor.h"
#include "preload/io/mapped_files.h"
#include "preload/io/opening.h"
#include "preload/kernel_count.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/log/machine.h"
#include "preload/python/gil.h"
#include "preload/python/python.h"
#include "preload/root/baskets.h"
#include "preload/sampler/sampler.h"
#include "preload/stacks/native.h"
#include "preload/stacks/stack_events.h"
#include "preload/stacks/stack_uses.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/clock.h"
#include "preload/sys/hook_list.h"
#include "preload/sys/own_fd.h"
#include "preload/sys/parse_number.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"
#include "preload/task/sections.h"
#include "preload/task/task.h"
#include "preload/waits/helper_wait.h"
#include "preload/waits/wait.h"
#include "preload/xrootd/xrootd.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cup_heap_init(void); /* hook_heap.c */
bool cup_heap_is_first(void);

enum { REMARKS = 8, DEFAULT_INTERVAL_NS = 1000000000 };

static struct {
    bool wanted;
    bool tried;       /* the log could not be opened: not tried again */
    uint32_t opening; /* a lock: a child's threads may all come at once */
    bool verbose;
    uint64_t max_bytes;
    uint64_t features;
    int64_t start_ns;
    int64_t interval_ns; /* of samples; 0: none */
    int hooks;
    char directory[3072];
    char remarks[REMARKS][192];
    int remark_count;
} process;

bool cup_process_wanted(void)
{
    return process.wanted;
}

/* ---- environment ------------------------------------------------------------------------- */

static const char *setting(const char *name)
{
    const char *value = secure_getenv(name);
    return value && *value ? value : NULL;
}

void cup_process_remark(const char *what, const char *why)
{
    if (process.remark_count < REMARKS)
        snprintf(process.remarks[process.remark_count++], sizeof *process.remarks, "%s: %s", what,
                 why);
}

/* 1 or 0; anything else is the default, which is 0. */
static bool flag(const char *name)
{
    const char *value = setting(name);
    if (value && strcmp(value, "0") && strcmp(value, "1"))
        cup_process_remark(name, "neither 0 nor 1: not used");
    return value && strcmp(value, "1") == 0;
}

/* "256M", "1G", "65536": 0 if it is none of that. */
static uint64_t parse_bytes(const char *text)
{
    uint64_t value = 0;
    const char *rest = cup_number(text, &value);
    int shift = *rest == 'K' ? 10 : *rest == 'M' ? 20 : *rest == 'G' ? 30 : 0;
    if (rest == text || value > UINT64_MAX >> 32 || (*rest && (!shift || rest[1])))
        return 0;
    return value << shift;
}

/* "1", "0.25", "0": nanoseconds; -1 if it is none of that. */
static int64_t parse_seconds(const char *text)
{
    enum { MOST_S = 60 };
    const int64_t second = INT64_C(1000000000), least = second / 50; /* Dask's tick */
    uint64_t whole = 0;
    const char *rest = cup_number(text, &whole);
    if (rest == text || whole > MOST_S)
        return -1;
    int64_t ns = (int64_t)whole * second, digit = second;
    if (*rest == '.')
        for (rest++; *rest >= '0' && *rest <= '9'; rest++)
            ns += (*rest - '0') * (digit /= 10);
    return *rest == 0 && ns <= MOST_S * second && (ns == 0 || ns >= least) ? ns : -1;
}

static void read_interval(void)
{
    const char *text = setting("CUPPING_INTERVAL");
    int64_t ns = text ? parse_seconds(text) : -1;
    if (text && ns < 0)
        cup_process_remark("CUPPING_INTERVAL is not used", "neither 0 nor 0.02 to 60 seconds");
    process.interval_ns = ns < 0 ? DEFAULT_INTERVAL_NS : ns;
    cup_samples_every(process.interval_ns);
}

static void read_stacks(void)
{
    const char *text = setting("CUPPING_STACKS");
    bool off = text && strcmp(text, "0") == 0, stress = text && strcmp(text, "stress") == 0;
    if (text && !off && !stress && strcmp(text, "1"))
        cup_process_remark("CUPPING_STACKS", "neither 0 nor 1: not used");
    cup_stacks_want(off ? CUP_STACKS_OFF : stress ? CUP_STACKS_STRESS : CUP_STACKS_ON);
}

static void read_native(void)
{
    const char *text = setting("CUPPING_NATIVE");
    if (text && strcmp(text, "0") && strcmp(text, "1"))
        cup_process_remark("CUPPING_NATIVE", "neither 0 nor 1: not used");
    cup_native_want(!text || strcmp(text, "0"));
}

static void read_cpu_hz(void)
{
    const char *text = setting("CUPPING_CPU_HZ");
    uint64_t hz = CUP_SAMPLER_HZ;
    const char *rest = text ? cup_number(text, &hz) : "";
    if (rest == text || *rest || hz > CUP_SAMPLER_MOST_HZ) {
        cup_process_remark("CUPPING_CPU_HZ is not used", "not a number from 0 to 1000");
        hz = CUP_SAMPLER_HZ;
    }
    cup_sampler_wants((uint32_t)hz);
}

/* Absolute: the log grows by its path, and the program may change its directory. */
static bool set_directory(const char *directory)
{
    size_t used = 0;
    if (directory[0] != '/') {
        long bytes = syscall(SYS_getcwd, process.directory, sizeof process.directory - 1);
        if (bytes <= 1)
            return false;
        used = (size_t)bytes;
        process.directory[used - 1] = '/';
    }
    if (used + strlen(directory) >= sizeof process.directory)
        return false;
    strcpy(process.directory + used, directory);
    return true;
}

static void read_environment(void)
{
    process.max_bytes = UINT64_C(1) << 30;
    process.verbose = flag("CUPPING_VERBOSE");
    const char *directory = setting("CUPPING_DIR"), *limit = setting("CUPPING_MAX_BYTES");
    if (!directory || flag("CUPPING_DISABLE") || !set_directory(directory))
        return;
    process.wanted = true;
    read_interval();
    read_stacks();
    read_native();
    read_cpu_hz();
    if (!limit)
        return;
    uint64_t bytes = parse_bytes(limit);
    if (bytes >= UINT64_C(1) << 20)
        process.max_bytes = bytes;
    else
        cup_process_remark("CUPPING_MAX_BYTES is not used", "not a size of 1M or more");
}

/* ---- opening the log --------------------------------------------------------------------- */

static void say(const char *what, const char *why)
{
    char line[512];
    if (!process.verbose)
        return;
    int bytes = snprintf(line, sizeof line, "cupping: %s %s\n", what, why);
    if (bytes >= (int)sizeof line) { /* a long path: cut */
        bytes = (int)sizeof line - 1;
        line[bytes - 1] = '\n';
    }
    if (syscall(SYS_write, 2, line, (size_t)bytes) < 0)
        return;
}

static void describe_process(void)
{
    char command[2048];
    int fd = cup_raw_open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0);
    ssize_t bytes = fd < 0 ? 0 : cup_raw_read(fd, command, sizeof command - 1);
    if (fd >= 0)
        cup_raw_close(fd);
    for (ssize_t i = 0; i + 1 < bytes; i++)
        if (!command[i])
            command[i] = ' ';
    command[bytes > 0 ? bytes : 0] = '\0';
    cup_log_info("command", command);
    const char *trim = getenv("MALLOC_TRIM_THRESHOLD_"); /* set by Dask's nanny: seldom for good */
    if (trim)
        cup_log_info("MALLOC_TRIM_THRESHOLD_", trim);
    if (process.interval_ns != DEFAULT_INTERVAL_NS) {
        char seconds[32];
        snprintf(seconds, sizeof seconds, "%.9g", (double)process.interval_ns / 1e9);
        cup_log_info("CUPPING_INTERVAL", seconds);
    }
    if (cup_python_usable()) {
        char version[32];
        snprintf(version, sizeof version, "%.*s", (int)strcspn(cup_py.Py_GetVersion(), " "),
                 cup_py.Py_GetVersion());
        cup_log_info("python", version);
    }
}

/* A child's log has no tasks, so the descriptor that tells their memory need not be open. */
static void fill_in(enum cup_log_size size)
{
    struct cup_log_header *header = cup_log_header();
    if (size == CUP_LOG_FULL && cup_task_rss() != CUP_UNKNOWN64)
        process.features |= CUP_FEATURE_RSS;
    process.features |= CUP_FEATURE_WAITS | CUP_FEATURE_BASKETS | CUP_FEATURE_ACCESS |
                        (cup_gil.bytes ? CUP_FEATURE_GIL : 0);
    if (cup_wait_verify())
        process.features |= CUP_FEATURE_RUN_DELAY;
    else
        cup_process_remark("run delay is not seen", "/proc/self/task/TID/schedstat does not tell");
    if (cup_mapping_verify())
        process.features |= CUP_FEATURE_MAPPED;
    else
        cup_process_remark("mapped files are not seen", "/proc/self/pagemap does not tell");
    header->features = process.features;
    header->hook_count = (uint32_t)process.hooks;
    describe_process();
    if (size == CUP_LOG_FULL)
        cup_machine_describe();
    for (int i = 0; i < process.remark_count; i++)
        cup_log_note(process.remarks[i]);
    cup_child_log_opened();
}

static void open_log(enum cup_log_size size)
{
    const char *why = "";
    process.tried = true;
    cup_clock_calibrate(size == CUP_LOG_FULL);
    cup_descriptor_reset();
    cup_opening_reset();
    cup_connecting_reset();
    cup_xrootd_reset();
    cup_attribution_reset();
    cup_block_reset();
    cup_mapping_reset();
    cup_helper_wait_reset();
    cup_baskets_reset();
    cup_requested_baskets_reset();
    cup_events_reset();
    cup_stack_uses_reset();
    cup_stacks_reset();
    cup_sections_reset();
    if (cup_log_open(process.directory, process.max_bytes, process.start_ns, size, &why)) {
        process.wanted = false;
        say("records nothing:", why);
        return;
    }
    cup_kernel_begin();
    fill_in(size);
    __atomic_store_n((uint32_t *)cup_active_word, 1, __ATOMIC_RELEASE);
    say("records into", process.directory);
}

static bool open_once(enum cup_log_size size)
{
    cup_spin_lock(&process.opening);
    if (!cup_active() && !process.tried && process.wanted)
        open_log(size);
    cup_spin_unlock(&process.opening);
    return cup_active();
}

bool cup_process_log(void)
{
    return __builtin_expect(cup_active(), 1) || open_once(CUP_LOG_FULL);
}

bool cup_process_child_log(void)
{
    return cup_active() || open_once(CUP_LOG_CHILD);
}

void cup_process_feature(uint64_t bits)
{
    process.features |= bits;
    if (cup_active())
        cup_log_header()->features |= bits;
}

void cup_process_lacks(uint64_t bits, const char *note)
{
    process.features &= ~bits;
    if (!cup_active())
        return;
    cup_log_header()->features &= ~bits;
    cup_log_note(note);
}

/* ---- life and death ---------------------------------------------------------------------- */

static void before_fork(void)
{
    if (cup_active()) /* before that, what is mapped of the log may not be writable yet */
        cup_log_health(CUP_H_FORKS, 1);
    cup_child_before_fork();
    cup_sampler_pauses();
}

static void fork_native(void)
{
    if (cup_native_forked())
        return;
    process.features &= ~CUP_FEATURE_NATIVE;
    cup_process_remark("native functions are not seen",
                       "another thread's were being read when the process was forked");
}

/* The child starts as if just loaded; it gets a log of its own if it runs tasks of its own. */
static void in_child(void)
{
    cup_guard();
    *(uint32_t *)cup_active_word = 0;
    cup_thread_reset();
    cup_log_forget();
    cup_descriptor_reset();
    cup_opening_reset();
    cup_connecting_reset();
    cup_xrootd_reset();
    cup_attribution_reset();
    cup_block_reset();
    cup_helper_reset();
    cup_mapping_reset();
    cup_helper_wait_reset();
    cup_baskets_reset();
    cup_requested_baskets_reset();
    cup_events_reset();
    cup_stack_uses_reset();
    cup_stacks_reset();
    fork_native();
    cup_sampler_reset();
    cup_sections_reset();
    cup_dask_reset();
    cup_columns_reset();
    cup_run_reset();
    cup_own_fd_forked();
    process.tried = false;
    process.opening = 0;
    process.start_ns = cup_clock_realtime_ns();
    cup_child_forked();
    cup_unguard();
}

void cup_process_ends(void)
{
    if (!cup_active() || cup_raw_getpid() != (int)cup_log_header()->pid)
        return;
    int saved = errno;
    bool inside = cup_self.guard; /* ended by a signal handler in the middle of our own work */
    cup_guard();
    if (!inside) {
        cup_sampler_stops();
        cup_baskets_close();
        cup_stack_uses_flush();
        cup_sections_thread_ends();
        cup_sections_flush();
    }
    cup_kernel_end();
    cup_log_close();
    cup_unguard();
    errno = saved;
}

/* glibc hands a constructor what main() gets. */
__attribute__((constructor)) static void loaded(int count, char **arguments)
{
    cup_guard();
    process.hooks = cup_real_resolve();
    cup_heap_init();
    read_environment();
    if (process.hooks > 0 && process.wanted && cup_thread_init() == 0 &&
        cup_descriptor_init() == 0 && cup_lock_origin_init() == 0 &&
        pthread_atfork(before_fork, NULL, in_child) == 0) {
        cup_clock_calibrate(false);
        cup_python_init();
        process.start_ns = cup_clock_realtime_ns();
        process.features = CUP_FEATURE_FILES | CUP_FEATURE_OPENS;
        if (cup_heap_is_first())
            process.features |= CUP_FEATURE_HEAP;
        else
            cup_process_remark("the heap is not seen", "another malloc comes before libcupping.so");
    } else {
        process.wanted = false;
    }
    cup_child_loaded(count, arguments);
    cup_unguard();
}

__attribute__((destructor)) static void unloaded(void)
{
    cup_process_ends();
}
