#include "tests/plot/loaded.h"

#include <criterion/criterion.h>
#include <string.h>

void load_run(struct loaded *run, struct log_builder *builder, bool accesses)
{
    char directory[SUPPORT_PATH];
    struct cup_error error;
    const struct cup_load_options options = {.counters = true, .accesses = accesses};
    make_scratch(directory);
    builder_finish(builder);
    save_log(builder, directory, "a.cup");
    if (run->second)
        save_log(run->second, directory, "b.cup");
    cr_assert_eq(cup_profile_load(&run->profile, directory, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&run->totals, &run->profile), 0);
    run->input = (struct cup_plot_input){.totals = &run->totals, .arena = &run->arena};
}

void unload_run(struct loaded *run)
{
    char directory[SUPPORT_PATH];
    snprintf(directory, sizeof directory, "%s", run->profile.path ? run->profile.path : "");
    cup_arena_clear(&run->arena);
    cup_totals_free(&run->totals);
    cup_profile_free(&run->profile);
    if (*directory)
        remove_scratch(directory);
}

/* Returns 0 with data, or 1 with a reason in run->input. */
static int try(struct loaded *run, const char *name, const void **data)
{
    struct cup_error error;
    return cup_plot_make(cup_plot_find(&cup_plots, name), &run->input, data, &error);
}

const void *make_plot(struct loaded *run, const char *name)
{
    const void *data;
    cr_assert_eq(try(run, name, &data), 0, "%s: %s", name, run->input.reason);
    return data;
}

void expect_no_plot(struct loaded *run, const char *name, const char *reason)
{
    const void *data;
    cr_assert_eq(try(run, name, &data), 1, "%s", name);
    cr_expect_not_null(strstr(run->input.reason, reason), "%s: %s", name, run->input.reason);
}
