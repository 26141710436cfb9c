#include "preload/attribution/helper.h"

#include "preload/counters/block.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/lifecycle/thread_cpu.h"
#include "preload/lifecycle/unattributed.h"
#include "preload/log/log.h"
#include "preload/python/anchors.h"
#include "preload/python/frames.h"
#include "preload/python/lock_calls.h"
#include "preload/python/python.h"
#include "preload/stacks/stack_events.h"
#include "preload/sys/clock.h"

#include <string.h>

static bool verified; /* locks are seen */

/* Where locks are not seen: objects around them are noted, and from the first helper on, calls of
 * locks (preload/python/lock_calls.h). */
static bool watches_objects, watches_locks;

/* ---- CPU time ---------------------------------------------------------------------------- */

/* The CPU time that this thread used since the last call counts for TASK. */
static void count_cpu(uint32_t task)
{
    uint64_t used = cup_cpu_since(&cup_helper_self.job_cpu_ns);
    struct cup_block *block = cup_block_serving(task);
    if (block)
        block->counters[CUP_C_HELPER_CPU_NS] += used;
}

/* ---- jobs of concurrent.futures ---------------------------------------------------------- */

/* Counters to roll back when a job turns out to work for several tasks. */
enum { JOB_SUMS = 9 };
static const uint8_t job_sums[JOB_SUMS] = {
    CUP_C_READ_CONTEXT_BYTES, CUP_C_READ_DESCRIPTOR_BYTES, CUP_C_READ_HANDOFF_BYTES,
    CUP_C_HELPER_CPU_NS,      CUP_C_WRITE_BYTES,           CUP_C_RECV_BYTES,
    CUP_C_SEND_BYTES,         CUP_C_ALLOC_BYTES,           CUP_C_SERVER_READ_BYTES};

/* By thread slot: the thread's block for the job's task, and its counters when the job began. */
static struct job {
    const struct cup_block *block;
    uint32_t sequence;
    uint64_t start[JOB_SUMS];
} jobs[CUP_THREAD_SLOTS];

static struct job *own_job(void)
{
    return cup_self.slot ? &jobs[cup_self.slot - 1] : NULL;
}

static void save_job_start(struct job *job, const struct cup_block *block)
{
    job->block = block;
    if (!block)
        return;
    job->sequence = block->sequence;
    for (int i = 0; i < JOB_SUMS; i++)
        job->start[i] = block->counters[job_sums[i]];
}

static void watch_locks(void);

static void begin_job(const struct cup_lock_origin *lock)
{
    struct cup_thread *thread = &cup_self;
    thread->inherited = 0;
    cup_helper_self.after_job = false;
    cup_helper_self.job_serves = false;
    if (!verified) /* who fails to take a lock is noted as if it held it */
        memset(cup_helper_self.held, 0, sizeof cup_helper_self.held);
    cup_helper_self.for_dask = lock && lock->task == CUP_MADE_BY_DASK;
    thread->handed = lock && !cup_helper_self.for_dask ? lock->task : 0;
    cup_helper_self.job_runs = thread->handed != 0;
    if (!cup_helper_self.job_runs)
        return;
    watch_locks();
    cup_helper_self.job_cpu_ns = cup_cpu_recent();
    CUP_LIFECYCLE(thread_works, thread->handed, cup_helper_self.job_cpu_ns);
    if (own_job())
        save_job_start(own_job(), cup_block_helped(thread->handed));
}

/* Callbacks that run after the job still work for the task that submitted it, unless LOCK, the
 * Future's, is shared: then other tasks know the Future, and may have added the callbacks. */
static void end_job(const struct cup_lock_origin *lock)
{
    if (cup_helper_self.job_runs) {
        count_cpu(cup_self.handed);
        CUP_LIFECYCLE(thread_works, 0, cup_helper_self.job_cpu_ns);
    }
    cup_helper_self.job_runs = false;
    if (lock && !lock->shared)
        return;
    cup_self.handed = 0;
    cup_helper_self.after_job = true;
}

