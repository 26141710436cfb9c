#include "preload/waits/wait.h"

#include "preload/attribution/helper.h"
#include "preload/counters/block.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/thread_cpu.h"
#include "preload/log/log.h"
#include "preload/python/python.h"
#include "preload/stacks/stack_events.h"
#include "preload/sys/own_fd.h"
#include "preload/sys/parse_number.h"
#include "preload/sys/raw.h"
#include "preload/waits/helper_wait.h"

#include <string.h>
#include <sys/resource.h>

__thread struct cup_wait_thread cup_wait_self __attribute__((tls_model("initial-exec")));

/* ---- run delay --------------------------------------------------------------------------- */

static __thread struct {
    uint32_t schedstat; /* entry of own_fd.h; 0: not open */
    bool refused;       /* the file could not be read: it is not opened again */
} own __attribute__((tls_model("initial-exec")));

static size_t read_schedstat(char *text, size_t size)
{
    size_t bytes = cup_own_fd_read(own.schedstat, text, size);
    if (bytes || own.refused || !cup_thread_known())
        return bytes;
    char path[64] = "/proc/self/task/";
    strcpy(cup_number_write(path + strlen(path), cup_self.tid), "/schedstat");
    own.schedstat = cup_own_fd_open(path);
    bytes = cup_own_fd_read(own.schedstat, text, size);
    own.refused = bytes == 0;
    if (!bytes)
        cup_log_health(CUP_H_DELAYS_UNKNOWN, 1);
    return bytes;
}

/* The file has one line: CPU time, run delay (both in nanoseconds), number of time slices. */
uint64_t cup_run_delay_ns(void)
{
    char text[96];
    uint64_t cpu, delay = CUP_UNKNOWN64;
    if (read_schedstat(text, sizeof text))
        cup_number(cup_number(text, &cpu), &delay);
    return delay;
}

/* The run delay is read at the end of a wait only if the wait took longer than this, and at its
 * begin only if, since the last reading, the thread was off the CPU for longer than this, outside
 * of waits for the GIL: see also may_wait(). */
enum { WORTH_READING_NS = 10000 };

static void read_delay(uint64_t now, uint64_t cpu_ns)
{
    cup_wait_self.delay_ns = cup_run_delay_ns();
    cup_wait_self.delay_off_ns = cup_ticks_ns(now) - cpu_ns;
}

static uint64_t subtract(uint64_t from, uint64_t part)
{
    return from > part ? from - part : 0;
}

/* How long the thread was off the CPU since the last reading. */
static uint64_t off_cpu_ns(uint64_t now, uint64_t cpu_ns)
{
    return subtract(cup_ticks_ns(now) - cpu_ns, cup_wait_self.delay_off_ns);
}

/* The calling thread's block that has the waits in short_ns; NULL: it was closed since. */
static struct cup_block *find_short_block(void)
{
    struct cup_block *const open[] = {cup_self.own, cup_self.none, cup_self.last,
                                      cup_self.inheriting};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        if (open[i] && cup_log_block_index(open[i]) + 1 == cup_wait_self.short_block &&
            open[i]->sequence == cup_wait_self.short_sequence)
            return open[i];
    for (size_t i = 0; i < CUP_HELPED && cup_wait_self.short_block; i++)
        if (cup_self.helped[i] == cup_wait_self.short_block) {
            struct cup_block *block = cup_log_block(cup_self.helped[i] - 1u);
            return block->sequence == cup_wait_self.short_sequence ? block : NULL;
        }
    return NULL;
}

/* Subtracts DELAY from the waits for the GIL since the last reading: the part of them that was run
 * delay. */
static void settle_short_waits(uint64_t now, uint64_t delay)
{
    struct cup_wait_thread *self = &cup_wait_self;
    struct cup_block *block = find_short_block();
    cup_log_series_add(CUP_S_GIL_WAIT_NS, cup_ticks_realtime_ns(now),
                       subtract(self->short_ns, delay));
    self->short_ns = 0;
    if (!block)
        return;
    uint64_t *waits = &block->counters[CUP_C_GIL_WAIT_NS];
    uint64_t part = delay < *waits ? delay : *waits;
    *waits -= part;
    block->counters[CUP_C_RUN_DELAY_NS] += part;
}

/* The run delay grew by GROWN while the thread was off the CPU for OFF_NS. It is small if it can be
 * what waking a thread takes, and not a time slice of another one. A short time shows little. */
