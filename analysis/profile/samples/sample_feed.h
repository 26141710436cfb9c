/* Iterates over samples from any source: of the scheduler, of workers about themselves, or from a
 * file that another tool wrote. */
#pragma once

#include "analysis/profile/profile.h"
#include "analysis/profile/samples/sample_row.h"
#include "analysis/profile/samples/samples_file.h"
#include "analysis/profile/samples/worker_rows.h"

enum cup_sample_origin {
    CUP_SAMPLES_NONE,
    CUP_SAMPLES_SCHEDULER,
    CUP_SAMPLES_WORKERS, /* each worker sampled itself */
    CUP_SAMPLES_FILE,
};

struct cup_sample_feed {
    enum cup_sample_origin origin;
    const struct cup_profile *profile;   /* NULL if the source is a file */
    const struct cup_samples_file *file; /* NULL if the source is a profile */
    /* true: each sample has all workers, and samples are sorted by time. false: each sample has
     * one worker, and only the samples of the same worker are sorted by time. */
    bool together;
    uint32_t server;                  /* the scheduler, index + 1 in servers; 0: none */
    uint32_t others;                  /* number of schedulers whose samples are left out */
    struct cup_sampled_name *workers; /* owned; includes all workers of the samples */
    size_t worker_count;

    uint32_t *numbers;           /* owned; index in workers, by index in profile->sampled_workers */
    struct cup_worker_rows rows; /* private, for a profile */
    /* private: index of the next row; for a file: index of the next value, end of the
     * current sample, index of the next count. */
    size_t at, end, count;
};

/* The values of a worker's sample of itself. */
struct cup_own_sample cup_own_sample_of(const struct cup_sample *sample,
                                        const struct cup_worker_row *row);

/* Opens the samples of the scheduler or of the workers; there may be none. Of several schedulers,
 * the one with the most samples between FROM and TO is chosen. Returns 0, or -1 without memory. */
int cup_sample_feed_open(struct cup_sample_feed *feed, const struct cup_profile *profile,
                         enum cup_sample_origin origin, int64_t from_ns, int64_t to_ns);

/* The file must outlive the feed. */
int cup_sample_feed_open_file(struct cup_sample_feed *feed, const struct cup_samples_file *file);

/* Reads the head of the next sample; false at the end. */
bool cup_sample_feed_next(struct cup_sample_feed *feed, struct cup_sample_head *head);

/* Reads the next worker of that sample; false at its end. */
bool cup_sample_feed_row(struct cup_sample_feed *feed, struct cup_sample_row *row);

/* Frees everything. Returns 0, or -1 if memory ran out and samples are missing. */
int cup_sample_feed_close(struct cup_sample_feed *feed);
