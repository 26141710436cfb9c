/* Run a shell command in an empty directory of its own and see what it did. */
#pragma once

struct shell_result {
    int status; /* exit status, or 128 + signal */
    char out[8192];
    char err[8192];
    char directory[64]; /* where it ran; removed by shell_leave() */
};

/* Enters a new directory; the test's directory is the checkout's again after shell_leave(). */
void shell_enter(void);
void shell_leave(void);

/* Formats, runs with `sh -c`, returns a static result that the next call overwrites. $run and
 * $worker are the two wrappers, $cupping the program, $top the checkout. */
const struct shell_result *shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Lines in a text, and whether it contains another. */
int lines_of(const char *text);
int has(const char *text, const char *part);
