/* ROOT files written by hand, one tree each, every choice of the format open. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A branch of 10 entries a basket. */
struct built_branch {
    const char *name;
    const char *class;          /* NULL: TBranch */
    unsigned version;           /* of the TBranch; 0: 13 */
    unsigned baskets, embedded; /* written; kept in the tree's record */
    unsigned copies;            /* in the record, too, of those that were written */
    unsigned entries_each;      /* 0: 10 */
    const struct built_branch *inner;
    unsigned inner_count;
    unsigned again; /* its list ends with a reference: 1 to the first inner one, 2 to itself */
};

struct built_file {
    unsigned width;        /* of offsets: 4 or 8; 0: 4 */
    const char *class;     /* of the tree; NULL: TTree */
    const char *directory; /* that it is in; NULL: the top one */
    unsigned twins;        /* further directories that have it, too */
    unsigned version;      /* of the TTree; 0: 20 */
    unsigned packed;       /* bytes that its record is short of: it then looks compressed */
    const struct built_branch *branches;
    unsigned branch_count;
};

struct built_bytes {
    unsigned char *at; /* owned */
    size_t count, room;
};

/* Tree "Events", cycle 2, with 100 entries, 3000 bytes of 4000, fAutoFlush 10; of cycle 1 there is
 * only a key. To be freed. */
struct built_bytes build_root_file(const struct built_file *file);

/* A basket has 100 bytes, and 150 uncompressed. */
enum { BUILT_BYTES = 100, BUILT_UNCOMPRESSED = 150 };

void save_bytes(const struct built_bytes *bytes, size_t count, const char *path);
