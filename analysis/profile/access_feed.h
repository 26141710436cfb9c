/* Where tasks read their files, one record after the other:
 *
 *     struct cup_access_feed feed;
 *     cup_access_feed_open(&feed, profile, NULL);
 *     while (cup_access_feed_next(&feed))
 *         use(feed.place->file, feed.place->task, feed.access.strokes, feed.access.count);
 *     if (cup_access_feed_close(&feed) != 0)
 *         no memory
 *
 * They are read from the logs again, log by log, each in its own order: a log goes by once, in
 * steps of a few pages. Times are by the clock of the profile. */
#ifndef CUPPING_ANALYSIS_PROFILE_ACCESS_FEED_H
#define CUPPING_ANALYSIS_PROFILE_ACCESS_FEED_H

#include "analysis/log/log_access.h"
#include "analysis/profile/profile.h"

struct cup_access_feed {
    const struct cup_access_place *place;
    struct cup_access access;
    uint64_t lost;    /* records that are not there any more */
    uint64_t damaged; /* of which not all strokes could be read */

    /* What follows is the iterator's own. */
    const struct cup_profile *profile;
    const uint8_t *wanted;
    size_t next;
    int fd;               /* -1: none */
    uint32_t process;     /* whose log that is */
    unsigned char *bytes; /* owned; a part of the log */
    size_t count;
    uint64_t offset; /* of that part */
};

/* Only of files that are WANTED (by index, 1: is); NULL: of all. It must outlive the feed. */
void cup_access_feed_open(struct cup_access_feed *feed, const struct cup_profile *profile,
                          const uint8_t *wanted);

/* False after the last one. */
bool cup_access_feed_next(struct cup_access_feed *feed);

/* Frees everything. Returns 0, or -1 if it ended early for want of memory. */
int cup_access_feed_close(struct cup_access_feed *feed);

#endif
