#include "analysis/compare/spread.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/base/array.h"

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

struct cup_spread cup_spread_of(double *numbers, size_t count)
{
    struct cup_spread spread = {.count = count};
    if (count)
        qsort(numbers, count, sizeof *numbers, ascending);
    for (int i = 0; count && i < CUP_SPREAD_POINTS; i++) {
        double share = (double)i / (CUP_SPREAD_POINTS - 1);
        spread.at[i] = numbers[(size_t)(share * (double)(count - 1) + 0.5)];
    }
    return spread;
}

double cup_spread_at(const struct cup_spread *spread, double share)
{
    return spread->count ? spread->at[(size_t)(share * (CUP_SPREAD_POINTS - 1) + 0.5)] : NAN;
}

void cup_numbers_add(struct cup_numbers *numbers, double number)
{
    if (!isfinite(number))
        return;
    if (cup_array_grow(&numbers->numbers, &numbers->room, numbers->count,
                       sizeof *numbers->numbers) != 0)
        numbers->short_of_memory = 1;
    else
        numbers->numbers[numbers->count++] = number;
}

struct cup_spread cup_numbers_spread(struct cup_numbers *numbers)
{
    struct cup_spread spread = cup_spread_of(numbers->numbers, numbers->count);
    free(numbers->numbers);
    *numbers = (struct cup_numbers){.short_of_memory = numbers->short_of_memory};
    return spread;
}
