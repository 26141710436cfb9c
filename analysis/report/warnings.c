#include "analysis/report/warnings.h"

#include <stdio.h>

#include "analysis/base/units.h"

static const struct {
    enum cup_health counter;
    const char *what, *consequence;
} limits[] = {
    {CUP_H_MAPPINGS_DROPPED, "Mapped files not followed, because the table was full",
     "mapped_bytes is too low"},
    {CUP_H_LOCKS_DROPPED, "Locks not followed, because the table was full",
     "work handed over with them may have no task"},
    {CUP_H_THREADS_VOIDED, "Threads that a task started and that worked for others too",
     "they are not taken for its helpers, and what they read without another hint has no task"},
};

static size_t add_limits(const struct cup_totals *totals, struct cup_warning *warnings)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        uint64_t number = totals->profile->health[limits[i].counter];
        if (number)
            snprintf(warnings[count++].text, sizeof warnings->text, "%s: %llu; %s.", limits[i].what,
                     (unsigned long long)number, limits[i].consequence);
    }
    return count;
}

static size_t add_late_children(const struct cup_totals *totals, struct cup_warning *warning)
{
    const struct cup_child_sums *late = &totals->children[CUP_DESCENT_LATE];
    char bytes[CUP_HUMANE_ROOM];
    if (late->bytes == 0)
        return 0;
    snprintf(warning->text, sizeof warning->text,
             "Children that read data after the task that started them had ended, perhaps for "
             "others: %llu; the %s that they read have no task.",
             (unsigned long long)late->processes,
             cup_print_humane(bytes, cup_count(late->bytes), CUP_UNIT_BYTES));
    return 1;
}

size_t cup_warnings_make(const struct cup_totals *totals,
                         struct cup_warning warnings[CUP_WARNINGS_MOST])
{
    size_t count = add_limits(totals, warnings);
    count += add_late_children(totals, &warnings[count]);
    cup_kernel_warning(&totals->kernel, totals->profile, warnings[count].text,
                       sizeof warnings->text);
    count += warnings[count].text[0] != '\0';
    return count;
}
