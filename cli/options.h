/* The options of a verb as a table, from which its arguments are read and its help is printed. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "analysis/base/error.h"

/* The N-th value that an option can have; NULL after the last one. */
typedef const char *cup_option_value(size_t n);

struct cup_option {
    const char *name;      /* "--json" */
    const char *argument;  /* "FILE", as the help shows it; NULL: the option takes none */
    size_t place;          /* offset of a `const char *` in the verb's request, NULL beforehand. The
                              reader stores the argument there, or the name if there is none */
    const char *meaning;   /* for the help, which wraps it */
    const char *otherwise; /* if the argument may be left out: what is stored then; else NULL */
    cup_option_value *values; /* the help appends them to the meaning; NULL: any text */
};

/* A row for a member of the verb's `struct request`. What follows MEMBER is the meaning, and
 * `.values = ...` where the option has a list of them. */
#define CUP_OPTION(option, shown_argument, member, ...)                                            \
    {                                                                                              \
        .name = (option), .argument = (shown_argument), .place = offsetof(struct request, member), \
        .meaning = __VA_ARGS__                                                                     \
    }

struct cup_options {
    const struct cup_option *rows;
    size_t count;
};

/* Initializer of a table of options: all rows of the array ROWS. */
#define CUP_OPTIONS(rows)                                                                          \
    {                                                                                              \
        (rows), sizeof(rows) / sizeof *(rows)                                                      \
    }

/* What is neither an option nor its argument: files, directories, names. */
struct cup_operands {
    const char **words;
    size_t room, count;
    size_t
        *splits; /* the number of words before each "--"; NULL: a "--" ends the options instead */
    size_t split_room, split_count;
};

/* Reads argv[1] and what follows it into *request and *operands. "--name value" and "--name=value"
 * mean the same. Returns 0, or -1 and one line in *error. */
int cup_options_read(int argc, char **argv, const struct cup_options *options, void *request,
                     struct cup_operands *operands, struct cup_error *error);

/* Prints each option with its argument and meaning, in lines of at most 79 columns. */
void cup_options_print(FILE *out, const struct cup_options *options);

/* Prints words from column `column` on, wrapped at column 79, with later lines indented by
 * `indent`, and ends the line. A line break in `text` is kept. */
void cup_print_help_text(FILE *out, size_t column, size_t indent, const char *text);
