/* What each host with workers did, and which of them are slower or faster than others with the same
 * processor. */
#ifndef CUPPING_ANALYSIS_METRICS_WORKERS_HOSTS_H
#define CUPPING_ANALYSIS_METRICS_WORKERS_HOSTS_H

#include "analysis/base/intern.h"
#include "analysis/profile/profile.h"

struct cup_totals;

/* Hosts with the same CPU model are compared by events per second of the chunks' summed time. A
 * host is an outlier if it is further than this from the median: in robust standard deviations
 * (1.4826 times the median distance from it), and as a share of it. */
#define CUP_HOST_OUTLIER_DEVIATIONS 3.5
#define CUP_HOST_OUTLIER_SHARE 0.1
enum { CUP_HOST_CHUNKS = 10, CUP_HOSTS_COMPARED = 3 }; /* fewer are not compared */

enum cup_host_verdict {
    CUP_HOST_NO_MODEL,   /* its CPU model is not known, or it has several */
    CUP_HOST_FEW_CHUNKS, /* fewer than CUP_HOST_CHUNKS with events */
    CUP_HOST_FEW_HOSTS,  /* fewer than CUP_HOSTS_COMPARED can be compared */
    CUP_HOST_ORDINARY,
    CUP_HOST_SLOW,
    CUP_HOST_FAST,
};

/* A host, or all hosts of one CPU model. */
struct cup_host {
    uint32_t name;              /* of a host: string in cup_hosts.names */
    uint32_t model;             /* string of the profile; 0: not known, or several */
    uint32_t cpus, usable_cpus; /* of the host, and of a process; 0: not known */
    uint32_t hosts;             /* 1, or how many of the model */
    uint64_t workers, threads;
    uint64_t threads_ns;            /* each for the part of the run that its process was there */
    uint64_t tasks, failed;         /* attempts; failed: erred or never ended */
    uint64_t task_ns;               /* time of ended tasks */
    uint64_t io_wait_ns, waited_ns; /* of tasks with known waits; waited_ns: all their time */
    uint64_t chunks, failed_chunks; /* used ones; attempts */
    uint64_t events, timed_chunks;  /* timed: with events, over which the following are sums */
    uint64_t wall_ns, cpu_ns;
    uint64_t read_bytes; /* delivered to tasks: data files, mapped files, sockets */
    uint8_t verdict;     /* enum cup_host_verdict */
    double deviations;   /* from the median; meaningful from CUP_HOST_ORDINARY on */
    double median; /* events per second and core of the compared hosts; meaningful as deviations */
};

struct cup_hosts {
    struct cup_intern names;
    struct cup_host *rows; /* owned; in the order of the logs */
    size_t count, room;
    struct cup_host *models; /* owned; by CPU model */
    size_t model_count, model_room;
};

/* From totals with outcomes and budgets: start, then each task of each host's processes, then
 * finish. Start and finish return 0, or -1 without memory: what there is is freed with the others.
 */
int cup_hosts_start(struct cup_hosts *hosts, const struct cup_totals *totals);
struct cup_host *cup_hosts_row(struct cup_hosts *hosts, const struct cup_totals *totals,
                               uint32_t process); /* NULL: it has no worker */
void cup_host_add_task(struct cup_host *host, const struct cup_totals *totals,
                       const struct cup_task *task);
int cup_hosts_finish(struct cup_hosts *hosts);
void cup_hosts_free(struct cup_hosts *hosts);

/* Events per second of the chunks' time; 0 without any. */
double cup_host_rate(const struct cup_host *host);

/* "slow", "fast", "ordinary", or why it was not compared. */
extern const char *const cup_host_verdicts[];

/* The host of a process: index + 1; 0: it has no worker. */
uint32_t cup_host_of(const struct cup_hosts *hosts, const struct cup_process *process);

#endif
