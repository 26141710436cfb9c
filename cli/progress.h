/* A line on a terminal that says how many logs of a profile have been loaded. It appears when
 * loading takes longer than a second, is replaced at most five times a second, and disappears at
 * the end. Only one thread at a time may use it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct cup_progress {
    FILE *terminal;  /* NULL: nothing is printed */
    int64_t next_ns; /* when the line may be printed again */
    int width;       /* characters of the line; 0: it is not shown */
};

/* Times are nanoseconds of one monotonic clock. */
void cup_progress_start(struct cup_progress *progress, FILE *terminal, int64_t now_ns);

/* DONE of LOGS logs have been loaded. */
void cup_progress_step(struct cup_progress *progress, int64_t now_ns, size_t done, size_t logs);

/* Removes the line. */
void cup_progress_end(struct cup_progress *progress);
