#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "analysis/profile/access_feed.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    STEP = 1 << 17,
    LONGEST = 1 << 16 /* a record has at most 255 extents, about a third of this */
};

void cup_access_feed_open(struct cup_access_feed *feed, const struct cup_profile *profile,
                          const uint8_t *wanted)
{
    *feed = (struct cup_access_feed){.profile = profile, .wanted = wanted, .fd = -1};
    feed->bytes = malloc(STEP);
}

int cup_access_feed_close(struct cup_access_feed *feed)
{
    int result = feed->bytes ? 0 : -1;
    if (feed->fd >= 0)
        close(feed->fd);
    free(feed->bytes);
    feed->bytes = NULL;
    feed->fd = -1;
    return result;
}

static void open_log(struct cup_access_feed *feed, uint32_t process)
{
    if (feed->fd >= 0 && feed->process == process)
        return;
    if (feed->fd >= 0)
        close(feed->fd);
    feed->process = process;
    feed->fd = open(feed->profile->processes[process].log_path, O_RDONLY | O_CLOEXEC);
    feed->count = 0;
}

/* Returns BYTES bytes of the log at OFFSET; NULL if the log ends before. */
static const void *bytes_at(struct cup_access_feed *feed, uint64_t offset, size_t bytes)
{
    if (offset < feed->offset || offset + bytes > feed->offset + feed->count) {
        ssize_t got = pread(feed->fd, feed->bytes, STEP, (off_t)offset);
        feed->offset = offset;
        feed->count = got > 0 ? (size_t)got : 0;
    }
    return bytes <= feed->count ? feed->bytes + (offset - feed->offset) : NULL;
}

/* Reads the record at a place; false if there is no such record there any more, because the log
 * was replaced. */
static bool read_place(struct cup_access_feed *feed, const struct cup_access_place *place)
{
    uint64_t offset = (uint64_t)place->at * 8;
    open_log(feed, place->process);
    const struct cup_record *record =
        feed->fd >= 0 && offset ? bytes_at(feed, offset, sizeof *record) : NULL;
    if (!record || record->type != (place->sequence ? CUP_R_EXTENTS : CUP_R_ACCESS) ||
        record->length > LONGEST || record->fixed < sizeof *record ||
        record->fixed > record->length || record->length % 8)
        return false;
    record = bytes_at(feed, offset, record->length);
    if (record)
        cup_access_decode(&feed->access, record);
    return record && (!place->sequence || feed->access.sequence == place->sequence);
}

static void shift_times(struct cup_access *access, const struct cup_clock *clock)
{
    for (uint32_t i = 0; i < access->count; i++) {
        access->extents[i].start_ns = cup_clock_time(clock, access->extents[i].start_ns);
        access->extents[i].stop_ns = cup_clock_time(clock, access->extents[i].stop_ns);
    }
}

bool cup_access_feed_next(struct cup_access_feed *feed)
{
    while (feed->bytes && feed->next < feed->profile->access_place_count) {
        const struct cup_access_place *place = &feed->profile->access_places[feed->next++];
        if (feed->wanted && !feed->wanted[place->file])
            continue;
        if (!read_place(feed, place)) {
            feed->lost++;
            continue;
        }
        feed->place = place;
        feed->damaged += feed->access.damaged;
        shift_times(&feed->access, &feed->profile->processes[place->process].clock);
        return true;
    }
    return false;
}
