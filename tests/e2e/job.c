#include "tests/e2e/job.h"

#include "tests/e2e/cluster.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char root[] = CUP_BUILD "/e2e";

char *cup_path(const char *directory, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", directory, name) < 0)
        cr_assert_fail("out of memory");
    return path;
}

static void make_directory(const char *path)
{
    if (mkdir(path, 0755) && errno != EEXIST)
        cr_assert_fail("cannot create %s: %s", path, strerror(errno));
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static void make_empty(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    make_directory(path);
}

/* The program that runs all tests, by number and start: numbers are used again. */
static void runner(char *id, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)getppid());
    char *text = cup_read_file(path);
    char *field = text ? strrchr(text, ')') : NULL;
    for (int i = 0; field && i < 20; i++)
        field = strchr(field + 1, ' ');
    snprintf(id, size, "%d %.*s", (int)getppid(), field ? (int)strcspn(field + 1, " ") : 0,
             field ? field + 1 : "");
    free(text);
}

static bool says(const char *path, const char *id)
{
    char *text = cup_read_file(path);
    bool same = text && strcmp(text, id) == 0;
    free(text);
    return same;
}

static void say(const char *path, const char *id)
{
    FILE *file = fopen(path, "we");
    if (!file || fputs(id, file) < 0 || fclose(file))
        cr_assert_fail("cannot write %s", path);
}

static void run_job(const char *directory, const char *id, void (*run)(const char *directory))
{
    char *tried = cup_path(directory, "tried"), *done = cup_path(directory, "done");
    if (!says(done, id)) {
        cr_assert(!says(tried, id), "the job in %s failed before", directory);
        make_empty(directory);
        say(tried, id);
        run(directory);
        say(done, id);
    }
    free(tried);
    free(done);
}

/* Tests may run side by side. Closing the descriptor gives it back. */
static int lock(const char *directory)
{
    char *name = NULL;
    if (asprintf(&name, "%s.lock", directory) < 0)
        cr_assert_fail("out of memory");
    int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0 || flock(file, LOCK_EX))
        cr_assert_fail("cannot lock %s: %s", name, strerror(errno));
    free(name);
    return file;
}

char *cup_job(const char *name, void (*run)(const char *directory))
{
    char id[96];
    runner(id, sizeof id);
    make_directory(root);
    char *directory = cup_path(root, name);
    int locked = lock(directory);
    run_job(directory, id, run);
    close(locked);
    return directory;
}

char *cup_scratch(const char *name)
{
    make_directory(root);
    char *directory = cup_path(root, name);
    make_empty(directory);
    return directory;
}

char *cup_input(const char *kind)
{
    make_directory(root);
    char *directory = cup_path(root, kind), *log = cup_path(root, "mktree.log");
    const char *const argv[] = {cup_python(), CUP_TOP "/tests/workloads/mktree.py",
                                directory,    "--events",
                                "30000",      strcmp(kind, "rntuple") == 0 ? "--rntuple" : NULL,
                                NULL};
    int locked = lock(directory);
    cup_run("mktree.py", log, argv, cup_clean_environment, 120);
    close(locked);
    free(log);
    return directory;
}
