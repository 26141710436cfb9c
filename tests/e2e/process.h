/* Programs that a test starts. None outlives the test: each runs below a supervisor process, which
 * adopts all its descendants, and kills them when the program has ended, when the test says so, or
 * when the process of the test ends for any reason. */
#pragma once

#include <sys/types.h>

struct cup_process {
    const char *name; /* for messages; the caller's */
    char log[4096];   /* its standard output and error, in one file */
    pid_t supervisor;
    pid_t pid;   /* the program itself */
    int control; /* socket to the supervisor; closing it ends everything */
    int status;  /* -1 while it runs; exit status, or 128 + signal */
};

/* Starts ARGV (found on PATH) in the directory of LOG, which takes its output. ENVIRONMENT:
 * "NAME=value" strings added to the test's own, "NAME" alone removes one; NULL-terminated,
 * or NULL. Fails the test if it cannot. */
void cup_process_start(struct cup_process *process, const char *name, const char *log,
                       const char *const *argv, const char *const *environment);

/* Waits until the program has ended; returns its status. Fails the test, with the end of the log,
 * after so many seconds. This is a guard against hangs, not a measurement. */
int cup_process_wait(struct cup_process *process, int seconds);

/* Sends SIGNAL to the program alone. */
void cup_process_signal(const struct cup_process *process, int signal);

/* Ends the program and all its descendants at once, and waits until they are gone. */
void cup_process_kill(struct cup_process *process);

/* Runs ARGV to its end and expects status 0. */
void cup_run(const char *name, const char *log, const char *const *argv,
             const char *const *environment, int seconds);

/* The program's output so far. The caller frees it. */
char *cup_process_output(const struct cup_process *process);

/* Text of a whole file, or NULL. The caller frees it. */
char *cup_read_file(const char *path);

/* Skips the test, with a message, if the interpreter PYTHON was not set up. */
void cup_need_python(const char *python);

/* Skips the test, with a message, unless SOAK is set, as in `make soak`: for variants of other
 * tests that would make `make test` too long. */
void cup_only_in_soak(void);
