/* Jobs of Arrow's threads count for the task that handed them over, although several tasks read the
 * same files at the same time. */
#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(arrow, .timeout = 240);

static void check_task(json_t *row, json_t *counts)
{
    const char *key = cup_word(row, "key");
    json_int_t read = cup_count(row, "read_bytes"), counted = cup_count(counts, key);
    cr_expect(counted > 1000000 && read == counted, "%s: %lld, the kernel counts %lld", key,
              (long long)read, (long long)counted);
    cr_expect(cup_number(row, "helper_cpu_s") > 0, "%s", key);
}

Test(arrow, tasks_that_share_files)
{
    char *scratch = cup_scratch("arrow");
    struct cup_cluster cluster;
    const char *const arguments[] = {scratch, text("%s/counts.json", scratch), NULL};
    cup_cluster_start(&cluster, &(struct cup_cluster_options){.directory = scratch, .threads = 4});
    cup_cluster_script(&cluster, "arrow_job.py", arguments);
    cup_cluster_stop(&cluster);
    size_t i;
    json_t *row, *rows = cup_tasks(scratch),
                 *counts = json_load_file(text("%s/counts.json", scratch), 0, NULL);
    cr_assert_eq(json_array_size(rows), json_object_size(counts));
    json_array_foreach(rows, i, row) check_task(row, counts);
    json_decref(rows);
    json_decref(counts);
    free(scratch);
}
