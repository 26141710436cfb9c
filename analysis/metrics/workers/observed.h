/* The workers during the run, by samples: timelines of each worker and of all. Bytes, seconds,
 * percent. A figure that is not known is NAN. */
#ifndef CUPPING_ANALYSIS_METRICS_WORKERS_OBSERVED_H
#define CUPPING_ANALYSIS_METRICS_WORKERS_OBSERVED_H

#include "analysis/metrics/workers/timeline.h"
#include "analysis/profile/samples/sample_feed.h"

/* Percent of a worker's threads, or of its memory limit. */
enum cup_observed_percent {
    CUP_PCT_MEMORY,     /* memory / its limit */
    CUP_PCT_PROCESSING, /* tasks assigned / threads */
    CUP_PCT_EXECUTING,  /* tasks that run / threads */
    CUP_PCT_CPU,        /* CPU that its process uses / threads */
    CUP_PCT_COUNT,
};

struct cup_observed_worker {
    struct cup_text address, name; /* not owned */
    uint32_t host;                 /* number */
    struct cup_timeline present;   /* 1 at each of its samples; its span is how long it was there */
    struct cup_timeline values[CUP_SEEN_COUNT];
    struct cup_timeline percents[CUP_PCT_COUNT];
    int64_t first_ns, last_ns; /* its first and last sample within the window; 0: none */
    int64_t begin_ns, end_ns;  /* first and last of all its samples; 0: none */
    uint64_t heartbeats,
        repeats;     /* within the window: new heartbeats, and rows that repeat the last one */
    uint64_t sample; /* the last one that had it, from 1 on */
    /* From its own samples, if the worker itself was under cupping. */
    double process_cpu_s;           /* its process's CPU clock */
    double process_thread_s;        /* threads x time of that */
    struct cup_timeline own_stalls; /* longest time between two ticks, less their set interval */
};

/* How many there were, at one moment of the window. */
struct cup_moment {
    int64_t time_ns;
    double workers, threads;
};

struct cup_observed {
    const struct cup_profile *profile;
    const struct cup_samples_file *file; /* NULL unless they are from one */
    enum cup_sample_origin origin;
    char source[320]; /* for sources: "D: ..." */
    char reason[160]; /* why there is nothing; empty where there is */
    struct cup_window window;
    struct cup_observed_worker *workers; /* owned; see cup_observed_known() */
    size_t worker_count;
    uint32_t host_count;
    struct cup_moment *moments; /* owned; in the order of time */
    size_t moment_count, moment_room;
    struct cup_timeline count, threads; /* workers, and threads of all of them */
    /* From heartbeats: at each sample the sum over all workers (host figures: each host once;
     * stalls: the mean). Where workers were sampled at different times, only averages are known. */
    struct cup_timeline totals[CUP_SEEN_COUNT];
    struct cup_timeline percents[CUP_PCT_COUNT]; /* all rows of all workers */
    struct cup_timeline stalls;                  /* of the scheduler's own event loop */
    uint64_t samples, heartbeats, repeats;       /* within the window */
    uint64_t gaps;                               /* between two samples, within the window: */
    double gaps_ns, longest_gap_ns;
    double asked_s;                     /* the interval that was asked for */
    uint32_t others;                    /* schedulers whose samples are left out */
    double cores, cores_min, cores_max; /* of a worker: mean over workers, and range */
    uint64_t known;                     /* workers */
    uint64_t without_limit;             /* of memory, of those */
};

/* From the profile's samples: the scheduler's, or, without any, the workers' own. FROM and TO 0:
 * all of them. Returns 0, also when there are none (then observed->reason says why), or -1 without
 * memory. The profile must outlive it. */
int cup_observed_make(struct cup_observed *observed, const struct cup_profile *profile,
                      struct cup_window window);

/* The same from a file of samples that another program wrote, which must outlive it. */
int cup_observed_make_from_file(struct cup_observed *observed, const struct cup_profile *profile,
                                struct cup_window window, const struct cup_samples_file *file);

void cup_observed_free(struct cup_observed *observed);

/* Whether the worker was there during the window. */
static inline bool cup_observed_known(const struct cup_observed_worker *worker)
{
    return cup_timeline_known(&worker->present);
}

/* NULL if no sample of the window has a worker of that address. */
const struct cup_observed_worker *cup_observed_find(const struct cup_observed *observed,
                                                    struct cup_text address);

/* True if a worker of that address left a log of its own. */
bool cup_worker_has_log(const struct cup_profile *profile, struct cup_text address);

/* Mean over workers of their averages over time, and the largest value of any. */
double cup_observed_per_worker(const struct cup_observed *observed, enum cup_seen_value value);
double cup_observed_highest(const struct cup_observed *observed, enum cup_seen_value value);

/* Mean of all values of all workers; each heartbeat counts once. */
double cup_observed_plain_mean(const struct cup_observed *observed, enum cup_seen_value value);

/* Threads of all workers, averaged over the run. NAN if the samples do not have it: also if the run
 * lies between two samples that differ, or if they have no worker. */
double cup_observed_threads(const struct cup_observed *observed);

/* The stalls of one worker: from its own samples, else from its heartbeats. */
const struct cup_timeline *cup_observed_stalls(const struct cup_observed_worker *worker);

/* Opens again what the figures were made from; as cup_sample_feed_open(). */
int cup_observed_feed(const struct cup_observed *observed, struct cup_sample_feed *feed);

#endif
