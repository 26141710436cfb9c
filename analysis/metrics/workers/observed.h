/* The workers during the run, as samples show them: timelines of each worker and of all together.
 * Units are bytes, seconds and percent. NAN: not known. */
#pragma once

#include "analysis/metrics/workers/timeline.h"
#include "analysis/profile/samples/sample_feed.h"

/* Values in percent of a worker's threads, or of its memory limit. */
enum cup_observed_percent {
    CUP_PCT_MEMORY,     /* memory / its limit */
    CUP_PCT_PROCESSING, /* tasks assigned / threads */
    CUP_PCT_EXECUTING,  /* running tasks / threads */
    CUP_PCT_CPU,        /* CPU that its process uses / its threads */
    CUP_PCT_COUNT,
};

struct cup_observed_worker {
    struct cup_text address, name; /* not owned */
    uint32_t host;                 /* number of its host, by its address */
    struct cup_timeline present;   /* 1 at each of its samples; span_ns of this timeline is how long
                                      the worker was there */
    struct cup_timeline values[CUP_SEEN_COUNT];
    struct cup_timeline percents[CUP_PCT_COUNT];
    int64_t first_ns, last_ns; /* times of its first and last sample within the window; 0: none */
    int64_t begin_ns, end_ns;  /* times of the first and last of all its samples; 0: none */
    uint64_t heartbeats, repeats; /* within the window: samples with a new heartbeat, and samples
                                     that repeat the last one */
    uint64_t sample; /* number of the last sample that has this worker, counted from 1 */
    /* From the samples that the worker takes of itself, if it ran under cupping. */
    double process_cpu_s;           /* CPU time of its process */
    double process_thread_s;        /* threads x time over the same samples */
    struct cup_timeline own_stalls; /* how long its event loop was blocked: the longest time between
                                       two ticks, less the interval that they are set to */
};

/* How many workers and threads there were at one moment of the window. */
struct cup_moment {
    int64_t time_ns;
    double workers, threads;
};

struct cup_observed {
    const struct cup_profile *profile;
    const struct cup_samples_file *file; /* with the samples; NULL: they are in the logs */
    enum cup_sample_origin origin;
    char source[320]; /* where the samples come from: "D: ...", for the report's list of sources */
    char reason[160]; /* why there are no figures; empty if there are */
    struct cup_window window;
    struct cup_observed_worker *workers; /* owned; all that any sample names; those within the
                                            window: cup_observed_known() */
    size_t worker_count;
    uint32_t host_count;
    struct cup_moment *moments; /* owned; ascending by time */
    size_t moment_count, moment_room;
    struct cup_timeline count, threads; /* number of workers, and of their threads */
    /* From heartbeats: the sum over all workers at each sample. Values of hosts count once for each
     * host; for stalls it is the mean. If workers were sampled at different times, only the
     * averages over time are known. */
    struct cup_timeline totals[CUP_SEEN_COUNT];
    struct cup_timeline percents[CUP_PCT_COUNT]; /* over all samples of all workers */
    struct cup_timeline stalls;            /* how long the scheduler's event loop was blocked */
    uint64_t samples, heartbeats, repeats; /* within the window */
    /* Times between two samples within the window: how many, their sum, the longest. */
    uint64_t gaps;
    double gaps_ns, longest_gap_ns;
    double asked_s;                     /* the configured interval between samples */
    uint32_t others;                    /* number of other schedulers, whose samples are not used */
    double cores, cores_min, cores_max; /* threads of a worker: mean, smallest and largest */
    uint64_t known;                     /* number of workers within the window */
    uint64_t without_limit;             /* those of `known` that have no memory limit */
};

/* Makes the figures from the samples in FILE, which another program wrote; NULL: from those in the
 * profile, of the scheduler or, if there are none, those that the workers took of themselves. A
 * window of 0 to 0 means all samples. Returns 0, also if there are no samples (then
 * observed->reason says why), or -1 without memory. The profile and the file must outlive it. */
int cup_observed_make(struct cup_observed *observed, const struct cup_profile *profile,
                      struct cup_window window, const struct cup_samples_file *file);
void cup_observed_free(struct cup_observed *observed);

/* Whether the worker was there during the window. */
static inline bool cup_observed_known(const struct cup_observed_worker *worker)
{
    return cup_timeline_known(&worker->present);
}

/* The worker of that address; NULL if no sample of the window has it. */
const struct cup_observed_worker *cup_observed_find(const struct cup_observed *observed,
                                                    struct cup_text address);

/* That, also of a worker whose samples are all outside of the window. */
const struct cup_observed_worker *cup_observed_seen(const struct cup_observed *observed,
                                                    struct cup_text address);

/* The worker of that address as its own log has it; NULL: it left none. */
const struct cup_server *cup_worker_log(const struct cup_profile *profile, struct cup_text address);

/* Number of workers that the profile's scheduler had within the window, and that were not profiled:
 * they left no log. 0 also if that is not certain: a log is damaged, cannot be read or was not
 * fetched to its end, attach refused workers, or the samples are not of the profile's scheduler.
 * *first: the address of one of them. */
uint64_t cup_workers_without_log(const struct cup_observed *observed, struct cup_text *first);

/* True if every worker of the samples left a log that has the number of its threads: then the times
 * of all tasks are known, and what part of the threads' time they are. */
bool cup_workers_all_logged(const struct cup_observed *observed);

/* per_worker: the mean over workers of their averages over time. highest: the largest value of any
 * worker. */
double cup_observed_per_worker(const struct cup_observed *observed, enum cup_seen_value value);
double cup_observed_highest(const struct cup_observed *observed, enum cup_seen_value value);

/* Mean of all values of all workers, where each heartbeat counts once. */
double cup_observed_plain_mean(const struct cup_observed *observed, enum cup_seen_value value);

/* Threads of all workers, averaged over the run. NAN if samples do not say it. That includes a run
 * that lies between two samples with different numbers of threads. */
double cup_observed_threads(const struct cup_observed *observed);

/* How long the worker's event loop was blocked: from the samples that it takes of itself, else from
 * its heartbeats. */
const struct cup_timeline *cup_observed_stalls(const struct cup_observed_worker *worker);

/* Opens the same samples again, as cup_sample_feed_open() does. */
int cup_observed_feed(const struct cup_observed *observed, struct cup_sample_feed *feed);
