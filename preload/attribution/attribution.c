#include "preload/attribution/attribution.h"

#include "preload/attribution/context.h"
#include "preload/attribution/helper.h"
#include "preload/counters/block.h"
#include "preload/counters/totals.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"

#include <string.h>

__thread struct cup_helper_thread cup_helper_self __attribute__((tls_model("initial-exec")));

static uint32_t voided[CUP_RUNNING_SLOTS]; /* tasks whose threads serve other tasks, too */

void cup_attribution_reset(void)
{
    memset(voided, 0, sizeof voided);
}

/* One bit for each running async task, by its number modulo ASYNC_BITS. Another task with the same
 * remainder looks async, too; that matters only on a server's event loop, see find_context_task().
 */
enum { ASYNC_BITS = 8192 };
static uint32_t async_tasks[ASYNC_BITS / 32];

void cup_attribution_async(uint32_t task, bool runs)
{
    uint32_t *word = &async_tasks[task % ASYNC_BITS / 32], bit = UINT32_C(1) << task % 32;
    if (runs)
        __atomic_fetch_or(word, bit, __ATOMIC_RELEASE);
    else
        __atomic_fetch_and(word, ~bit, __ATOMIC_RELEASE);
}

static bool is_async(uint32_t task)
{
    return __atomic_load_n(&async_tasks[task % ASYNC_BITS / 32], __ATOMIC_ACQUIRE) >> task % 32 & 1;
}

/* The task of the calling thread's context; 0: none.
 *
 * A context can outlive its task: in a helper that goes on, in a coroutine of a connection that is
 * kept, in a forked child. So it counts only while its task runs in this process. If a task made a
 * client on the event loop of a Dask server, the loop may keep that task's context while it works
 * for others: on such a loop only async tasks count. */
static inline uint32_t find_context_task(void)
{
    uint32_t task = cup_helper_self.job_serves ? 0 : cup_context_task();
    if (!task || !cup_task_runs(task))
        return 0;
    return cup_self.server_loop && !is_async(task) ? 0 : task;
}

uint32_t cup_attribution_context(void)
{
    return find_context_task();
}

static inline bool inherits(const struct cup_thread *thread)
{
    uint32_t task = thread->inherited;
    return task && cup_task_runs(task) && voided[task % CUP_RUNNING_SLOTS] != task;
}

void cup_attribution_void(uint32_t task)
{
    if (__atomic_exchange_n(&voided[task % CUP_RUNNING_SLOTS], task, __ATOMIC_RELAXED) == task)
        return;
    if (!cup_totals_void(task) &&
        !cup_log_write(CUP_R_VOID, &(struct cup_r_void){.task = task}, NULL, 0))
        cup_log_health(CUP_H_VOIDS_DROPPED, 1);
}

/* The task that a thread which runs none carries, and by which method it is known; 0: none. */
static inline uint32_t find_carried_task(enum cup_method *method)
{
    uint32_t task = find_context_task();
    *method = CUP_METHOD_CONTEXT;
    if (task)
        return task;
    *method = CUP_METHOD_HANDOFF;
    if (cup_self.handed)
        return cup_self.handed;
    *method = CUP_METHOD_INHERITED;
    return inherits(&cup_self) && !cup_helper_self.others_lock ? cup_self.inherited : 0;
}

uint32_t cup_attribution_task(void)
{
    enum cup_method method;
    return cup_self.task ? cup_self.task : find_carried_task(&method);
}

uint32_t cup_attribution_opener(void)
{
    return cup_self.task ? cup_self.task : find_context_task();
}

/* Writing a block out to make room for another may grow the log, but free() must keep errno. */
static struct cup_block *open_block(uint32_t task)
{
    int saved = cup_enter();
    struct cup_block *block = !cup_thread_known() ? NULL
                              : task              ? cup_block_helping(task)
                                                  : cup_block_inheriting();
    cup_leave(saved);
    return block;
}

