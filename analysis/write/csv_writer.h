/* Writes CSV as RFC 4180 has it, in UTF-8, lines ending in CR LF. Null is an empty field. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "analysis/base/value.h"

struct cup_csv {
    FILE *out; /* not owned; the caller checks ferror */
    bool in_line;
};

void cup_csv_value(struct cup_csv *csv, struct cup_value value);
void cup_csv_end_line(struct cup_csv *csv);
