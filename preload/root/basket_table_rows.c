#include "preload/root/basket_table.h"

#include "preload/log/log.h"
#include "preload/root/basket_rows.h"
#include "preload/root/branches.h"
#include "preload/root/root_records.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <string.h>

/* Sums by branch, so that rows are written in the order of branches. */
struct room {
    uint64_t sums[CUP_BRANCHES + 1][CUP_BV_COUNT];
    uint64_t used[CUP_BRANCHES / 64 + 1]; /* bits: branches that have sums */
    bool by_number; /* FIRST and LAST are the numbers of baskets, not their offsets */
    struct cup_basket_rows rows;
};

static struct {
    uint32_t lock;
    struct room *room;              /* NULL: not mapped yet */
    bool named;                     /* a path is known */
    uint32_t paths[CUP_ROOT_FILES]; /* string ids, by number of the FILE record */
} state;

void cup_basket_table_rows_reset(void)
{
    if (state.room)
        cup_raw_munmap(state.room, sizeof *state.room);
    if (state.named) /* else no page of it has been touched, nor needs to be */
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

static uint64_t *use_sums(struct room *room, uint32_t branch)
{
    room->used[branch / 64] |= UINT64_C(1) << branch % 64;
    return room->sums[branch];
}

/* FIRST and LAST are positions here: numbers of baskets, or offsets. finish_row() makes of LAST the
 * distance that a row has. */
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

/* Adds TIMES reads of a basket; AGAIN of them were not its first. */
static void add_reads(struct room *room, const struct cup_basket_table_basket *basket,
                      uint64_t times, uint64_t again)
{
    uint64_t *sums = use_sums(room, basket->branch);
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

static void finish_row(uint64_t *sums)
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
            finish_row(room->sums[branch]);
            cup_basket_rows_add(&room->rows, branch, room->sums[branch]);
            memset(room->sums[branch], 0, sizeof room->sums[branch]);
        }
    cup_basket_rows_end(&room->rows);
}

/* ---- how often a basket was read --------------------------------------------------------- */

static unsigned smaller_of(unsigned one, unsigned other)
{
    return one < other ? one : other;
}

/* Reads of a basket that count because of their place in a read. In a file of which uproot
 * requested baskets, deliveries that answer a request count as requested instead; but the task's
 * own thread may have read more than that (TBranch.basket). */
static unsigned count_by_place(const struct cup_basket_table_basket *basket, bool is_requested)
{
    if (!is_requested || basket->is_block)
        return basket->counted;
    return basket->seen > basket->requested
               ? smaller_of(basket->own, basket->seen - basket->requested)
               : 0;
}

static bool was_written(const struct cup_basket_table_basket *basket)
{
    return basket->requested_written || basket->counted_written;
}

static void add_new(struct room *room, const struct cup_basket_table_basket *basket, unsigned now,
                    uint16_t *written)
{
    if (now <= *written)
        return;
    unsigned times = now - *written;
    add_reads(room, basket, times, times - !was_written(basket));
    *written = (uint16_t)now;
}

static void add_read_ahead(struct room *room, struct cup_basket_table_basket *basket)
{
    uint64_t *sums = use_sums(room, basket->branch);
    sums[CUP_BV_INCIDENTAL]++;
    sums[CUP_BV_INCIDENTAL_BYTES] += basket->bytes;
    basket->passed_written = true;
}

/* ---- files that were seen ---------------------------------------------------------------- */

/* NULL: INDEX is CUP_BASKET_TABLE_NONE. */
static struct cup_basket_table_basket *basket_at(const struct cup_basket_table *table,
                                                 uint32_t index)
{
    return index == CUP_BASKET_TABLE_NONE ? NULL : &table->baskets[index];
}

static bool was_read_ahead(const struct cup_basket_table_basket *basket)
{
    return basket->seen && !was_written(basket) && !basket->passed_written && !basket->is_block;
}

/* Adds the baskets that were only read ahead, of branches that have a row anyway. */
static void add_incidental(struct room *room, struct cup_basket_table *table,
                           const struct cup_basket_table_place *place)
{
    for (struct cup_basket_table_basket *basket = basket_at(table, place->first); basket;
         basket = basket_at(table, basket->next))
        if (was_read_ahead(basket) && is_used(room, basket->branch))
            add_read_ahead(room, basket);
}

static void add_kind(struct room *room, struct cup_basket_table *table,
                     const struct cup_basket_table_place *place, enum cup_baskets_source source)
{
    for (struct cup_basket_table_basket *basket = basket_at(table, place->first); basket;
         basket = basket_at(table, basket->next)) {
        if (source == CUP_BASKETS_REQUESTED)
            add_new(room, basket, basket->requested, &basket->requested_written);
        else if (basket->is_block == (source == CUP_BASKETS_PAGES))
            add_new(room, basket, count_by_place(basket, place->is_requested),
                    &basket->counted_written);
    }
}

