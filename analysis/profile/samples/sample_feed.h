/* Hands out samples one after the other, whoever took them: the scheduler, the workers of
 * themselves, or others, whose file is given. The one place that knows how they are held. */
#ifndef CUPPING_ANALYSIS_PROFILE_SAMPLES_SAMPLE_FEED_H
#define CUPPING_ANALYSIS_PROFILE_SAMPLES_SAMPLE_FEED_H

#include "analysis/profile/profile.h"
#include "analysis/profile/samples/sample_row.h"
#include "analysis/profile/samples/samples_file.h"
#include "analysis/profile/samples/worker_rows.h"

enum cup_sample_origin {
    CUP_SAMPLES_NONE,
    CUP_SAMPLES_SCHEDULER,
    CUP_SAMPLES_WORKERS, /* each of itself */
    CUP_SAMPLES_FILE,
};

struct cup_sample_feed {
    enum cup_sample_origin origin;
    const struct cup_profile *profile;   /* NULL for a file */
    const struct cup_samples_file *file; /* NULL for a profile */
    /* A sample is of all workers that there are, and samples come in the order of time; otherwise
     * only those of one worker do. */
    bool together;
    uint32_t server;                  /* the scheduler, index + 1 in servers; 0: none */
    uint32_t others;                  /* schedulers whose samples are left out */
    struct cup_sampled_name *workers; /* owned; all that it may hand out, and others */
    size_t worker_count;

    uint32_t *numbers;           /* owned; index in workers, by that in profile->sampled_workers */
    struct cup_worker_rows rows; /* of a profile */
    size_t at, end, count; /* next row; in a file: next value, end of the sample, next count */
};

/* Opens the scheduler's samples (of the one with the most of them between FROM and TO, where there
 * are several) or the workers'; there may be none. Returns 0, or -1 without memory. */
int cup_sample_feed_open(struct cup_sample_feed *feed, const struct cup_profile *profile,
                         enum cup_sample_origin origin, int64_t from_ns, int64_t to_ns);

/* The file must outlive the feed. */
int cup_sample_feed_open_file(struct cup_sample_feed *feed, const struct cup_samples_file *file);

/* The next sample; false at the end. */
bool cup_sample_feed_next(struct cup_sample_feed *feed, struct cup_sample_head *head);

/* The next worker of that sample; false at its end. */
bool cup_sample_feed_row(struct cup_sample_feed *feed, struct cup_sample_row *row);

/* Frees everything. Returns 0, or -1 if it ended early for want of memory. */
int cup_sample_feed_close(struct cup_sample_feed *feed);

#endif