static void note_calm(uint64_t grown, uint64_t off_ns)
{
    enum { SHOWS_NS = 1000000, SMALL_NS = 1000000, SMALL_PART = 8 };
    if (off_ns >= SHOWS_NS)
        cup_wait_self.is_calm = grown < SMALL_NS && grown < off_ns / SMALL_PART;
}

/* The run delay within the last NS, during which the thread was off the CPU. The kernel's figure
 * also grew between the last reading and that time: outside of waits, a thread that is off the CPU
 * waits for a core. So the time off the CPU before the last NS is subtracted, except short waits
 * for the GIL, which get their share of the rest.
 *
 * A child of vfork() has no CPU_NS (CUP_UNKNOWN64), and 0: it cannot read its parent's run delay,
 * and its own would take the place of its parent's. */
static uint64_t measure_delay(uint64_t now, uint64_t cpu_ns, uint64_t ns)
{
    struct cup_wait_thread *self = &cup_wait_self;
    if (cpu_ns == CUP_UNKNOWN64)
        return 0;
    uint64_t before = self->delay_off_ns ? self->delay_ns : CUP_UNKNOWN64;
    uint64_t waits = ns + self->short_ns, delay = 0, shorts = 0;
    uint64_t off = off_cpu_ns(now, cpu_ns), lost_before = subtract(off, waits);
    read_delay(now, cpu_ns);
    if (before != CUP_UNKNOWN64 && self->delay_ns != CUP_UNKNOWN64) {
        delay = subtract(self->delay_ns - before, lost_before);
        note_calm(self->delay_ns - before, off);
    }
    delay = delay < waits ? delay : waits;
    if (self->short_ns) {
        shorts = (uint64_t)((double)delay * (double)self->short_ns / (double)waits);
        settle_short_waits(now, shorts);
    }
    return delay - shorts;
}

/* If the thread was on the CPU since the last reading, the figure is the same. */
static void update_delay(void)
{
    struct cup_wait_thread *self = &cup_wait_self;
    uint64_t cpu_ns = cup_cpu_read(), now = cup_ticks();
    if (!self->delay_off_ns || self->short_ns || off_cpu_ns(now, cpu_ns) > WORTH_READING_NS)
        measure_delay(now, cpu_ns, 0);
}

/* ---- CPU time ---------------------------------------------------------------------------- */

/* Less time does not show a wait: a thread that sleeps and is woken is off the CPU for longer. */
enum { SHORTEST_WAIT_NS = 4000 };

/* CPU time at the end of a call that took WALL_NS since it was CPU_NS; CUP_UNKNOWN64 in a child of
 * vfork(). */
static uint64_t read_cpu_after(uint64_t cpu_ns, uint64_t wall_ns)
{
    return wall_ns < SHORTEST_WAIT_NS ? cpu_ns + wall_ns : cup_cpu_read();
}

/* ---- counting a wait --------------------------------------------------------------------- */

/* A thread that gives up the GIL on request waits until another one has taken it, and then for the
 * GIL. A long wait is counted in pieces (gil_wait.c). Such waits, one right after the other, count
 * as one. START and STOP: when this one began and ended. NS: how long it was blocked. True: it
 * continued a wait, so its histogram entry moved to the bucket of the whole wait. */
static bool count_gil(struct cup_block *block, uint64_t start, uint64_t stop, uint64_t ns)
{
    enum { RIGHT_AFTER_NS = 8000 };
    uint32_t *counts = block->histograms[CUP_HISTOGRAM_GIL_WAIT];
    uint32_t *before = &counts[cup_bucket(cup_wait_self.gil_ns)];
    uint32_t pause = cup_coarse_time(start) - cup_wait_self.gil_stop;
    bool goes_on = cup_ticks_ns((uint64_t)pause << 10) < RIGHT_AFTER_NS && *before;
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
    cup_wait_self.gil_stop = cup_coarse_time(stop);
    return goes_on;
}

/* The task's own thread waits for a lock, perhaps until its helpers are done, or on a socket: see
 * divide_wait(). */
static bool is_for_others(const struct cup_block *block, enum cup_wait_class class)
{
    return block->own == CUP_BLOCK_RUNS && (class == CUP_WAIT_LOCK || class == CUP_WAIT_POLL);
}

