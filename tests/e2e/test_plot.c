/* `cupping plot` of a real Coffea run: files, sizes and bytes, which plots cannot be drawn and
 * why, and the drawn figures compared with those of the report. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(plot, .timeout = 300);

/* Two workers of two threads, two datasets, a chunk that fails once. */
static void analyse(const char *directory)
{
    static const char *const environment[] = {"CUPPING_INTERVAL=0.1", NULL};
    char *ttree = cup_input("ttree"), *files = cup_path(ttree, "files.json");
    char *out = cup_path(directory, "out.json");
    const char *const arguments[] = {out, "--fail-once", files, NULL};
    struct cup_cluster cluster;
    cup_cluster_start(&cluster, &(struct cup_cluster_options){.directory = directory,
                                                              .workers = 2,
                                                              .threads = 2,
                                                              .client_too = true,
                                                              .environment = environment});
    cup_cluster_script(&cluster, "coffea_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(out), free(files), free(ttree);
}

static void check(const char *what)
{
    char *directory = cup_job("plot", analyse), *profile = cup_path(directory, "profile");
    char *log = cup_path(directory, "check.log"), *out = cup_path(directory, what);
    const char *const argv[] = {
        cup_python(), CUP_TOP "/tests/workloads/plots.py", what, CUP_BUILD "/cupping", profile, out,
        NULL};
    cup_run("plots.py", log, argv, cup_clean_environment, 120);
    char *text = cup_read_file(log);
    cr_expect_str_eq(text, "");
    free(text), free(out), free(log), free(profile), free(directory);
}

Test(plot, every_picture_is_as_asked_for)
{
    check("pictures");
}

Test(plot, what_is_left_out_and_why)
{
    check("left-out");
}

Test(plot, figures_are_those_of_the_report)
{
    check("figures");
}

Test(plot, shares_are_those_that_files_tell)
{
    check("shares");
}
