/* A task of this process begins and ends: records, thread state, counters. Knows no Python. */
#ifndef CUPPING_TASK_H
#define CUPPING_TASK_H

#include "preload/log_format.h"

#include <stddef.h>
#include <stdint.h>

struct cup_task_info {
    const char *key;
    size_t key_bytes;
    uint32_t prefix, server, span; /* ids in the log; 0: not known */
    enum cup_task_origin origin;
    int64_t run_id;  /* -1: not known */
    uint64_t cpu_ns; /* thread CPU clock now */
};

/* The calling thread runs a task from now on. Returns its number (never 0). */
uint32_t cup_task_begin(const struct cup_task_info *info);

/* The calling thread's task has ended. CPU_NS: thread CPU clock now. ERROR: string id or 0. */
void cup_task_end(enum cup_task_status status, uint64_t cpu_ns, uint64_t result_bytes,
                  uint32_t error);

/* A chunk's border: Coffea's clock before process() (tic), and after (toc) with its time. */
void cup_task_tic(int64_t now_ns, uint64_t cpu_ns);
void cup_task_toc(int64_t now_ns, uint64_t cpu_ns);

/* Resident set of the process in bytes; CUP_UNKNOWN64 if the kernel does not tell. */
uint64_t cup_task_rss(void);

/* The program closed FD (-1: the process forked): if it was the one kept for that, it is another
 * file now. */
void cup_task_rss_close(int fd);

#endif