bool cup_helper_job_begins(uint32_t task)
{
    if (cup_attribution_task() || !cup_thread_known())
        return false;
    begin_job(&(struct cup_lock_origin){.task = task});
    return true;
}

/* Between its jobs, a thread of a native pool does nothing that jobs left to it. */
void cup_helper_job_ended(void)
{
    end_job(NULL);
    cup_helper_self.after_job = cup_helper_self.job_serves = false;
}

/* The bytes and the CPU time of the job so far become unattributed. Its calls, other times and what
 * it did to each file stay with the task. If the block's counters when the job began are not known
 * (the thread has no slot, or the block was closed since), all of the block's sums move. */
static void disown_job(void)
{
    struct cup_thread *thread = &cup_self;
    struct cup_block *block = cup_block_helped(thread->handed);
    struct cup_block *none = block ? cup_block_none() : NULL;
    if (!none)
        return;
    const struct job *job = own_job();
    bool same = job && block == job->block && block->sequence == job->sequence;
    for (int i = 0; i < JOB_SUMS; i++) {
        int sum = job_sums[i], to = sum < CUP_C_READ_NONE_BYTES ? CUP_C_READ_NONE_BYTES : sum;
        uint64_t before = same ? job->start[i] : 0;
        if (to == CUP_C_READ_NONE_BYTES)
            cup_unattributed_add(CUP_UNATTRIBUTED_THREAD, block->counters[sum] - before);
        none->counters[to] += block->counters[sum] - before;
        block->counters[sum] = before;
    }
}

/* The job takes work of other tasks: what it does until it ends is unattributed. */
static void void_job(void)
{
    disown_job();
    CUP_LIFECYCLE(thread_works, 0, cup_clock_thread_cpu_ns());
    cup_self.handed = 0;
    cup_helper_self.job_runs = false;
    cup_helper_self.job_serves = true;
    cup_log_health(CUP_H_THREADS_VOIDED, 1);
}

static bool belongs_to_job(const struct cup_lock_origin *known)
{
    return known && known->task == cup_self.handed && !known->shared;
}

/* A function called get() asks for a lock. If that is the lock of a queue which other tasks use,
 * the job may work for them from now on: it is attributed to no task. */
static void detect_queue(struct cup_frame frame, const struct cup_lock_origin *known)
{
    if (cup_helper_self.job_runs && !belongs_to_job(known) && cup_python_has_gil() &&
        cup_frames_is_in(frame, "queue.py"))
        void_job();
}

/* Condition.__enter__ took a lock (KNOWN: its origin; NULL: not known). The functions that called
 * it show whether a job begins, ends, or takes an item of a queue. */
static void detect_job(const struct cup_lock_origin *known)
{
    struct cup_frame frame;
    if (!cup_frames_top(&frame) || !cup_frames_back(&frame))
        return;
    const void *name = cup_frames_name(frame);
    if (name == cup_anchor_name(CUP_ANCHOR_QUEUE_GET)) {
        detect_queue(frame, known);
        return;
    }
    bool begins = name == cup_anchor_name(CUP_ANCHOR_JOB_BEGINS);
    bool ends = name == cup_anchor_name(CUP_ANCHOR_JOB_RETURNED) ||
                name == cup_anchor_name(CUP_ANCHOR_JOB_RAISED);
    if ((!begins && !ends) || !cup_frames_back(&frame) ||
        cup_frames_name(frame) != cup_anchor_name(CUP_ANCHOR_JOB_RUN))
        return;
    if (begins)
        begin_job(known);
    else
        end_job(known);
}

/* ---- threads started by a task ----------------------------------------------------------- */

/* The thread no longer works for the task that started it. */
static void void_inherited(void)
{
    CUP_LIFECYCLE(thread_works, 0, cup_clock_thread_cpu_ns());
    cup_self.inherited = 0;
    cup_helper_self.others_lock = NULL;
    cup_log_health(CUP_H_THREADS_VOIDED, 1);
}

/* The thread serves a task other than the one that started it. Then all threads and processes that
 * the starter started may have done so from the beginning, because work can be handed on without
 * any lock that is waited for: for instance through a queue that is never empty. */
