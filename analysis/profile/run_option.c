#include "analysis/profile/run_option.h"

#include <stdlib.h>
#include <string.h>

int cup_run_option_read(const char *verb, const char *text, unsigned *number,
                        struct cup_error *error)
{
    char *end = NULL;
    unsigned long value = text ? strtoul(text, &end, 10) : 0;
    if (!text)
        *number = 0;
    else if (strcmp(text, "all") == 0)
        *number = CUP_ALL_RUNS;
    else if (*text < '0' || *text > '9' || *end || value < 1 || value > 1000000)
        return cup_error_set(error, verb, CUP_NO_OFFSET,
                             "--run %s: neither a number from 1 on nor `all`", text);
    else
        *number = (unsigned)value;
    return 0;
}

int cup_run_option_check(unsigned number, const struct cup_profile *profile,
                         struct cup_error *error)
{
    size_t runs = profile->run_count ? profile->run_count : 1;
    if (number == CUP_ALL_RUNS || number <= runs)
        return 0;
    return cup_error_set(error, profile->path, CUP_NO_OFFSET,
                         "--run %u: it holds %zu run%s; `cupping report --only runs` lists them",
                         number, runs, runs == 1 ? "" : "s");
}
