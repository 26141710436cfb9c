/* The other ways to run an analysis under cupping: one command that holds everything, without Dask
 * or with a cluster inside. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"
#include "tests/e2e/witness.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(coffea_launch, .timeout = 240);

enum { CHUNKS = 12, EVENTS = 30000 };

/* `cupping run -o PROFILE -- python coffea_job.py WHERE ...` */
static void analyse(const char *directory, const char *where)
{
    char *input = cup_input("ttree"), *files = cup_path(input, "files.json");
    char *profile = cup_path(directory, "profile"), *out = cup_path(directory, "out.json");
    char *log = cup_path(directory, "analysis.log");
    const char *const argv[] = {CUP_TOP "/build/cupping",
                                "run",
                                "-o",
                                profile,
                                "--",
                                cup_python(),
                                CUP_TOP "/tests/workloads/coffea_job.py",
                                where,
                                out,
                                files,
                                NULL};
    const char *const environment[] = {"LD_PRELOAD", "CUPPING_DIR",
                                       "PYTHONPATH=" CUP_TOP "/tests/workloads", NULL};
    cup_run(where, log, argv, environment, 200);
    free(input), free(files), free(profile), free(out), free(log);
}

/* Without Dask a chunk has no key to find it by: dataset, file and entries do. */
static json_t *row_of(json_t *rows, json_t *chunk)
{
    static const char *const columns[] = {"file", "dataset", "tree", "entry_start", "entry_stop"};
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        size_t same = 0;
        while (
            same < sizeof columns / sizeof *columns &&
            json_equal(json_object_get(row, columns[same]), json_object_get(chunk, columns[same])))
            same++;
        if (same == sizeof columns / sizeof *columns)
            return row;
    }
    return NULL;
}

/* Each chunk that the analysis noted is a row, of the process that ran it, and read its file. */
static void check_chunks(json_t *rows, json_t *out)
{
    json_t *run = json_array_get(json_object_get(out, "runs"), 0);
    json_t *chunks = json_object_get(run, "chunks"), *chunk;
    json_int_t events = 0, read = 0;
    size_t i;
    cr_expect(json_array_size(chunks) == CHUNKS);
    json_array_foreach(chunks, i, chunk)
    {
        json_t *row = row_of(rows, chunk);
        cr_expect(row != NULL, "no row for %s", cup_word(chunk, "file"));
        if (!row)
            continue;
        cr_expect(cup_is(row, "status", "finished"));
        cr_expect(cup_count(row, "pid") == cup_count(chunk, "pid"));
        events += cup_count(row, "events");
        read += cup_count(row, "read_bytes");
    }
    cr_expect(events == EVENTS, "%lld events", (long long)events);
    cr_expect(read > 0);
}

static void check(const char *where, const char *scratch)
{
    char *directory = cup_scratch(scratch);
    analyse(directory, where);
    json_t *rows = cup_tasks(directory), *out = cup_json(directory, "out.json");
    check_chunks(rows, out);
    cup_check_sane(rows);
    json_t *witness = json_object_get(out, "witness");
    if (json_is_object(witness))
        cup_check_witness(rows, witness);
    else
        cr_expect(json_array_size(rows) == CHUNKS, "%zu rows", json_array_size(rows));
    json_decref(rows), json_decref(out);
    free(directory);
}

Test(coffea_launch, iterative_executor)
{
    check("iterative", "launch-iterative");
}

Test(coffea_launch, futures_executor)
{
    check("futures", "launch-futures");
}

Test(coffea_launch, local_cluster_of_processes)
{
    check("local", "launch-local");
}

Test(coffea_launch, local_cluster_of_threads)
{
    check("threads", "launch-threads");
}