static void void_starter(void)
{
    cup_attribution_void(cup_helper_self.started_by);
    cup_helper_self.serves_others = true;
    void_inherited();
}

/* A task other than the one that started the thread made the lock, or uses it. Locks of Dask itself
 * do not count, since every task uses them. */
static bool is_of_others(const struct cup_lock_origin *known)
{
    return known && known->task != CUP_MADE_BY_DASK &&
           (known->task != cup_helper_self.started_by || known->shared & ~(uint32_t)CUP_LOST);
}

/* A task started the thread, but the thread lost it, because of a lock that all may use (a
 * module's). It has not been seen to serve other tasks. */
static bool has_lost_starter(void)
{
    return (verified || watches_locks) && cup_helper_self.started_by && !cup_self.inherited &&
           !cup_helper_self.serves_others;
}

/* The calling thread uses what KNOWN's task made; HOW, unless that task started the thread and the
 * thread lost it since. It may serve others by now, so threads that still inherit from the task
 * must not take work from it. */
static void note_use(struct cup_lock_origin *known, enum cup_lock_origin_shared how)
{
    bool lost = has_lost_starter() && known->task == cup_helper_self.started_by;
    cup_lock_origin_used(known, cup_attribution_task(), lost ? CUP_LOST : how);
}

/* The code object of weakref.finalize.__call__: many functions have that name. This reference is
 * never released. */
static cup_object *finalize_code;

static void find_finalizer_code(void)
{
    CUP_OWNED cup_object *type = cup_python_attribute(cup_python_module("weakref"), "finalize");
    CUP_OWNED cup_object *call = cup_python_attribute(type, "__call__");
    finalize_code = cup_python_attribute(call, "__code__");
}

/* FRAME or one of its callers is a finalizer. Finalizers run on whichever thread drops an object or
 * collects garbage, so their locks say nothing about the thread's work. The finalizer of fsspec's
 * HTTP file systems even waits there, until the event loop has closed a session. */
static bool is_finalizer(struct cup_frame frame)
{
    enum { DEEPEST = 16 };
    bool more = true;
    for (int depth = 0; more && depth < DEEPEST; depth++, more = cup_frames_back(&frame)) {
        const void *name = cup_frames_name(frame);
        if (name == cup_anchor_name(CUP_ANCHOR_FINALIZER) ||
            name == cup_anchor_name(CUP_ANCHOR_EXECUTOR_DROPPED) ||
            cup_frames_code(frame) == finalize_code)
            return true;
    }
    return false;
}

/* The lock that the thread takes or gives back now hands no work over, although all threads use it:
 * it belongs to the start or end of a thread, to an import, to logging or to a finalizer, or (there
 * is no Python frame) to the interpreter itself. At the end of a thread this also counts its CPU
 * time. */
static bool hands_nothing_over(void)
{
    struct cup_frame frame;
    if (!cup_frames_top(&frame))
        return true;
    const void *name = cup_frames_name(frame);
    if (name == cup_anchor_name(CUP_ANCHOR_BOOTSTRAP) ||
        name == cup_anchor_name(CUP_ANCHOR_BOOTSTRAP_LOCK) ||
        name == cup_anchor_name(CUP_ANCHOR_THREAD_ENDS)) {
        if (cup_self.inherited)
            count_cpu(cup_self.inherited); /* join() returns before the thread really ends */
        return true;
    }
    if (is_finalizer(frame))
        return true;
    if (!cup_python_has_gil())
        return false;
    return name == cup_anchor_name(CUP_ANCHOR_THREAD_START)
               ? cup_frames_is_in(frame, "threading.py")
               : cup_frames_is_in(frame, "importlib._bootstrap>") ||
                     cup_frames_is_in(frame, "logging/__init__.py");
}

/* SERVES_OTHERS: the lock showed that the thread serves another task. */
static void end_inheritance(bool serves_others)
{
    if (serves_others)
        void_starter();
    else
        void_inherited();
}

