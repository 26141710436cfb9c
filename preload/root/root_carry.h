/* The state of the walk through a file's records at the end of a read. A read that begins at the
 * same offset continues the walk, on whatever descriptor and thread. A fixed number of such states
 * is kept, and new ones replace the oldest: a read whose state is gone starts a new walk. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { CUP_ROOT_REST_ROOM = 816 };

struct cup_root_standing {
    uint32_t file;
    uint32_t searched; /* bytes searched without finding a record */
    uint64_t offset;   /* where the read ended */
    uint64_t record;   /* where the next record begins; before the read's end if there is a rest */
    uint64_t blob_end; /* of the RBlob that the walk is in; 0: it is in none */
    bool known;        /* a record is known to begin there */
    bool counting;     /* the read, or one that it continues, had a record that counts */
    bool blocks;       /* compressed blocks are expected rather than keys */
    uint8_t place;     /* of the record that begins the rest: enum cup_root_place; 0: not known */
    uint16_t bytes;    /* of the rest; 0: there is none */
};

struct cup_root_carry {
    struct cup_root_standing standing;
    unsigned char
        rest[CUP_ROOT_REST_ROOM]; /* the last bytes of the read: a part of a record's head */
};

/* Keeps a copy of CARRY. A state in which no record is known does not replace one in which a record
 * is known. Any thread. */
void cup_root_carry_keep(const struct cup_root_carry *carry);

/* Copies the state of FILE at OFFSET to CARRY. False: there is none. The state stays, because other
 * threads may read the same bytes. Any thread. */
bool cup_root_carry_find(struct cup_root_carry *carry, uint32_t file, uint64_t offset);

/* Removes all states. Also in a forked child, where it releases locks that threads of the parent
 * held. */
void cup_root_carry_reset(void);
