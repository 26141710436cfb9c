#include "preload/waits/wait.h"

#include "preload/attribution/helper.h"
#include "preload/counters/block.h"
#include "preload/lifecycle/recording.h"
#include "preload/log/log.h"
#include "preload/python/gil.h"
#include "preload/stacks/stack_events.h"
#include "preload/sys/raw.h"
#include "preload/waits/helper_wait.h"
#include "preload/waits/run_delay.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

__thread struct cup_wait_thread cup_wait_self __attribute__((tls_model("initial-exec")));

/* ---- run delay --------------------------------------------------------------------------- */

/* Reading the run delay costs a microsecond. It is read at the end of a wait that took longer than
 * this, and before a wait if the thread was off the CPU for longer since the last reading. */
enum { WORTH_READING_NS = 10000 };

static void read_delay(uint64_t now, uint64_t cpu_ns)
{
    cup_wait_self.delay_ns = cup_run_delay_ns();
    cup_wait_self.delay_ticks = now;
    cup_wait_self.delay_cpu_ns = cpu_ns;
}

static uint64_t subtract(uint64_t from, uint64_t part)
{
    return from > part ? from - part : 0;
}

/* How long the thread was off the CPU since the last reading. */
static uint64_t off_cpu_ns(uint64_t now, uint64_t cpu_ns)
{
    return subtract(cup_ticks_ns(now - cup_wait_self.delay_ticks),
                    cpu_ns - cup_wait_self.delay_cpu_ns);
}

/* The run delay within the NS that the thread was off the CPU just now. Time off the CPU before
 * that, since the last reading and outside of waits, was run delay, too: it is subtracted. */
static uint64_t measure_delay(uint64_t now, uint64_t cpu_ns, uint64_t ns)
{
    uint64_t before = cup_wait_self.delay_ticks ? cup_wait_self.delay_ns : CUP_UNKNOWN64;
    uint64_t lost_before = subtract(off_cpu_ns(now, cpu_ns), ns);
    read_delay(now, cpu_ns);
    if (before == CUP_UNKNOWN64 || cup_wait_self.delay_ns == CUP_UNKNOWN64)
        return 0;
    uint64_t delay = subtract(cup_wait_self.delay_ns - before, lost_before);
    return delay < ns ? delay : ns;
}

/* ---- where it counts --------------------------------------------------------------------- */

/* CPython waits for the GIL in steps of 5 ms, one right after the other: they count as one wait.
 * START: when this step began. True: it continued a wait. */
static bool count_gil(struct cup_block *block, uint64_t start, uint64_t stop, uint64_t ns)
{
    enum { RIGHT_AFTER_NS = 8000 };
    uint32_t *counts = block->histograms[CUP_HISTOGRAM_GIL_WAIT];
    uint32_t *before = &counts[cup_bucket(cup_wait_self.gil_ns)];
    bool goes_on = cup_ticks_ns(start - cup_wait_self.gil_stop) < RIGHT_AFTER_NS && *before;
    if (goes_on) {
        --*before;
        ns += cup_wait_self.gil_ns;
    } else {
        block->counters[CUP_C_GIL_WAITS]++;
    }
    counts[cup_bucket(ns)]++;
    if (ns > block->counters[CUP_C_GIL_LONGEST_NS])
        block->counters[CUP_C_GIL_LONGEST_NS] = ns;
    cup_wait_self.gil_ns = ns;
    cup_wait_self.gil_stop = stop;
    return goes_on;
}

/* The task's own thread waits for a lock, perhaps for its helpers: see divide_lock_wait(). */
static bool is_for_helpers(const struct cup_block *block, enum cup_wait_class class)
{
    return block->own == CUP_BLOCK_RUNS && class == CUP_WAIT_LOCK;
}

static void count_wait(struct cup_block *block, enum cup_wait_class class, uint64_t start,
                       uint64_t stop, uint64_t ns, uint64_t delay)
{
    bool goes_on = false;
    block->counters[CUP_C_IO_WAIT_NS + class] += ns;
    block->counters[CUP_C_RUN_DELAY_NS] += delay;
    if (class == CUP_WAIT_GIL) {
        goes_on = count_gil(block, start, stop, ns);
        cup_log_series_add(CUP_S_GIL_WAIT_NS, cup_ticks_realtime_ns(stop), ns);
    } else if (class == CUP_WAIT_IO) {
        cup_log_series_add(CUP_S_IO_WAIT_NS, cup_ticks_realtime_ns(stop), ns);
    }
    if (ns >= CUP_EVENT_WAIT_NS || goes_on)
        cup_event_waited(block->task, class, !goes_on, ns);
}

static bool is_helper_block(const struct cup_block *block)
{
    return block->task && block->own != CUP_BLOCK_RUNS;
}

/* The task waited NS for a lock. The part during which a helper waited for something else is moved
 * to that class: it is what the task waited for. */
