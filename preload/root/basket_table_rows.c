#include "preload/root/basket_table_rows.h"

#include "preload/log/log.h"
#include "preload/root/basket_rows.h"
#include "preload/root/branches.h"
#include "preload/root/root_records.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <string.h>

/* Rows are added up in a table by branch, so that they come out in the order of branches. */
struct room {
    uint64_t sums[CUP_BRANCHES + 1][CUP_BV_COUNT];
    uint64_t used[CUP_BRANCHES / 64 + 1]; /* bits: branches that have sums */
    bool by_number;                       /* first and last are numbers, not offsets */
    struct cup_basket_rows rows;
};

static struct {
    uint32_t lock;
    struct room *room;              /* NULL: none yet */
    bool named;                     /* any of the following is known */
    uint32_t paths[CUP_ROOT_FILES]; /* strings, by FILE record */
} state;

void cup_basket_table_rows_reset(void)
{
    if (state.room)
        cup_raw_munmap(state.room, sizeof *state.room);
    if (state.named) /* else no page of it was ever used */
        memset(state.paths, 0, sizeof state.paths);
    state.room = NULL;
    state.named = false;
    state.lock = 0;
}

void cup_basket_table_rows_named(uint32_t file, uint32_t path)
{
    if (file >= CUP_ROOT_FILES)
        return;
    state.named = true;
    state.paths[file] = path;
}

/* ---- sums of branches -------------------------------------------------------------------- */

static bool is_used(const struct room *room, uint32_t branch)
{
    return room->used[branch / 64] >> branch % 64 & 1;
}

static uint64_t *sums_of(struct room *room, uint32_t branch)
{
    room->used[branch / 64] |= UINT64_C(1) << branch % 64;
    return room->sums[branch];
}

/* First and last are kept as they are, and made what a row says when it is written. */
static void add_position(uint64_t *sums, const struct cup_basket_table_basket *basket,
                         uint64_t position)
{
    bool none = sums[CUP_BV_BASKETS] == 0;
    if (none || position < sums[CUP_BV_FIRST]) {
        sums[CUP_BV_FIRST] = position;
        sums[CUP_BV_FIRST_BYTES] = basket->bytes;
    }
    if (none || position > sums[CUP_BV_LAST]) {
        sums[CUP_BV_LAST] = position;
        sums[CUP_BV_LAST_BYTES] = basket->bytes;
    }
}

/* TIMES more reads of a basket, of which AGAIN were not the first. */
static void add_reads(struct room *room, const struct cup_basket_table_basket *basket,
                      uint64_t times, uint64_t again)
{
    uint64_t *sums = sums_of(room, basket->branch);
    add_position(sums, basket, room->by_number ? basket->number : basket->offset);
    sums[CUP_BV_BASKETS] += times;
    sums[CUP_BV_COMPRESSED] += times * basket->bytes;
    sums[CUP_BV_UNCOMPRESSED] += times * basket->object_bytes;
    sums[CUP_BV_KEYS] += times * basket->key_bytes;
    sums[CUP_BV_ENTRIES] += times * basket->entries;
    sums[CUP_BV_ALGORITHMS] |= basket->algorithm;
    sums[CUP_BV_AGAIN] += again;
    sums[CUP_BV_AGAIN_BYTES] += again * basket->bytes;
}

static void finish(uint64_t *sums)
{
    if (sums[CUP_BV_FIRST] == sums[CUP_BV_LAST])
        sums[CUP_BV_LAST] = sums[CUP_BV_FIRST_BYTES] = sums[CUP_BV_LAST_BYTES] = 0;
    else
        sums[CUP_BV_LAST] -= sums[CUP_BV_FIRST];
}

static void write_sums(struct room *room)
{
    for (uint32_t word = 0; word < CUP_BRANCHES / 64 + 1; word++)
        for (; room->used[word]; room->used[word] &= room->used[word] - 1) {
            uint32_t branch = word * 64 + (uint32_t)__builtin_ctzll(room->used[word]);
            finish(room->sums[branch]);
            cup_basket_rows_add(&room->rows, branch, room->sums[branch]);
            memset(room->sums[branch], 0, sizeof room->sums[branch]);
        }
    cup_basket_rows_end(&room->rows);
}

/* ---- how often a basket was read --------------------------------------------------------- */

static unsigned least(unsigned one, unsigned other)
{
    return one < other ? one : other;
}

/* By place. Where uproot was asked, the deliveries that answer it do not count so; the task's own
 * thread may have read more (TBranch.basket). */
static unsigned reads_by_place(const struct cup_basket_table_basket *basket, bool is_asked)
{
    if (!is_asked || basket->is_block)
        return basket->counted;
    return basket->seen > basket->asked ? least(basket->own, basket->seen - basket->asked) : 0;
}

static bool was_told(const struct cup_basket_table_basket *basket)
{
    return basket->asked_told || basket->counted_told;
}

