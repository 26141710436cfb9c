/* When samples are taken. The servers are stubs, so their values are not tested here. */
#include <criterion/criterion.h>

#include <pthread.h>

#include "preload/dask/digests.h"
#include "preload/dask/sample_record.h"
#include "preload/dask/server_samples.h"
#include "preload/dask/server_slot.h"
#include "preload/dask/task_facts.h"
#include "preload/lifecycle/thread.h"

static int schedulers, workers, digests;
static struct cup_sampling last;

void cup_sample_scheduler(cup_object *scheduler, struct cup_sampling *sampling)
{
    (void)scheduler;
    schedulers++;
    last = *sampling;
}

void cup_sample_worker(cup_object *worker, struct cup_sampling *sampling)
{
    (void)worker;
    workers++;
    last = *sampling;
}

void cup_digests_tick(cup_object *worker, uint32_t id, int64_t now_ns)
{
    (void)worker, (void)id, (void)now_ns;
    digests++;
}

static uint32_t removed;
static bool in_use;

bool cup_digests_evict(uint32_t id)
{
    removed = id;
    return !in_use;
}

void cup_digests_reset(void) {}

bool cup_sample_scheduler_evict(uint32_t id)
{
    (void)id;
    return true;
}

void cup_sample_worker_evict(uint32_t id)
{
    (void)id;
}

void cup_spans_evict(uint32_t id)
{
    (void)id;
}

void cup_sample_record_reset(void) {}

void cup_sample_scheduler_reset(void) {}

static const int64_t second = INT64_C(1000000000), start = INT64_C(1700000000000000000);

static void set_up(void)
{
    cup_samples_reset();
    cup_samples_interval_ns = second;
}

TestSuite(samples, .init = set_up);

/* A tick of Dask's loop, which is read only if a sample is due, or always (ANYWAY). */
static bool tick(uint32_t id, enum cup_role role, double at, bool anyway)
{
    int64_t now_ns = start + (int64_t)(at * 1e9);
    bool due = cup_samples_due(now_ns);
    if (due || anyway)
        cup_samples_tick(NULL, id, role, now_ns);
    return due;
}

Test(samples, one_at_once_and_then_by_the_interval)
{
    tick(1, CUP_ROLE_SCHEDULER, 0, true);
    cr_expect_eq(schedulers, 1);
    for (int i = 1; i <= 500; i++)
        tick(1, CUP_ROLE_SCHEDULER, i * 0.02 + 0.001, false);
    cr_expect_eq(schedulers, 11, "%d", schedulers);
    cr_expect_eq(workers + digests, 0);
}

Test(samples, late_ticks_do_not_add_up)
{
    tick(1, CUP_ROLE_WORKER, 0, true);
    for (int i = 1; i <= 1000; i++)
        tick(1, CUP_ROLE_WORKER, i * 0.03, false); /* no multiple of the interval */
    cr_expect_eq(workers, 31, "%d", workers);
    cr_expect_eq(digests, workers);
}

Test(samples, after_a_stall_there_is_one)
{
    tick(1, CUP_ROLE_SCHEDULER, 0, true);
    cr_expect(tick(1, CUP_ROLE_SCHEDULER, 7.5, false));
    cr_expect_eq(last.longest_ns, 7 * second + second / 2);
    cr_expect_not(tick(1, CUP_ROLE_SCHEDULER, 7.52, false));
    cr_expect(tick(1, CUP_ROLE_SCHEDULER, 8.5, false));
    cr_expect_eq(schedulers, 3);
    cr_expect_lt(last.longest_ns, second);
}

Test(samples, the_first_knows_nothing_of_the_loop)
{
    tick(1, CUP_ROLE_SCHEDULER, 0, true);
    cr_expect_eq(last.longest_ns, 0);
    cr_expect_eq(last.took_ns, CUP_UNKNOWN64);
    tick(1, CUP_ROLE_SCHEDULER, 1, true);
    cr_expect_neq(last.took_ns, CUP_UNKNOWN64);
}

Test(samples, none_of_nannies_and_others)
{
    tick(1, CUP_ROLE_NANNY, 0, true);
    tick(2, CUP_ROLE_OTHER, 0, true);
    cr_expect_eq(schedulers + workers + digests, 0);
    cr_expect_not(tick(1, CUP_ROLE_NANNY, 100, false));
}

Test(samples, none_at_interval_0)
{
    cup_samples_interval_ns = 0;
    tick(1, CUP_ROLE_SCHEDULER, 0, true);
    cr_expect_not(tick(1, CUP_ROLE_SCHEDULER, 100, true));
    cr_expect_eq(schedulers, 0);
}