static void divide_lock_wait(struct cup_block *block, uint64_t stop, uint64_t ns)
{
    struct cup_helper_wait helpers = cup_helper_wait_unlock(block->task, stop);
    uint64_t left = ns;
    for (int class = 0; class < CUP_WAIT_COUNT; class ++) {
        uint64_t part = cup_ticks_ns(helpers.ticks[class]);
        part = part < left ? part : left;
        if (!part || class == CUP_WAIT_LOCK)
            continue;
        block->counters[CUP_C_LOCK_WAIT_NS] -=
            part; /* first, so that a kill in between counts nothing twice */
        block->counters[CUP_C_IO_WAIT_NS + class] += part;
        left -= part;
    }
    block->counters[CUP_C_HELD_UP_NS] += ns - left;
}

/* ---- a wait ------------------------------------------------------------------------------ */

/* After a job a thread still works for its task while callbacks run. The lock that it waits for
 * then is that of the queue of jobs: the thread is idle. */
static bool awaits_job(enum cup_wait_class class)
{
    return class == CUP_WAIT_LOCK && cup_self.handed && !cup_helper_self.job_runs;
}

/* The block that counts a wait of this thread. A wait for no task is idleness and does not count,
 * but one for the GIL shows how contended the interpreter is. */
static struct cup_block *find_payer(enum cup_wait_class class)
{
    if (cup_self.own)
        return cup_self.own;
    struct cup_block *block = awaits_job(class) ? NULL : cup_attribution_helped();
    if (block || class != CUP_WAIT_GIL)
        return block;
    return cup_thread_known() ? cup_block_none(&cup_self) : NULL;
}

/* A signal handler may have jumped out of the last wait, or the thread was cancelled in it: then it
 * never ended. */
static void end_stale_wait(void)
{
    if (cup_wait_self.helped_task)
        cup_helper_wait_leaves(cup_wait_self.helped_task, cup_wait_self.class, cup_ticks(), 0, 0);
    cup_wait_self.helped_task = 0;
    cup_wait_self.waiting = 0;
}

/* The new wait lies deeper on the stack than one that has not ended. Otherwise the program jumped
 * out of that one. */
static bool is_nested(const struct cup_wait *wait)
{
    return cup_wait_self.waiting && (uintptr_t)wait < cup_wait_self.waiting;
}

static void start_wait(struct cup_wait *wait, enum cup_wait_class class, struct cup_block *block)
{
    cup_wait_self.waiting = (uintptr_t)wait;
    wait->class = (uint8_t) class;
    wait->block = block;
    wait->cpu_ns = cup_clock_thread_cpu_ns();
    wait->start = cup_ticks();
    if (off_cpu_ns(wait->start, wait->cpu_ns) > WORTH_READING_NS)
        read_delay(wait->start, wait->cpu_ns);
}

static void show_to_task(struct cup_wait *wait)
{
    cup_wait_self.helped_task = wait->block->task;
    cup_wait_self.class = wait->class;
    wait->since = cup_helper_wait_enters(wait->block->task, wait->class, wait->start);
}

static void watch_helpers(const struct cup_wait *wait)
{
    if (!is_for_helpers(wait->block, wait->class))
        return;
    cup_helper_wait_lock(wait->block->task, wait->start);
    cup_event_hands_over();
}

static bool is_shown(const struct cup_wait *wait, enum cup_wait_kind kind)
{
    return is_helper_block(wait->block) && wait->class != CUP_WAIT_LOCK &&
           (kind != CUP_WAITS_LOOP || wait->block->own != CUP_BLOCK_INHERITS);
}

bool cup_wait_begins(struct cup_wait *wait, enum cup_wait_class class, enum cup_wait_kind kind)
{
    if (is_nested(wait))
        return false;
    int saved = errno;
    cup_guard();
    end_stale_wait();
    wait->block = find_payer(class);
    if (wait->block && kind == CUP_MAY_WAIT) {
        wait->class = (uint8_t) class;
        wait->cpu_ns = CUP_UNKNOWN64;
        wait->start = cup_ticks();
    } else if (wait->block) {
        start_wait(wait, class, wait->block);
        watch_helpers(wait);
        if (is_shown(wait, kind))
            show_to_task(wait);
    }
    cup_unguard();
    errno = saved;
    return wait->block != NULL;
}

void cup_wait_begin_for(struct cup_wait *wait, enum cup_wait_class class, struct cup_block *block)
{
    wait->block = NULL;
    if (is_nested(wait))
        return;
    end_stale_wait();
    start_wait(wait, class, block);
    if (is_shown(wait, CUP_WAITS))
        show_to_task(wait);
}