static void add_wait(struct cup_block *block, enum cup_wait_class class, uint64_t stop, uint64_t ns,
                     uint64_t delay)
{
    block->counters[CUP_C_IO_WAIT_NS + class] += ns;
    block->counters[CUP_C_RUN_DELAY_NS] += delay;
    if (class == CUP_WAIT_GIL)
        cup_log_series_add(CUP_S_GIL_WAIT_NS, cup_ticks_realtime_ns(stop), ns);
    else if (class == CUP_WAIT_IO)
        cup_log_series_add(CUP_S_IO_WAIT_NS, cup_ticks_realtime_ns(stop), ns);
}

/* Adds a wait to the counters. True: it continued a wait for the GIL. */
static bool count_wait(struct cup_block *block, enum cup_wait_class class, uint64_t start,
                       uint64_t stop, uint64_t ns, uint64_t delay)
{
    add_wait(block, class, stop, ns, delay);
    return class == CUP_WAIT_GIL && count_gil(block, start, stop, ns);
}

/* Adds a wait to the stack that waited. */
static void note_at_stack(const struct cup_block *block, enum cup_wait_class class, bool goes_on,
                          uint64_t ns)
{
    if (ns >= CUP_EVENT_WAIT_NS || (goes_on && cup_wait_self.gil_ns >= CUP_EVENT_WAIT_NS))
        cup_event_waited(block->task, class, !goes_on, ns);
}

static bool is_helper_block(const struct cup_block *block)
{
    return block->task && block->own != CUP_BLOCK_RUNS;
}

/* Moves NS from the waits for locks to those in CLASS. Locks come first, so that a kill in between
 * counts nothing twice. Returns what was moved: no more than was counted. */
static uint64_t move_lock_wait(struct cup_block *block, enum cup_wait_class class, uint64_t ns)
{
    uint64_t *locks = &block->counters[CUP_C_LOCK_WAIT_NS];
    uint64_t part = ns < *locks ? ns : *locks;
    *locks -= part;
    block->counters[CUP_C_IO_WAIT_NS + class] += part;
    block->counters[CUP_C_HELD_UP_NS] += part;
    return part;
}

/* The task waited for servers during some of its waits for locks, perhaps earlier ones. Returns how
 * long, in nanoseconds. */
static uint64_t move_served_time(struct cup_block *block, const struct cup_helper_wait *helpers)
{
    uint64_t *slept = &block->counters[CUP_C_SLEEP_NS];
    uint64_t part = cup_ticks_ns(helpers->served_slept);
    part = part < *slept ? part : *slept;
    *slept -= part;
    block->counters[CUP_C_POLL_WAIT_NS] += part;
    return part + move_lock_wait(block, CUP_WAIT_POLL,
                                 cup_ticks_ns(helpers->served - helpers->served_slept));
}

/* The task's own thread waited NS until STOP. If it was for a lock, the part during which a helper
 * waited for something else is moved to the helper's class: that is what the task really waited
 * for. Returns the part of it that was a wait for servers. */
static uint64_t divide_wait(struct cup_block *block, enum cup_wait_class waited, uint64_t stop,
                            uint64_t ns)
{
    struct cup_helper_wait helpers = cup_helper_wait_task_resumes(block->task, stop);
    uint64_t left = waited == CUP_WAIT_LOCK ? ns : 0;
    for (int class = 0; class < CUP_WAIT_COUNT; class ++) {
        uint64_t part = cup_ticks_ns(helpers.ticks[class]);
        if (class != CUP_WAIT_LOCK)
            left -= move_lock_wait(block, class, part < left ? part : left);
    }
    uint64_t served = helpers.served ? move_served_time(block, &helpers) : 0;
    return served < ns ? served : ns;
}

/* ---- a wait ------------------------------------------------------------------------------ */

/* The thread is idle: its job has ended, and it waits for the lock of the queue of jobs. (It still
 * carries the task of that job, since callbacks after the job work for the task.) */
static bool awaits_job(enum cup_wait_class class)
{
    return class == CUP_WAIT_LOCK && cup_self.handed && !cup_helper_self.job_runs;
}

/* The block that counts a wait of this thread; NULL: the wait does not count. A thread that waits
 * and works for no task is idle. Its waits for the GIL count all the same, for no task: they show
 * how contended the interpreter is. */
static struct cup_block *find_wait_block(enum cup_wait_class class)
{
    if (cup_self.own)
        return cup_self.own;
    struct cup_block *block = awaits_job(class) ? NULL : cup_attribution_helped();
    if (block || class != CUP_WAIT_GIL)
        return block;
    return cup_thread_known() ? cup_block_none() : NULL;
}