static void add_new(struct room *room, const struct cup_basket_table_basket *basket, unsigned now,
                    uint16_t *told)
{
    if (now <= *told)
        return;
    unsigned times = now - *told;
    add_reads(room, basket, times, times - !was_told(basket));
    *told = (uint16_t)now;
}

static void add_passed(struct room *room, struct cup_basket_table_basket *basket)
{
    uint64_t *sums = sums_of(room, basket->branch);
    sums[CUP_BV_INCIDENTAL]++;
    sums[CUP_BV_INCIDENTAL_BYTES] += basket->bytes;
    basket->passed_told = true;
}

/* ---- files that were seen ---------------------------------------------------------------- */

static struct cup_basket_table_basket *at(const struct cup_basket_table *tally, uint32_t index)
{
    return index == CUP_BASKET_TABLE_NONE ? NULL : &tally->baskets[index];
}

static struct cup_basket_table_basket *first(const struct cup_basket_table *tally,
                                             const struct cup_basket_table_place *place)
{
    return at(tally, place->first);
}

static struct cup_basket_table_basket *next(const struct cup_basket_table *tally,
                                            const struct cup_basket_table_basket *basket)
{
    return at(tally, basket->next);
}

static bool passed(const struct cup_basket_table_basket *basket)
{
    return basket->seen && !was_told(basket) && !basket->passed_told && !basket->is_block;
}

/* Baskets that passed by, of branches that have a row anyway. */
static void add_incidental(struct room *room, struct cup_basket_table *tally,
                           const struct cup_basket_table_place *place)
{
    for (struct cup_basket_table_basket *basket = first(tally, place); basket;
         basket = next(tally, basket))
        if (passed(basket) && is_used(room, basket->branch))
            add_passed(room, basket);
}

static void add_kind(struct room *room, struct cup_basket_table *tally,
                     const struct cup_basket_table_place *place, enum cup_baskets_source source)
{
    for (struct cup_basket_table_basket *basket = first(tally, place); basket;
         basket = next(tally, basket)) {
        if (source == CUP_BASKETS_REQUESTED)
            add_new(room, basket, basket->asked, &basket->asked_told);
        else if (basket->is_block == (source == CUP_BASKETS_PAGES))
            add_new(room, basket, reads_by_place(basket, place->is_asked), &basket->counted_told);
    }
}

static void write_kind(struct room *room, struct cup_basket_table *tally,
                       const struct cup_basket_table_place *place, enum cup_baskets_source source,
                       bool last)
{
    cup_basket_rows_begin(&room->rows, tally->task, place->file, 0, source);
    room->by_number = source == CUP_BASKETS_REQUESTED;
    add_kind(room, tally, place, source);
    if (last && source != CUP_BASKETS_PAGES)
        add_incidental(room, tally, place);
    write_sums(room);
}

/* Of branches without any row: only how many, and how large. */
static void write_passed(struct room *room, struct cup_basket_table *tally,
                         const struct cup_basket_table_place *place)
{
    uint32_t baskets = 0;
    uint64_t bytes = 0;
    for (struct cup_basket_table_basket *basket = first(tally, place); basket;
         basket = next(tally, basket))
        if (passed(basket)) {
            baskets++;
            bytes += basket->bytes;
        }
    if (!baskets)
        return;
    cup_basket_rows_begin(&room->rows, tally->task, place->file, 0,
                          place->is_asked ? CUP_BASKETS_REQUESTED : CUP_BASKETS_BY_PLACE);
    cup_basket_rows_passed(&room->rows, baskets, bytes);
}

static void write_seen(struct room *room, struct cup_basket_table *tally,
                       const struct cup_basket_table_place *place, bool last)
{
    if (place->is_asked)
        write_kind(room, tally, place, CUP_BASKETS_REQUESTED, last);
    write_kind(room, tally, place, CUP_BASKETS_BY_PLACE, last);
    write_kind(room, tally, place, CUP_BASKETS_PAGES, last);
    if (last)
        write_passed(room, tally, place);
}

/* ---- files that were asked for ----------------------------------------------------------- */

static struct cup_basket_table_basket *same_in(const struct cup_basket_table *tally, uint32_t seen,
                                               const struct cup_basket_table_basket *asked)
{
    struct cup_basket_table_basket *basket = cup_basket_table_find(tally, seen, asked->offset);
    return basket && basket->bytes == asked->bytes && basket->seen ? basket : NULL;
}

/* Of the baskets asked for, how many were seen in a file: a few are enough. */
static unsigned matches(struct cup_basket_table *tally, const struct cup_basket_table_place *asked,
                        uint32_t seen)
{
    enum { ENOUGH = 16 };
    unsigned found = 0;
    for (struct cup_basket_table_basket *basket = first(tally, asked); basket;
         basket = next(tally, basket))
        if (basket->asked && same_in(tally, seen, basket) && ++found == ENOUGH)
            break;
    return found;
}

