#include "preload/sampler/sampler.h"

#include "preload/attribution/attribution.h"
#include "preload/log/log.h"
#include "preload/process.h"
#include "preload/sampler/cpu_samples.h"
#include "preload/sampler/thread_slots.h"
#include "preload/stacks/stack_events.h"
#include "preload/sys/clock.h"
#include "preload/sys/lazy_symbol.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>

/* At most one part in so many of the CPU time that it looks at is what it uses itself; else it
 * looks less often, but one time in so many. */
enum { AFFORDABLE = 100, LEAST_OFTEN = 8, REMEMBERED = 16 /* looks */, KEPT_PERIODS = 20 };

enum {
    STACK_BYTES = 256 * 1024,  /* besides thread-local storage */
    IDLE_LOOKS = 100,          /* in vain, before it sleeps until a task begins */
    AFTER_FORK_NS = 200000000, /* Python counts threads a moment after */
};

static struct {
    uint64_t period_ns; /* 0: no samples */
    size_t storage;     /* bytes of thread-local storage of what was loaded at first */
    uint32_t changing;  /* a lock: of starting and ending the thread */
    bool runs, refused;
    pthread_t thread;
    uint64_t not_before;      /* ticks */
    uint32_t bell;            /* a futex: it is woken by a change */
    uint32_t idle;            /* it sleeps until a task begins */
    uint32_t ends;            /* it is asked to */
    uint32_t looking;         /* a lock: within a look */
    uint64_t own_ns, seen_ns; /* CPU time of the last looks: what it used, and what it saw used */
    uint32_t stretch;         /* times the period, between looks */
    uint64_t same_ns;         /* for so long */
} sampler;

static int add_storage(struct dl_phdr_info *object, size_t size, void *bytes)
{
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)bytes += object->dlpi_phdr[i].p_memsz + object->dlpi_phdr[i].p_align;
    return 0;
}

/* Storage is counted now: later a thread may stand in dl_iterate_phdr() with the loader's lock and
 * wait for the interpreter's, which whoever starts the sampler has. */
void cup_sampler_wants(uint32_t hz)
{
    sampler.period_ns = hz ? UINT64_C(1000000000) / hz : 0;
    dl_iterate_phdr(add_storage, &sampler.storage);
}

/* ---- one thread -------------------------------------------------------------------------- */