/* Ends the thread's last wait if cup_wait_end() was never called for it, because a signal handler
 * jumped out of it or the thread was cancelled in it. */
static void end_stale_wait(void)
{
    if (cup_wait_self.helped_task)
        cup_helper_wait_leaves(cup_wait_self.helped_task, cup_wait_self.class, cup_ticks(), 0, 0);
    cup_wait_self.helped_task = 0;
    cup_wait_self.waiting = 0;
}

/* WAIT begins inside the wait under way: it is deeper on the stack. If it is not deeper, the
 * program has jumped out of the one that seems to be under way. */
static bool is_nested(const struct cup_wait *wait)
{
    return cup_wait_self.waiting && (uintptr_t)wait < cup_wait_self.waiting;
}

/* A call that reads a file seldom waits, since most files are in memory. If the last few did not,
 * on a machine that has cores for all, the run delay before the call is not read. */
enum { QUICK_READS = 4 };

static bool may_wait(enum cup_wait_class class)
{
    return class != CUP_WAIT_IO || !cup_wait_self.is_calm ||
           cup_wait_self.quick_reads < QUICK_READS;
}

static void note_quick(enum cup_wait_class class, bool waited)
{
    if (waited)
        cup_wait_self.quick_reads = 0;
    else if (class == CUP_WAIT_IO && cup_wait_self.quick_reads < QUICK_READS)
        cup_wait_self.quick_reads++;
}

/* Waits for the GIL explain time off the CPU, too. If the thread has lost its core since its CPU
 * clock was read, that is in the run delay that is read after the wait, so it does not seem to be
 * one. False: this is a child of vfork(), whose waits are not measured. */
static bool start_wait(struct cup_wait *wait, enum cup_wait_class class, struct cup_block *block)
{
    wait->class = (uint8_t) class;
    wait->cpu_ns = cup_cpu_recent();
    wait->start = cup_ticks();
    uint64_t off = off_cpu_ns(wait->start, wait->cpu_ns);
    if (subtract(off, cup_wait_self.short_ns) > WORTH_READING_NS && may_wait(class)) {
        wait->cpu_ns = cup_cpu_read(); /* both readings of the same moment */
        wait->start = cup_ticks();
        measure_delay(wait->start, wait->cpu_ns, 0);
    }
    bool measured = wait->cpu_ns != CUP_UNKNOWN64;
    wait->block = measured ? block : NULL;
    cup_wait_self.waiting = measured ? (uintptr_t)wait : 0;
    return measured;
}

/* Notes that a helper of the block's task waits. */
static void begin_helper_wait(struct cup_wait *wait)
{
    cup_wait_self.helped_task = wait->block->task;
    cup_wait_self.class = wait->class;
    wait->since = cup_helper_wait_enters(wait->block->task, wait->class, wait->start);
}

/* If the task's own thread waits for others: from now on, it matters what its helpers wait for, and
 * whether a request is out. */
static void watch_others(const struct cup_wait *wait)
{
    if (!is_for_others(wait->block, wait->class))
        return;
    cup_helper_wait_task_blocks(wait->block->task, wait->class, wait->start);
    if (wait->class == CUP_WAIT_LOCK)
        cup_event_hands_over();
}

static bool is_helper_wait(const struct cup_wait *wait, enum cup_wait_kind kind)
{
    return is_helper_block(wait->block) && wait->class != CUP_WAIT_LOCK &&
           (kind != CUP_WAITS_LOOP || wait->block->own != CUP_BLOCK_INHERITS);
}

bool cup_wait_begins(struct cup_wait *wait, enum cup_wait_class class, enum cup_wait_kind kind)
{
    if (is_nested(wait))
        return false;
    int saved = cup_enter();
    end_stale_wait();
    cup_wait_self.is_loop |= kind == CUP_WAITS_LOOP;
    wait->block = find_wait_block(class);
    if (wait->block && kind == CUP_MAY_WAIT) {
        if (!cup_wait_self.delay_off_ns)
            update_delay(); /* else the run delay in the thread's first wait would not be known */
        wait->class = (uint8_t) class;
        wait->cpu_ns = CUP_UNKNOWN64;
        wait->start = cup_ticks();
    } else if (!wait->block) {
        cup_cpu_waited();
    } else if (start_wait(wait, class, wait->block)) {
        watch_others(wait);
        if (is_helper_wait(wait, kind))
            begin_helper_wait(wait);
    }
    cup_leave(saved);
    return wait->block != NULL;
}