/* The thread took a lock that was not made for its task alone. If it is the lock of a buffer (of
 * print(), of a file), it hands no work over, and the instruction that took it also gives it back:
 * release_others_lock() decides. A second such lock at the same time, or one that no Python
 * instruction took, decides at once. */
static void take_others_lock(const void *lock, const struct cup_lock_origin *known)
{
    if (hands_nothing_over())
        return;
    uint64_t place = cup_frames_top_place();
    bool others = is_of_others(known) ||
                  (cup_helper_self.others_lock && cup_helper_self.others_lock_is_shared);
    if (cup_helper_self.others_lock || !place) {
        end_inheritance(others);
        return;
    }
    cup_helper_self.others_lock = lock;
    cup_helper_self.others_place = place;
    cup_helper_self.others_lock_is_shared = others;
}

static void release_others_lock(void)
{
    /* hands_nothing_over() is asked again: if the thread waited for the lock, it took it without
     * the GIL, and then some frames could not be read. */
    if (cup_helper_self.others_place == cup_frames_top_place() || hands_nothing_over())
        cup_helper_self.others_lock = NULL;
    else
        end_inheritance(cup_helper_self.others_lock_is_shared);
}

/* The calling thread is in Thread.start(), called by an executor that adds a thread. */
static bool is_executor_thread(void)
{
    struct cup_frame frame;
    return cup_frames_top(&frame) && cup_frames_back(&frame) &&
           cup_frames_name(frame) == cup_anchor_name(CUP_ANCHOR_EXECUTOR_GROWS);
}

/* Notes the stack at which the task starts a thread. A thread of a native library may work before
 * the task waits for it, and its own stacks are shown below this one. */
static void note_handover(void)
{
    if (!cup_self.task)
        return;
    cup_guard();
    cup_event_hands_over();
    cup_unguard();
}

uint32_t cup_helper_heir(void *routine)
{
    uint32_t task = verified || watches_objects ? cup_attribution_task() : 0;
    note_handover();
    if (!task || !cup_python_is_code(routine) || is_executor_thread())
        return 0;
    int saved = cup_enter();
    watch_locks();
    cup_leave(saved);
    return task;
}

void cup_helper_starts(uint32_t task)
{
    cup_guard();
    if (cup_thread_known()) {
        bool seen = verified || __atomic_load_n(&watches_locks, __ATOMIC_RELAXED);
        cup_self.inherited = seen ? task : 0; /* only locks show that it serves others */
        cup_helper_self.started_by = task;
    }
    cup_unguard();
}

void cup_helper_thread_settles(void)
{
    if (cup_self.inherited && cup_task_runs(cup_self.inherited))
        count_cpu(cup_self.inherited);
}

/* ---- pools of processes ------------------------------------------------------------------ */

/* The thread submits a job to the pool that LOCK belongs to. */
static void note_submission(const struct cup_lock_origin *lock)
{
    cup_helper_self.pool_is_own = lock && lock->task == cup_attribution_task() && !lock->shared;
}

bool cup_helper_shared_pool_grows(void)
{
    enum { DEEPEST = 16 };
    struct cup_frame frame;
    bool more = cup_frames_top(&frame), grows = false;
    for (int depth = 0; more && depth < DEEPEST; depth++, more = cup_frames_back(&frame)) {
        const void *name = cup_frames_name(frame);
        grows |= name == cup_anchor_name(CUP_ANCHOR_POOL_GROWS) ||
                 name == cup_anchor_name(CUP_ANCHOR_POOL_STARTS);
        if (grows && name == cup_anchor_name(CUP_ANCHOR_SUBMIT))
            return !cup_helper_self.pool_is_own;
    }
    return grows;
}

/* ---- locks ------------------------------------------------------------------------------- */

/* Inside Thread.start(), which waits until the new thread runs. */
static bool is_starting_thread(void)
{
    enum { DEEPEST = 4 };
    struct cup_frame frame;
    bool more = cup_frames_top(&frame);
    for (int depth = 0; more && depth < DEEPEST; depth++, more = cup_frames_back(&frame))
        if (cup_frames_name(frame) == cup_anchor_name(CUP_ANCHOR_THREAD_START))
            return true;
    return false;
}

