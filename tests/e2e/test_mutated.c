/* Every verb on logs and measurement directories that were mutated at random, with names that
 * attack terminals, pages and spreadsheets. The seed is fixed; tests/soak/fuzz.py goes on for
 * longer. */
#include "tests/e2e/job.h"
#include "tests/e2e/process.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(mutated, .timeout = 900);

Test(mutated, every_verb_ends_by_itself_and_writes_no_hostile_name_as_it_is)
{
    char *directory = cup_scratch("mutated"), *log = cup_path(directory, "fuzz.log");
    const char *const fuzz[] = {CUP_PYTHON,  CUP_TOP "/tests/soak/fuzz.py", "--rounds", "12",
                                "--cupping", CUP_BUILD "/cupping",          "-o",       directory,
                                NULL};
    cup_run("fuzz", log, fuzz, NULL, 800);
    free(directory), free(log);
}
