/* Advice: what to do first, and all findings. */
#include <ctype.h>
#include <math.h>

#include "analysis/advice/advice.h"
#include "analysis/report/page/section.h"
#include "analysis/report/sections/advice.h"

/* "Up to 3.54 s of the threads' 12.3 s can be saved." into `to`; nothing if that is not known. */
static const char *describe_saving(const struct cup_page *page, const struct cup_advice *advice,
                                   char to[CUP_LINE_ROOM])
{
    if (advice->saves_s > 0)
        return cup_format(to, "Up to %s of the threads' %s can be saved.",
                          CUP_SHOW(advice->saves_s, CUP_UNIT_SECONDS),
                          CUP_SHOW_NS(page->totals->budget.threads_ns));
    if (advice->estimate_s > 0)
        return cup_format(to, "Up to %s can be saved, by a rough estimate %s of the threads' %s.",
                          CUP_SHOW_BYTES(advice->saves_bytes), CUP_SHOW_S(advice->estimate_s),
                          CUP_SHOW_NS(page->totals->budget.threads_ns));
    if (advice->saves_bytes > 0)
        return cup_format(to, "Up to %s can be saved.", CUP_SHOW_BYTES(advice->saves_bytes));
    return to;
}

static void print_finding(const struct cup_page *page, const struct cup_advice *advice)
{
    char saving[CUP_LINE_ROOM] = "";
    cup_page_line(page, CUP_PLAIN, "%s %s", advice->text, describe_saving(page, advice, saving));
}

static void print_none(const struct cup_page *page)
{
    const uint64_t *elsewhere = page->totals->elsewhere;
    uint64_t read = elsewhere[CUP_C_READ_NONE_BYTES] - elsewhere[CUP_C_SERVER_READ_BYTES] +
                    elsewhere[CUP_C_MAPPED_BYTES];
    cup_page_heading(page, "No task was seen", "");
    if (read)
        cup_page_line(page, CUP_PLAIN,
                      "Processes read %s of data files outside of tasks: `cupping report --only "
                      "processes` lists them.",
                      CUP_SHOW_BYTES(read));
    cup_page_line(
        page, CUP_PLAIN,
        "The processes that wrote these logs ran no Dask task and no Coffea chunk, or the "
        "library could not see them. `cupping report --only health` says which features "
        "were off.");
}

void cup_print_findings(const struct cup_page *page, size_t most)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    size_t count = cup_advice_make(page->totals, advice);
    if (count == 0) {
        print_none(page);
        return;
    }
    cup_page_heading(page, "Findings", "failures first, then the one that can save most");
    for (size_t i = 0; i < count && i < most; i++)
        print_finding(page, &advice[i]);
    if (count > most)
        cup_page_line(page, CUP_DIM, "%zu more finding%s: `cupping report --advice`", count - most,
                      cup_plural(count - most));
}

/* The first finding: what to do, then why. */
static void print_action(const struct cup_page *page, const struct cup_advice *advice)
{
    char saving[CUP_LINE_ROOM] = "";
    char *action = CUP_FORMAT("%s", advice->text + advice->action);
    describe_saving(page, advice, saving);
    *action = (char)toupper((unsigned char)*action);
    cup_page_line(page, CUP_BOLD, "%s", action);
    if (advice->action)
        cup_page_line(page, CUP_PLAIN, "%.*s%s", (int)advice->action, advice->text, saving);
    else if (*saving)
        cup_page_line(page, CUP_PLAIN, "%s", saving);
}

void cup_print_verdict(const struct cup_page *page)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    size_t count = cup_advice_make(page->totals, advice);
    if (count == 0) {
        print_none(page);
        return;
    }
    cup_page_heading(page, "What to do first", "");
    print_action(page, &advice[0]);
    if (count > 1)
        cup_page_line(page, CUP_DIM,
                      page->terminal.html ? "%zu more finding%s below, each with its evidence."
                                          : "%zu more finding%s: `cupping report --advice`",
                      count - 1, cup_plural(count - 1));
}

static int print_advice(const struct cup_page *page)
{
    cup_print_findings(page, CUP_ADVICE_MOST);
    return 0;
}

static void put_saving(struct report *report, const char *name, double value)
{
    put(report, name, cup_value_if(value >= 0, cup_real(value)));
}

static int put_advice(struct report *report)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    size_t count = cup_advice_make(report->totals, advice);
    cup_json_array(&report->json, "advice");
    for (size_t i = 0; i < count; i++) {
        cup_json_row(&report->json, NULL);
        put(report, "rule", cup_string(advice[i].rule->name));
        put(report, "text", cup_string(advice[i].text));
        put(report, "action",
            advice[i].action ? cup_string(advice[i].text + advice[i].action) : cup_null());
        put_saving(report, "saves_s", advice[i].saves_s);
        put_saving(report, "saves_bytes", advice[i].saves_bytes);
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
    return 0;
}

const struct cup_report_section cup_advice_section = {
    .name = "advice",
    .shown = CUP_SHOWN_ON_REQUEST,
    .needs = CUP_NEEDS_ALL_STACKS, /* findings name lines */
    .print = print_advice,
    .put = put_advice};
