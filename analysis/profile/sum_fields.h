/* SUM records (include/log_format.h): writes the numbers of an entry of a profile as pairs, and
 * reads them. */
#pragma once

#include <stddef.h>

#include "analysis/log/log_reader.h"

/* Sets the numbers of ENTRY that the record has; the others stay. ENTRY has the type of its kind,
 * see sum_fields.c. */
void cup_sum_read(enum cup_sum_kind kind, const struct cup_record *record, void *entry);

/* Writes the pairs of ENTRY to TO, which has room for CUP_SUM_ROOM bytes. Returns their bytes, a
 * multiple of 8. */
enum { CUP_SUM_ROOM = 1 << 15 };
size_t cup_sum_write(enum cup_sum_kind kind, const void *entry, unsigned char *to);
