/* The arguments of a verb: options, most of which take a value, and operands. */
#ifndef CUPPING_CLI_OPTIONS_H
#define CUPPING_CLI_OPTIONS_H

#include <stddef.h>

#include "analysis/base/error.h"

struct cup_option {
    const char *name;   /* "--json" */
    const char **value; /* where it goes; NULL: the option of a version to come */
};

/* Where this is the value beforehand, the option takes none: given, it points elsewhere. */
extern const char cup_option_off[];

/* Reads argv[1] and the following. "--name value" and "--name=value" mean the same; "--" ends the
 * options. Returns 0, or -1 and one line in *error. */
int cup_options_read(int argc, char **argv, const struct cup_option *options, size_t count,
                     const char **operand, struct cup_error *error);

/* Likewise with up to `most` operands; *given of them. */
int cup_options_read_many(int argc, char **argv, const struct cup_option *options, size_t count,
                          const char **operands, size_t most, size_t *given,
                          struct cup_error *error);

#endif
