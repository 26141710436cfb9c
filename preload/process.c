
#include "preload/attribution/child_processes.h"
#include "preload/attribution/lock_origin.h"
#include "preload/counters/reads.h"
#include "preload/dask/server_samples.h"
#include "preload/hooks/api.h"
#include "preload/io/descriptor.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/machine.h"
#include "preload/python/python.h"
#include "preload/sampler/sampler.h"
#include "preload/stacks/native.h"
#include "preload/stacks/stack_events.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/clock.h"
#include "preload/sys/elf_symbols.h"
#include "preload/sys/hook_list.h"
#include "preload/sys/parse_number.h"
#include "preload/sys/raw.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cup_heap_init(void); /* hook_heap.c */
bool cup_heap_is_first(void);
bool cup_heap_is_of_libc(void);

enum { DEFAULT_INTERVAL_NS = 1000000000 };

/* ---- environment ------------------------------------------------------------------------- */

static const char *setting(const char *name)
{
    const char *value = secure_getenv(name);
    return value && *value ? value : NULL;
}

/* True for "1", false for "0". OTHERWISE for an unset variable, and with a note for anything else.
 */
static bool read_flag(const char *name, bool otherwise)
{
    const char *value = setting(name);
    bool yes = value && strcmp(value, "1") == 0, no = value && strcmp(value, "0") == 0;
    if (value && !yes && !no)
        cup_recording_note(name, "neither 0 nor 1: not used");
    return yes || (otherwise && !no);
}

/* Bytes of a text like "65536", "256M" or "1G"; -1: it is not of this form, or too small. */
static int64_t parse_bytes(const char *text)
{
    const int64_t least = INT64_C(1) << 20;
    uint64_t value = 0;
    const char *rest = cup_number(text, &value);
    int shift = *rest == 'K' ? 10 : *rest == 'M' ? 20 : *rest == 'G' ? 30 : 0;
    if (rest == text || value > UINT64_MAX >> 32 || (*rest && (!shift || rest[1])))
        return -1;
    return (int64_t)(value << shift) < least ? -1 : (int64_t)(value << shift);
}

static int64_t parse_hz(const char *text)
{
    uint64_t hz = 0;
    const char *rest = cup_number(text, &hz);
    return rest == text || *rest || hz > CUP_SAMPLER_MOST_HZ ? -1 : (int64_t)hz;
}

/* Nanoseconds of a text like "1", "0.25" or "0" (seconds); -1: it is not of this form, or not in
 * the range that is allowed. */
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

/* OTHERWISE for an unset variable, and with a note, EXPECTED, for one that PARSE refuses with -1.
 */
static int64_t read_number(const char *name, int64_t (*parse)(const char *), int64_t otherwise,
                           const char *expected)
{
    char what[64];
    const char *text = setting(name);
    int64_t value = text ? parse(text) : otherwise;
    if (value >= 0)
        return value;
    snprintf(what, sizeof what, "%s is not used", name);
    cup_recording_note(what, expected);
    return otherwise;
}

static void want_all_stacks(enum cup_stacks_mode mode)
{
    cup_stacks_want(mode);
    cup_events_want_all();
}

static void read_stacks(void)
{
    const char *text = setting("CUPPING_STACKS");
    if (text && strcmp(text, "stress") == 0)
        want_all_stacks(CUP_STACKS_STRESS);
    else if (text && strcmp(text, "all") == 0)
        want_all_stacks(CUP_STACKS_ON);
    else
        cup_stacks_want(read_flag("CUPPING_STACKS", true) ? CUP_STACKS_ON : CUP_STACKS_OFF);
}

static void read_share(void)
{
    const char *text = setting("CUPPING_SHARE");
    if (!text || strcmp(text, "0") == 0)
        return;
    if (strcmp(text, "group") == 0)
        cup_log_share(CUP_LOG_OF_GROUP);
    else if (strcmp(text, "all") == 0)
        cup_log_share(CUP_LOG_OF_ALL);
    else
        cup_recording_note("CUPPING_SHARE is not used", "neither 0, group nor all");
}

/* ---- facts in the log -------------------------------------------------------------------- */

static void write_command(void)
{
    char command[2048];
    size_t bytes = cup_raw_read_text("/proc/self/cmdline", command, sizeof command);
    for (size_t i = 0; i + 1 < bytes; i++)
        if (!command[i])
            command[i] = ' ';
    cup_log_info("command", command);
}

