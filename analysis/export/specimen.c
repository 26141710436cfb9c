#include "analysis/export/specimen.h"

#include <stdlib.h>
#include <string.h>

/* One of each, or none without memory. */
#define ONE(array, count)                                                                          \
    ((array) = calloc(1, sizeof *(array)), (count) = (array) != NULL, (count) != 0)

static bool allocate(struct cup_profile *profile)
{
    size_t counters, waits, baskets;
    return ONE(profile->processes, profile->process_count) &&
           ONE(profile->servers, profile->server_count) &&
           ONE(profile->prefixes, profile->prefix_count) &&
           ONE(profile->tasks, profile->task_count) && ONE(profile->items, profile->item_count) &&
           ONE(profile->files, profile->file_count) && ONE(profile->counters, counters) &&
           ONE(profile->own_waits, waits) && ONE(profile->baskets, baskets) &&
           ONE(profile->sections, profile->section_count) &&
           ONE(profile->section_rows, profile->section_row_count) &&
           ONE(profile->named_values, profile->named_value_count) &&
           ONE(profile->value_rows, profile->value_row_count) &&
           ONE(profile->opens, profile->open_count) &&
           ONE(profile->branches, profile->branch_count) && (profile->path = strdup("")) != NULL;
}

static void fill(struct cup_profile *profile)
{
    profile->processes[0].tasks = 1;
    profile->servers[0].role = CUP_ROLE_WORKER;
    profile->servers[0].memory_limit = CUP_UNKNOWN64;
    profile->tasks[0].cpu_ns = CUP_UNKNOWN64;
    profile->tasks[0].item = 1;
    profile->items[0].kind = CUP_ITEM_WORK;
    profile->items[0].cpu_ns = CUP_UNKNOWN64;
    profile->files[0].class = CUP_FILE_DATA;
    profile->features = CUP_FEATURE_OPENS;
    profile->opens[0].kind = CUP_OPEN_LOCAL;
    profile->branches[0].sums.baskets = 1;
    profile->basket_places_dropped = true; /* there is no log to read them from again */
}

static int add_frame(struct cup_call_tree *tree, uint32_t *node, enum cup_frame_kind kind)
{
    static const struct cup_text none = {"", 0};
    uint32_t function = cup_call_add_function(tree, none, none, 1, kind);
    uint32_t frame = function == CUP_NOTHING ? CUP_NOTHING : cup_call_add_frame(tree, function, 1);
    *node = frame == CUP_NOTHING ? CUP_NOTHING : cup_call_add_node(tree, *node, frame);
    return *node == CUP_NOTHING ? -1 : 0;
}

/* One function that was sampled once, in a native one. */
static int add_call(struct cup_call_tree *tree, const struct cup_profile *profile)
{
    static const struct cup_call_ask all;
    static const struct cup_weights weights = {.of = {[CUP_W_SAMPLES] = 1}};
    uint32_t node = 0;
    if (cup_call_tree_make(tree, profile, &all) != 0 ||
        add_frame(tree, &node, CUP_FRAME_PYTHON) != 0 ||
        add_frame(tree, &node, CUP_FRAME_NATIVE) != 0)
        return -1;
    return cup_call_add(tree, node, CUP_NO_PREFIX, &weights);
}

int cup_specimen_make(struct cup_specimen *specimen)
{
    memset(specimen, 0, sizeof *specimen);
    if (allocate(&specimen->profile)) {
        fill(&specimen->profile);
        if (cup_totals_make(&specimen->totals, &specimen->profile) == 0) {
            specimen->totals.calls = &specimen->calls;
            if (add_call(&specimen->calls, &specimen->profile) == 0)
                return 0;
            cup_call_tree_free(&specimen->calls);
            cup_totals_free(&specimen->totals);
        }
    }
    cup_profile_free(&specimen->profile);
    return -1;
}

void cup_specimen_free(struct cup_specimen *specimen)
{
    cup_call_tree_free(&specimen->calls);
    cup_totals_free(&specimen->totals);
    cup_profile_free(&specimen->profile);
}