/* The kernel's number for the CPU clock of any thread of the process. */
static uint64_t cpu_ns_of(uint32_t tid)
{
    struct timespec now = {0, 0};
    clockid_t clock = (clockid_t)(~tid << 3 | 6);
    if (syscall(SYS_clock_gettime, clock, &now))
        return CUP_UNKNOWN64;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* It has a core, or waits for one; else it is in a call that blocks (wait.h). No descriptor of
 * /proc is kept to ask the kernel: one that the program replaces in this moment would be its own.
 */
static bool is_running(const struct cup_thread_slot *seat)
{
    return __atomic_load_n(&seat->self->waiting, __ATOMIC_RELAXED) == 0;
}

/* One whose task has ended, and that has not said so, works for none. */
static uint32_t task_of(const struct cup_thread_slot *seat)
{
    uint32_t task = seat->task ? seat->task : cup_remote_task(&seat->thread);
    return cup_attribution_runs(task) ? task : 0;
}

static uint32_t node_of(struct cup_thread_slot *seat, uint32_t task, bool *torn)
{
    uint32_t under = seat->task && seat->runs ? 0 : cup_event_under(task);
    seat->node = cup_remote_node(&seat->thread, under, torn);
    seat->node_task = task;
    cup_log_health(CUP_H_CPU_SAMPLES_TORN, *torn);
    return seat->node;
}

/* All that it used since the last sample that found it running: so none of it is lost, and the
 * longer it took the more it weighs. */
static uint32_t sample_cpu(struct cup_thread_slot *seat, uint32_t task)
{
    bool torn;
    uint32_t node = node_of(seat, task, &torn);
    cup_stack_use(task, node, CUP_U_CPU, 1, 0, seat->owed_ns);
    seat->owed_ns = 0;
    seat->stays = false;
    return node;
}

/* One that has used no CPU since it was last found blocked is where it was. */
static uint32_t sample_wait(struct cup_thread_slot *seat, uint32_t task, bool moved,
                            uint64_t passed_ns)
{
    if (moved || !seat->stays || seat->node_task != task) {
        bool torn;
        node_of(seat, task, &torn);
        seat->stays = !torn;
    }
    cup_stack_use(task, seat->node, CUP_U_OFF_CPU, 1, 0, passed_ns);
    return seat->node;
}

/* PASSED_NS: since it was last looked at, by the wall clock. KEPT: what is seen is. */
static void look_at(struct cup_thread_slot *seat, uint32_t index, uint64_t passed_ns, bool kept)
{
    uint64_t cpu_ns = cpu_ns_of(seat->tid);
    uint64_t used = cpu_ns > seat->cpu_ns ? cpu_ns - seat->cpu_ns : 0;
    uint32_t task = seat->task || used ? task_of(seat) : 0;
    if (cpu_ns == CUP_UNKNOWN64)
        return;
    seat->cpu_ns = cpu_ns;
    if (!task)
        return;
    seat->owed_ns += used;
    seat->owed_task = task;
    sampler.seen_ns += used;
    bool busy = used * 10 >= passed_ns * 9, on_core = used && (busy || is_running(seat));
    uint32_t node =
        on_core ? sample_cpu(seat, task) : sample_wait(seat, task, used != 0, passed_ns);
    if (kept)
        cup_cpu_samples_keep(index, seat->tid, task, node, on_core);
    cup_log_health(CUP_H_CPU_SAMPLES, 1);
}

/* Where it was last seen, if in this task: what it did since is not known better. */
static uint32_t last_node(const struct cup_thread_slot *seat, uint32_t task)
{
    if (seat->node_task == task && seat->node)
        return seat->node;
    uint32_t under = seat->runs ? 0 : cup_event_under(task);
    return cup_stack_node(under, CUP_NODE_UNKNOWN, 0);
}

/* No sample comes any more: what none stands for yet is counted, up to CPU_NS. */
static void settle(struct cup_thread_slot *seat, uint64_t cpu_ns)
{
    uint32_t task = seat->task;
    if (cup_attribution_runs(task) && cpu_ns != CUP_UNKNOWN64 && cpu_ns > seat->cpu_ns) {
        seat->owed_ns += cpu_ns - seat->cpu_ns;
        seat->owed_task = task;
        seat->cpu_ns = cpu_ns;
    }
    if (seat->owed_ns)
        cup_stack_use_late(seat->owed_task, last_node(seat, seat->owed_task), CUP_U_CPU,
                           seat->owed_ns);
    seat->owed_ns = 0;
}

static bool samples(void)
{
    return sampler.period_ns && !sampler.refused && cup_stacks_on();
}

void cup_sampler_thread_ends(void)
{
    struct cup_thread_slot *seat = samples() && cup_active() ? cup_thread_slot_own() : NULL;
    if (!seat)
        return;
    settle(seat, seat->task ? cup_clock_thread_cpu_ns() : seat->cpu_ns);
    cup_thread_slot_unlock(seat);
}

/* ---- all of them ------------------------------------------------------------------------- */

static void settle_all(void)
{
    for (uint32_t i = 0; samples() && i < cup_thread_slots_used(); i++) {
        struct cup_thread_slot *seat = cup_thread_slot_lock(i);
        if (!seat)
            continue;
        settle(seat, seat->task ? cpu_ns_of(seat->tid) : seat->cpu_ns);
        cup_thread_slot_unlock(seat);
    }
}

static void look(uint64_t now, uint64_t passed_ns)
{
    cup_spin_lock(&sampler.looking);
    bool kept = cup_cpu_samples_begin(now, sampler.period_ns * sampler.stretch);
    for (uint32_t i = 0; i < cup_thread_slots_used() && !sampler.ends; i++) {
        struct cup_thread_slot *seat = cup_thread_slot_lock(i);
        if (!seat)
            continue;
        look_at(seat, i, passed_ns, kept);
        cup_thread_slot_unlock(seat);
    }
    cup_spin_unlock(&sampler.looking);
}

/* Half to one and a half times the period, so that nothing that recurs keeps step. */
static uint64_t next_wait_ns(void)
{
    uint64_t share = cup_event_random() % 1024, period_ns = sampler.period_ns * sampler.stretch;
    return period_ns / 2 + period_ns * share / 1024;
}

/* Not at once: a sleep whose looks grow longer while it lasts would lose the last of them, in which
 * it ends, and have gained but a short one where it began. */
static void stretch(bool dear, uint64_t passed_ns)
{
    sampler.same_ns += passed_ns;
    if (sampler.same_ns < KEPT_PERIODS * sampler.period_ns)
        return;
    if (dear)
        sampler.stretch = sampler.stretch < LEAST_OFTEN ? sampler.stretch * 2 : LEAST_OFTEN;
    else
        sampler.stretch = sampler.stretch > 1 ? sampler.stretch / 2 : 1;
    sampler.same_ns = 0;
}

static void keep_to_budget(uint64_t own_ns, uint64_t passed_ns)
{
    sampler.own_ns += own_ns;
    stretch(sampler.own_ns * AFFORDABLE > sampler.seen_ns, passed_ns);
    sampler.own_ns -= sampler.own_ns / REMEMBERED;
    sampler.seen_ns -= sampler.seen_ns / REMEMBERED;
}

/* Until NS have passed (0: for ever), or somebody rings. */
static void sleep_for(uint32_t bell, uint64_t ns)
{
    struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    syscall(SYS_futex, &sampler.bell, FUTEX_WAIT_PRIVATE, bell, ns ? &time : NULL, NULL, 0);
}

static void ring(void)
{
    __atomic_fetch_add(&sampler.bell, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &sampler.bell, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static uint32_t bell(void)
{
    return __atomic_load_n(&sampler.bell, __ATOMIC_SEQ_CST);
}

static bool ends(void)
{
    return __atomic_load_n(&sampler.ends, __ATOMIC_SEQ_CST);
}

static void write_kept(void)
{
    cup_spin_lock(&sampler.looking);
    cup_cpu_samples_flush();
    cup_spin_unlock(&sampler.looking);
}

/* A task that begins after the look at the bell rings it. */
static void sleep_without_tasks(void)
{
    uint32_t before = bell();
    __atomic_store_n(&sampler.idle, 1, __ATOMIC_SEQ_CST);
    if (!cup_attribution_any() && !ends()) {
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

static void *run(void *unused)
{
    uint64_t last = cup_ticks(), cpu_ns = 0;
    uint32_t in_vain = 0;
    cup_guard(); /* for good: no hook takes it for the program's */
    prctl(PR_SET_NAME, "cupping-cpu");
    for (uint32_t before = bell(); !ends(); before = bell()) {
        uint64_t wait_ns = next_wait_ns();
        sleep_for(before, wait_ns);
        if (ends())
            break;
        uint64_t now = cup_ticks(), passed_ns = cup_ticks_ns(now - last);
        last = now;
        in_vain = cup_attribution_any() ? 0 : in_vain + 1;
        if (!in_vain) {
            count_missed(passed_ns > wait_ns ? passed_ns - wait_ns : 0);
            look(now, passed_ns);
            uint64_t cpu_now_ns = cup_clock_thread_cpu_ns();
            keep_to_budget(cpu_now_ns - cpu_ns, passed_ns);
            cup_log_health(CUP_H_CPU_SAMPLER_NS, cpu_now_ns - cpu_ns);
            cpu_ns = cpu_now_ns;
        } else if (in_vain == IDLE_LOOKS) {
            sleep_without_tasks();
            last = cup_ticks();
            in_vain = 0;
        }
    }
    return unused;
}

/* ---- its life ---------------------------------------------------------------------------- */

/* The default is what the program's own threads have, mostly 8 MiB. The C library takes the
 * thread-local storage of what was loaded at first out of the stack: all of it comes on top. */
static void small_stack(pthread_attr_t *attributes)
{
    pthread_attr_init(attributes);
    if (real_pthread_attr_setstacksize)
        real_pthread_attr_setstacksize(attributes, STACK_BYTES + sampler.storage);
}

/* No signal of the program's is for it. What it takes is not the task's. */
static bool create(void)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    struct cup_block *heap = cup_self.heap;
    if (!CUP_LATER(pthread_create) || !CUP_LATER(pthread_join))
        return false;
    cup_self.heap = NULL;
    small_stack(&attributes);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    bool created = real_pthread_create(&sampler.thread, &attributes, run, NULL) == 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    cup_self.heap = heap;
    return created;
}

static void start(void)
{
    if (!cup_active() || cup_raw_getpid() != (int)cup_log_header()->pid)
        return; /* a child of vfork: all that it writes is its parent's */
    cup_spin_lock(&sampler.changing);
    if (!sampler.runs && !sampler.refused) {
        sampler.ends = sampler.idle = 0;
        sampler.own_ns = sampler.seen_ns = 0;
        sampler.stretch = 1;
        sampler.same_ns = 0;
        bool may = cup_remote_verify();
        if (may && create()) {
            __atomic_store_n(&sampler.runs, true, __ATOMIC_RELEASE);
            cup_process_feature(CUP_FEATURE_CPU);
        } else {
            sampler.refused = true;
            cup_log_note(may ? "the CPU is not sampled: no thread could be started"
                             : "the CPU is not sampled: process_vm_readv is not allowed");
        }
    }
    cup_spin_unlock(&sampler.changing);
}

void cup_sampler_looks(void)
{
    if (!sampler.period_ns)
        return;
    int saved = errno;
    if (__atomic_load_n(&sampler.runs, __ATOMIC_ACQUIRE)) {
        if (__atomic_load_n(&sampler.idle, __ATOMIC_SEQ_CST))
            ring();
    } else if (!sampler.refused && cup_ticks() >= sampler.not_before && cup_stacks_on()) {
        start();
    }
    errno = saved;
}

/* To join is a place where a thread may be cancelled, to fork is none. */
static void join(void)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    real_pthread_join(sampler.thread, NULL);
    pthread_setcancelstate(before, NULL);
}

void cup_sampler_pauses(void)
{
    if (!__atomic_load_n(&sampler.runs, __ATOMIC_ACQUIRE) || cup_self.guard)
        return;
    cup_guard();
    cup_spin_lock(&sampler.changing);
    if (sampler.runs) {
        __atomic_store_n(&sampler.ends, 1, __ATOMIC_SEQ_CST);
        ring();
        join();
        write_kept();
        sampler.not_before = cup_ticks() + cup_ns_ticks(AFTER_FORK_NS);
        __atomic_store_n(&sampler.runs, false, __ATOMIC_RELEASE);
    }
    cup_spin_unlock(&sampler.changing);
    cup_unguard();
}

void cup_sampler_stops(void)
{
    __atomic_store_n(&sampler.ends, 1, __ATOMIC_SEQ_CST);
    write_kept();
    settle_all();
    if (__atomic_load_n(&sampler.runs, __ATOMIC_ACQUIRE))
        ring();
}

void cup_sampler_reset(void)
{
    sampler.runs = sampler.refused = false;
    sampler.changing = sampler.looking = sampler.idle = sampler.ends = 0;
    sampler.not_before = 0;
    cup_cpu_samples_reset();
    cup_thread_slots_reset();
}
