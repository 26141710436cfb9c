#include "preload/sampler/sampler.h"

#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/log/log.h"
#include "preload/sampler/cpu_samples.h"
#include "preload/sampler/thread_slots.h"
#include "preload/stacks/stack_events.h"
#include "preload/sys/clock.h"
#include "preload/sys/hook_list.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>

/* The budget: the sampler may use 1/AFFORDABLE of the CPU time that it samples, or 1/ASKED_FOR at a
 * rate that the user has chosen. If it needs more,
 * it doubles the time between looks, up to LEAST_OFTEN periods; if it needs less, it halves it,
 * down to one period. It decides at most once in KEPT_PERIODS looks, by averages over about the
 * last REMEMBERED looks. */
enum { AFFORDABLE = 400, ASKED_FOR = 100, LEAST_OFTEN = 32, REMEMBERED = 16, KEPT_PERIODS = 20 };

enum {
    STACK_BYTES = 256 * 1024,  /* of the sampler's thread, without thread-local storage */
    IDLE_LOOKS = 100,          /* looks without a task before it sleeps until a task begins */
    AFTER_FORK_NS = 200000000, /* not started again sooner: after a fork, Python counts threads */
};

static struct {
    uint64_t period_ns; /* 0: no samples */
    uint64_t budget;    /* it may use one part in this of the CPU time that it samples */
    size_t storage;     /* bytes of thread-local storage of the libraries loaded at start */
    uint32_t changing;  /* a lock: starting and ending the thread */
    bool runs, refused;
    pthread_t thread;
    uint64_t not_before; /* ticks: the thread is not started earlier */
    uint32_t bell;       /* a futex: changing it wakes the thread */
    uint32_t idle;       /* the thread sleeps until a task begins */
    uint32_t ends;       /* the thread is asked to end */
    uint32_t looking;    /* a lock: held during a look */
    uint64_t own_ns,
        seen_ns;      /* CPU time of the last looks: the sampler's own, and the sampled one */
    uint32_t stretch; /* time between looks, in periods: 1, 2, 4, ... LEAST_OFTEN */
    uint64_t same_ns; /* time since that was last reconsidered */
} sampler;

static int add_storage(struct dl_phdr_info *object, size_t size, void *bytes)
{
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)bytes += object->dlpi_phdr[i].p_memsz + object->dlpi_phdr[i].p_align;
    return 0;
}

/* The storage is counted now, at load: later another thread may hold the loader's lock inside
 * dl_iterate_phdr() and wait for the GIL, which the thread that starts the sampler holds. */
void cup_sampler_wants(uint32_t hz, bool asked)
{
    sampler.budget = asked ? ASKED_FOR : AFFORDABLE;
    sampler.period_ns = hz ? UINT64_C(1000000000) / hz : 0;
    dl_iterate_phdr(add_storage, &sampler.storage);
}

/* ---- one thread -------------------------------------------------------------------------- */

/* The CPU time of any thread of this process; CUP_UNKNOWN64: it has ended. The clock's id is the
 * one that pthread_getcpuclockid() returns: (~tid << 3) | CPUCLOCK_PERTHREAD_MASK |
 * CPUCLOCK_SCHED. */
