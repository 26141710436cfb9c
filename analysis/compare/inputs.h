/* Opens an input named on the command line: a profile, a measurement directory of roastcoffea, or a
 * file that `cupping report --json` wrote. */
#pragma once

#include "analysis/compare/compare.h"

/* Where the run of a profile begins that the word ends with, ":N" or ":all"; NULL: with none, or
 * there is a file of the whole name. */
const char *cup_input_find_run(const char *word);

/* True if the file is a report that `cupping report --json` wrote. */
bool cup_input_is_report(const char *path);

/* Fills *figures, of which only `ask` is looked at before. `word` may
 * end with a run: see cup_input_find_run(). `run`, which may be NULL, is meant for those that do
 * not. Prints a line on standard error for each
 * damaged log. Returns 0, or -1 and *error. *usage: the words were wrong, not the files. */
int cup_input_open(struct cup_figures *figures, const char *word, const char *run, bool *usage,
                   struct cup_error *error);

/* Several of them, as they were named. */
struct cup_input_list {
    const char *const *words;
    size_t word_count; /* up to CUP_COMPARE_MOST */
    /* The number of words before each "--", which parts the sides that are compared. The words of
     * a side are runs of one job. Without "--", each word is a side. */
    size_t splits[CUP_COMPARE_MOST];
    size_t split_count;
    const char *run;            /* as above */
    struct cup_figures_ask ask; /* see struct cup_figures */
    size_t baseline;
    struct cup_figures figures[CUP_COMPARE_MOST]; /* owned; one of each side; `count` are open */
    size_t count;
};

/* The number of sides: of inputs that are compared. */
size_t cup_input_list_sides(const struct cup_input_list *inputs);

/* True if each side has two or more runs. */
bool cup_input_list_is_repeated(const struct cup_input_list *inputs);

/* Returns -1 and one line in *error, which `verb` is the source of, if a side has no run, or one
 * twice: it would show no spread. */
int cup_input_list_check(const struct cup_input_list *inputs, const char *verb,
                         struct cup_error *error);

/* The one that `text` names: its letter ("B"), its number ("2") or its word; NULL: the first.
 * Returns 0, or -1 and one line in *error, which `verb` is the source of. */
int cup_input_list_baseline(struct cup_input_list *inputs, const char *text, const char *verb,
                            struct cup_error *error);

/* As cup_input_open() of each word; cup_input_list_close() also after a failure. */
int cup_input_list_open(struct cup_input_list *inputs, bool *usage, struct cup_error *error);
void cup_input_list_close(struct cup_input_list *inputs);

/* The name of a run of an input: "B2", or "B" if the input is one run. Returns `to`. */
enum { CUP_RUN_NAME = 24 };
char *cup_input_run_name(char to[CUP_RUN_NAME], const struct cup_comparison *comparison,
                         size_t input, size_t run);

/* "A", "B", ...; and the letter alone. */
const char *cup_input_name(size_t input);
char cup_input_letter(size_t input);
