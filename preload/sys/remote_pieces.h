/* Consistent copies of memory that another thread is changing. All pieces are copied twice in one
 * system call: first all of them once, then all of them again. A word that is the same in both
 * copies had this value at the moment between the two (unless it changed and changed back), so all
 * such words had their values at the same time. One caller at a time: the copies are static.
 *
 * The call takes 1 us, and 0.4 us per range: a few large ranges are faster than many small ones. */
#ifndef CUPPING_PRELOAD_SYS_REMOTE_PIECES_H
#define CUPPING_PRELOAD_SYS_REMOTE_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Watched ranges: each is copied once, to SEEN, between the two copies of the first piece. So it is
 * copied at the moment at which words that are the same in both copies had their values. */
enum { CUP_WATCH_BYTES = 4096, CUP_WATCHED = 2 };
struct cup_watch {
    uint32_t count;
    struct {
        uint64_t at;
        uint32_t bytes;
        char seen[CUP_WATCH_BYTES];
    } ranges[CUP_WATCHED];
};

/* Removes all pieces. */
void cup_pieces_clear(void);

/* Adds the BYTES at AT to the pieces, and copies them once. The piece that changes most often
 * should be added first, because its two copies are closest in time. False: not mapped, or no
 * room. */
bool cup_pieces_add(uint64_t at, size_t bytes);

/* Copies all pieces twice, and the watched ranges in between. False: a piece is not mapped any
 * more; then all pieces are removed. */
bool cup_pieces_copy(struct cup_watch *watch);

/* Where the BYTES at AT are in the first and in the second copy. SECOND is NULL if they were added
 * after the last cup_pieces_copy(). False: they are in no piece. */
struct cup_copies {
    const char *first, *second;
};
bool cup_pieces_find(uint64_t at, size_t bytes, struct cup_copies *copies);

#endif