/* Most helpers stay with the task that they helped last: for these, nothing is written here. */
struct cup_block *cup_attribution_helped(void)
{
    enum cup_method method;
    uint32_t task = find_carried_task(&method);
    if (!task)
        return NULL;
    if (method == CUP_METHOD_INHERITED)
        return cup_self.inheriting ? cup_self.inheriting : open_block(0);
    return __builtin_expect(cup_self.last && cup_self.last->task == task, 1) ? cup_self.last
                                                                             : open_block(task);
}

/* The thread has TASK by METHOD, or works under a lock that other tasks use: it serves other tasks
 * than its starter, and inherits no longer. */
static void drop_starter(struct cup_thread *thread, uint32_t task, enum cup_method method)
{
    if ((method == CUP_METHOD_CONTEXT && task != thread->inherited) ||
        (method == CUP_METHOD_INHERITED && cup_helper_self.others_lock))
        thread->inherited = 0;
}

/* The task that opened the descriptor, if it runs, and if the calling thread, which carries TASK
 * (0: none), does not work for another task or for Dask; else 0. */
static uint32_t find_running_opener(uint32_t *opener, uint32_t task)
{
    if (!opener || !*opener)
        return 0;
    if (task || cup_helper_is_dask())
        cup_attribution_opener_used(opener, task);
    return cup_task_runs(*opener) ? *opener : 0;
}

/* The only task that runs; 0: none or several run, or the thread need not work for it. A thread of
 * Dask, one after a job that others may follow up, one that another task started, or the program's
 * main thread (of a client whose cluster is in the same process) may well work for something else,
 * although only one task runs. */
static uint32_t find_sole_task(uint32_t *epoch)
{
    if (cup_helper_is_dask() || cup_helper_self.after_job || cup_self.tid == cup_log_header()->pid)
        return 0;
    uint32_t task = cup_sole_task(epoch);
    return cup_helper_self.started_by && cup_helper_self.started_by != task ? 0 : task;
}

struct cup_owner cup_attribution(uint32_t *opener)
{
    struct cup_thread *thread = &cup_self;
    if (__builtin_expect(thread->own != NULL, 1)) {
        if (opener)
            cup_attribution_opener_used(opener, thread->task);
        return (struct cup_owner){thread->own, CUP_METHOD_OWN, 0};
    }
    if (!cup_thread_known())
        return (struct cup_owner){NULL, CUP_METHOD_NONE, 0};
    enum cup_method method;
    uint32_t epoch = 0, task = find_carried_task(&method);
    drop_starter(thread, task, method);
    if (__builtin_expect(task && method == CUP_METHOD_CONTEXT, 1)) { /* nothing is stronger */
        if (opener)
            cup_attribution_opener_used(opener, task);
        return (struct cup_owner){cup_block_helping(task), method, 0};
    }
    uint32_t opened_by = find_running_opener(opener, task);
    if (opened_by && method > CUP_METHOD_DESCRIPTOR) {
        task = opened_by;
        method = CUP_METHOD_DESCRIPTOR;
    }
    if (!task && (task = find_sole_task(&epoch)))
        method = CUP_METHOD_SOLE;
    if (!task)
        return (struct cup_owner){cup_block_none(), CUP_METHOD_NONE, 0};
    /* If there is no room for this block, the call is not counted: a weaker method must not
     * attribute it to another task. */
    struct cup_block *block =
        method == CUP_METHOD_INHERITED ? cup_block_inheriting() : cup_block_helping(task);
    return (struct cup_owner){block, method, epoch};
}

void cup_attribution_confirm(struct cup_owner *owner)
{
    uint32_t epoch;
    if (owner->method != CUP_METHOD_SOLE || (cup_sole_task(&epoch) && epoch == owner->epoch))
        return;
    owner->block = cup_block_none();
    owner->method = CUP_METHOD_NONE;
}