void cup_wait_end_for(struct cup_wait *wait, uint64_t stop, struct cup_block *block)
{
    if (cup_wait_self.waiting != (uintptr_t)wait)
        return; /* a signal handler waited inside, on a stack of its own: that wait counted */
    uint64_t cpu_ns = cup_clock_thread_cpu_ns();
    uint64_t wall = cup_ticks_ns(stop - wait->start), used = cpu_ns - wait->cpu_ns;
    uint64_t ns = subtract(wall, used), delay = 0;
    if (ns > WORTH_READING_NS)
        delay = measure_delay(stop, cpu_ns, ns);
    if (cup_wait_self.helped_task) {
        uint64_t busy = cup_ns_ticks(used + delay);
        cup_helper_wait_leaves(cup_wait_self.helped_task, wait->class, stop, wait->since, busy);
    }
    cup_wait_self.helped_task = 0;
    cup_wait_self.waiting = 0;
    if (!block)
        return;
    count_wait(block, wait->class, wait->start, stop, ns - delay, delay);
    if (is_for_helpers(block, wait->class))
        divide_lock_wait(block, stop, ns - delay);
}

void cup_wait_end(struct cup_wait *wait)
{
    enum { BUSY_NS = 5000 };
    int saved = errno;
    uint64_t stop = cup_ticks();
    cup_guard();
    if (wait->cpu_ns == CUP_UNKNOWN64)
        cup_wait_guess(wait->block, wait->class, wait->start, stop, BUSY_NS);
    else
        cup_wait_end_for(wait, stop, wait->block);
    cup_unguard();
    errno = saved;
}

/* A call shorter than LONG_NS is taken as not blocking: the errors of many such estimates would add
 * up to more than the waits. */
void cup_wait_guess(struct cup_block *block, enum cup_wait_class class, uint64_t start,
                    uint64_t stop, uint64_t busy_ns)
{
    enum { LONG_NS = 30000 };
    uint64_t ns = subtract(cup_ticks_ns(stop - start), busy_ns);
    if (ns < LONG_NS || cup_wait_self.waiting)
        return;
    uint64_t delay = measure_delay(stop, cup_clock_thread_cpu_ns(), ns);
    count_wait(block, class, start, stop, ns - delay, delay);
    block->counters[CUP_C_GUESSED_WAIT_NS] += ns - delay;
    if (is_helper_block(block) && class != CUP_WAIT_LOCK)
        cup_helper_wait_waited(block->task, class, cup_ns_ticks(ns - delay));
}

/* ---- tasks and threads ------------------------------------------------------------------- */

static uint64_t timeval_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

static void read_usage(struct cup_kernel_usage *usage)
{
    struct rusage now;
    *usage = (struct cup_kernel_usage){.delay_ns = cup_wait_self.delay_ns};
    if (cup_raw_getrusage_thread(&now))
        return;
    usage->system_ns = timeval_ns(now.ru_stime);
    usage->minor_faults = (uint32_t)now.ru_minflt;
    usage->major_faults = (uint32_t)now.ru_majflt;
}

void cup_wait_task_begins(uint32_t task, uint64_t cpu_ns)
{
    (void)cpu_ns;
    if (cup_self.task != task)
        return;
    end_stale_wait();
    read_delay(cup_ticks(), cup_clock_thread_cpu_ns());
    read_usage(&cup_wait_self.usage);
    cup_helper_wait_begin(task);
}

void cup_wait_task_ends(uint32_t task, uint64_t cpu_ns)
{
    (void)cpu_ns;
    struct cup_block *block = cup_self.own;
    struct cup_kernel_usage start = cup_wait_self.usage, now;
    if (cup_self.task != task)
        return;
    cup_helper_wait_end(task);
    if (!block)
        return;
    read_delay(cup_ticks(), cup_clock_thread_cpu_ns());
    read_usage(&now);
    bool known = start.delay_ns != CUP_UNKNOWN64 && now.delay_ns != CUP_UNKNOWN64;
    block->counters[CUP_C_RUN_DELAY_NS] = known ? now.delay_ns - start.delay_ns : 0;
    block->counters[CUP_C_SYSTEM_CPU_NS] += subtract(now.system_ns, start.system_ns);
    block->counters[CUP_C_MINOR_FAULTS] += now.minor_faults - start.minor_faults;
    block->counters[CUP_C_MAJOR_FAULTS] += now.major_faults - start.major_faults;
}

void cup_wait_child_begins(void)
{
    memset(&cup_wait_self, 0, sizeof cup_wait_self);
}

void cup_wait_thread_ends(void)
{
    end_stale_wait();
    cup_helper_wait_end(cup_self.task);
}

void cup_wait_log_opened(enum cup_log_size size)
{
    (void)size;
    if (cup_run_delay_ns() != CUP_UNKNOWN64)
        cup_recording_add_feature(CUP_FEATURE_RUN_DELAY);
    else
        cup_recording_note("run delay is not seen", "/proc/self/task/TID/schedstat does not tell");
    if (cup_gil.bytes)
        cup_recording_add_feature(CUP_FEATURE_GIL);
}
