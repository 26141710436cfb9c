#include "analysis/metrics/totals.h"

#include <stdlib.h>

#include "analysis/base/parallel.h"

/* What the totals point to, in one allocation. */
struct subjects {
    struct cup_observed observed;
    struct cup_kernel_check kernel;
    struct cup_branches branches;
    struct cup_fine fine;
    struct cup_stages stages;
    struct cup_hosts hosts;
    struct cup_waste_reasons waste;
    struct cup_losses losses;
    struct cup_chunk_fits fits;
    struct cup_merge merge;
    struct cup_completeness completeness;
};

/* One pass for stages, hosts and waste: a million tasks are more than the caches hold. */
static int add_tasks(struct subjects *subjects, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    cup_stages_start(&subjects->stages, totals);
    if (cup_hosts_start(&subjects->hosts, totals) != 0)
        return -1;
    for (uint32_t p = 0; p < profile->process_count; p++) {
        const struct cup_process *process = &profile->processes[p];
        struct cup_host *host = cup_hosts_row(&subjects->hosts, totals, p);
        for (size_t i = 0; i < process->tasks; i++) {
            const struct cup_task *task = &profile->tasks[process->first_task + i];
            cup_stages_add_task(&subjects->stages, process, task);
            if (host)
                cup_host_add_task(host, totals, task);
            if (task->status != CUP_STATUS_FINISHED)
                cup_waste_add_failure(&subjects->waste, profile, task);
        }
    }
    for (size_t i = 0; i < profile->task_sum_count; i++) {
        const struct cup_task_sum *sum = &profile->task_sums[i];
        struct cup_host *host = cup_hosts_row(&subjects->hosts, totals, sum->process);
        cup_stages_add_sum(&subjects->stages, sum);
        cup_waste_add_sum(&subjects->waste, sum);
        if (host)
            cup_host_add_sum(host, profile, sum);
    }
    cup_stages_finish(&subjects->stages);
    return cup_hosts_finish(&subjects->hosts);
}

static void set_pointers(struct cup_totals *totals, const struct subjects *subjects)
{
    totals->observed = &subjects->observed;
    totals->kernel = &subjects->kernel;
    totals->branches = &subjects->branches;
    totals->fine = &subjects->fine;
    totals->stages = &subjects->stages;
    totals->hosts = &subjects->hosts;
    totals->waste = &subjects->waste;
    totals->losses = &subjects->losses;
    totals->fits = &subjects->fits;
    totals->merge = &subjects->merge;
    totals->completeness = &subjects->completeness;
}

/* ---- subjects that need no others, made at the same time ----------------------------------- */

struct making {
    struct subjects *subjects;
    const struct cup_totals *totals;
};

static int make_observed(void *context)
{
    const struct making *of = context;
    return cup_observed_make(&of->subjects->observed, of->totals->profile,
                             cup_run_window(of->totals), NULL);
}

static int make_branches(void *context)
{
    const struct making *of = context;
    return cup_branches_make(&of->subjects->branches, of->totals);
}

static int make_from_tasks(void *context)
{
    const struct making *of = context;
    struct subjects *subjects = of->subjects;
    if (add_tasks(subjects, of->totals) != 0)
        return -1;
    return cup_waste_add_done_again(&subjects->waste, of->totals);
}

static int make_losses(void *context)
{
    const struct making *of = context;
    return cup_losses_make(&of->subjects->losses, of->totals);
}

static int make_fine(void *context)
{
    const struct making *of = context;
    return cup_fine_make(&of->subjects->fine, of->totals->profile, of->totals->prefix_chunks);
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* The fits need the samples and the branches; completeness needs the losses. */
static int make_subjects(struct subjects *subjects, const struct cup_totals *totals)
{
    static int (*const parts[])(void *) = {make_observed, make_losses, make_from_tasks,
                                           make_branches, make_fine};
    struct making making = {subjects, totals};
    subjects->kernel = cup_kernel_check_make(totals->profile);
    if (cup_parallel_parts(parts, sizeof parts / sizeof *parts, &making) != 0 ||
        cup_chunk_fits_make(&subjects->fits, totals) != 0 ||
        cup_completeness_make(&subjects->completeness, totals) != 0)
        return -1;
    return cup_merge_make(&subjects->merge, totals);
}

int cup_totals_make(struct cup_totals *totals, const struct cup_profile *profile)
{
    int result = cup_sums_make(totals, profile);
    struct subjects *subjects = calloc(1, sizeof *subjects);
    if (subjects) {
        set_pointers(totals, subjects);
        totals->subjects = subjects;
    }
    if (result == 0)
        result = subjects ? make_subjects(subjects, totals) : -1;
    if (result != 0)
        cup_totals_free(totals);
    return result;
}

int cup_totals_use_samples(struct cup_totals *totals, const struct cup_samples_file *file)
{
    struct subjects *subjects = totals->subjects;
    cup_observed_free(&subjects->observed);
    return cup_observed_make(&subjects->observed, totals->profile, cup_run_window(totals), file);
}

void cup_totals_free(struct cup_totals *totals)
{
    struct subjects *subjects = totals->subjects;
    if (subjects) {
        cup_observed_free(&subjects->observed);
        cup_branches_free(&subjects->branches);
        cup_fine_free(&subjects->fine);
        cup_hosts_free(&subjects->hosts);
        cup_losses_free(&subjects->losses);
        cup_chunk_fits_free(&subjects->fits);
        cup_merge_free(&subjects->merge);
    }
    free(subjects);
    cup_sums_free(totals);
}
