/* The dictionary of a merged log: records that its logs have in common. */
#pragma once

#include "analysis/merge/sources.h"

enum { CUP_DICTIONARY_MOST = 1 << 20 };

/* Takes sample records of some of the logs; which ones depends only on the set of logs. PATH_OF
 * says at which path to read a log, NULL: it is left out. Returns the number of bytes written to
 * DICTIONARY, which has room for CUP_DICTIONARY_MOST. */
size_t cup_merge_samples(const struct cup_merge_sources *sources,
                         const char *(*path_of)(void *context, const struct cup_merge_source *),
                         void *context, unsigned char *dictionary);
