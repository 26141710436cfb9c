/* Child processes of the end-to-end tests: run, capture, compare with and without the library. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CHILD_ARGUMENTS = 24, CHILD_SETTINGS = 16 };

/* What to run. Lists end with NULL. Settings are NAME=VALUE, or NAME alone to remove the
 * variable; they change the environment of the tests, without LD_PRELOAD and CUPPING_*. */
struct child {
    const char *argv[CHILD_ARGUMENTS];
    const char *settings[CHILD_SETTINGS];
    void (*prepare)(void); /* called in the child before exec; may be NULL */
    /* filled by child_start and child_wait */
    pid_t pid;
    int status; /* as waitpid gives it */
    char *out, *err;
    size_t out_bytes, err_bytes;
    char *out_path, *err_path;
};

void child_start(struct child *child);
void child_wait(struct child *child); /* reads its output; NUL-terminated */
void child_run(struct child *child);
void child_free(struct child *child);

/* The same child a second time, recording into DIRECTORY. Its settings gain LD_PRELOAD and
 * CUPPING_DIR, unless it has them already. */
struct child child_recorded(const struct child *plain, const char *directory);

/* Fails the test unless both ended in the same way and wrote the same bytes; both stderr must be
 * empty. Says what differs. */
void child_expect_same(const struct child *plain, const struct child *recorded);

/* An empty directory for the test (malloc'ed), and its removal. */
char *test_directory(void);
void test_directory_remove(char *path);

/* Calls CHECK with every Python that has Dask here. If one is missing, a test of this name is
 * skipped ("no build/venv-3.14"), once the others have passed. */
void for_each_python(void (*check)(const char *python));

/* `cupping tasks --json` and `cupping report --json` of a directory, and `cupping dump` of its
 * largest log (children that read have small ones); the test fails if one of these fails. */
json_t *tasks_of(const char *directory);
json_t *report_of(const char *directory);
char *dump_of(const char *directory);

/* A task by its key (borrowed); NULL if there is none. Number of tasks in the document. */
json_t *task_of(json_t *document, const char *key);
size_t tasks_count(json_t *document);
long long task_number(json_t *document, const char *key, const char *field); /* -1: absent */

/* What a command prints, which the caller frees; the test fails if its status is not 0. */
char *output_of(const struct child *command);

/* The number after " NAME=" in the output of tests/workloads/raw_log.py for the logs in a
 * directory; -1: there is none. */
long long raw_number(const char *logs, const char *name);

/* In one line of a dump, from AT on: where WORDS are (NULL: nowhere), and the number behind "
 * NAME="
 * (-1: there is none). */
const char *in_line(const char *at, const char *words);
long long number_in(const char *at, const char *name);

/* The number that a task with this key has in a dump; the test fails if there is none. */
long long task_of_key(const char *dump, const char *key);

/* Text that printf makes, in memory that lives as long as the test. */
const char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));
