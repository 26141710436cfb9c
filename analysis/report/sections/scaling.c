/* How the run scales within itself, and how far it is to a target. */
#include "analysis/compare/compare_write.h"
#include "analysis/report/page/page.h"

int cup_print_scaling(const struct cup_page *page)
{
    const struct cup_ramp ramp = cup_ramp_make(page->totals);
    cup_page_heading(page, "Scaling", "rate per thread, by threads that were busy at once");
    cup_ramp_text(&page->terminal, &ramp);
    cup_target_text(&page->terminal, &ramp, page->target);
    return 0;
}
