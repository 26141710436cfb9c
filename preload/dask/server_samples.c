#include "preload/dask/server_samples.h"

#include "preload/dask/digests.h"
#include "preload/dask/sample_record.h"
#include "preload/dask/server_slot.h"
#include "preload/dask/task_facts.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"

#include <string.h>

int64_t cup_samples_interval_ns;

struct watched {
    int64_t due_ns;                  /* 0: never sampled */
    int64_t tick_ns;                 /* last tick of its event loop */
    uint32_t passed;                 /* samples of others since it was overdue */
    const struct cup_thread *thread; /* that runs the loop: compared, never followed */
    struct cup_sampling sampling;
};

static struct {
    struct watched servers[CUP_SERVERS];
    uint32_t count;  /* servers[count] and later were never used */
    int64_t next_ns; /* when the next sample of any server is due; 0: none is */
} state;

/* A due time more than an interval ahead was computed before the clock was set back. */
static bool is_due(int64_t due_ns, int64_t now_ns)
{
    return now_ns >= due_ns || due_ns - now_ns > cup_samples_interval_ns;
}

/* Several servers may share one event loop: a tick of one is a tick of all of them. */
bool cup_samples_due(int64_t now_ns)
{
    for (uint32_t i = 0; i < state.count; i++) {
        struct watched *each = &state.servers[i];
        if (each->thread != &cup_self)
            continue;
        if (now_ns - each->tick_ns > each->sampling.longest_ns)
            each->sampling.longest_ns = now_ns - each->tick_ns;
        each->tick_ns = now_ns;
    }
    return state.next_ns && is_due(state.next_ns, now_ns);
}

/* Skips servers that are overdue by two intervals although others were sampled PASSED times since:
 * they were closed and will not tick again. After an event loop was blocked, all of its servers are
 * overdue. */
static void set_next(int64_t now_ns)
{
    enum { PASSED = 2 };
    state.next_ns = 0;
    for (uint32_t i = 0; i < state.count; i++) {
        struct watched *each = &state.servers[i];
        bool overdue = each->due_ns <= now_ns - 2 * cup_samples_interval_ns;
        if (overdue && each->passed < PASSED)
            each->passed++;
        if (each->due_ns && (!overdue || each->passed < PASSED) &&
            (!state.next_ns || each->due_ns < state.next_ns))
            state.next_ns = each->due_ns;
    }
}

static void set_due(struct watched *watched, int64_t now_ns)
{
    watched->due_ns += cup_samples_interval_ns; /* not now_ns + cup_samples_interval_ns: delays of
                                                   ticks would add up */
    if (watched->due_ns <= now_ns || is_due(watched->due_ns, now_ns))
        watched->due_ns = now_ns + cup_samples_interval_ns;
    watched->passed = 0;
    set_next(now_ns);
}

static void start_to_watch(struct watched *watched, uint32_t id, int64_t now_ns)
{
    *watched = (struct watched){.thread = &cup_self, .tick_ns = now_ns};
    watched->sampling = (struct cup_sampling){.rows.server = id, .took_ns = CUP_UNKNOWN64};
    if (state.count <= cup_server_slot(id))
        state.count = cup_server_slot(id) + 1;
}

static void take_sample(cup_object *server, enum cup_role role, struct cup_sampling *sampling)
{
    uint64_t start = cup_ticks();
    if (role == CUP_ROLE_SCHEDULER) {
        cup_sample_scheduler(server, sampling);
    } else {
        cup_sample_worker(server, sampling);
        cup_digests_tick(server, sampling->rows.server, sampling->now_ns);
    }
    sampling->took_ns = cup_ticks_ns(cup_ticks() - start);
    sampling->longest_ns = 0;
    cup_log_health(CUP_H_SAMPLE_NS, sampling->took_ns);
}

/* Samples that were due since the last one but not taken; 0 if the clock was set back. */
static uint64_t count_missed(const struct watched *watched, int64_t now_ns)
{
    int64_t late_ns = watched->due_ns ? now_ns - watched->due_ns : 0;
    return late_ns > 0 ? (uint64_t)(late_ns / cup_samples_interval_ns) : 0;
}

void cup_samples_tick(cup_object *server, uint32_t id, enum cup_role role, int64_t now_ns)
{
    bool sampled = role == CUP_ROLE_SCHEDULER || role == CUP_ROLE_WORKER;
    if (!cup_samples_interval_ns || !sampled)
        return;
    struct watched *watched = &state.servers[cup_server_slot(id)];
    if (!is_due(watched->due_ns, now_ns))
        return;
    if (!watched->due_ns)
        start_to_watch(watched, id, now_ns);
    watched->sampling.missed = count_missed(watched, now_ns);
    cup_log_health(CUP_H_SAMPLES_MISSED, watched->sampling.missed);
    set_due(watched, now_ns);
    watched->sampling.now_ns = now_ns;
    take_sample(server, role, &watched->sampling);
}

bool cup_samples_evict(uint32_t id)
{
    if (!cup_sample_scheduler_evict(id) || !cup_digests_evict(id))
        return false;
    state.servers[cup_server_slot(id)] = (struct watched){.due_ns = 0};
    cup_sample_worker_evict(id);
    cup_spans_evict(id);
    return true;
}

void cup_samples_reset(void)
{
    memset(&state, 0, sizeof state);
    cup_digests_reset();
    cup_rows_reset();
    cup_sample_record_reset();
    cup_sample_scheduler_reset();
}