static bool is_finalizing(void)
{
    struct cup_frame frame;
    return cup_frames_top(&frame) && is_finalizer(frame);
}

static void note_helper_lock(const void *lock, bool waited, struct cup_lock_origin *known)
{
    if (waited && cup_helper_self.job_runs && known && known->task == cup_self.handed &&
        known->shared & CUP_SIGNALLED && !is_starting_thread() && !is_finalizing())
        void_job(); /* another task woke it */
    uint32_t inherited = cup_self.inherited;
    if (inherited && (!known || known->task != inherited || known->shared))
        take_others_lock(lock, known);
    else if (known && has_lost_starter() && is_of_others(known) && !hands_nothing_over())
        void_starter();
    if (known && !(known->shared & CUP_SHARED) && known->task != cup_self.handed)
        note_use(known, CUP_SHARED);
}

/* Notes LOCK in a free entry of held[], else in the next entry in turn. If another thread gives a
 * lock back, its entry stays here, so all entries can be taken. */
static void hold_lock(const void *lock)
{
    for (int i = 0; i < CUP_HELD; i++)
        if (!cup_helper_self.held[i] || cup_helper_self.held[i] == lock) {
            cup_helper_self.held[i] = lock;
            return;
        }
    cup_helper_self.held[cup_helper_self.next_held++ % CUP_HELD] = lock;
}

/* The thread has waited at SEMAPHORE, one of its own, for a lock or an item of a SimpleQueue: did
 * another task wake it? */
static void note_parked(const void *semaphore)
{
    bool works = cup_helper_self.job_runs || cup_self.inherited || has_lost_starter();
    if (!works || cup_lock_calls_parked(semaphore) == CUP_PARKED_NOTHING)
        return;
    const struct cup_lock_origin *known =
        cup_lock_origin_find(cup_lock_origins, (uintptr_t)semaphore);
    if (!known || !known->shared)
        return;
    bool others = known->shared & CUP_SIGNALLED;
    int saved = cup_enter();
    bool counts = !is_starting_thread() && !is_finalizing();
    if (counts && cup_helper_self.job_runs && others)
        void_job();
    else if (counts && !cup_helper_self.job_runs && (others || cup_self.inherited) &&
             !hands_nothing_over())
        end_inheritance(others);
    cup_leave(saved);
}

static void note_taken_lock(const void *lock, bool waited)
{
    struct cup_lock_origin *known = cup_lock_origin_find(cup_lock_origins, (uintptr_t)lock);
    const void *name = cup_frames_top_name();
    hold_lock(lock);
    if (name && name == cup_anchor_name(CUP_ANCHOR_SUBMIT))
        note_submission(known);
    if (!cup_self.task) {
        if (name && name == cup_anchor_name(CUP_ANCHOR_ENTER))
            detect_job(known);
        note_helper_lock(lock, waited, known);
        return;
    }
    if (known)
        cup_lock_origin_used(known, cup_self.task, CUP_SHARED);
}

bool cup_helper_took(const void *lock, bool waited)
{
    if (cup_self.guard || !verified) {
        if (waited && watches_locks && !cup_self.guard && !cup_self.task)
            note_parked(lock);
        return false;
    }
    int saved = cup_enter();
    note_taken_lock(lock, waited);
    cup_leave(saved);
    return true;
}

void cup_helper_found_busy(const void *lock)
{
    struct cup_frame frame;
    if (!verified || !cup_helper_self.job_runs || cup_self.task ||
        cup_frames_top_name() != cup_anchor_name(CUP_ANCHOR_ENTER))
        return;
    int saved = cup_enter();
    if (cup_frames_top(&frame) && cup_frames_back(&frame) &&
        cup_frames_name(frame) == cup_anchor_name(CUP_ANCHOR_QUEUE_GET))
        detect_queue(frame, cup_lock_origin_find(cup_lock_origins, (uintptr_t)lock));
    cup_leave(saved);
}

/* True: the calling thread took LOCK itself, so giving it back hands nothing over. Its entry is
 * cleared. */
