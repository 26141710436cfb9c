#include "analysis/profile/access_feed.h"

void cup_access_feed_open(struct cup_access_feed *feed, const struct cup_profile *profile,
                          const uint8_t *wanted)
{
    *feed = (struct cup_access_feed){.profile = profile, .wanted = wanted};
    cup_record_reader_open(&feed->reader, profile);
}

int cup_access_feed_close(struct cup_access_feed *feed)
{
    return cup_record_reader_close(&feed->reader);
}

/* Reads the record at a place; false if there is no such record there any more, because the log
 * was replaced. */
static bool read_place(struct cup_access_feed *feed, const struct cup_access_place *place)
{
    uint16_t type = place->sequence ? CUP_R_EXTENTS : CUP_R_ACCESS;
    const struct cup_record *record = cup_record_at(&feed->reader, place->process, place->at, type);
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
    while (!feed->reader.out_of_memory && feed->next < feed->profile->access_place_count) {
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
