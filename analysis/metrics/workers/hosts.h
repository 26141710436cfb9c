/* Sums for each host with workers, and which hosts are slower or faster than others with the same
 * CPU model. */
#pragma once

#include "analysis/base/intern.h"
#include "analysis/profile/profile.h"

struct cup_totals;

/* Hosts with the same CPU model are compared by events per second of task time, over the used
 * chunks. A host is an outlier if its distance from the median exceeds both of these: so many
 * robust standard deviations (1.4826 times the median distance from the median), and that share of
 * the median. */
#define CUP_HOST_OUTLIER_DEVIATIONS 3.5
#define CUP_HOST_OUTLIER_SHARE 0.1
/* Hosts with fewer chunks are not compared, nor are hosts of a model that has fewer such hosts. */
enum { CUP_HOST_CHUNKS = 10, CUP_HOSTS_COMPARED = 3 };

enum cup_host_verdict {
    CUP_HOST_NO_MODEL,   /* its CPU model is not known, or it has several */
    CUP_HOST_FEW_CHUNKS, /* fewer than CUP_HOST_CHUNKS used chunks with known events */
    CUP_HOST_FEW_HOSTS,  /* fewer than CUP_HOSTS_COMPARED hosts of its model can be compared */
    CUP_HOST_ORDINARY,
    CUP_HOST_SLOW,
    CUP_HOST_FAST,
};

/* A host, or all hosts of one CPU model. */
struct cup_host {
    uint32_t name;              /* of a host: its name, an id in cup_hosts.names */
    uint32_t model;             /* string of the profile; 0: not known, or several */
    uint32_t cpus, usable_cpus; /* all CPUs, and those that a process may use; 0: not known */
    uint32_t hosts;             /* 1; in cup_hosts.models the number of hosts of the model */
    /* From here to `read_bytes`: all are uint64_t, and added up over the hosts of a model. */
    uint64_t workers, threads;
    uint64_t threads_ns; /* threads x time, from the start to the last sign of their process, within
                            the run */
    uint64_t tasks, failed; /* all attempts; failed: erred or never ended */
    uint64_t task_ns;       /* wall time of ended tasks */
    /* Of tasks with measured waits: waits for files, and their whole time. */
    uint64_t io_wait_ns, waited_ns;
    uint64_t chunks, failed_chunks; /* used chunks; failed or unfinished attempts at chunks */
    uint64_t events, timed_chunks;  /* timed_chunks: used chunks with known events, over which
                                       events, wall_ns and cpu_ns are summed */
    uint64_t wall_ns, cpu_ns;
    uint64_t read_bytes; /* bytes that tasks got from data files, mapped files and sockets */
    uint8_t verdict;     /* enum cup_host_verdict */
    double deviations;   /* distance from the median; valid from CUP_HOST_ORDINARY on */
    double median;       /* of the compared hosts, events per second and core; as `deviations` */
};

struct cup_hosts {
    struct cup_intern names;
    struct cup_host *rows; /* owned; one for each host, in the order of the logs */
    size_t count, room;
    struct cup_host *models; /* owned; one for each CPU model */
    size_t model_count, model_room;
};

/* Needs totals with outcomes and budgets. Call start; then, for each process, cup_hosts_row() and
 * with its row cup_host_add_task() for each task, and cup_host_add_sum() for summed tasks; then
 * finish. Start and finish return 0, or -1 without memory; cup_totals_free() frees in both cases.
 */
int cup_hosts_start(struct cup_hosts *hosts, const struct cup_totals *totals);
struct cup_host *cup_hosts_row(struct cup_hosts *hosts, const struct cup_totals *totals,
                               uint32_t process); /* NULL: the process has no worker */
void cup_host_add_task(struct cup_host *host, const struct cup_totals *totals,
                       const struct cup_task *task);
void cup_host_add_sum(struct cup_host *host, const struct cup_profile *profile,
                      const struct cup_task_sum *sum);
int cup_hosts_finish(struct cup_hosts *hosts);
void cup_hosts_free(struct cup_hosts *hosts);

/* Events per second of the task time of used chunks; 0 without any. */
double cup_host_rate(const struct cup_host *host);

/* "slow", "fast", "ordinary", or why it was not compared. */
extern const char *const cup_host_verdicts[];

/* The host of a process as index + 1 in rows; 0: the host has no worker. */
uint32_t cup_host_of(const struct cup_hosts *hosts, const struct cup_process *process);