static bool drop_held_lock(const void *lock)
{
    for (int i = 0; i < CUP_HELD; i++)
        if (cup_helper_self.held[i] == lock) {
            cup_helper_self.held[i] = NULL;
            return true;
        }
    return false;
}

/* The thread is in submit() of an executor: the lock that it gives belongs to the queue of jobs,
 * and answers no other task. */
static bool is_submitting(void)
{
    const void *name = cup_frames_top_name();
    return name && name == cup_anchor_name(CUP_ANCHOR_SUBMIT);
}

/* The thread gives a lock that it did not take: so it wakes a thread that waits for the lock. */
static void note_signal(struct cup_lock_origin *known)
{
    struct cup_thread *thread = &cup_self;
    bool others = known->task != CUP_MADE_BY_DASK && !thread->task;
    if ((thread->inherited || has_lost_starter()) && is_of_others(known) && !hands_nothing_over())
        void_starter();
    else if (cup_helper_self.job_runs && others && known->task != thread->handed &&
             !is_submitting() && !hands_nothing_over())
        void_job(); /* it answers another task */
    note_use(known, CUP_SHARED | CUP_SIGNALLED);
}

/* SEMAPHORE is that of a thread which waits for an item of a SimpleQueue, or for a lock that the
 * calling thread gives and did not take. Not so if the calling thread just leaves a lock. */
static bool hands_over(const void *semaphore)
{
    if (!watches_locks)
        return true;
    enum cup_parked parked = cup_lock_calls_parked(semaphore);
    return parked == CUP_PARKED_QUEUE || (parked == CUP_PARKED_LOCK && !cup_helper_self.gives_own);
}

void cup_helper_gives(const void *lock)
{
    struct cup_thread *thread = &cup_self;
    if (thread->guard)
        return;
    bool foreign = cup_helper_self.others_lock == lock && lock;
    struct cup_lock_origin *known =
        drop_held_lock(lock) ? NULL : cup_lock_origin_find(cup_lock_origins, (uintptr_t)lock);
    if (known && !verified && !hands_over(lock))
        known = NULL;
    if (!foreign && !known)
        return;
    int saved = cup_enter();
    if (foreign)
        release_others_lock();
    if (known)
        note_signal(known);
    cup_leave(saved);
}

/* multiprocessing passes a new process its arguments by a pipe, and all tasks write to the pipe of
 * its resource tracker: neither carries work. */
uint32_t cup_helper_made_pipe(void)
{
    const void *name = cup_frames_top_name();
    bool launches = name && (name == cup_anchor_name(CUP_ANCHOR_LAUNCH) ||
                             name == cup_anchor_name(CUP_ANCHOR_TRACKER));
    return launches ? 0 : cup_attribution_task();
}

void cup_helper_used_pipe(uint32_t maker, uint32_t task)
{
    if (!maker || maker == task || maker == cup_helper_self.started_by || !cup_task_runs(maker))
        return;
    cup_log_health(CUP_H_THREADS_VOIDED, 1);
    cup_attribution_void(maker);
}

uint32_t cup_helper_made(const void *lock)
{
    struct cup_thread *thread = &cup_self;
    cup_helper_self.locks_made++;
    if (thread->guard || !cup_active())
        return 0;
    uint32_t task = cup_attribution_task();
    if (!task && watches_locks && has_lost_starter())
        task = cup_helper_self.started_by; /* it is the semaphore of a wait */
    if (!task && cup_helper_is_dask())
        task = CUP_MADE_BY_DASK;
    int saved = cup_enter();
    cup_lock_origin_made(cup_lock_origins, (uintptr_t)lock, task);
    if (thread->task && cup_frames_top_name() != cup_anchor_name(CUP_ANCHOR_WAIT))
        cup_event_hands_over(); /* Condition.wait makes a lock for itself, and waits for it */
    cup_leave(saved);
    return task == CUP_MADE_BY_DASK ? 0 : task;
}

/* ---- objects in place of locks ------------------------------------------------------------- */

