#include "analysis/metrics/chunks/slowest.h"

#include <stdlib.h>

struct of_name {
    uint32_t name;
    uint64_t events, process_ns; /* events 0: not known */
};

static double rate_of(const struct of_name *of)
{
    return (double)of->events / ((double)of->process_ns / 1e9);
}

static bool is_known(const struct of_name *of)
{
    return of->name && of->events && of->process_ns;
}

static bool choose(const struct of_name *rows, size_t count, const char *what,
                   struct cup_slowest *slowest)
{
    struct of_name all = {0};
    *slowest = (struct cup_slowest){.what = what};
    for (size_t i = 0; i < count; i++) {
        if (!is_known(&rows[i]))
            continue;
        all.events += rows[i].events;
        all.process_ns += rows[i].process_ns;
        if (slowest->compared++ == 0 || rate_of(&rows[i]) < slowest->rate) {
            slowest->name = rows[i].name;
            slowest->rate = rate_of(&rows[i]);
        }
    }
    slowest->all_rate = rate_of(&all);
    return slowest->compared >= 2;
}

static bool choose_dataset(const struct cup_totals *totals, struct of_name *rows,
                           struct cup_slowest *slowest)
{
    for (size_t i = 0; i < totals->dataset_count; i++) {
        const struct cup_dataset *dataset = &totals->datasets[i];
        bool known = !dataset->without_events && dataset->timed == dataset->chunks;
        uint64_t events = known ? dataset->events : 0;
        rows[i] = (struct of_name){dataset->name, events, dataset->process_ns};
    }
    return choose(rows, totals->dataset_count, "dataset", slowest);
}

/* `rows` has an element for each string of the profile. */
static bool choose_file(const struct cup_totals *totals, struct of_name *rows, size_t room,
                        struct cup_slowest *slowest)
{
    const struct cup_profile *profile = totals->profile;
    for (size_t i = 0; i < profile->item_count && !profile->chunks_summed; i++) {
        const struct cup_item *item = &profile->items[i];
        if (totals->outcomes[i] != CUP_OUTCOME_USED || item->file >= room ||
            item->toc_ns <= item->tic_ns || cup_item_events(item) == CUP_UNKNOWN64)
            continue;
        rows[item->file].name = item->file;
        rows[item->file].events += cup_item_events(item);
        rows[item->file].process_ns += (uint64_t)(item->toc_ns - item->tic_ns);
    }
    return choose(rows, room, "file", slowest);
}

bool cup_slowest_find(const struct cup_totals *totals, struct cup_slowest *slowest)
{
    size_t names = totals->profile->strings.count, datasets = totals->dataset_count;
    size_t room = names > datasets ? names : datasets;
    struct of_name *rows = calloc(room, sizeof *rows);
    bool found = rows && (datasets >= 2 ? choose_dataset(totals, rows, slowest)
                                        : choose_file(totals, rows, names, slowest));
    free(rows);
    return found;
}
