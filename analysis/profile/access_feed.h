/* Iterates over the records that say where tasks read their files:
 *
 *     struct cup_access_feed feed;
 *     cup_access_feed_open(&feed, profile, NULL);
 *     while (cup_access_feed_next(&feed))
 *         use(feed.place->file, feed.place->task, feed.access.extents, feed.access.count);
 *     if (cup_access_feed_close(&feed) != 0)
 *         no memory
 *
 * The records are read from the logs, log by log, each in its own order: every log is read once, a
 * few pages at a time. Times are shifted to the profile's clock. */
#ifndef CUPPING_ANALYSIS_PROFILE_ACCESS_FEED_H
#define CUPPING_ANALYSIS_PROFILE_ACCESS_FEED_H

#include "analysis/log/log_access.h"
#include "analysis/profile/profile.h"

struct cup_access_feed {
    const struct cup_access_place *place;
    struct cup_access access;
    uint64_t lost;    /* records that are gone */
    uint64_t damaged; /* records that could be read in part only */

    /* The rest is private. */
    const struct cup_profile *profile;
    const uint8_t *wanted;
    size_t next;
    int fd;               /* -1: none */
    uint32_t process;     /* process whose log is open */
    unsigned char *bytes; /* owned; part of the log */
    size_t count;
    uint64_t offset; /* of that part in the log */
};

/* WANTED limits the records to some files (by index, 1: wanted); NULL: all. It must outlive the
 * feed. */
void cup_access_feed_open(struct cup_access_feed *feed, const struct cup_profile *profile,
                          const uint8_t *wanted);

/* False after the last one. */
bool cup_access_feed_next(struct cup_access_feed *feed);

/* Frees everything. Returns 0, or -1 if memory ran out and records are missing. */
int cup_access_feed_close(struct cup_access_feed *feed);

#endif