/* Adds how many baskets of branches without a row were read ahead, and their bytes. */
static void add_read_ahead_only(struct room *room, struct cup_basket_table *table,
                                const struct cup_basket_table_place *place)
{
    uint32_t baskets = 0;
    uint64_t bytes = 0;
    for (struct cup_basket_table_basket *basket = basket_at(table, place->first); basket;
         basket = basket_at(table, basket->next))
        if (was_read_ahead(basket)) {
            baskets++;
            bytes += basket->bytes;
        }
    cup_basket_rows_passed(&room->rows, baskets, bytes);
}

static enum cup_baskets_source main_source(const struct cup_basket_table_place *place)
{
    return place->is_requested ? CUP_BASKETS_REQUESTED : CUP_BASKETS_BY_PLACE;
}

/* INCIDENTAL: with the baskets that were only read ahead, of branches that have a row; REST: and of
 * the other branches. */
static void write_kind(struct room *room, struct cup_basket_table *table,
                       const struct cup_basket_table_place *place, enum cup_baskets_source source,
                       bool incidental, bool rest)
{
    cup_basket_rows_begin(&room->rows, table->task, place->file, 0, source);
    room->by_number = source == CUP_BASKETS_REQUESTED;
    add_kind(room, table, place, source);
    if (incidental)
        add_incidental(room, table, place);
    if (rest)
        add_read_ahead_only(room, table, place);
    write_sums(room);
}

/* A file of which uproot requested baskets has others, too, that count by their place. */
static bool counts_by_place(const struct cup_basket_table *table,
                            const struct cup_basket_table_place *place)
{
    for (const struct cup_basket_table_basket *basket = basket_at(table, place->first); basket;
         basket = basket_at(table, basket->next))
        if (!basket->is_block &&
            count_by_place(basket, place->is_requested) > basket->counted_written)
            return true;
    return false;
}

/* The same in a record of its own. */
static void write_read_ahead(struct room *room, struct cup_basket_table *table,
                             const struct cup_basket_table_place *place)
{
    cup_basket_rows_begin(&room->rows, table->task, place->file, 0, main_source(place));
    add_read_ahead_only(room, table, place);
    cup_basket_rows_end(&room->rows);
}

static void write_seen(struct room *room, struct cup_basket_table *table,
                       const struct cup_basket_table_place *place, bool last)
{
    bool is_apart = last && place->is_requested && counts_by_place(table, place);
    if (place->is_requested)
        write_kind(room, table, place, CUP_BASKETS_REQUESTED, last, last && !is_apart);
    write_kind(room, table, place, CUP_BASKETS_BY_PLACE, last, last && !place->is_requested);
    write_kind(room, table, place, CUP_BASKETS_PAGES, false, false);
    if (is_apart)
        write_read_ahead(room, table, place);
}

/* ---- trees that were requested ----------------------------------------------------------- */

static struct cup_basket_table_basket *find_seen(const struct cup_basket_table *table,
                                                 uint32_t seen,
                                                 const struct cup_basket_table_basket *wanted)
{
    struct cup_basket_table_basket *basket = cup_basket_table_find(table, seen, wanted->offset);
    return basket && basket->bytes == wanted->bytes && basket->seen ? basket : NULL;
}

/* How many of a tree's baskets were seen in a file. The count stops at ENOUGH, which makes it
 * certain. */
static unsigned count_matches(struct cup_basket_table *table,
                              const struct cup_basket_table_place *tree, uint32_t seen)
{
    enum { ENOUGH = 16 };
    unsigned found = 0;
    for (struct cup_basket_table_basket *basket = basket_at(table, tree->first); basket;
         basket = basket_at(table, basket->next))
        if (basket->requested && find_seen(table, seen, basket) && ++found == ENOUGH)
            break;
    return found;
}

/* The file that a tree is in: the one of that name, else the one in which most of its baskets were
 * seen, because uproot may know the file by another name than the kernel (links, copies in a
 * cache). */
static uint32_t find_file(struct cup_basket_table *table, const struct cup_basket_table_place *tree)
{
    uint32_t best = CUP_BASKET_TABLE_NONE;
    unsigned most = 0;
    for (uint32_t i = 0; i < table->place_count; i++) {
        const struct cup_basket_table_place *seen = &table->places[i];
        if (seen->is_tree || (tree->file && tree->file != seen->file))
            continue;
        bool named = seen->file < CUP_ROOT_FILES && tree->tree.path &&
                     state.paths[seen->file] == tree->tree.path;
        unsigned found = count_matches(table, tree, i);
        if (found && named)
            return i;
        if (found > most) {
            most = found;
            best = i;
        }
    }
    return best;
}