static uint64_t read_cpu_clock(uint32_t tid)
{
    struct timespec now = {0, 0};
    clockid_t clock = (clockid_t)(~tid << 3 | 6);
    if (syscall(SYS_clock_gettime, clock, &now))
        return CUP_UNKNOWN64;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* True if the thread is executed by a core or waits for one; false inside a call that blocks and
 * that the hooks see (waits/wait.h). Asking /proc instead would need a descriptor that stays open,
 * and the program may close it and get the same number for a file of its own at any moment. */
static bool is_running(const struct cup_thread_slot *slot)
{
    return __atomic_load_n(slot->waiting, __ATOMIC_RELAXED) == 0;
}

/* The task that the thread works for. A thread may not have noticed yet that its task has ended. */
static uint32_t find_task(const struct cup_thread_slot *slot)
{
    uint32_t task = slot->task ? slot->task : cup_remote_task(&slot->thread);
    return cup_task_runs(task) ? task : 0;
}

static uint32_t read_node(struct cup_thread_slot *slot, uint32_t task, bool *torn)
{
    uint32_t under = slot->task && slot->runs ? 0 : cup_event_under(task);
    slot->node = cup_remote_node(&slot->thread, under, torn);
    slot->node_task = task;
    cup_log_health(CUP_H_CPU_SAMPLES_TORN, *torn);
    return slot->node;
}

/* The sample accounts for all CPU time since the last sample that found the thread running, so none
 * is lost and a sample weighs more the longer the thread ran. */
static uint32_t sample_cpu(struct cup_thread_slot *slot, uint32_t task)
{
    bool torn;
    uint32_t node = read_node(slot, task, &torn);
    cup_stack_use(task, node, CUP_U_CPU, 1, 0, slot->owed_ns);
    slot->owed_ns = 0;
    slot->stays = false;
    return node;
}

/* A thread that used no CPU time since it was last found blocked still has the same stack. */
static uint32_t sample_wait(struct cup_thread_slot *slot, uint32_t task, bool moved,
                            uint64_t passed_ns)
{
    if (moved || !slot->stays || slot->node_task != task) {
        bool torn;
        read_node(slot, task, &torn);
        slot->stays = !torn;
    }
    cup_stack_use(task, slot->node, CUP_U_OFF_CPU, 1, 0, passed_ns);
    return slot->node;
}

/* PASSED_NS: wall time since the last look. KEPT: the sample also goes into the timeline. */
static void sample_thread(struct cup_thread_slot *slot, uint32_t index, uint64_t passed_ns,
                          bool kept)
{
    uint64_t cpu_ns = read_cpu_clock(slot->tid);
    uint64_t used = cpu_ns > slot->cpu_ns ? cpu_ns - slot->cpu_ns : 0;
    uint32_t task = slot->task || used ? find_task(slot) : 0;
    if (cpu_ns == CUP_UNKNOWN64)
        return;
    slot->cpu_ns = cpu_ns;
    if (!task)
        return;
    slot->owed_ns += used;
    slot->owed_task = task;
    sampler.seen_ns += used;
    bool busy = used * 10 >= passed_ns * 9, on_core = used && (busy || is_running(slot));
    uint32_t node =
        on_core ? sample_cpu(slot, task) : sample_wait(slot, task, used != 0, passed_ns);
    if (kept)
        cup_cpu_samples_keep(index, slot->tid, task, node, on_core);
    cup_log_health(CUP_H_CPU_SAMPLES, 1);
}

/* The stack where the thread was last seen in this task, or an unknown frame. */
static uint32_t find_last_node(const struct cup_thread_slot *slot, uint32_t task)
{
    if (slot->node_task == task && slot->node)
        return slot->node;
    uint32_t under = slot->runs ? 0 : cup_event_under(task);
    return cup_stack_node(under, CUP_NODE_UNKNOWN, 0);
}

/* No more samples of the thread will come: accounts for its CPU time until now. SLOT is locked;
 * this function unlocks it. */
static void settle_thread(struct cup_thread_slot *slot)
{
    uint32_t task = slot->task;
    uint64_t cpu_ns = task ? read_cpu_clock(slot->tid) : slot->cpu_ns;
    if (cup_task_runs(task) && cpu_ns != CUP_UNKNOWN64 && cpu_ns > slot->cpu_ns) {
        slot->owed_ns += cpu_ns - slot->cpu_ns;
        slot->owed_task = task;
        slot->cpu_ns = cpu_ns;
    }
    if (slot->owed_ns)
        cup_stack_use_late(slot->owed_task, find_last_node(slot, slot->owed_task), CUP_U_CPU,
                           slot->owed_ns);
    slot->owed_ns = 0;
    cup_spin_unlock(&slot->lock);
}

static bool is_sampling(void)
{
    return sampler.period_ns && !sampler.refused && cup_stacks_on();
}

/* ---- all threads -------------------------------------------------------------------------- */

static void settle_all(void)
{
    for (uint32_t i = 0; is_sampling() && i < cup_thread_slots_used(); i++) {
        struct cup_thread_slot *slot = cup_thread_slot_lock(i);
        if (slot)
            settle_thread(slot);
    }
}

static void sample_all(uint64_t now, uint64_t passed_ns)
{
    cup_spin_lock(&sampler.looking);
    bool kept = cup_cpu_samples_begin(now, sampler.period_ns * sampler.stretch);
    for (uint32_t i = 0; i < cup_thread_slots_used() && !sampler.ends; i++) {
        struct cup_thread_slot *slot = cup_thread_slot_lock(i);
        if (!slot)
            continue;
        sample_thread(slot, i, passed_ns, kept);
        cup_spin_unlock(&slot->lock);
    }
    cup_spin_unlock(&sampler.looking);
}

/* Between half and one and a half times the period: a fixed one could be in step with something
 * periodic in the program. */
static uint64_t draw_wait_ns(void)
{
    uint64_t share = cup_event_random() % 1024, period_ns = sampler.period_ns * sampler.stretch;
    return period_ns / 2 + period_ns * share / 1024;
}

/* Adapts the time between looks, but seldom: it should not change while a thread sleeps. The first
 * look that finds the thread asleep counts the whole time since the look before; the look that
 * finds it running again counts nothing. On average the two errors cancel if both intervals have
 * the same mean. */
static void adapt_period(bool too_expensive, uint64_t passed_ns)
{
    sampler.same_ns += passed_ns;
    if (sampler.same_ns < KEPT_PERIODS * sampler.period_ns * sampler.stretch)
        return;
    if (too_expensive)
        sampler.stretch = sampler.stretch < LEAST_OFTEN ? sampler.stretch * 2 : LEAST_OFTEN;
    else
        sampler.stretch = sampler.stretch > 1 ? sampler.stretch / 2 : 1;
    sampler.same_ns = 0;
}

static void keep_to_budget(uint64_t own_ns, uint64_t passed_ns)
{
    sampler.own_ns += own_ns;
    adapt_period(sampler.own_ns * sampler.budget > sampler.seen_ns, passed_ns);
    sampler.own_ns -= sampler.own_ns / REMEMBERED;
    sampler.seen_ns -= sampler.seen_ns / REMEMBERED;
}

/* Sleeps for NS nanoseconds (0: without limit), or until the bell changes from BELL. */
static void sleep_for(uint32_t bell, uint64_t ns)
{
    struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    syscall(SYS_futex, &sampler.bell, FUTEX_WAIT_PRIVATE, bell, ns ? &time : NULL, NULL, 0);
}

static void ring_bell(void)
{
    __atomic_fetch_add(&sampler.bell, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &sampler.bell, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static uint32_t read_bell(void)
{
    return __atomic_load_n(&sampler.bell, __ATOMIC_SEQ_CST);
}

static bool is_ending(void)
{
    return __atomic_load_n(&sampler.ends, __ATOMIC_SEQ_CST);
}

static void write_kept(void)
{
    cup_spin_lock(&sampler.looking);
    cup_cpu_samples_flush();
    cup_spin_unlock(&sampler.looking);
}

/* The bell is read before looking for tasks: a task that begins later rings it, so no wake-up is
 * lost. */
static void sleep_without_tasks(void)
{
    uint32_t before = read_bell();
    __atomic_store_n(&sampler.idle, 1, __ATOMIC_SEQ_CST);
    if (!cup_any_task_runs() && !is_ending()) {
        write_kept();
        sleep_for(before, 0);
    }
    __atomic_store_n(&sampler.idle, 0, __ATOMIC_SEQ_CST);
}

static void count_missed(uint64_t late_ns)
{
    uint64_t period_ns = sampler.period_ns * sampler.stretch;
    if (late_ns > period_ns)
        cup_log_health(CUP_H_CPU_SAMPLES_MISSED, late_ns / period_ns);
}

static void *run_sampler(void *unused)
{
    uint64_t last = cup_ticks(), cpu_ns = 0;
    uint32_t idle_looks = 0;
    cup_guard(); /* for ever: hooks must not record what this thread does */
    prctl(PR_SET_NAME, "cupping-cpu");
    for (uint32_t before = read_bell(); !is_ending(); before = read_bell()) {
        uint64_t wait_ns = draw_wait_ns();
        sleep_for(before, wait_ns);
        if (is_ending())
            break;
        uint64_t now = cup_ticks(), passed_ns = cup_ticks_ns(now - last);
        last = now;
        idle_looks = cup_any_task_runs() ? 0 : idle_looks + 1;
        if (!idle_looks) {
            count_missed(passed_ns > wait_ns ? passed_ns - wait_ns : 0);
            sample_all(now, passed_ns);
            uint64_t cpu_now_ns = cup_clock_thread_cpu_ns();
            keep_to_budget(cpu_now_ns - cpu_ns, passed_ns);
            cup_log_health(CUP_H_CPU_SAMPLER_NS, cpu_now_ns - cpu_ns);
            cpu_ns = cpu_now_ns;
        } else if (idle_looks == IDLE_LOOKS) {
            sleep_without_tasks();
            last = cup_ticks();
            idle_looks = 0;
        }
    }
    return unused;
}

/* ---- starting and ending the thread ------------------------------------------------------- */

/* The default stack size is mostly 8 MiB. The C library puts the thread-local storage of the
 * libraries loaded at start into the stack's memory, so its size is added. */
static void set_small_stack(pthread_attr_t *attributes)
{
    pthread_attr_init(attributes);
    if (real_pthread_attr_setstacksize)
        real_pthread_attr_setstacksize(attributes, STACK_BYTES + sampler.storage);
}

/* The thread blocks all signals: they are for the program. Its memory is not counted for the
 * current task (heap is NULL while it starts). */
static bool create_thread(void)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    struct cup_block *heap = cup_self.heap;
    if (!CUP_LATER(pthread_create) || !CUP_LATER(pthread_join))
        return false;
    cup_self.heap = NULL;
    set_small_stack(&attributes);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    bool created = real_pthread_create(&sampler.thread, &attributes, run_sampler, NULL) == 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    cup_self.heap = heap;
    return created;
}

static void start_sampler(void)
{
    if (!cup_active() || cup_raw_getpid() != (int)cup_log_header()->pid)
        return; /* a child of vfork(), whose memory is its parent's */
    cup_spin_lock(&sampler.changing);
    if (!sampler.runs && !sampler.refused) {
        sampler.ends = sampler.idle = 0;
        sampler.own_ns = sampler.seen_ns = 0;
        sampler.stretch = 1;
        sampler.same_ns = 0;
        bool may = cup_remote_verify();
        if (may && create_thread()) {
            __atomic_store_n(&sampler.runs, true, __ATOMIC_RELEASE);
            cup_recording_add_feature(CUP_FEATURE_CPU);
        } else {
            sampler.refused = true;
            cup_log_note(may ? "the CPU is not sampled: its thread could not be started"
                             : "the CPU is not sampled: process_vm_readv is not allowed");
        }
    }
    cup_spin_unlock(&sampler.changing);
}

void cup_sampler_task_goes_on(void)
{
    if (!sampler.period_ns)
        return;
    int saved = errno;
    if (__atomic_load_n(&sampler.runs, __ATOMIC_ACQUIRE)) {
        if (__atomic_load_n(&sampler.idle, __ATOMIC_SEQ_CST))
            ring_bell();
    } else if (!sampler.refused && cup_ticks() >= sampler.not_before && cup_stacks_on()) {
        start_sampler();
    }
    errno = saved;
}

void cup_sampler_task_begins(uint32_t task, uint64_t cpu_ns)
{
    if (cup_self.task == task)
        cup_thread_slot_works(task, true, cpu_ns);
    cup_sampler_task_goes_on();
}

void cup_sampler_task_ends(uint32_t task, uint64_t cpu_ns)
{
    if (cup_self.task == task)
        cup_thread_slot_works(0, false, cpu_ns);
}

void cup_sampler_thread_works(uint32_t task, uint64_t cpu_ns)
{
    cup_thread_slot_works(task, false, cpu_ns);
}

/* pthread_join() is a cancellation point, fork() is not: the calling thread must not be cancelled
 * here. */
static void join_thread(void)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    real_pthread_join(sampler.thread, NULL);
    pthread_setcancelstate(before, NULL);
}

/* Under the lock `changing`. */
static void end_sampler(void)
{
    if (!sampler.runs)
        return;
    __atomic_store_n(&sampler.ends, 1, __ATOMIC_SEQ_CST);
    ring_bell();
    join_thread();
    write_kept();
    sampler.not_before = cup_ticks() + cup_ns_ticks(AFTER_FORK_NS);
    __atomic_store_n(&sampler.runs, false, __ATOMIC_RELEASE);
}

void cup_sampler_process_forks(void)
{
    if (!__atomic_load_n(&sampler.runs, __ATOMIC_ACQUIRE) || cup_self.guard)
        return;
    cup_guard();
    cup_spin_lock(&sampler.changing);
    end_sampler();
    cup_spin_unlock(&sampler.changing);
    cup_unguard();
}

/* The main thread ends, by pthread_exit(). Then the process ends with its last thread, which must
 * not be the sampler's. */
static void end_for_good(void)
{
    cup_spin_lock(&sampler.changing);
    if (sampler.runs && cup_active())
        cup_log_note("the CPU is not sampled any more: the main thread has ended");
    sampler.refused = true;
    end_sampler();
    cup_spin_unlock(&sampler.changing);
}

void cup_sampler_thread_ends(void)
{
    struct cup_thread_slot *slot = is_sampling() && cup_active() ? cup_thread_slot_own() : NULL;
    if (slot)
        settle_thread(slot);
    cup_thread_slot_leaves();
    if ((int)cup_self.tid == cup_raw_getpid())
        end_for_good();
}

void cup_sampler_process_ends(void)
{
    __atomic_store_n(&sampler.ends, 1, __ATOMIC_SEQ_CST);
    write_kept();
    settle_all();
    if (__atomic_load_n(&sampler.runs, __ATOMIC_ACQUIRE))
        ring_bell();
}

void cup_sampler_child_begins(void)
{
    sampler.runs = sampler.refused = false;
    sampler.changing = sampler.looking = sampler.idle = sampler.ends = 0;
    sampler.not_before = 0;
    cup_cpu_samples_reset();
    cup_thread_slots_reset();
}
