/* `cupping doctor --run`: a real job on a LocalCluster, whose profile is what the job did. */
#include "tests/e2e/child.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/process.h"

TestSuite(doctor);

/* Its job takes ten seconds; the unit tests have the checks without a job. */
Test(doctor, the_profile_of_a_job_is_what_the_job_did)
{
    static const char *const rows[] = {
        "fit    job       a LocalCluster in ", "fit    tasks     all Dask tasks were recorded",
        "fit    bytes     300 MB of 300 MB read were recorded",
        "fit    baskets   all baskets of a TTree were recorded", "fit    stacks    "};
    cup_only_in_soak();
    FILE *out =
        popen("cd /tmp && " CUP_TOP "/build/cupping doctor --run --python " CUP_PYTHON, "r");
    char text[16384];
    size_t bytes = fread(text, 1, sizeof text - 1, out);
    text[bytes] = '\0';
    pclose(out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect(strstr(text, rows[i]), "%s: %s", rows[i], text);
}
