/* Every verb on logs and measurement directories that were mutated at random, with names that
 * attack terminals, pages and spreadsheets. The seed is fixed; tests/soak/fuzz.py goes on for
 * longer. */
#include "tests/e2e/job.h"
#include "tests/e2e/process.h"

#include <criterion/criterion.h>
#include <stdio.h>
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

/* Mutations of the corpus in tests/fuzz/, in one process for each kind of input. A round that ends
 * its process is named, and `PROGRAM CORPUS 1 ROUND` repeats it. */
static void mutate_in_process(const char *kind, const char *corpus, const char *rounds)
{
    char program[256], inputs[256], name[64];
    snprintf(program, sizeof program, CUP_BUILD "/tests/fuzz/fuzz_%s", kind);
    snprintf(inputs, sizeof inputs, CUP_TOP "/tests/%s", corpus);
    snprintf(name, sizeof name, "mutated-%s", kind);
    char *directory = cup_scratch(name), *log = cup_path(directory, "fuzz.log");
    cup_run(name, log, (const char *const[]){program, inputs, rounds, NULL}, NULL, 800);
    free(directory), free(log);
}

Test(mutated, logs_in_one_process)
{
    mutate_in_process("log", "fuzz/corpus/log", "12000");
}

Test(mutated, merged_logs_in_one_process)
{
    mutate_in_process("merged", "fuzz/corpus/merged", "8000");
}

Test(mutated, files_of_other_programs_in_one_process)
{
    mutate_in_process("json", "fuzz/corpus/json", "8000");
}

Test(mutated, root_files_in_one_process)
{
    mutate_in_process("root_file", "fuzz/corpus/root_file", "40000");
    mutate_in_process("root_records", "data/root", "40000");
}