/* The file that was asked for: that of the same name, or the one with most of its baskets: uproot
 * may know it by another name than the kernel (links, copies in a cache). */
static uint32_t file_asked_for(struct cup_basket_table *tally,
                               const struct cup_basket_table_place *asked)
{
    uint32_t best = CUP_BASKET_TABLE_NONE;
    unsigned most = 0;
    for (uint32_t i = 0; i < tally->place_count; i++) {
        const struct cup_basket_table_place *seen = &tally->places[i];
        if (seen->asked_for || (asked->file && asked->file != seen->file))
            continue;
        bool named = seen->file < CUP_ROOT_FILES && asked->tree.path &&
                     state.paths[seen->file] == asked->tree.path;
        unsigned found = matches(tally, asked, i);
        if (found && named)
            return i;
        if (found > most) {
            most = found;
            best = i;
        }
    }
    return best;
}

/* Baskets asked for that were seen become those seen, asked for. */
static void join(struct cup_basket_table *tally, struct cup_basket_table_place *asked)
{
    uint32_t seen = file_asked_for(tally, asked);
    if (seen == CUP_BASKET_TABLE_NONE)
        return;
    asked->file = tally->places[seen].file;
    tally->places[seen].is_asked = true;
    for (struct cup_basket_table_basket *basket = first(tally, asked); basket;
         basket = next(tally, basket)) {
        struct cup_basket_table_basket *same = basket->asked ? same_in(tally, seen, basket) : NULL;
        if (same) {
            same->asked = (uint16_t)least(same->asked + (unsigned)basket->asked, UINT16_MAX);
            same->number = basket->number;
            if (basket->branch)
                same->branch = basket->branch;
            basket->asked = 0;
        }
    }
}

/* Asked for, and seen nowhere: on their way, or in the tree's own record. */
static void write_asked(struct room *room, struct cup_basket_table *tally,
                        const struct cup_basket_table_place *asked, enum cup_baskets_source source)
{
    cup_basket_rows_begin(&room->rows, tally->task, asked->file, asked->tree.path, source);
    room->by_number = true;
    for (struct cup_basket_table_basket *basket = first(tally, asked); basket;
         basket = next(tally, basket))
        if (basket->is_embedded == (source == CUP_BASKETS_EMBEDDED))
            add_new(room, basket, basket->asked, &basket->asked_told);
    write_sums(room);
}

static void write_tree(struct cup_basket_table_place *asked)
{
    asked->tells = false;
    struct cup_r_tree *record = cup_log_reserve(sizeof *record, 0);
    if (!record)
        return;
    record->file = asked->file;
    record->path = asked->file ? 0 : asked->tree.path;
    record->tree = asked->tree.tree;
    record->branches = asked->tree.branches;
    record->entries = asked->tree.entries;
    record->compressed_bytes = asked->tree.compressed_bytes;
    record->uncompressed_bytes = asked->tree.uncompressed_bytes;
    record->auto_flush = asked->tree.auto_flush;
    cup_log_commit(record, CUP_R_TREE);
}

/* ---- all --------------------------------------------------------------------------------- */

static struct room *have_room(void)
{
    if (!state.room) {
        void *at = cup_raw_mmap(NULL, sizeof *state.room, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        state.room = at == MAP_FAILED ? NULL : at;
    }
    return state.room;
}

static void write_all(struct room *room, struct cup_basket_table *tally, bool last)
{
    for (uint32_t i = 0; i < tally->place_count; i++)
        if (tally->places[i].asked_for)
            join(tally, &tally->places[i]);
    for (uint32_t i = 0; i < tally->place_count; i++) {
        struct cup_basket_table_place *place = &tally->places[i];
        if (!place->asked_for)
            write_seen(room, tally, place, last);
        else
            write_asked(room, tally, place, CUP_BASKETS_EMBEDDED);
        if (place->asked_for && last)
            write_asked(room, tally, place, CUP_BASKETS_UNSEEN);
        if (place->tells && (place->file || last))
            write_tree(place);
    }
}

static void write_all_passed(struct room *room, struct cup_basket_table *tally)
{
    for (uint32_t i = 0; i < tally->place_count; i++)
        if (!tally->places[i].asked_for)
            write_passed(room, tally, &tally->places[i]);
}

void cup_basket_table_rows(struct cup_basket_table *tally, enum cup_basket_table_rows_when when)
{
    bool last = when == CUP_BASKET_TABLE_LAST;
    if (!tally->place_count)
        return;
    cup_spin_lock(&state.lock);
    struct room *room = have_room();
    if (room)
        write_all(room, tally, last);
    if (room && when == CUP_BASKET_TABLE_FULL)
        write_all_passed(room, tally);
    if (!room)
        cup_log_health(CUP_H_BASKETS_DROPPED, tally->count);
    cup_spin_unlock(&state.lock);
}
