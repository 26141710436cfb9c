#include "preload/sys/remote_pieces.h"

#include "preload/sys/raw.h"

/* GAP: two pieces less than this many bytes apart are copied as one. */
enum { PIECES = 160, ROOM = 128 * 1024, GAP = 8192 };

static struct {
    struct piece {
        uint64_t at;
        uint32_t bytes, offset; /* in both copies */
        uint32_t twice;         /* how many of its bytes, from the first on, were copied twice */
    } pieces[PIECES];
    uint32_t count, bytes;
    char first[ROOM], second[ROOM];
} all;

void cup_pieces_clear(void)
{
    all.count = all.bytes = 0;
}

/* ---- the pieces --------------------------------------------------------------------------- */

static bool copy_to_end(uint64_t at, size_t bytes)
{
    if (bytes > ROOM - all.bytes || !cup_remote_copy(all.first + all.bytes, at, bytes))
        return false;
    all.bytes += (uint32_t)bytes;
    return true;
}

/* Extends the last piece if it ends at AT or shortly before. The first piece is
 * never extended. */
static bool extend_last(uint64_t at, size_t bytes)
{
    struct piece *last = &all.pieces[all.count - 1];
    uint64_t end = last->at + last->bytes;
    if (all.count < 2 || at < end || at - end > GAP || !copy_to_end(end, at - end + bytes))
        return false;
    last->bytes += (uint32_t)(at - end + bytes);
    return true;
}

bool cup_pieces_add(uint64_t at, size_t bytes)
{
    uint32_t offset = all.bytes;
    if (all.count && extend_last(at, bytes))
        return true;
    if (all.count == PIECES || !copy_to_end(at, bytes))
        return false;
    all.pieces[all.count++] = (struct piece){at, (uint32_t)bytes, offset, 0};
    return true;
}

bool cup_pieces_find(uint64_t at, size_t bytes, struct cup_copies *copies)
{
    for (uint32_t i = 0; i < all.count; i++) {
        const struct piece *piece = &all.pieces[i];
        uint64_t inside = at - piece->at;
        if (at < piece->at || inside + bytes > piece->bytes)
            continue;
        copies->first = all.first + piece->offset + inside;
        copies->second = inside + bytes > piece->twice ? NULL : all.second + piece->offset + inside;
        return true;
    }
    return false;
}

/* ---- copying all in one call -------------------------------------------------------------- */

static struct {
    struct iovec to[2 * (CUP_WATCHED + PIECES)], from[2 * (CUP_WATCHED + PIECES)];
    size_t count;
} list;

static void list_range(void *to, uint64_t from, size_t bytes)
{
    list.to[list.count] = (struct iovec){to, bytes};
    list.from[list.count++] = cup_remote_at(from, bytes);
}

static void list_piece(uint32_t i, char *copy)
{
    const struct piece *piece = &all.pieces[i];
    list_range(copy + piece->offset, piece->at, piece->bytes);
}

/* The first copies are made in reverse order: so the first piece is copied last there, then come
 * the watched ranges, then the second copies begin with the first piece. */
bool cup_pieces_copy(struct cup_watch *watch)
{
    list.count = 0;
    for (uint32_t i = all.count; i-- > 0;)
        list_piece(i, all.first);
    for (uint32_t i = 0; i < watch->count; i++)
        list_range(watch->ranges[i].seen, watch->ranges[i].at, watch->ranges[i].bytes);
    for (uint32_t i = 0; i < all.count; i++)
        list_piece(i, all.second);
    if (!cup_remote_read(list.to, list.from, list.count)) {
        cup_pieces_clear();
        return false;
    }
    for (uint32_t i = 0; i < all.count; i++)
        all.pieces[i].twice = all.pieces[i].bytes;
    return true;
}
