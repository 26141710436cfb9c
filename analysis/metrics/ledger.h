/* What was lost and wasted, where and when: the parts of the totals that go beyond sums. */
#ifndef CUPPING_LEDGER_H
#define CUPPING_LEDGER_H

#include "analysis/metrics/chunk_fits.h"
#include "analysis/metrics/hosts.h"
#include "analysis/metrics/losses.h"
#include "analysis/metrics/merge.h"
#include "analysis/metrics/stages.h"
#include "analysis/metrics/waste.h"

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
