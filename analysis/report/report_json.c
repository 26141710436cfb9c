#include <stdlib.h>

#include "analysis/base/version.h"
#include "analysis/report/report.h"
#include "analysis/report/report_sections.h"
#include "analysis/tasks/task_columns.h"

/* Version of the JSON: raised when the meaning of a key changes, not when keys are added. */
enum { REPORT_VERSION = 1 };

/* Returns 0, or -1 without memory. */
static int put_tables(struct report *report, const struct cup_report_section *section)
{
    int result = 0;
    if (!section->tables[0] && section->table)
        return cup_put_rows(report, section->table, NULL);
    for (size_t i = 0; section->tables[i] && result == 0; i++)
        result = cup_put_rows(report, section->tables[i], NULL);
    return result;
}

static int put_section(struct report *report, const struct cup_report_section *section)
{
    if (section->put)
        return section->put(report);
    cup_json_object(&report->json, section->name);
    if (section->metrics)
        put_metrics(report, section->metrics);
    if (section->put_keys)
        section->put_keys(report);
    int result = put_tables(report, section);
    if (result == 0 && section->put_last)
        result = section->put_last(report);
    cup_json_end_object(&report->json);
    return result;
}

static int put_report(struct report *report)
{
    const struct cup_report_section *section;
    int result = 0;
    cup_json_object(&report->json, NULL);
    put(report, "format", cup_string("cupping-report"));
    put(report, "version", cup_count(REPORT_VERSION));
    put(report, "cupping_version", cup_string(CUP_VERSION));
    put(report, "profile", cup_string(report->profile->path));
    for (unsigned i = 1; result == 0 && (section = cup_report_section_in_json(i)) != NULL; i++)
        result = put_section(report, section);
    cup_json_end_object(&report->json);
    return result;
}

int cup_report_json(const struct cup_totals *totals, const struct cup_target *target,
                    const struct cup_output *output)
{
    struct report report = {
        .totals = totals, .profile = totals->profile, .target = target, .output = output};
    uint32_t *attempts = cup_task_attempts(totals->profile);
    if (!attempts)
        return -1;
    report.attempts = attempts;
    cup_json_start(&report.json, output->file);
    int result = put_report(&report);
    free(attempts);
    return result;
}