/* Finds the file of a tree. If a requested basket was seen in that file, the file's entry takes
 * over its requests. */
static void join_tree(struct cup_basket_table *table, struct cup_basket_table_place *tree)
{
    uint32_t seen = find_file(table, tree);
    if (seen == CUP_BASKET_TABLE_NONE)
        return;
    tree->file = table->places[seen].file;
    table->places[seen].is_requested = true;
    for (struct cup_basket_table_basket *basket = basket_at(table, tree->first); basket;
         basket = basket_at(table, basket->next)) {
        struct cup_basket_table_basket *same =
            basket->requested ? find_seen(table, seen, basket) : NULL;
        if (same) {
            same->requested =
                (uint16_t)smaller_of(same->requested + (unsigned)basket->requested, UINT16_MAX);
            same->number = basket->number;
            if (basket->branch)
                same->branch = basket->branch;
            basket->requested = 0;
        }
    }
}

/* Writes the requested baskets of a tree that were not seen: because they are in the tree's own
 * record (SOURCE EMBEDDED), or for an unknown reason. */
static void write_requested(struct room *room, struct cup_basket_table *table,
                            const struct cup_basket_table_place *tree,
                            enum cup_baskets_source source)
{
    cup_basket_rows_begin(&room->rows, table->task, tree->file, tree->tree.path, source);
    room->by_number = true;
    for (struct cup_basket_table_basket *basket = basket_at(table, tree->first); basket;
         basket = basket_at(table, basket->next))
        if (basket->is_embedded == (source == CUP_BASKETS_EMBEDDED))
            add_new(room, basket, basket->requested, &basket->requested_written);
    write_sums(room);
}

static void write_tree(struct cup_basket_table_place *tree)
{
    const struct cup_r_tree record = {.file = tree->file,
                                      .path = tree->file ? 0 : tree->tree.path,
                                      .tree = tree->tree.tree,
                                      .branches = tree->tree.branches,
                                      .entries = tree->tree.entries,
                                      .compressed_bytes = tree->tree.compressed_bytes,
                                      .uncompressed_bytes = tree->tree.uncompressed_bytes,
                                      .auto_flush = tree->tree.auto_flush};
    tree->writes_tree = false;
    cup_log_write(CUP_R_TREE, &record, NULL, 0);
}

/* ---- all --------------------------------------------------------------------------------- */

static struct room *map_room(void)
{
    if (!state.room) {
        void *at = cup_raw_mmap(NULL, sizeof *state.room, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        state.room = at == MAP_FAILED ? NULL : at;
    }
    return state.room;
}

/* Where a task failed, and some baskets of a tree were seen, the others were never read. (Where
 * none was seen, hooks may not see this file at all.) */
static bool may_be_unseen(const struct cup_basket_table *table,
                          const struct cup_basket_table_place *tree)
{
    return !table->fails || !tree->file;
}

static void write_all(struct room *room, struct cup_basket_table *table, bool last)
{
    for (uint32_t i = 0; i < table->place_count; i++)
        if (table->places[i].is_tree)
            join_tree(table, &table->places[i]);
    for (uint32_t i = 0; i < table->place_count; i++) {
        struct cup_basket_table_place *place = &table->places[i];
        if (!place->is_tree)
            write_seen(room, table, place, last);
        else
            write_requested(room, table, place, CUP_BASKETS_EMBEDDED);
        if (place->is_tree && last && may_be_unseen(table, place))
            write_requested(room, table, place, CUP_BASKETS_UNSEEN);
        if (place->writes_tree && (place->file || last))
            write_tree(place);
    }
}

static void write_all_read_ahead(struct room *room, struct cup_basket_table *table)
{
    for (uint32_t i = 0; i < table->place_count; i++)
        if (!table->places[i].is_tree)
            write_read_ahead(room, table, &table->places[i]);
}

void cup_basket_table_rows(struct cup_basket_table *table, enum cup_basket_table_rows_when when)
{
    bool last = when == CUP_BASKET_TABLE_LAST;
    if (!table->place_count)
        return;
    cup_spin_lock(&state.lock);
    struct room *room = map_room();
    if (room)
        write_all(room, table, last);
    if (room && when == CUP_BASKET_TABLE_FULL)
        write_all_read_ahead(room, table);
    if (!room)
        cup_log_health(CUP_H_BASKETS_DROPPED, table->count);
    cup_spin_unlock(&state.lock);
}