/* The entry of the threads that wait for a condition. */
static uintptr_t waiters_of(const void *condition)
{
    return (uintptr_t)condition | 1;
}

static void note_job(struct cup_frame frame, const struct cup_lock_origin *known, bool begins)
{
    if (!cup_frames_back(&frame) || cup_frames_name(frame) != cup_anchor_name(CUP_ANCHOR_JOB_RUN))
        return;
    if (begins)
        begin_job(known);
    else
        end_job(known);
}

/* The calling thread is going to wait for CONDITION. If threads of other tasks wait for it already,
 * it is not known which of them will be woken. */
static void note_wait(const void *condition, bool alone)
{
    uint32_t task = cup_attribution_task();
    struct cup_lock_origin *known = cup_lock_origin_find(cup_lock_origins, waiters_of(condition));
    if (!alone && known && known->task != task)
        cup_lock_origin_used(known, task, CUP_SHARED | CUP_SIGNALLED);
    else if (alone || !known)
        cup_lock_origin_made(cup_lock_origins, waiters_of(condition), task);
}

static void note_woken(const struct cup_lock_origin *waiters)
{
    if (cup_helper_self.job_runs && waiters && waiters->shared & CUP_SIGNALLED &&
        !is_starting_thread() && !is_finalizing())
        void_job(); /* another task woke it */
}

static void note_condition(const void *condition, enum cup_helper_use use)
{
    struct cup_lock_origin *waiters = cup_lock_origin_find(cup_lock_origins, waiters_of(condition));
    if (use == CUP_USE_WAITS || use == CUP_USE_WAITS_TOO)
        note_wait(condition, use == CUP_USE_WAITS);
    else if (use == CUP_USE_WOKEN)
        note_woken(waiters);
    else if (waiters)
        note_signal(waiters);
}

/* The thread enters CONDITION, as it does to use any object of threading or queue. */
static void note_entered(const struct cup_lock_origin *known)
{
    uint32_t inherited = cup_self.inherited;
    if (inherited && (!known || known->task != inherited || known->shared)) {
        if (!hands_nothing_over())
            end_inheritance(is_of_others(known));
    } else if (known && has_lost_starter() && is_of_others(known) && !hands_nothing_over()) {
        void_starter();
    }
}

static void note_object_use(const void *object, struct cup_frame frame, enum cup_helper_use use)
{
    struct cup_lock_origin *known = cup_lock_origin_find(cup_lock_origins, (uintptr_t)object);
    if (!cup_self.task && (use == CUP_USE_JOB_BEGINS || use == CUP_USE_JOB_ENDS))
        note_job(frame, known, use == CUP_USE_JOB_BEGINS);
    else if (!cup_self.task && use == CUP_USE_TAKES_ITEM && cup_helper_self.job_runs &&
             !belongs_to_job(known))
        void_job();
    else if (use == CUP_USE_SUBMITS)
        note_submission(known);
    else if (!cup_self.task && use == CUP_USE_ENTERS)
        note_entered(known);
    if (known && !(known->shared & CUP_SHARED) && (cup_self.task || known->task != cup_self.handed))
        note_use(known, CUP_SHARED);
}

void cup_helper_object(const void *object, struct cup_frame frame, enum cup_helper_use use)
{
    if (use == CUP_USE_MADE) {
        cup_helper_made(object);
        return;
    }
    if (cup_self.guard || !cup_active())
        return;
    int saved = cup_enter();
    if (use >= CUP_USE_WAITS)
        note_condition(object, use);
    else
        note_object_use(object, frame, use);
    cup_leave(saved);
}

void cup_helper_watches_objects(void)
{
    find_finalizer_code();
    __atomic_store_n(&watches_objects, true, __ATOMIC_RELEASE);
}

/* ---- calls of locks ------------------------------------------------------------------------ */

/* The current frame is of the code that makes conditions and queues of locks: what they do is noted
 * as a whole. Or the lock guards nothing but a wait for a process. */
