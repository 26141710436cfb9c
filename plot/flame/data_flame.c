#include <stdio.h>

#include "analysis/metrics/functions/call_slices.h"
#include "plot/flame/flame.h"
#include "plot/shared/plot.h"

const struct cup_flame_weight cup_flame_weights[CUP_FLAME_WEIGHTS] = {
    [CUP_FLAME_CPU] = {CUP_W_CPU, "CPU time", "CPU time (sampled)",
                       "no sample found a task on the CPU"},
    [CUP_FLAME_WAIT] = {CUP_W_WAIT, "time waited",
                        "waits of over 1 ms (files, locks, GIL, sockets, sleep)",
                        "no task waited for over 1 ms"},
    [CUP_FLAME_READ] = {CUP_W_READ, "bytes read", "bytes read from data files",
                        "no task read a data file in a known function"},
    [CUP_FLAME_ALLOC] = {CUP_W_ALLOC, "bytes allocated",
                         "bytes allocated (sampled once per 512 KiB)",
                         "no allocation of a task was sampled"},
};

static const void *make_plot(struct cup_plot_input *input, const struct cup_flame_weight *weight,
                             const struct cup_folded *folded)
{
    struct cup_flame_left_out left_out;
    char said[CUP_FLAME_LEFT_OUT_TEXT], asked[CUP_ASK_TEXT];
    double scale = cup_weight_units[weight->weight] == CUP_UNIT_SECONDS ? 1e9 : 1;
    const struct cup_flame *plot =
        cup_flame_make(input->arena, input->totals->calls, folded, weight, scale, &left_out);
    cup_plot_set_caption(
        input, "Width: %s (cupping). Callers are above; your own functions are split by line.%s%s",
        weight->how, cup_call_ask_text(asked, &input->totals->calls->ask),
        cup_flame_left_out_text(said, &left_out));
    return plot;
}

static const void *make_flame(struct cup_plot_input *input, int which)
{
    const struct cup_flame_weight *weight = &cup_flame_weights[which];
    const char *missing = cup_stacks_missing(input->totals->profile);
    struct cup_folded folded;
    if (missing || !input->totals->calls)
        return cup_plot_unavailable(input, "%s", missing ? missing : "no stacks were loaded");
    if (!cup_weight_measured(input->totals->profile, weight->weight))
        return cup_plot_unavailable(input, "no process was sampled (CUPPING_CPU_HZ=0)");
    if (cup_fold(&folded, input->totals->calls, weight->weight, CUP_ALL_PREFIXES,
                 CUP_FOLD_USER_LINES) != 0)
        return NULL;
    const void *plot = folded.nodes[0].total ? make_plot(input, weight, &folded)
                                             : cup_plot_unavailable(input, "%s", weight->none);
    cup_folded_free(&folded);
    return plot;
}

const void *cup_data_flame_cpu(struct cup_plot_input *input)
{
    return make_flame(input, CUP_FLAME_CPU);
}

const void *cup_data_flame_wait(struct cup_plot_input *input)
{
    return make_flame(input, CUP_FLAME_WAIT);
}

const void *cup_data_flame_read(struct cup_plot_input *input)
{
    return make_flame(input, CUP_FLAME_READ);
}

const void *cup_data_flame_alloc(struct cup_plot_input *input)
{
    return make_flame(input, CUP_FLAME_ALLOC);
}
