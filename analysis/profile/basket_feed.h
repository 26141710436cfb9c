/* What tasks read of one file after the other, a row for each task and branch:
 *
 *     struct cup_basket_feed feed;
 *     cup_basket_feed_open(&feed, profile);
 *     cup_basket_feed_file(&feed, root_file);
 *     while (cup_basket_feed_next(&feed))
 *         use(feed.branch, feed.task, feed.rows.row.values);
 *     if (cup_basket_feed_close(&feed) != 0)
 *         no memory
 *
 * They are read from the logs again, at the places that the profile holds (see
 * CUP_BASKET_ROWS_MOST), in the order of those. */
#ifndef CUPPING_ANALYSIS_PROFILE_BASKET_FEED_H
#define CUPPING_ANALYSIS_PROFILE_BASKET_FEED_H

#include "analysis/log/log_baskets.h"
#include "analysis/profile/profile.h"

enum { CUP_FEED_LOGS = 64 }; /* that are open at a time */

struct cup_basket_feed {
    uint32_t branch;               /* index + 1 in profile->branches; 0: not introduced */
    uint32_t task;                 /* index + 1; 0: none is known */
    struct cup_basket_reader rows; /* told, and the row */
    uint64_t lost;                 /* records that could not be read again */
    uint64_t records;              /* that were */

    /* What follows is the iterator's own. */
    const struct cup_profile *profile;
    uint32_t next;    /* place: index + 1 */
    uint32_t process; /* whose record it is */
    struct {
        int fd;           /* -1: none */
        uint32_t process; /* whose log is open */
    } logs[CUP_FEED_LOGS];
    unsigned char *buffer; /* owned; holds the record */
    size_t room;
    bool out_of_memory;
};

void cup_basket_feed_open(struct cup_basket_feed *feed, const struct cup_profile *profile);

/* Goes on with the rows of that file. */
void cup_basket_feed_file(struct cup_basket_feed *feed, uint32_t root_file);

/* False after the last one. */
bool cup_basket_feed_next(struct cup_basket_feed *feed);

/* Frees everything. Returns 0, or -1 if it ended early for want of memory. */
int cup_basket_feed_close(struct cup_basket_feed *feed);

#endif
