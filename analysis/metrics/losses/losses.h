/* Losses: chunks without a result, and chunks that needed more than one attempt; metadata tasks,
 * which stand for whole files, too. One row for each chunk, over all its attempts. */
#ifndef CUPPING_ANALYSIS_METRICS_LOSSES_LOSSES_H
#define CUPPING_ANALYSIS_METRICS_LOSSES_LOSSES_H

#include "analysis/profile/profile.h"

struct cup_totals;

enum cup_loss_outcome {
    CUP_LOSS_LOST,       /* attempts failed, none succeeded */
    CUP_LOSS_SKIPPED,    /* the task succeeded without a result: Coffea's skipbadfiles */
    CUP_LOSS_UNFINISHED, /* no attempt failed, none succeeded: killed, or still running */
    CUP_LOSS_RECOVERED,  /* another attempt succeeded */
    CUP_LOSS_OUTCOMES
};

/* "lost", "skipped", "unfinished", "recovered", as in JSON. */
extern const char *const cup_loss_names[CUP_LOSS_OUTCOMES];

struct cup_loss {
    uint32_t item;   /* the last attempt that was not used: index in items */
    uint8_t outcome; /* enum cup_loss_outcome */
    bool used;       /* some attempt succeeded */
    uint32_t attempts, failed, unfinished, repeated, skipped;
    uint32_t error;               /* string, of the last attempt that failed; 0: not known */
    uint64_t wall_ns, read_bytes; /* of the attempts that were not used; of a task that never ended,
                                     until the last sign of its process */
    int64_t first_ns, last_ns;    /* start of the first of these attempts, end of the last */
};

struct cup_loss_sums {
    uint64_t chunks[CUP_LOSS_OUTCOMES];
    uint64_t events[CUP_LOSS_OUTCOMES];
    uint64_t without_events; /* chunks, lost or skipped, whose events are not known */
    uint64_t metadata;       /* tasks for metadata among `chunks` that were lost */
};

struct cup_dataset_losses {
    uint32_t name;
    uint64_t events_used; /* of the chunks that succeeded, the skipped ones left out */
    struct cup_loss_sums sums;
};

struct cup_losses {
    struct cup_loss *rows; /* owned; in the order of the chunks */
    size_t count;
    struct cup_dataset_losses *datasets; /* owned; those with losses */
    size_t dataset_count, dataset_room;
    struct cup_loss_sums sums;
};

/* Returns 0, or -1 without memory: what there is is freed with the others. */
int cup_losses_make(struct cup_losses *losses, const struct cup_totals *totals);
void cup_losses_free(struct cup_losses *losses);

/* Chunks and events that the results lack: lost and skipped ones. */
uint64_t cup_losses_chunks(const struct cup_loss_sums *sums);
uint64_t cup_losses_events(const struct cup_loss_sums *sums);

#endif
