#include "analysis/metrics/losses/ledger.h"

#include "analysis/metrics/totals.h"

/* One pass for both: a million tasks are more than the caches hold. */
static int add_tasks(struct cup_ledger *ledger, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    cup_stages_start(&ledger->stages, totals);
    if (cup_hosts_start(&ledger->hosts, totals) != 0)
        return -1;
    for (uint32_t p = 0; p < profile->process_count; p++) {
        const struct cup_process *process = &profile->processes[p];
        struct cup_host *host = cup_hosts_row(&ledger->hosts, totals, p);
        for (size_t i = 0; i < process->tasks; i++) {
            const struct cup_task *task = &profile->tasks[process->first_task + i];
            cup_stages_add_task(&ledger->stages, process, task);
            if (host)
                cup_host_add_task(host, totals, task);
        }
    }
    cup_stages_finish(&ledger->stages);
    return cup_hosts_finish(&ledger->hosts);
}

int cup_ledger_make(struct cup_ledger *ledger, const struct cup_totals *totals)
{
    if (add_tasks(ledger, totals) != 0 || cup_losses_make(&ledger->losses, totals) != 0 ||
        cup_waste_add_done_again(&ledger->waste, totals) != 0 ||
        cup_chunk_fits_make(&ledger->fits, totals) != 0)
        return -1;
    return cup_merge_make(&ledger->merge, totals);
}

void cup_ledger_free(struct cup_ledger *ledger)
{
    cup_losses_free(&ledger->losses);
    cup_hosts_free(&ledger->hosts);
    cup_merge_free(&ledger->merge);
    cup_chunk_fits_free(&ledger->fits);
}
