/* The clock calls of the program: where everything that cupping learns from Dask and Coffea begins.
 * Dask and Coffea read a clock when a task, a server's tick or a chunk begins and ends; the hook of
 * clock_gettime looks at the Python function that called it and hands the frame to the reader of
 * that function (python/anchors.h lists them). See docs/contributing/attribution.md. */
#pragma once

#include <stdint.h>
#include <time.h>

/* The program read the clock ID (CLOCK_REALTIME or CLOCK_THREAD_CPUTIME_ID) from the instruction
 * CALLER and got NOW. Any thread, GIL or not. Returns after a few loads unless the caller is an
 * anchor. Keeps errno. */
void cup_clock_call(clockid_t id, const struct timespec *now, const void *caller);

/* The calling thread, for which cup_coffea_may_look() is true, made a lock: it may be in a function
 * of Coffea's that is about to open a file. Any thread, GIL or not. Keeps errno. */
void cup_clock_call_before_file(void);

/* The calling thread is about to open PATH, which may be unreadable. If this is a file of events,
 * and the thread is in a call of Coffea's that the library may not have seen yet, this takes the
 * GIL for a moment, so that the call's task begins before the open. Any thread, GIL or not. Keeps
 * errno. */
void cup_clock_call_before_open(const char *path);

static inline int64_t cup_clock_call_ns(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

/* In a forked child. */
void cup_clock_calls_child_begins(void);

/* The program read CLOCK_MONOTONIC from the instruction CALLER, and cup_run_due_monotonic() said
 * that it is worth a look. Only calls from the interpreter's own code count: an allocator may read
 * this clock in the middle of its work, where no Python may run. Keeps errno. */
void cup_clock_call_monotonic(const struct timespec *now, const void *caller);