void cup_wait_begin_for(struct cup_wait *wait, enum cup_wait_class class, struct cup_block *block)
{
    wait->block = NULL;
    if (is_nested(wait))
        return;
    end_stale_wait();
    if (!start_wait(wait, class, block))
        return;
    watch_others(wait);
    if (is_helper_wait(wait, CUP_WAITS))
        begin_helper_wait(wait);
}

void cup_wait_end_for(struct cup_wait *wait, uint64_t stop, struct cup_block *block)
{
    if (cup_wait_self.waiting != (uintptr_t)wait)
        return; /* a signal handler, on a stack of its own, waited inside this wait: its wait
                   counted instead */
    uint64_t wall = cup_ticks_ns(stop - wait->start);
    uint64_t cpu_ns = read_cpu_after(wait->cpu_ns, wall), used = subtract(cpu_ns, wait->cpu_ns);
    uint64_t ns = subtract(wall, used), delay = 0;
    if (cpu_ns == CUP_UNKNOWN64) {
        end_stale_wait();
        return;
    }
    note_quick(wait->class, ns > WORTH_READING_NS);
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
    ns -= delay;
    bool goes_on = count_wait(block, wait->class, wait->start, stop, ns, delay);
    uint64_t served =
        is_for_others(block, wait->class) ? divide_wait(block, wait->class, stop, ns) : 0;
    note_at_stack(block, wait->class, goes_on, ns - served);
    note_at_stack(block, CUP_WAIT_POLL, false, served);
}

void cup_wait_end(struct cup_wait *wait)
{
    enum { BUSY_NS = 5000 };
    uint64_t stop = cup_ticks();
    int saved = cup_enter();
    if (wait->cpu_ns == CUP_UNKNOWN64)
        cup_wait_guess(wait->block, wait->class, wait->start, stop, BUSY_NS);
    else
        cup_wait_end_for(wait, stop, wait->block);
    cup_leave(saved);
}

/* If the rest is shorter than LONG_NS, the call is taken not to have blocked: the errors of many
 * such estimates would add up to more than the waits themselves. */
void cup_wait_guess(struct cup_block *block, enum cup_wait_class class, uint64_t start,
                    uint64_t stop, uint64_t busy_ns)
{
    enum { LONG_NS = 30000 };
    uint64_t ns = subtract(cup_ticks_ns(stop - start), busy_ns);
    if (ns < LONG_NS || cup_wait_self.waiting)
        return;
    uint64_t cpu_ns = cup_cpu_read();
    if (cpu_ns == CUP_UNKNOWN64)
        return;
    uint64_t delay = measure_delay(stop, cpu_ns, ns);
    bool goes_on = count_wait(block, class, start, stop, ns - delay, delay);
    note_at_stack(block, class, goes_on, ns - delay);
    block->counters[CUP_C_GUESSED_WAIT_NS] += ns - delay;
    uint64_t ticks = cup_ns_ticks(ns - delay);
    if (is_helper_block(block) && class != CUP_WAIT_LOCK)
        cup_helper_wait_waited(block->task, class, ticks, stop);
    else if (is_for_others(block, class) && class == CUP_WAIT_POLL)
        cup_helper_wait_task_waited(block->task, ticks);
}

/* Threads that give the GIL to each other wait ten thousand times a second, each time for
 * microseconds. So their run delay is read once for each millisecond of waits, and subtracted then;
 * if it was small when last read, once for fifty, or after a single wait of ten. Helpers' blocks
 * may close before that: there it must be small, and is read once for ten. */
static bool may_count_later(const struct cup_block *block, uint64_t ns)
{
    enum { LATER_NS = 1000000, LONGER_NS = 10000000, CALM_NS = 50000000 };
    const struct cup_wait_thread *self = &cup_wait_self;
    bool helps = is_helper_block(block);
    uint64_t most = self->is_calm ? (helps ? LONGER_NS : CALM_NS) : (helps ? 0 : LATER_NS);
    return self->delay_off_ns && ns < LONGER_NS && self->short_ns + ns < most &&
           (!self->short_ns || find_short_block() == block);
}

