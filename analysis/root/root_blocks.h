/* Decompresses records of ROOT files. It loads the system's libraries when they are needed; cupping
 * works without them. */
#ifndef CUPPING_ANALYSIS_ROOT_ROOT_BLOCKS_H
#define CUPPING_ANALYSIS_ROOT_ROOT_BLOCKS_H

#include <stddef.h>

#include "analysis/base/error.h"

/* Decompresses the blocks of STORED, which must fill OBJECT exactly. Returns 0, or -1; error->text
 * says what is damaged, or missing on this machine. */
int cup_root_unpack(const unsigned char *stored, size_t stored_bytes, unsigned char *object,
                    size_t object_bytes, struct cup_error *error);

#endif
