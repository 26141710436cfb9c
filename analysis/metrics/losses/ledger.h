/* What was lost and wasted, where and when: the parts of the totals that go beyond sums. */
#ifndef CUPPING_ANALYSIS_METRICS_LOSSES_LEDGER_H
#define CUPPING_ANALYSIS_METRICS_LOSSES_LEDGER_H

#include "analysis/metrics/chunks/chunk_fits.h"
#include "analysis/metrics/losses/losses.h"
#include "analysis/metrics/losses/merge.h"
#include "analysis/metrics/losses/waste.h"
#include "analysis/metrics/time/stages.h"
#include "analysis/metrics/workers/hosts.h"

struct cup_ledger {
    struct cup_losses losses;
    struct cup_waste_reasons waste;
    struct cup_hosts hosts;
    struct cup_stages stages;
    struct cup_merge merge;
    struct cup_chunk_fits fits;
};

/* From totals that are complete but for it, the failures in `waste` being added already. Returns 0,
 * or -1 without memory: what there is is freed with the rest. */
int cup_ledger_make(struct cup_ledger *ledger, const struct cup_totals *totals);
void cup_ledger_free(struct cup_ledger *ledger);

#endif
