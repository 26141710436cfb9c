/* Iterates over the records that say where tasks read their files:
 *
 *     struct cup_access_feed feed;
 *     cup_access_feed_open(&feed, profile, NULL);
 *     while (cup_access_feed_next(&feed))
 *         use(feed.place->file, feed.place->task, feed.access.extents, feed.access.count);
 *     if (cup_access_feed_close(&feed) != 0)
 *         no memory
 *
 * The feed reads the logs one after the other, each from its begin to its end, a few pages at a
 * time. Times are shifted to the clock of the profile. */
#pragma once

#include "analysis/log/log_access.h"
#include "analysis/profile/profile.h"

struct cup_access_feed {
    const struct cup_access_place *place;
    struct cup_access access;
    uint64_t lost;    /* records that are not in the log any more */
    uint64_t damaged; /* records that could be read in part only */

    /* The rest is private. */
    const struct cup_profile *profile;
    const uint8_t *wanted;
    size_t next;
    struct cup_record_reader reader;
};

/* WANTED limits the iteration to some files: wanted[file] is 1 for each file (by index) to
 * include. NULL: all files. It must outlive the feed. */
void cup_access_feed_open(struct cup_access_feed *feed, const struct cup_profile *profile,
                          const uint8_t *wanted);

/* False after the last one. */
bool cup_access_feed_next(struct cup_access_feed *feed);

/* Frees everything. Returns 0, or -1 if memory ran out and records are missing. */
int cup_access_feed_close(struct cup_access_feed *feed);
