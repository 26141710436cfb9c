/* Losses: chunks without a result, and chunks that needed more than one attempt. Metadata tasks
 * count, too: each stands for a whole file. There is one row for each such chunk, over all its
 * attempts. */
#pragma once

#include "analysis/profile/process_life.h"

struct cup_totals;

enum cup_loss_outcome {
    CUP_LOSS_LOST,       /* at least one attempt failed, and none succeeded */
    CUP_LOSS_SKIPPED,    /* the task succeeded without a result: Coffea's skipbadfiles. If it was to
                            read metadata, the whole file is missing */
    CUP_LOSS_UNFINISHED, /* every attempt was killed, and the run has ended */
    CUP_LOSS_RECOVERED,  /* another attempt succeeded */
    CUP_LOSS_RUNNING,    /* another attempt is running, or will, because the run goes on */
    CUP_LOSS_UNKNOWN,    /* how another attempt ended is not known */
    CUP_LOSS_OUTCOMES
};

/* "lost", "skipped", "unfinished", "recovered", "running", "unknown", as in JSON. */
extern const char *const cup_loss_names[CUP_LOSS_OUTCOMES];

struct cup_loss {
    uint32_t item;   /* index in profile->items of the last attempt whose result was not used */
    uint8_t outcome; /* enum cup_loss_outcome */
    bool used;       /* an attempt succeeded */
    bool running;    /* an attempt is running */
    bool unknown;    /* how an attempt ended is not known */
    uint32_t attempts, failed, unfinished, repeated, skipped;
    uint32_t error;               /* string: error of the last attempt that failed; 0: not known */
    uint64_t wall_ns, read_bytes; /* sums over the attempts that were not used. A task that never
                                     ended counts until the last sign of its process */
    int64_t first_ns, last_ns;    /* first start and last end of the attempts that were not used */
};

struct cup_loss_sums {
    uint64_t chunks[CUP_LOSS_OUTCOMES];
    uint64_t events[CUP_LOSS_OUTCOMES];
    uint64_t without_events; /* missing chunks whose number of events is not known */
    uint64_t metadata;       /* missing metadata tasks, which are in the counts above, too */
};

struct cup_dataset_losses {
    uint32_t name;
    uint64_t events_used; /* events of the used chunks, without skipped ones */
    uint64_t events_all;  /* of the files whose metadata were read; CUP_UNKNOWN64: not known */
    struct cup_loss_sums sums;
};

struct cup_losses {
    struct cup_loss *rows; /* owned; in the order of the first attempt that was not used */
    size_t count;
    struct cup_dataset_losses *datasets; /* owned; datasets with losses */
    size_t dataset_count, dataset_room;
    uint64_t events_all; /* as in a dataset, of all of them */
    struct cup_loss_sums sums;
};

/* Returns 0, or -1 without memory; the caller frees in both cases. */
int cup_losses_make(struct cup_losses *losses, const struct cup_totals *totals);
void cup_losses_free(struct cup_losses *losses);

/* Adds a row; ITEM: the one that it names. */
void cup_loss_sums_add(struct cup_loss_sums *sums, const struct cup_loss *row,
                       const struct cup_item *item);

/* True if the result lacks the chunk. */
static inline bool cup_loss_is_missing(uint8_t outcome)
{
    return outcome == CUP_LOSS_LOST || outcome == CUP_LOSS_SKIPPED ||
           outcome == CUP_LOSS_UNFINISHED;
}

/* Chunks and events that are missing in the result. */
uint64_t cup_losses_chunks(const struct cup_loss_sums *sums);
uint64_t cup_losses_events(const struct cup_loss_sums *sums);

/* Waste: tasks whose result was not used, by reason. */
struct cup_waste {
    uint64_t tasks, wall_ns, cpu_ns, read_bytes;
    uint64_t bytes_unknown; /* tasks of full logs whose bytes are mixed with those of others */
};

/* If two attempts at one key succeed, the later one is used: within a computation, Dask runs a task
 * again only if it has lost the first result. */
struct cup_waste_reasons {
    struct cup_waste failed; /* erred */
    /* Chunks that succeeded and were computed again although their worker was still there. Usually
     * another worker was lost, with what had been made of the result. */
    struct cup_waste retried;
    struct cup_waste lost;   /* succeeded; its worker was lost, and another computed it again */
    struct cup_waste killed; /* never ended. wall_ns is up to the last sign of the process; cpu_ns
                                is 0, because a thread's clock is read when its task ends */
};

/* Adds a task that failed or never ended. */
void cup_waste_add_failure(struct cup_waste_reasons *reasons, const struct cup_profile *profile,
                           const struct cup_task *task);

/* Adds the failed ones among tasks that the log has only as sums. */
void cup_waste_add_sum(struct cup_waste_reasons *reasons, const struct cup_task_sum *sum);

/* Adds tasks that succeeded and were computed again. Needs totals->outcomes. Returns 0, or -1
 * without memory. */
int cup_waste_add_done_again(struct cup_waste_reasons *reasons, const struct cup_totals *totals);

/* All reasons together. */
struct cup_waste cup_waste_sum(const struct cup_waste_reasons *reasons);
