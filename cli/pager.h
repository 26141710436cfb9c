/* A pager for text on a terminal, as git has one. */
#pragma once

#include "analysis/write/output.h"

/* Opens standard output. If it is a terminal, the text is collected, and shown by
 * cup_pager_close(). */
void cup_pager_open(struct cup_output *output);

/* As cup_output_close(). Text that is longer than the terminal goes through $CUPPING_PAGER, $PAGER
 * or less; an empty name, or "cat", is no pager. */
int cup_pager_close(struct cup_output *output, struct cup_error *error);