/* A row of the lifecycle table. */
void cup_process_log_opened(enum cup_log_size size)
{
    char text[32];
    const char *trim =
        getenv("MALLOC_TRIM_THRESHOLD_"); /* Dask's nanny sets it; see docs/advice.md */
    write_command();
    if (trim)
        cup_log_info("MALLOC_TRIM_THRESHOLD_", trim);
    if (cup_samples_interval_ns != DEFAULT_INTERVAL_NS) {
        snprintf(text, sizeof text, "%.9g", (double)cup_samples_interval_ns / 1e9);
        cup_log_info("CUPPING_INTERVAL", text);
    }
    if (cup_reads_wanted)
        cup_log_info("CUPPING_READS", "1");
    const char *version = cup_python_version();
    if (version) {
        snprintf(text, sizeof text, "%.*s", (int)strcspn(version, " "), version);
        cup_log_info("python", text);
    }
    if (size == CUP_LOG_FULL)
        cup_machine_describe();
}

/* ---- the process starts, forks and ends -------------------------------------------------- */

static void prepare_fork(void)
{
    int saved = errno;
    CUP_LIFECYCLE(process_forks);
    errno = saved;
}

static void go_on_after_fork(void)
{
    CUP_LIFECYCLE(process_forked);
}

/* The child starts as if the library had just been loaded. */
static void begin_child(void)
{
    int saved = cup_enter();
    *(uint32_t *)cup_active_word = 0;
    for (const struct cup_lifecycle_row *row = cup_lifecycle_rows; row->file; row++) {
        if (row->reset)
            row->reset();
        if (row->child_begins)
            row->child_begins();
    }
    cup_leave(saved);
}

static bool prepare_process(void)
{
    cup_elf_init();
    return cup_thread_init() == 0 && cup_descriptor_init() == 0 && cup_lock_origin_init() == 0 &&
           pthread_atfork(prepare_fork, go_on_after_fork, begin_child) == 0;
}

static void start_recording(const char *directory, uint32_t hooks, bool verbose)
{
    cup_samples_interval_ns = read_number("CUPPING_INTERVAL", parse_seconds, DEFAULT_INTERVAL_NS,
                                          "neither 0 nor 0.02 to 60 seconds");
    read_stacks();
    read_share();
    cup_native_want(read_flag("CUPPING_NATIVE", true));
    cup_sampler_wants((uint32_t)read_number("CUPPING_CPU_HZ", parse_hz, CUP_SAMPLER_HZ,
                                            "not a number from 0 to 1000"),
                      setting("CUPPING_CPU_HZ") != NULL);
    cup_clock_calibrate(false);
    cup_python_init();
    cup_recording_add_feature(CUP_FEATURE_FILES | CUP_FEATURE_UNATTRIBUTED | CUP_FEATURE_OPENS |
                              CUP_FEATURE_WAITS | CUP_FEATURE_BASKETS | CUP_FEATURE_ACCESS |
                              CUP_FEATURE_REPEATS | CUP_FEATURE_VOIDS);
    if (cup_heap_is_first())
        cup_recording_add_feature(CUP_FEATURE_HEAP);
    else
        cup_recording_note("the heap is not seen", "another malloc comes before libcupping.so");
    if (!cup_heap_is_of_libc())
        cup_recording_note("allocations of C++ may not be seen",
                           "the operator new of another malloc does not call malloc()");
    int64_t most =
        read_number("CUPPING_MAX_BYTES", parse_bytes, INT64_C(1) << 30, "not a size of 1M or more");
    cup_reads_want(read_flag("CUPPING_READS", false) ? (uint64_t)most / 4 : 0);
    cup_recording_want(directory, (uint64_t)most, hooks, verbose);
}

/* glibc passes main()'s arguments to constructors as well. */
__attribute__((constructor)) static void load_library(int count, char **arguments)
{
    cup_guard();
    cup_filter_look();
    int hooks = cup_real_resolve();
    cup_heap_init();
    if (!cup_api_is_first()) {
        cup_unguard();
        return;
    }
    const char *directory = setting("CUPPING_DIR");
    bool verbose = read_flag("CUPPING_VERBOSE", false);
    bool disabled = read_flag("CUPPING_DISABLE", false);
    if (directory && !disabled && hooks > 0 && prepare_process())
        start_recording(directory, (uint32_t)hooks, verbose);
    cup_child_loaded(count, arguments);
    cup_unguard();
}

__attribute__((destructor)) static void unload_library(void)
{
    cup_recording_end();
}
