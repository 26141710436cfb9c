/* Bytes, and the tasks they belong to. */
#include "analysis/metrics/formulas.h"

static struct cup_value child_read_none_bytes(T t)
{
    return cup_count(t->children[CUP_ANCESTRY_UNNAMED].bytes +
                     t->children[CUP_ANCESTRY_LOST].bytes + t->children[CUP_ANCESTRY_LATE].bytes +
                     t->children[CUP_ANCESTRY_SUMMED].bytes +
                     t->children[CUP_ANCESTRY_SHARED].bytes);
}

#define METRIC_SECTION attribution
#define METRIC_ROWS "analysis/metrics/rows_attribution.h"
#include "analysis/metrics/section_table.h"
