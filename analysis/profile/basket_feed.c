#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "analysis/profile/basket_feed.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { USUAL_RECORD = 4096 }; /* bytes read at once; most records are shorter */

/* ---- records ------------------------------------------------------------------------------ */

/* Descriptor of a process's log; -1 if it cannot be opened. */
static int log_of(struct cup_basket_feed *feed, uint32_t process)
{
    unsigned slot = process % CUP_FEED_LOGS;
    if (feed->logs[slot].fd >= 0 && feed->logs[slot].process == process)
        return feed->logs[slot].fd;
    if (feed->logs[slot].fd >= 0)
        close(feed->logs[slot].fd);
    feed->logs[slot].process = process;
    feed->logs[slot].fd = open(feed->profile->processes[process].log_path, O_RDONLY | O_CLOEXEC);
    return feed->logs[slot].fd;
}

static bool make_room(struct cup_basket_feed *feed, size_t bytes)
{
    if (bytes <= feed->room)
        return true;
    unsigned char *buffer = realloc(feed->buffer, bytes);
    if (!buffer) {
        feed->out_of_memory = true;
        return false;
    }
    feed->buffer = buffer;
    feed->room = bytes;
    return true;
}

static bool is_sound(const struct cup_record *record)
{
    return record->type == CUP_R_BASKETS && record->length <= CUP_RECORD_MAX &&
           record->fixed >= sizeof *record && record->fixed <= record->length;
}

/* Reads the record at OFFSET into the buffer; NULL if there is no such record there any more,
 * because the log was replaced. */
static const struct cup_record *read_record(struct cup_basket_feed *feed, int fd, off_t offset)
{
    if (!make_room(feed, USUAL_RECORD))
        return NULL;
    ssize_t got = pread(fd, feed->buffer, USUAL_RECORD, offset);
    const struct cup_record *record = (const struct cup_record *)feed->buffer;
    if (got < (ssize_t)sizeof *record || !is_sound(record))
        return NULL;
    size_t length = record->length;
    if ((size_t)got >= length)
        return record;
    if (!make_room(feed, length) || pread(fd, feed->buffer, length, offset) != (ssize_t)length)
        return NULL;
    record = (const struct cup_record *)feed->buffer;
    return record->length == length && is_sound(record) ? record : NULL;
}

/* ---- branches ----------------------------------------------------------------------------- */

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

/* ---- the iterator ------------------------------------------------------------------------- */

void cup_basket_feed_open(struct cup_basket_feed *feed, const struct cup_profile *profile)
{
    *feed = (struct cup_basket_feed){.profile = profile};
    for (int i = 0; i < CUP_FEED_LOGS; i++)
        feed->logs[i].fd = -1;
}

void cup_basket_feed_file(struct cup_basket_feed *feed, uint32_t root_file)
{
    bool kept = !feed->profile->basket_places_dropped;
    feed->next = kept ? feed->profile->root_files[root_file].first_place : 0;
    feed->rows = (struct cup_basket_reader){0};
}

/* Reads the record of the next place; false if there is none. */
static bool next_record(struct cup_basket_feed *feed)
{
    while (feed->next && !feed->out_of_memory) {
        const struct cup_basket_place *place = &feed->profile->basket_places[feed->next - 1];
        int fd = log_of(feed, place->process);
        const struct cup_record *record =
            fd >= 0 && place->at ? read_record(feed, fd, (off_t)place->at * 8) : NULL;
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
    int result = feed->out_of_memory ? -1 : 0;
    for (int i = 0; i < CUP_FEED_LOGS; i++)
        if (feed->logs[i].fd >= 0)
            close(feed->logs[i].fd);
    free(feed->buffer);
    *feed = (struct cup_basket_feed){0};
    return result;
}
