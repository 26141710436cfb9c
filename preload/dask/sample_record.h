/* What samples of all kinds share: values of Python objects, and the records. With the GIL. */
#ifndef CUPPING_PRELOAD_DASK_SAMPLE_RECORD_H
#define CUPPING_PRELOAD_DASK_SAMPLE_RECORD_H

#include "include/log_format.h"
#include "preload/dask/sample_rows.h"
#include "preload/python/python.h"

#include <stdbool.h>
#include <stdint.h>

/* A server whose sample is due, and what is known of its loop. */
struct cup_sampling {
    struct cup_rows rows; /* names its SERVER record */
    int64_t now_ns, interval_ns;
    uint64_t missed;    /* samples that were due since the one before */
    int64_t longest_ns; /* between two ticks since the sample before; 0: not known */
    uint64_t took_ns;   /* the sample before; CUP_UNKNOWN64: there was none */
    uint64_t cpu_ns;    /* of the process at that sample, and when that was: */
    int64_t cpu_at_ns;  /* 0: never */
};

/* Nothing is known. */
void cup_sample_forget(uint64_t *values, int count);

/* All of these give CUP_UNKNOWN64 for what is not there. NAME is a literal. */
#define CUP_SECONDS 1e9                                     /* in ns */
uint64_t cup_sample_value(cup_object *value, double scale); /* a borrowed one, or NULL */
uint64_t cup_sample_length(cup_object *value);              /* likewise: len() of it */
uint64_t cup_sample_amount(cup_object *object, const char *name, double scale); /* an attribute */
uint64_t cup_sample_item(cup_object *dict, const char *name, double scale);
uint64_t cup_sample_size(cup_object *object, const char *name);      /* len() of an attribute */
uint64_t cup_sample_heap_size(cup_object *object, const char *name); /* ... which is a HeapSet */

/* STATUS record of a member of Dask's Status, borrowed; CUP_UNKNOWN64 if there is none. */
uint64_t cup_sample_status(cup_object *status);

/* Fills in what a server says of its loop. */
void cup_sample_loop(uint64_t *values, cup_object *server, const struct cup_sampling *sampling);

/* Likewise how far our times are from the scheduler's. Dask has those by adding DELAY_S to what the
 * clock shows this process. */
void cup_sample_clock(uint64_t *values, double delay_s);

/* In a forked child. */
void cup_sample_record_reset(void);

#endif
