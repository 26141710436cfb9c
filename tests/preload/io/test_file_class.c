/* What a file is for, by its path. */
#include "preload/io/file_class.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <unistd.h>

static void expect_class(const char *path, enum cup_file_class class)
{
    cr_expect_eq(cup_file_class_of(path), class, "%s: %d", path, cup_file_class_of(path));
}

Test(file_class, data_is_what_is_no_part_of_a_program)
{
    expect_class("/eos/cms/a.root", CUP_FILE_DATA);
    expect_class("/home/me/fileset.json", CUP_FILE_DATA);
    expect_class("/venv/lib/python3.11/site-packages/sf/weights.json.gz", CUP_FILE_DATA);
    expect_class("/venv/lib/python3.11/site-packages/sf/config.json", CUP_FILE_IMPORT);
    expect_class("/venv/lib/python3.11/site-packages/dask/core.py", CUP_FILE_IMPORT);
    expect_class("/usr/lib/libz.so.1.2.13", CUP_FILE_IMPORT);
    expect_class("/etc/hosts", CUP_FILE_IMPORT);
    expect_class("/venv/lib/python3.11/site-packages/dask/array.html.j2", CUP_FILE_IMPORT);
    expect_class("/usr/lib/python3.11/lib2to3/Grammar.txt", CUP_FILE_IMPORT);
    expect_class("/home/me/.config/dask/jobqueue.yaml", CUP_FILE_IMPORT);
    expect_class("/venv/bin/dask", CUP_FILE_IMPORT);
    expect_class("/data/bin/TTbar.root", CUP_FILE_DATA);
    expect_class("/home/me/weights.txt", CUP_FILE_DATA);
    expect_class("/home/me/plots.html", CUP_FILE_DATA);
    expect_class("/jobs/7/worker.log", CUP_FILE_OTHER);
    expect_class("/jobs/7/dask-scheduler.json", CUP_FILE_OTHER);
    expect_class("/scratch/dask-scratch-space/global.lock", CUP_FILE_OTHER);
    expect_class("/proc/self/maps", CUP_FILE_OTHER);
    expect_class("/memfd:buffer (deleted)", CUP_FILE_OTHER);
}

Test(file_class, certificates_are_no_data)
{
    expect_class("/cvmfs/grid.cern.ch/etc/grid-security/certificates/CERN.signing_policy",
                 CUP_FILE_IMPORT);
    expect_class("/home/me/authorities/0d5ce2a1.0", CUP_FILE_IMPORT);
    expect_class("/home/me/authorities/0d5ce2a1.r0", CUP_FILE_IMPORT);
    expect_class("/tmp/x509up_u1000", CUP_FILE_IMPORT);
    expect_class("/home/me/ca.pem", CUP_FILE_IMPORT);
    expect_class("/data/0d5ce2a1.00", CUP_FILE_DATA);
    expect_class("/data/0d5ce2a.0", CUP_FILE_DATA);
    expect_class("/data/run.0", CUP_FILE_DATA);
}

Test(file_class, modules_are_compiled_or_source)
{
    cr_expect(cup_file_is_module("/venv/dask/__pycache__/core.cpython-311.pyc"));
    cr_expect(cup_file_is_module("/venv/dask/core.py"));
    cr_expect_not(cup_file_is_module("/venv/dask/core.pyx"));
    cr_expect_not(cup_file_is_module("py"));
}

Test(file_class, files_of_events_are_called_so)
{
    cr_expect(cup_file_is_called_events("/eos/cms/a.root"));
    cr_expect(cup_file_is_called_events("part.0.parquet"));
    cr_expect_not(cup_file_is_called_events("/home/me/.root/fileset.json"));
    cr_expect_not(cup_file_is_called_events("root"));
}

Test(file_class, files_of_the_kernel_are_known_by_their_path)
{
    cr_expect(cup_file_is_of_kernel("/proc/self/statm"));
    cr_expect(cup_file_is_of_kernel("/sys/fs/cgroup/memory.max"));
    cr_expect_not(cup_file_is_of_kernel("/proc/self/fd/3"));
    cr_expect_not(cup_file_is_of_kernel("/proc/self/root/data/events.root"));
    cr_expect_not(cup_file_is_of_kernel("/proc/1/cwd/events.root"));
    cr_expect_not(cup_file_is_of_kernel("/proc/self/exe"));
    cr_expect_not(cup_file_is_of_kernel("/proc/../data/events.root"));
    cr_expect_not(cup_file_is_of_kernel("/sys/../data/events.root"));
    cr_expect_not(cup_file_is_of_kernel("/data/events.root"));
}

Test(file_class, files_below_a_workers_directory_are_spilled)
{
    cup_file_class_add_spill_directory("/scratch/worker-1");
    expect_class("/scratch/worker-1/storage/0", CUP_FILE_SPILL);
    expect_class("/scratch/worker-10/storage/0", CUP_FILE_DATA);
    cup_file_class_reset();
    expect_class("/scratch/worker-1/storage/0", CUP_FILE_DATA);
}

Test(file_class, a_descriptor_has_the_class_of_its_file)
{
    char path[CUP_PATH_LONGEST];
    struct stat status;
    int ends[2], null = open("/dev/null", O_RDONLY), maps = open("/proc/self/maps", O_RDONLY);
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(fstat(ends[0], &status), 0);
    cr_expect_eq(cup_file_classify(ends[0], &status, path), CUP_FILE_PIPE);
    cr_assert_eq(fstat(null, &status), 0);
    cr_expect_eq(cup_file_classify(null, &status, path), CUP_FILE_OTHER);
    cr_expect_str_eq(path, "/dev/null");
    cr_assert_eq(fstat(maps, &status), 0);
    cr_expect_eq(cup_file_classify(maps, &status, path), CUP_FILE_OTHER);
}

/* A job's standard output in a file is its log; a file that it reads there is data. */
Test(file_class, standard_output_in_a_file_is_a_log)
{
    char path[CUP_PATH_LONGEST], name[] = "/tmp/cupping-output-XXXXXX";
    struct stat status;
    int kept = dup(STDOUT_FILENO), file = mkstemp(name), read_only = open(name, O_RDONLY);
    cr_assert_eq(fstat(file, &status), 0);
    dup2(file, STDOUT_FILENO);
    enum cup_file_class written = cup_file_classify(STDOUT_FILENO, &status, path);
    dup2(read_only, STDOUT_FILENO);
    enum cup_file_class read = cup_file_classify(STDOUT_FILENO, &status, path);
    dup2(kept, STDOUT_FILENO);
    cr_expect_eq(written, CUP_FILE_OTHER);
    cr_expect_eq(read, CUP_FILE_DATA);
    cr_expect_eq(cup_file_classify(file, &status, path), CUP_FILE_DATA);
    unlink(name);
}
