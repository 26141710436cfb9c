/* Where the walk through a file's records stood when a read ended: found again by the read that
 * begins there, whatever descriptor and thread it comes by. A fixed number is kept, the oldest make
 * room: who is forgotten begins anew. */
#ifndef CUPPING_PRELOAD_ROOT_ROOT_CARRY_H
#define CUPPING_PRELOAD_ROOT_ROOT_CARRY_H

#include <stdbool.h>
#include <stdint.h>

enum { CUP_ROOT_REST_ROOM = 816 };

struct cup_root_standing {
    uint32_t file;
    uint32_t searched; /* bytes, in vain, since it is not known where records begin */
    uint64_t offset;   /* where the read ended */
    uint64_t record;   /* where the next record begins; before the read's end if there is a rest */
    uint64_t blob_end; /* of the blob that is walked through; 0: none */
    bool known;        /* a record is known to begin there */
    bool counting;     /* the request has had a record that counts */
    bool blocks;       /* compressed blocks are expected rather than keys */
    uint8_t place;     /* of the record that begins the rest: enum cup_root_place; 0: not known */
    uint16_t bytes;    /* of the rest; 0: there is none */
};

struct cup_root_carry {
    struct cup_root_standing standing;
    unsigned char rest[CUP_ROOT_REST_ROOM]; /* the read's last bytes, too few to be understood */
};

/* Any thread; CARRY is copied. Who knows nothing takes no place from one who knew. */
void cup_root_carry_keep(const struct cup_root_carry *carry);

/* False: nothing is known. It stays known: other threads may read the same. */
bool cup_root_carry_find(struct cup_root_carry *carry, uint32_t file, uint64_t offset);

/* All are forgotten, and locks that a thread may have held that is not here any more. */
void cup_root_carry_reset(void);

#endif
