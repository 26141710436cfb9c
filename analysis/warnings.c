#include "analysis/warnings.h"

#include <stdio.h>

/* Each begins with the number. */
static const struct {
    enum cup_health counter;
    const char *text;
} limits[] = {
    {CUP_H_MAPPINGS_DROPPED,
     "mapped files were not followed, because their table was full: mapped_bytes is too low."},
    {CUP_H_LOCKS_DROPPED,
     "locks were not followed, because their table was full: work handed over with them may have "
     "no task."},
    {CUP_H_THREADS_VOIDED,
     "threads that a task had started also worked for others: they are not taken for its helpers, "
     "and what they read without another hint has no task."},
};

static size_t add_limits(const struct cup_totals *totals, struct cup_warning *warnings)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        uint64_t number = totals->profile->health[limits[i].counter];
        if (number)
            snprintf(warnings[count++].text, sizeof warnings->text, "%llu %s",
                     (unsigned long long)number, limits[i].text);
    }
    return count;
}

static size_t add_late_children(const struct cup_totals *totals, struct cup_warning *warning)
{
    const struct cup_child_sums *late = &totals->children[CUP_DESCENT_LATE];
    if (late->bytes == 0)
        return 0;
    snprintf(warning->text, sizeof warning->text,
             "%llu children read data after the task that started them had ended, perhaps for "
             "other tasks: their %llu bytes have no task.",
             (unsigned long long)late->processes, (unsigned long long)late->bytes);
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
