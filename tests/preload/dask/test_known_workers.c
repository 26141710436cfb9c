/* The table of workers: those that a sample does not list are removed, also while the log is
 * full. */
#include <criterion/criterion.h>

#include "preload/dask/sample_rows.h"

enum { SERVER = 1 };

static uint64_t objects[1000][2];
static int held;

static void hold(cup_object *object)
{
    (void)object;
    held++;
}

void cup_python_drop(cup_object *object)
{
    (void)object;
    held--;
}

static void set_up(void)
{
    cup_py.Py_IncRef = hold;
}

TestSuite(known, .init = set_up, .fini = cup_known_worker_reset);

static struct cup_known_worker *see(int worker, uint32_t sample)
{
    size_t next = 0;
    struct cup_known_worker *known = cup_known_worker_find(objects[worker], SERVER, &next);
    cr_assert_not_null(known);
    known->sample = sample;
    return known;
}

Test(known, workers_that_come_and_go_while_all_is_lost_are_forgotten)
{
    for (int i = 0; i < 1000; i++) {
        see(i, (uint32_t)i + 1);
        cup_known_worker_drop_missing(SERVER, (uint32_t)i + 1, true);
        cr_assert_eq(held, 1);
    }
}

Test(known, a_worker_that_was_told_of_stays_until_it_is_told_to_be_gone)
{
    size_t at = 0;
    see(0, 1)->written.losses = 1;
    cup_known_worker_drop_missing(SERVER, 2, true);
    cr_assert_eq(held, 1);
    cr_expect_eq(cup_known_worker_missing(SERVER, 3, &at)->address, objects[0]);
    cup_known_worker_drop_missing(SERVER, 3, false);
    cr_expect_eq(held, 0);
}