static void keep_short_wait(const struct cup_block *block, uint64_t ns)
{
    cup_wait_self.short_block = (uint16_t)(cup_log_block_index(block) + 1);
    cup_wait_self.short_sequence = block->sequence;
    cup_wait_self.short_ns += (uint32_t)ns;
}

/* A step of 5 ms takes about as much CPU time as the switch between threads that ends a wait. */
void cup_wait_count_gil(uint64_t start, uint64_t stop)
{
    enum { SWITCH_NS = 3000, STEP_NS = 5000000 };
    struct cup_block *block = find_wait_block(CUP_WAIT_GIL);
    cup_cpu_waited();
    if (!block)
        return;
    uint64_t wall = cup_ticks_ns(stop - start), delay = 0;
    uint64_t ns = subtract(wall, SWITCH_NS * (1 + wall / STEP_NS));
    bool later = may_count_later(block, ns);
    if (!later && (ns > WORTH_READING_NS || cup_wait_self.short_ns))
        delay = measure_delay(stop, cup_cpu_read(), ns);
    ns -= delay;
    bool goes_on = count_gil(block, start, stop, ns);
    block->counters[CUP_C_GIL_WAIT_NS] += ns;
    block->counters[CUP_C_RUN_DELAY_NS] += delay;
    if (later)
        keep_short_wait(block, ns);
    else
        cup_log_series_add(CUP_S_GIL_WAIT_NS, cup_ticks_realtime_ns(stop), ns);
    if (is_helper_block(block))
        cup_helper_wait_waited(block->task, CUP_WAIT_GIL, cup_ns_ticks(ns), stop);
    note_at_stack(block, CUP_WAIT_GIL, goes_on, ns);
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
    if (syscall(SYS_getrusage, RUSAGE_THREAD, &now))
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
    update_delay();
    read_usage(&cup_wait_self.usage);
    cup_helper_wait_begin(task);
}

/* The task of BLOCK ends at NOW: counts what it waited for servers after its last wait. */
static void settle_requests(struct cup_block *block, uint64_t now)
{
    uint32_t server = 0;
    uint64_t ticks = cup_helper_wait_gives_up(block->task, now, &server);
    if (ticks && server)
        cup_block_file(block, server)->counters[CUP_F_WAIT_NS] += cup_ticks_ns(ticks);
    divide_wait(block, CUP_WAIT_COUNT, now, 0);
}

void cup_wait_task_ends(uint32_t task, uint64_t cpu_ns)
{
    (void)cpu_ns;
    struct cup_block *block = cup_self.own;
    struct cup_kernel_usage start = cup_wait_self.usage, now;
    if (cup_self.task != task)
        return;
    if (block)
        settle_requests(block, cup_ticks());
    cup_helper_wait_end(task);
    if (!block)
        return;
    update_delay();
    read_usage(&now);
    bool known = start.delay_ns != CUP_UNKNOWN64 && now.delay_ns != CUP_UNKNOWN64;
    block->counters[CUP_C_RUN_DELAY_NS] = known ? now.delay_ns - start.delay_ns : 0;
    block->counters[CUP_C_SYSTEM_CPU_NS] += subtract(now.system_ns, start.system_ns);
    block->counters[CUP_C_MINOR_FAULTS] += now.minor_faults - start.minor_faults;
    block->counters[CUP_C_MAJOR_FAULTS] += now.major_faults - start.major_faults;
}

void cup_wait_count_short(void)
{
    if (cup_wait_self.short_ns)
        update_delay();
}

void cup_wait_child_begins(void)
{
    memset(&cup_wait_self, 0, sizeof cup_wait_self);
    cup_cpu_waited();  /* the child's clock begins at 0 */
    own.schedstat = 0; /* sys/own_fd, whose row is above this one, has closed it */
    own.refused = false;
}

void cup_wait_thread_ends(void)
{
    end_stale_wait();
    cup_helper_wait_end(cup_self.task);
    cup_own_fd_close(own.schedstat);
    own.schedstat = 0;
}

void cup_wait_log_opened(enum cup_log_size size)
{
    (void)size;
    if (cup_run_delay_ns() != CUP_UNKNOWN64)
        cup_recording_add_feature(CUP_FEATURE_RUN_DELAY);
    else
        cup_recording_note("run delay is not seen", "/proc/self/task/TID/schedstat cannot be read");
    if (cup_gil.bytes)
        cup_recording_add_feature(CUP_FEATURE_GIL);
}
