/* The releases of Dask and Coffea that were run (docs/releases.md): the library records nothing by
 * an older one, because it may keep things elsewhere; a newer one is recorded, and the report says
 * that it was not tried. */
#pragma once

#include <stdint.h>

/* X(id, package, what an older one leaves unknown, oldest, its number, newest, its number) */
#define CUP_RELEASES(X)                                                                            \
    X(DISTRIBUTED, "distributed", "tasks", "2022.1", CUP_RELEASE(2022, 1, 0), "2026.8",            \
      CUP_RELEASE(2026, 8, 999))                                                                   \
    X(COFFEA, "coffea", "chunks", "0.7.22", CUP_RELEASE(0, 7, 22), "2026.9",                       \
      CUP_RELEASE(2026, 9, 999))

#define CUP_RELEASE(first, second, third)                                                          \
    (((uint64_t)(first)*1000 + (uint64_t)(second)) * 1000 + (uint64_t)(third))

enum cup_release {
#define X(id, ...) CUP_RELEASE_##id,
    CUP_RELEASES(X)
#undef X
        CUP_RELEASE_COUNT
};
