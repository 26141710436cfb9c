/* Compressed records of ROOT files. The libraries are those of the system, looked for when they are
 * needed: cupping works without. */
#ifndef CUPPING_ANALYSIS_ROOT_ROOT_BLOCKS_H
#define CUPPING_ANALYSIS_ROOT_ROOT_BLOCKS_H

#include <stddef.h>

#include "analysis/base/error.h"

/* Decompresses all blocks of `stored`, which together make `object`, exactly. Returns 0, or -1 with
 * error->text: what is damaged, or missing on this machine. */
int cup_root_unpack(const unsigned char *stored, size_t stored_bytes, unsigned char *object,
                    size_t object_bytes, struct cup_error *error);

#endif
