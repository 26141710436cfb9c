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
 * The rows come in the order of the profile's basket_places. Their records are read from the logs
 * for several files at once, in the order of the logs: a file's records are scattered over all
 * logs, and to go back to a log for each file would be slow, above all in a merged log. */
#pragma once

#include "analysis/log/log_baskets.h"
#include "analysis/profile/profile.h"

/* The records of the files [first, end), copied from the logs. */
struct cup_basket_batch {
    uint32_t first, end;            /* end 0: none */
    struct cup_basket_copy *copies; /* owned; file by file, in the order of their places */
    uint32_t *order;                /* owned; indexes of the copies, in the order of the logs */
    size_t *starts;                 /* owned; by file: index of its first copy */
    size_t count, room, order_room, start_room;
    unsigned char *bytes; /* owned; the records */
    size_t used, byte_room;
};

struct cup_basket_feed {
    uint32_t branch;               /* index + 1 in profile->branches; 0: not known */
    uint32_t task;                 /* index + 1; 0: no task is known */
    struct cup_basket_reader rows; /* the current record, and its current row */
    uint64_t lost;                 /* records that could not be read */
    uint64_t records;              /* records that were read */

    /* The rest is private. */
    const struct cup_profile *profile;
    uint32_t next; /* index + 1 of the next place */
    size_t copy;   /* index of its copy, if the batch has this file */
    bool copied;   /* the batch has this file */
    struct cup_basket_batch batch;
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
