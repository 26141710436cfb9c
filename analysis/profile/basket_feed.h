/* Iterates over what tasks read of ROOT files, a row for each task and branch:
 *
 *     struct cup_basket_feed feed;
 *     cup_basket_feed_open(&feed, profile);
 *     cup_basket_feed_file(&feed, root_file);
 *     while (cup_basket_feed_next(&feed))
 *         use(feed.branch, feed.task, feed.rows.row.values);
 *     if (cup_basket_feed_close(&feed) != 0)
 *         no memory
 *
 * The rows are read from the logs, at the profile's basket_places and in their order. */
#pragma once

#include "analysis/log/log_baskets.h"
#include "analysis/profile/profile.h"

struct cup_basket_feed {
    uint32_t branch;               /* index + 1 in profile->branches; 0: not known */
    uint32_t task;                 /* index + 1; 0: no task is known */
    struct cup_basket_reader rows; /* the current record, and its current row */
    uint64_t lost;                 /* records that could not be read */
    uint64_t records;              /* records that were read */

    /* The rest is private. */
    const struct cup_profile *profile;
    uint32_t next;    /* index + 1 of the next place */
    uint32_t process; /* process that wrote the record */
    struct cup_record_reader reader;
};

void cup_basket_feed_open(struct cup_basket_feed *feed, const struct cup_profile *profile);

/* Starts with the rows of a file. */
void cup_basket_feed_file(struct cup_basket_feed *feed, uint32_t root_file);

/* False after the last one. */
bool cup_basket_feed_next(struct cup_basket_feed *feed);

/* Frees everything. Returns 0, or -1 if memory ran out and rows are missing. */
int cup_basket_feed_close(struct cup_basket_feed *feed);