Test(samples, a_clock_put_back_stops_nothing)
{
    tick(1, CUP_ROLE_SCHEDULER, 3600, true);
    cr_expect(tick(1, CUP_ROLE_SCHEDULER, 0, false));
    cr_expect_not(tick(1, CUP_ROLE_SCHEDULER, 0.5, false));
    cr_expect(tick(1, CUP_ROLE_SCHEDULER, 1, false));
    cr_expect_eq(schedulers, 3);
}

Test(samples, what_is_missed_is_counted)
{
    tick(1, CUP_ROLE_SCHEDULER, 0, true);
    cr_expect_eq(last.missed, 0);
    cr_expect(tick(1, CUP_ROLE_SCHEDULER, 1.02, false));
    cr_expect_eq(last.missed, 0);
    cr_expect(tick(1, CUP_ROLE_SCHEDULER, 5.5, false)); /* due at 2, 3, 4 and 5 */
    cr_expect_eq(last.missed, 3);
    cr_expect(tick(1, CUP_ROLE_SCHEDULER, 6.5, false));
    cr_expect_eq(last.missed, 0);
    tick(1, CUP_ROLE_SCHEDULER, 3, true); /* the clock was set back */
    cr_expect_eq(last.missed, 0);
}

/* A LocalCluster with threads: all servers share one event loop. */
Test(samples, several_servers_on_one_loop)
{
    for (int i = 0; i <= 500; i++) {
        tick(1, CUP_ROLE_SCHEDULER, i * 0.02, i == 0);
        tick(2, CUP_ROLE_WORKER, i * 0.02 + 0.004, i == 0);
        tick(3, CUP_ROLE_WORKER, i * 0.02 + 0.013, i == 0);
    }
    cr_expect_eq(schedulers, 11, "%d", schedulers);
    cr_expect(workers >= 20 && workers <= 22, "%d", workers);
}

/* All servers of a loop that was blocked are overdue; the first that ticks again is not the only
 * one left. */
Test(samples, a_blocked_loop_loses_no_server)
{
    tick(1, CUP_ROLE_SCHEDULER, 0, true);
    tick(2, CUP_ROLE_WORKER, 0.01, true);
    for (int i = 0; i < 200; i++) {
        tick(1, CUP_ROLE_SCHEDULER, 5 + i / 64.0, false); /* exact, so the order stays the same */
        tick(2, CUP_ROLE_WORKER, 5 + i / 64.0 + 1 / 128.0, false);
    }
    cr_expect(schedulers >= 3 && workers >= 3, "%d, %d", schedulers, workers);
}

/* A closed server must not make samples of the others due at every tick. */
Test(samples, a_closed_server_leaves_the_table)
{
    int looks = 0;
    tick(1, CUP_ROLE_WORKER, 0, true);
    tick(2, CUP_ROLE_WORKER, 0, true);
    for (int i = 1; i <= 5000; i++)
        looks += tick(1, CUP_ROLE_WORKER, i * 0.02, false);
    cr_expect_lt(looks, 100 + 3 * 50, "%d", looks);
}

/* Each thread has its own event loop. */
static void *other_loop(void *unused)
{
    (void)unused;
    tick(2, CUP_ROLE_WORKER, 0, true);
    for (int i = 1; i <= 49; i++)
        tick(2, CUP_ROLE_WORKER, i * 0.02, false);
    tick(2, CUP_ROLE_WORKER, 1.0, true);
    return NULL;
}

Test(samples, a_stall_belongs_to_its_loop)
{
    pthread_t thread;
    tick(1, CUP_ROLE_WORKER, 0, true);
    cr_assert_eq(pthread_create(&thread, NULL, other_loop, NULL), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_expect_eq(last.rows.server, 2);
    cr_expect_lt(last.longest_ns, second / 10);
    tick(1, CUP_ROLE_WORKER, 1.2, true);
    cr_expect_eq(last.rows.server, 1);
    cr_expect_gt(last.longest_ns, second);
}

/* The slot of a server that is gone serves another one, which begins anew. */
Test(samples, server_that_left_gives_its_slot_to_another)
{
    uint32_t later = 3 + CUP_SERVERS;
    tick(3, CUP_ROLE_WORKER, 0, true);
    in_use = true;
    cr_expect(!cup_samples_evict(3), "its snapshot is under way");
    in_use = false;
    cr_expect(cup_samples_evict(3));
    cr_expect(removed == 3);
    tick(later, CUP_ROLE_WORKER, 0.1, true);
    cr_expect(workers == 2, "due at once: %d", workers);
    cr_expect(last.rows.server == later && last.missed == 0);
    cr_expect(last.took_ns == CUP_UNKNOWN64, "that was the other server's sample");
}
