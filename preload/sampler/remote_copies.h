/* Copies of what another thread is changing: the pieces of its stack, and the code objects on it.
 * One caller at a time: the copies are static. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- pieces of a stack -------------------------------------------------------------------- */

/* All pieces are copied twice in one system call: first all of them once, then all of them again. A
 * word that is the same in both copies had this value at the moment between the two (unless it
 * changed and changed back), so all such words had their values at the same time. The call takes 1
 * us, and 0.4 us per range: a few large ranges are faster than many small ones.
 *
 * Watched ranges: each is copied once, to SEEN, between the two copies of the first piece. So it is
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

/* ---- code objects ------------------------------------------------------------------------- */

/* A code object may be freed while it is being read, so only copies are read. */
enum { CUP_REMOTE_CODES = 128 };

struct cup_remote_code {
    uint64_t address; /* input */
    uint32_t id;      /* result; 0: a frame that is no function (the shim of a class call, 3.13) */
    bool certain;     /* result: see below */
};

/* Looks up COUNT code objects, at most CUP_REMOTE_CODES. Each address should be listed once only: a
 * copy takes a microsecond. A code object is certain if it was known before with the same content:
 * then it has been at this address since. One that is seen for the first time is not certain: its
 * memory may have been reused between the copies of the stack and of the code object. It is
 * entered, so that it is certain at the next look. */
void cup_remote_codes(struct cup_remote_code *codes, uint32_t count);
