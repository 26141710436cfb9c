/* How the run scales within itself, and how far it is to a target. */
#include "analysis/compare/compare_write.h"
#include "analysis/report/page/section.h"

static int print_scaling(const struct cup_page *page)
{
    const struct cup_ramp ramp = cup_ramp_make(page->totals);
    cup_page_heading(page, "Scaling", "rate per thread, by threads that were busy at once");
    cup_ramp_text(&page->terminal, &ramp);
    cup_target_text(&page->terminal, &ramp, page->target);
    return 0;
}

static int put_scaling(struct report *report)
{
    const struct cup_ramp ramp = cup_ramp_make(report->totals);
    cup_ramp_json(&report->json, "scaling", &ramp, report->target);
    return 0;
}

static bool has_target(const struct cup_page *page)
{
    return page->target->rate > 0;
}

const struct cup_report_section cup_scaling_section = {
    .name = "scaling",
    .shown = CUP_SHOWN_ON_REQUEST,
    .is_wanted = has_target,
    .print = print_scaling,
    .put = put_scaling,
};
