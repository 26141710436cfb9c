/* Whether the run did all that it was to do. */
#include "analysis/report/page/section.h"

void cup_page_completeness(const struct cup_page *page)
{
    const struct cup_completeness *c = page->totals->completeness;
    enum cup_style style = c->state == CUP_RUN_COMPLETE  ? CUP_GOOD
                           : c->state == CUP_RUN_UNKNOWN ? CUP_DIM
                           : c->state == CUP_RUN_RUNNING ? CUP_WARN
                                                         : CUP_BAD;
    cup_print_wrapped(&page->terminal, style, 0, c->sentence);
}

static int print_completeness(const struct cup_page *page)
{
    cup_page_heading(page, "Completeness", "");
    cup_page_completeness(page);
    return 0;
}

static int put_completeness(struct report *report)
{
    const struct cup_completeness *c = report->totals->completeness;
    cup_json_object(&report->json, "completeness");
    put(report, "state", cup_string(cup_run_state_names[c->state]));
    put(report, "sentence", cup_string(c->sentence));
    put(report, "cause", cup_string(*c->cause ? c->cause : NULL));
    put(report, "not_known", cup_string(c->reason));
    put(report, "share", cup_real(cup_completeness_share(c)));
    put(report, "planned_chunks", cup_count_or_null(c->planned_chunks));
    put(report, "planned_events", cup_count_or_null(c->planned_events));
    put(report, "done_chunks", cup_count(c->done_chunks));
    put(report, "done_events", cup_count_or_null(c->done_events));
    put(report, "skipped_chunks", cup_count(c->skipped_chunks));
    put(report, "skipped_files", cup_count(c->skipped_files));
    put(report, "failed_chunks", cup_count(c->failed_chunks));
    put(report, "failed_files", cup_count(c->failed_files));
    put(report, "failed_merges", cup_count(c->failed_merges));
    put(report, "maxchunks", cup_count_if(c->max_chunks, c->max_chunks));
    cup_json_end_object(&report->json);
    return 0;
}

const struct cup_report_section cup_completeness_section = {.name = "completeness",
                                                            .shown = CUP_SHOWN_ON_REQUEST,
                                                            .print = print_completeness,
                                                            .put = put_completeness};
