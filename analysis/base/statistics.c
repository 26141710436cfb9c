#include "analysis/base/statistics.h"

#include <math.h>

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* The median of the first, the middle and the last number. */
static double pivot_of(const double *numbers, size_t low, size_t high)
{
    double a = numbers[low], b = numbers[low + (high - low) / 2], c = numbers[high];
    return a < b ? (b < c ? b : fmax(a, c)) : (a < c ? a : fmax(b, c));
}

/* Hoare's quickselect: to sort a million numbers for one median would take a tenth of a second. */
double cup_select(double *numbers, size_t count, size_t rank)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        double pivot = pivot_of(numbers, low, high);
        size_t left = low, right = high;
        for (;;) {
            while (numbers[left] < pivot)
                left++;
            while (numbers[right] > pivot)
                right--;
            if (left >= right)
                break;
            swap(&numbers[left++], &numbers[right--]);
        }
        if (rank <= right)
            high = right;
        else
            low = right + 1;
    }
    return numbers[rank];
}

double cup_quantile(double *numbers, size_t count, double share)
{
    if (count == 0)
        return NAN;
    double at = share * (double)(count - 1), below = floor(at);
    double low = cup_select(numbers, count, (size_t)below);
    return at > below ? low + (at - below) * (cup_select(numbers, count, (size_t)below + 1) - low)
                      : low;
}

double cup_quantile_sorted(const double *numbers, size_t count, double share)
{
    if (count == 0)
        return NAN;
    double at = share * (double)(count - 1);
    size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;
    return numbers[below] + (at - (double)below) * (numbers[above] - numbers[below]);
}

struct cup_statistics cup_statistics_of(double *numbers, size_t count)
{
    struct cup_statistics s = {count, NAN, NAN, NAN, NAN, NAN};
    double sum = 0, squares = 0;
    if (count == 0)
        return s;
    s.min = s.max = numbers[0];
    for (size_t i = 0; i < count; i++) {
        s.min = numbers[i] < s.min ? numbers[i] : s.min;
        s.max = numbers[i] > s.max ? numbers[i] : s.max;
        sum += numbers[i];
    }
    s.mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (numbers[i] - s.mean) * (numbers[i] - s.mean);
    s.stdev = sqrt(squares / (double)count);
    s.median = cup_quantile(numbers, count, 0.5);
    return s;
}
