#include "analysis/profile/basket_feed.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"

/* The numbers of a process ascend: 1, 2, 3, ... unless records are missing. So the first guess is
 * that NUMBER is at index NUMBER - 1; if not, this searches for it. */
uint32_t cup_branch_of(const struct cup_profile *profile, uint32_t process, uint32_t number)
{
    const struct cup_process *of = &profile->processes[process];
    if (number == 0 || of->branches == 0)
        return 0;
    const struct cup_branch_number *numbers = &profile->branch_numbers[of->first_branch];
    if (number <= of->branches && numbers[number - 1].number == number)
        return numbers[number - 1].branch;
    uint32_t from = 0, to = of->branches;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (numbers[middle].number < number)
            from = middle + 1;
        else
            to = middle;
    }
    return from < of->branches && numbers[from].number == number ? numbers[from].branch : 0;
}

/* ---- copies of records -------------------------------------------------------------------- */

/* A batch is as many files as have about BATCH_BYTES of records. A larger file is read alone, and
 * not copied: its places are in the order of the logs. */
enum { BATCH_BYTES = 64 << 20, RECORD_BYTES = 64, ROW_BYTES = 16 };

struct cup_basket_copy {
    uint32_t process, at; /* of the place */
    size_t begin, bytes;  /* in the batch; 0 bytes: the record cannot be read */
};

static uint64_t expected_bytes(const struct cup_root_file *file)
{
    return file->records * RECORD_BYTES + file->rows * ROW_BYTES;
}

static void choose_files(struct cup_basket_batch *batch, const struct cup_profile *profile,
                         uint32_t first)
{
    uint64_t bytes = 0;
    batch->first = batch->end = first;
    while (batch->end < profile->root_file_count &&
           (bytes += expected_bytes(&profile->root_files[batch->end])) <= BATCH_BYTES)
        batch->end++;
}

/* Returns 0, or -1 without memory. */
static int add_place(struct cup_basket_batch *batch, const struct cup_basket_place *place)
{
    if (cup_array_grow(&batch->copies, &batch->room, batch->count, sizeof *batch->copies) != 0 ||
        cup_array_grow(&batch->order, &batch->order_room, batch->count, sizeof *batch->order) != 0)
        return -1;
    batch->order[batch->count] = (uint32_t)batch->count;
    batch->copies[batch->count++] =
        (struct cup_basket_copy){.process = place->process, .at = place->at};
    return 0;
}

/* Returns 0, or -1 without memory. */
static int list_places(struct cup_basket_batch *batch, const struct cup_profile *profile)
{
    batch->count = 0;
    for (uint32_t i = batch->first; i < batch->end; i++) {
        if (cup_array_grow(&batch->starts, &batch->start_room, i - batch->first,
                           sizeof *batch->starts) != 0)
            return -1;
        batch->starts[i - batch->first] = batch->count;
        for (uint32_t at = profile->root_files[i].first_place; at;
             at = profile->basket_places[at - 1].next)
            if (add_place(batch, &profile->basket_places[at - 1]) != 0)
                return -1;
    }
    return 0;
}

static int by_place(const void *left, const void *right, void *context)
{
    const struct cup_basket_copy *copies = context;
    const struct cup_basket_copy *a = &copies[*(const uint32_t *)left];
    const struct cup_basket_copy *b = &copies[*(const uint32_t *)right];
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

/* Returns 0, or -1 without memory. */
static int copy_record(struct cup_basket_batch *batch, struct cup_basket_copy *copy,
                       const struct cup_record *record)
{
    size_t room = batch->byte_room ? batch->byte_room : 1 << 20;
    while (room - batch->used < record->length)
        room *= 2;
    if (room > batch->byte_room) {
        unsigned char *bytes = realloc(batch->bytes, room);
        if (!bytes)
            return -1;
        batch->bytes = bytes;
        batch->byte_room = room;
    }
    copy->begin = batch->used;
    copy->bytes = record->length;
    memcpy(batch->bytes + batch->used, record, record->length);
    batch->used += record->length;
    return 0;
}

/* Copies the records of the files from FIRST on. Returns 0, or -1 without memory. */
static int fill_batch(struct cup_basket_feed *feed, uint32_t first)
{
    struct cup_basket_batch *batch = &feed->batch;
    choose_files(batch, feed->profile, first);
    if (list_places(batch, feed->profile) != 0)
        return -1;
    batch->used = 0;
    if (batch->count)
        qsort_r(batch->order, batch->count, sizeof *batch->order, by_place, batch->copies);
    for (size_t i = 0; i < batch->count && !feed->reader.out_of_memory; i++) {
        struct cup_basket_copy *copy = &batch->copies[batch->order[i]];
        const struct cup_record *record =
            cup_record_at(&feed->reader, copy->process, copy->at, CUP_R_BASKETS);
        if (record && copy_record(batch, copy, record) != 0)
            return -1;
    }
    return 0;
}

/* Finds the copies of a file. */
static void find_copies(struct cup_basket_feed *feed, uint32_t root_file)
{
    struct cup_basket_batch *batch = &feed->batch;
    if ((root_file < batch->first || root_file >= batch->end) && fill_batch(feed, root_file) != 0) {
        feed->reader.out_of_memory = true;
        batch->end = 0;
    }
    feed->copied = root_file >= batch->first && root_file < batch->end;
    feed->copy = feed->copied ? batch->starts[root_file - batch->first] : 0;
}

/* ---- the iterator ------------------------------------------------------------------------- */

void cup_basket_feed_open(struct cup_basket_feed *feed, const struct cup_profile *profile)
{
    *feed = (struct cup_basket_feed){.profile = profile};
    cup_record_reader_open(&feed->reader, profile);
}

void cup_basket_feed_file(struct cup_basket_feed *feed, uint32_t root_file)
{
    bool kept = !feed->profile->basket_places_dropped;
    feed->next = kept ? feed->profile->root_files[root_file].first_place : 0;
    if (kept)
        find_copies(feed, root_file);
    feed->rows = (struct cup_basket_reader){0};
}

/* NULL if it cannot be read. */
static const struct cup_record *record_of(struct cup_basket_feed *feed,
                                          const struct cup_basket_place *place)
{
    if (!feed->copied)
        return cup_record_at(&feed->reader, place->process, place->at, CUP_R_BASKETS);
    const struct cup_basket_copy *copy = &feed->batch.copies[feed->copy++];
    return copy->bytes ? (const struct cup_record *)(feed->batch.bytes + copy->begin) : NULL;
}

/* Reads the record of the next place; false if there is none. */
static bool next_record(struct cup_basket_feed *feed)
{
    while (feed->next && !feed->reader.out_of_memory) {
        const struct cup_basket_place *place = &feed->profile->basket_places[feed->next - 1];
        const struct cup_record *record = record_of(feed, place);
        feed->next = place->next;
        feed->task = place->task;
        feed->process = place->process;
        if (record) {
            cup_basket_reader_start(&feed->rows, record);
            feed->records++;
            return true;
        }
        feed->lost++;
    }
    return false;
}

bool cup_basket_feed_next(struct cup_basket_feed *feed)
{
    while (!cup_basket_reader_next(&feed->rows))
        if (!next_record(feed))
            return false;
    feed->branch = cup_branch_of(feed->profile, feed->process, feed->rows.row.branch);
    return true;
}

int cup_basket_feed_close(struct cup_basket_feed *feed)
{
    free(feed->batch.copies);
    free(feed->batch.order);
    free(feed->batch.starts);
    free(feed->batch.bytes);
    feed->batch = (struct cup_basket_batch){0};
    return cup_record_reader_close(&feed->reader);
}
