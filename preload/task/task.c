#include "preload/task/task.h"

#include "preload/attribution/attribution.h"
#include "preload/attribution/context.h"
#include "preload/counters/block.h"
#include "preload/counters/totals.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/own_fd.h"
#include "preload/sys/parse_number.h"
#include "preload/sys/raw.h"

#include <unistd.h>

static uint32_t last_task;

/* The task that the calling thread runs. */
static __thread struct {
    struct cup_moment start;
    struct cup_moment tic; /* when process() began; time_ns 0: the thread is not inside process() */
    uint32_t prefix;       /* string id; 0: none */
    uint32_t calls;        /* of process() by this task */
} own __attribute__((tls_model("initial-exec")));

uint32_t cup_task_prefix(void)
{
    return own.prefix;
}

static uint64_t read_rss(void)
{
    /* If two threads open the file at the same time, one descriptor is left over. */
    static uint32_t statm;
    char text[96];
    if (!cup_own_fd_read(statm, text, sizeof text)) {
        statm = cup_own_fd_open("/proc/self/statm");
        if (!cup_own_fd_read(statm, text, sizeof text) &&
            !cup_raw_read_text("/proc/self/statm", text, sizeof text)) /* few descriptors allowed */
            return CUP_UNKNOWN64;
    }
    uint64_t pages = 0; /* first field: virtual size; second: resident */
    cup_number(cup_number(text, &pages), &pages);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The value of the last half millisecond is used again: so a task that begins right after another
 * one has ended does not read it again. */
uint64_t cup_task_rss(void)
{
    enum { FRESH_NS = 500000 };
    static uint64_t rss = CUP_UNKNOWN64, asked; /* two threads may both measure it: no harm */
    uint64_t now = cup_ticks(), last = __atomic_load_n(&asked, __ATOMIC_ACQUIRE);
    uint64_t bytes = __atomic_load_n(&rss, __ATOMIC_RELAXED);
    if (last && bytes != CUP_UNKNOWN64 && cup_ticks_ns(now - last) < FRESH_NS)
        return bytes;
    bytes = read_rss();
    __atomic_store_n(&rss, bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&asked, now, __ATOMIC_RELEASE);
    return bytes;
}

/* Only a full log needs the resident set: a child's log has no tasks, so no descriptor is opened.
 */
void cup_task_log_opened(enum cup_log_size size)
{
    if (size == CUP_LOG_FULL && cup_task_rss() != CUP_UNKNOWN64)
        cup_recording_add_feature(CUP_FEATURE_RSS);
}

/* Makes the calling thread run the task. */
static void run_on_thread(const struct cup_r_task_begin *begin, uint64_t cpu_ns)
{
    cup_self.task = begin->task;
    cup_self.origin = (uint8_t)begin->origin;
    own.start = (struct cup_moment){begin->start_ns, cpu_ns};
    own.tic = (struct cup_moment){0, 0};
    own.calls = 0;
    own.prefix = begin->prefix;
}

uint32_t cup_task_begin(struct cup_r_task_begin begin, const char *key, uint64_t cpu_ns)
{
    bool async = begin.origin == CUP_ORIGIN_ASYNC;
    cup_thread_known();
    begin.task = __atomic_add_fetch(&last_task, 1, __ATOMIC_RELAXED);
    begin.tid = cup_self.tid;
    begin.rss = cup_task_rss();
    cup_clock_follow(begin.start_ns);
    if (!async)
        run_on_thread(&begin, cpu_ns);
    if (!cup_totals_begin(&begin))
        cup_log_write(CUP_R_TASK_BEGIN, &begin, key, begin.key_bytes);
    if (async)
        cup_attribution_async(begin.task, true);
    else
        cup_self.own = cup_self.heap = cup_block_open(begin.task, CUP_BLOCK_RUNS);
    cup_running_add(begin.task);
    CUP_LIFECYCLE(task_begins, begin.task, async ? CUP_UNKNOWN64 : cpu_ns);
    cup_log_health(CUP_H_TASKS_BEGUN, 1);
    if (!async)
        cup_context_enter(begin.task);
    return begin.task;
}

/* TOC: NULL if process() did not return. */
static void write_chunk(const struct cup_moment *toc)
{
    const struct cup_r_chunk record = {.task = cup_self.task,
                                       .tic_ns = own.tic.time_ns,
                                       .toc_ns = toc ? toc->time_ns : 0,
                                       .cpu_ns =
                                           toc ? toc->cpu_ns - own.tic.cpu_ns : CUP_UNKNOWN64};
    if (!cup_totals_chunk(&record))
        cup_log_write(CUP_R_CHUNK, &record, NULL, 0);
}

void cup_task_tic(struct cup_moment now)
{
    own.tic = now;
    own.calls++;
}

void cup_task_toc(struct cup_moment now)
{
    if (!cup_self.task || !own.tic.time_ns)
        return;
    write_chunk(&now);
    own.tic.time_ns = 0;
}

bool cup_task_failed_in_process(void)
{
    return own.tic.time_ns && own.calls == 1;
}

static struct cup_r_task_end write_end(uint32_t task, enum cup_task_status status, int64_t stop_ns,
                                       uint64_t cpu_ns, uint64_t result_bytes, uint32_t error)
{
    const struct cup_r_task_end record = {.task = task,
                                          .status = status,
                                          .stop_ns = stop_ns,
                                          .cpu_ns = cpu_ns,
                                          .rss = cup_task_rss(),
                                          .result_bytes = result_bytes,
                                          .error = error};
    if (!cup_totals_end(&record))
        cup_log_write(CUP_R_TASK_END, &record, NULL, 0);
    return record;
}

/* If there are two TASK_END records of a task, the second one counts. */
void cup_task_end_again(const struct cup_r_task_end *end)
{
    if (!cup_totals_end_again(end))
        cup_log_write(CUP_R_TASK_END, end, NULL, 0);
}

static void count_in_series(struct cup_moment start, struct cup_moment stop)
{
    cup_log_series_add(CUP_S_TASKS, stop.time_ns, 1);
    if (stop.time_ns > start.time_ns) /* else the clock was set back */
        cup_log_series_add(CUP_S_TASK_NS, stop.time_ns, (uint64_t)(stop.time_ns - start.time_ns));
    cup_log_series_add(CUP_S_TASK_CPU_NS, stop.time_ns, stop.cpu_ns - start.cpu_ns);
}

struct cup_r_task_end cup_task_end(enum cup_task_status status, struct cup_moment stop,
                                   uint64_t result_bytes, uint32_t error)
{
    struct cup_thread *thread = &cup_self;
    if (!thread->task)
        return (struct cup_r_task_end){.task = 0};
    cup_context_leave();
    CUP_LIFECYCLE(task_ends, thread->task, stop.cpu_ns);
    struct cup_block *block = thread->own;
    thread->heap = thread->own = NULL; /* what the library does from here on is not the task's */
    if (own.tic.time_ns)
        write_chunk(NULL);
    if (block)
        cup_block_close(block);
    cup_series_flush();
    struct cup_r_task_end end = write_end(thread->task, status, stop.time_ns,
                                          stop.cpu_ns - own.start.cpu_ns, result_bytes, error);
    count_in_series(own.start, stop);
    cup_running_remove(thread->task);
    CUP_LIFECYCLE(task_ended, thread->task);
    cup_log_health(CUP_H_TASKS_ENDED, 1);
    thread->task = 0;
    own.tic.time_ns = 0;
    thread->origin = 0;
    return end;
}

void cup_task_end_async(uint32_t task, enum cup_task_status status, int64_t stop_ns,
                        uint64_t result_bytes, uint32_t error)
{
    if (!cup_task_runs(task))
        return;
    CUP_LIFECYCLE(task_ends, task, CUP_UNKNOWN64);
    cup_block_close_helped(task);
    write_end(task, status, stop_ns, CUP_UNKNOWN64, result_bytes, error);
    cup_log_series_add(CUP_S_TASKS, stop_ns, 1);
    cup_running_remove(task);
    CUP_LIFECYCLE(task_ended, task);
    cup_attribution_async(task, false);
    cup_log_health(CUP_H_TASKS_ENDED, 1);
}
