/* Pieces of memory that another thread changes meanwhile, copied by the kernel, all of them twice
 * in one call: words that are the same in both copies were so at the moment between them, all at
 * once. One caller at a time.
 *
 * The call takes a microsecond, and 0.4 for each range: a few large ones are faster than many small
 * ones. */
#ifndef CUPPING_PRELOAD_SYS_REMOTE_PIECES_H
#define CUPPING_PRELOAD_SYS_REMOTE_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ranges that are copied once, between the two copies of the first piece. */
enum { CUP_WATCH_BYTES = 4096, CUP_WATCHED = 2 };
struct cup_watch {
    uint32_t count;
    struct {
        uint64_t at;
        uint32_t bytes;
        char seen[CUP_WATCH_BYTES];
    } ranges[CUP_WATCHED];
};

void cup_pieces_forget(void);

/* From now on BYTES from AT on are in one of them, copied once so far. The first one should be what
 * changes most. False: there is nothing, or no room for it. */
bool cup_pieces_add(uint64_t at, size_t bytes);

/* Copies all of them twice. False: one is not there any more; none is left then. */
bool cup_pieces_copy(struct cup_watch *watch);

/* BYTES from AT on in the first copy, and in the second one (NULL: it was added since). False:
 * they are in no piece. */
struct cup_copies {
    const char *first, *second;
};
bool cup_pieces_find(uint64_t at, size_t bytes, struct cup_copies *copies);

#endif
