/* Defines cup_SECTION_metrics from the rows of a section; included at the end of each
 * metrics_SECTION.c, which defines METRIC_SECTION and METRIC_ROWS. */
#include "analysis/metrics/metrics.h"

/* Which value is better, see struct cup_direction. */
#define LESS_IS_BETTER .direction = {.better = CUP_BETTER_LOWER}
#define MORE_IS_BETTER .direction = {.better = CUP_BETTER_HIGHER}
#define LESS_FOR_SAME_WORK .direction = {CUP_BETTER_LOWER, .same_work = true}
#define MORE_FOR_SAME_WORK .direction = {CUP_BETTER_HIGHER, .same_work = true}

#define NAMED_METRIC(id, name, label, unit, value, ...)                                            \
    static struct cup_value compute_##id(const struct cup_totals *t)                               \
    {                                                                                              \
        (void)t;                                                                                   \
        return value;                                                                              \
    }
#include METRIC_ROWS
#undef NAMED_METRIC

#define NAMED_METRIC(ID, NAME, LABEL, UNIT, value, ...)                                            \
    {.id = CUP_METRIC_##ID,                                                                        \
     .name = NAME,                                                                                 \
     .label = LABEL,                                                                               \
     .unit = CUP_UNIT_##UNIT,                                                                      \
     .compute = compute_##ID,                                                                      \
     .source = __VA_ARGS__},
static const struct cup_metric metrics[] = {
#include METRIC_ROWS
};
#undef NAMED_METRIC

#define DEFINE_SECTION(section)                                                                    \
    const struct cup_metric_section cup_##section##_metrics = {#section, metrics,                  \
                                                               sizeof metrics / sizeof *metrics};
#define DEFINE_SECTION_OF(section) DEFINE_SECTION(section)
DEFINE_SECTION_OF(METRIC_SECTION)