static bool is_inside_object(void)
{
    struct cup_frame frame;
    return cup_frames_top(&frame) &&
           (cup_frames_is_in(frame, "/threading.py") || cup_frames_is_in(frame, "/queue.py") ||
            cup_frames_is_in(frame, "/subprocess.py"));
}

/* Who made the lock is not known, so it may be anybody's. */
static void note_lock_call(enum cup_lock_call call)
{
    bool takes_item = call == CUP_CALL_TAKES_ITEM || call == CUP_CALL_PASSED;
    if (cup_helper_self.job_runs && takes_item && !is_finalizing())
        void_job();
    else if (cup_self.inherited && !hands_nothing_over() && !is_inside_object())
        void_inherited();
}

/* Notes which task uses the lock. Its maker is not known, so the first user stands for it. */
static void note_lock_use(const void *lock)
{
    uint32_t task = cup_attribution_task();
    struct cup_lock_origin *known = cup_lock_origin_find(cup_lock_origins, (uintptr_t)lock);
    if (cup_frames_top_name() == cup_anchor_name(CUP_ANCHOR_WAIT))
        return; /* Condition.wait's own lock, which another thread gives */
    hold_lock(lock);
    if (known && cup_task_runs(known->task))
        cup_lock_origin_used(known, task, CUP_SHARED);
    else if (known || task)
        cup_lock_origin_made(cup_lock_origins, (uintptr_t)lock, task);
}

static bool holds_lock(bool of_others)
{
    for (int i = 0; i < CUP_HELD; i++) {
        const void *lock = cup_helper_self.held[i];
        const struct cup_lock_origin *known =
            lock ? cup_lock_origin_find(cup_lock_origins, (uintptr_t)lock) : NULL;
        if (of_others ? known && known->shared : lock != NULL)
            return true;
    }
    return false;
}

/* The thread takes an item of a container, which is work if a lock that several tasks use guards
 * it.
 */
static bool note_pop(void)
{
    if (!holds_lock(false))
        return false;
    if (cup_helper_self.job_runs && !cup_self.task && holds_lock(true) && !is_finalizing())
        void_job();
    return true;
}

static bool helper_calls_lock(const void *lock, enum cup_lock_call call)
{
    if (cup_self.guard || !cup_active())
        return true;
    int saved = cup_enter();
    bool stays = true;
    if (call == CUP_CALL_GIVES)
        cup_helper_self.gives_own = drop_held_lock(lock);
    else if (call == CUP_CALL_POPS)
        stays = note_pop();
    else if (!cup_self.task && (cup_helper_self.job_runs || cup_self.inherited) &&
             cup_anchors_may_ask())
        note_lock_call(call);
    if (call == CUP_CALL_TAKES)
        note_lock_use(lock);
    cup_leave(saved);
    return stays;
}

/* From now on, calls of locks are noted, in all threads. Before the first helper they say nothing.
 */
static void watch_locks(void)
{
    static bool tried;
    if (!watches_objects || tried || !cup_python_has_gil())
        return;
    tried = true;
    const char *why = cup_lock_calls_start(helper_calls_lock);
    __atomic_store_n(&watches_locks, why == NULL, __ATOMIC_RELEASE);
    /* This gives up the GIL: other tasks may start threads now, whose locks are seen already. */
    if (!why && !cup_lock_calls_verify_waits()) {
        why = "waits for locks are not as expected";
        __atomic_store_n(&watches_locks, false, __ATOMIC_RELEASE);
    }
    if (why)
        cup_recording_note("attribution method 'inherited' is off", why);
}

bool cup_helper_sees_jobs(void)
{
    return verified || watches_objects;
}

bool cup_helper_verify(void)
{
    uint32_t before = cup_helper_self.locks_made;
    cup_python_drop(cup_python_call(cup_python_module("_thread"), "allocate_lock", NULL));
    bool seen = cup_helper_self.locks_made != before;
    find_finalizer_code();
    __atomic_store_n(&verified, seen, __ATOMIC_RELEASE);
    return seen;
}

void cup_helper_child_begins(void)
{
    memset(&cup_helper_self, 0, sizeof cup_helper_self);
    cup_lock_origin_reset();
}
