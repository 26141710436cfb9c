#include "analysis/metrics/ledger.h"

int cup_ledger_make(struct cup_ledger *ledger, const struct cup_totals *totals)
{
    cup_stages_make(&ledger->stages, totals);
    if (cup_losses_make(&ledger->losses, totals) != 0 ||
        cup_waste_make(&ledger->waste, totals) != 0 || cup_hosts_make(&ledger->hosts, totals) != 0)
        return -1;
    return cup_merge_make(&ledger->merge, totals);
}

void cup_ledger_free(struct cup_ledger *ledger)
{
    cup_losses_free(&ledger->losses);
    cup_hosts_free(&ledger->hosts);
    cup_merge_free(&ledger->merge);
}
