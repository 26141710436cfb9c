/* Coffea's report: the one that cupping recorded in the chunks, next to the one that the user
 * saved. */
#include <stdlib.h>

#include "analysis/metrics/dask/coffea_compare.h"
#include "analysis/report/page/section.h"

enum { SHOWN_DATASETS = 20 };

static void add_row(struct cup_table *table, const struct cup_coffea_row *row)
{
    cup_table_add_string(table, row->label);
    cup_table_add_value(table, row->seen, row->unit);
    cup_table_add_value(table, row->given, row->unit);
    cup_table_add_value(table, row->ratio, CUP_UNIT_RATIO);
    cup_table_add_string(table, row->differs ? "differs" : "");
}

static void print_comparison(const struct cup_page *page,
                             const struct cup_coffea_row rows[CUP_COFFEA_FIELDS])
{
    static const struct cup_column columns[] = {
        {"", CUP_FIT_LEFT, 0},       {"recorded", CUP_FIT_RIGHT, 0}, {"saved", CUP_FIT_RIGHT, 0},
        {"ratio", CUP_FIT_RIGHT, 0}, {"", CUP_FIT_LEFT, 0},
    };
    char sentence[CUP_COFFEA_SENTENCE];
    struct cup_table table;
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < CUP_COFFEA_FIELDS; i++)
        add_row(&table, &rows[i]);
    cup_table_finish(&table, &page->terminal);
    for (int i = 0; i < CUP_COFFEA_FIELDS; i++)
        if (rows[i].differs) {
            cup_coffea_sentence(page->totals, &rows[i], sentence);
            cup_print_wrapped(&page->terminal, CUP_WARN, 2, sentence);
        }
}

static void add_dataset(struct cup_table *table, const char *name,
                        const struct cup_coffea_figures *figures)
{
    cup_table_add_string(table, name);
    cup_table_add_value(table, cup_count_or_null(figures->entries), CUP_UNIT_COUNT);
    if (figures->process_ns == CUP_UNKNOWN64)
        cup_table_add_value(table, cup_null(), CUP_UNIT_SECONDS);
    else
        cup_table_add_seconds(table, figures->process_ns);
    cup_table_add_value(table, cup_count_or_null(figures->bytes), CUP_UNIT_BYTES);
}

static void print_datasets(const struct cup_page *page, const struct cup_coffea_file *given)
{
    static const struct cup_column columns[] = {
        {"dataset (saved)", CUP_FIT_LEFT, 0},
        {"events", CUP_FIT_RIGHT, 0},
        {"duration", CUP_FIT_RIGHT, 0},
        {"bytes requested", CUP_FIT_RIGHT, 0},
    };
    size_t count = given->dataset_count;
    struct cup_table table;
    if (count == 0)
        return;
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count && i < SHOWN_DATASETS; i++)
        add_dataset(&table, given->datasets[i].name, &given->datasets[i].figures);
    add_dataset(&table, "sum over datasets", &given->dataset_sums);
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, count > SHOWN_DATASETS ? count - SHOWN_DATASETS : 0, "datasets");
}

static void print_notes(const struct cup_page *page, const struct cup_coffea_file *given)
{
    char line[200];
    if (given->columns_unreadable)
        cup_print_wrapped(&page->terminal, CUP_WARN, 2,
                          "columns could not be read, because they are not a list of names. "
                          "json.dump(..., default=list) writes a set as a list.");
    if (given->ignored == 0)
        return;
    snprintf(line, sizeof line, "Members of the file that were ignored: %zu.", given->ignored);
    cup_print_wrapped(&page->terminal, CUP_DIM, 2, line);
}

static int print_coffea(const struct cup_page *page)
{
    const struct cup_coffea_file *given = page->totals->given;
    struct cup_coffea_row rows[CUP_COFFEA_FIELDS];
    if (!given && page->totals->coffea.chunks == 0)
        return 0;
    cup_page_heading(
        page, "Coffea's report",
        given ? given->path
              : "made from the chunks; --coffea-report FILE compares it with a saved one");
    cup_coffea_compare(page->totals, rows);
    print_comparison(page, rows);
    if (given) {
        print_datasets(page, given);
        print_notes(page, given);
    }
    return 0;
}

/* ---- in the JSON ------------------------------------------------------------------------- */

void cup_report_put_coffea_sums(struct report *report, const struct cup_coffea_sums *sums)
{
    put(report, "bytesread", sums->with_bytes ? cup_count(sums->bytes) : cup_null());
    put(report, "entries", sums->with_entries ? cup_count(sums->entries) : cup_null());
    put(report, "processtime", sums->chunks ? cup_seconds((int64_t)sums->process_ns) : cup_null());
    put(report, "chunks", cup_count(cup_coffea_chunks(sums)));
}

static int put_columns(struct report *report)
{
    size_t count = 0;
    uint32_t *names = cup_columns_used(report->totals, &count);
    cup_json_array(&report->json, "columns");
    for (size_t i = 0; names && i < count; i++)
        put(report, NULL, text_of(report, names[i]));
    cup_json_end_array(&report->json);
    free(names);
    return names ? 0 : -1;
}

/* ---- as given --------------------------------------------------------------------------- */

static struct cup_value seconds(uint64_t ns)
{
    return ns == CUP_UNKNOWN64 ? cup_null() : cup_seconds((int64_t)ns);
}

static struct cup_value time_of(int64_t ns)
{
    return ns ? cup_time(ns) : cup_null();
}

static void put_given_columns(struct report *report, const struct cup_coffea_file *given)
{
    size_t i;
    json_t *name;
    if (!given->columns) {
        put(report, "columns", cup_null());
        return;
    }
    cup_json_array(&report->json, "columns");
    json_array_foreach(given->columns, i, name)
        put(report, NULL,
            cup_text((struct cup_text){json_string_value(name), json_string_length(name)}));
    cup_json_end_array(&report->json);
}

static void put_given_dataset(struct report *report, const char *name,
                              const struct cup_coffea_figures *figures)
{
    cup_json_row(&report->json, NULL);
    put(report, "dataset", cup_string(name));
    put(report, "entries", cup_count_or_null(figures->entries));
    put(report, "duration", seconds(figures->process_ns));
    put(report, "num_requested_bytes", cup_count_or_null(figures->bytes));
    cup_json_end_object(&report->json);
}

static void put_given(struct report *report, const struct cup_coffea_file *given)
{
    cup_json_object(&report->json, "given");
    put(report, "file", cup_string(given->path));
    put(report, "bytesread", cup_count_or_null(given->report.bytes));
    put(report, "entries", cup_count_or_null(given->report.entries));
    put(report, "processtime", seconds(given->report.process_ns));
    put(report, "chunks", cup_count_or_null(given->report.chunks));
    put_given_columns(report, given);
    put(report, "columns_unreadable", cup_bool(given->columns_unreadable));
    put(report, "t_start", time_of(given->start_ns));
    put(report, "t_stop", time_of(given->stop_ns));
    put(report, "ignored", cup_count(given->ignored));
    cup_json_array(&report->json, "datasets");
    for (size_t i = 0; i < given->dataset_count; i++)
        put_given_dataset(report, given->datasets[i].name, &given->datasets[i].figures);
    cup_json_end_array(&report->json);
    cup_json_end_object(&report->json);
}

/* ---- both ------------------------------------------------------------------------------- */

static void put_comparison(struct report *report)
{
    struct cup_coffea_row rows[CUP_COFFEA_FIELDS];
    char sentence[CUP_COFFEA_SENTENCE];
    cup_coffea_compare(report->totals, rows);
    cup_json_array(&report->json, "compared");
    for (int i = 0; i < CUP_COFFEA_FIELDS; i++) {
        cup_json_row(&report->json, NULL);
        put(report, "field", cup_string(rows[i].name));
        put(report, "seen", rows[i].seen);
        put(report, "given", rows[i].given);
        put(report, "ratio", rows[i].ratio);
        put(report, "differs", cup_bool(rows[i].differs));
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
    cup_json_array(&report->json, "differs");
    for (int i = 0; i < CUP_COFFEA_FIELDS; i++)
        if (rows[i].differs) {
            cup_coffea_sentence(report->totals, &rows[i], sentence);
            put(report, NULL, cup_string(sentence));
        }
    cup_json_end_array(&report->json);
}

static void put_without_file(struct report *report)
{
    put(report, "given", cup_null());
    put(report, "compared", cup_null());
    put(report, "differs", cup_null());
}

/* Null if no chunk had a report and the user gave no file. */
static int put_coffea(struct report *report)
{
    const struct cup_coffea_file *given = report->totals->given;
    if (report->totals->coffea.chunks == 0 && !given) {
        put(report, "coffea", cup_null());
        return 0;
    }
    cup_json_object(&report->json, "coffea");
    cup_report_put_coffea_sums(report, &report->totals->coffea);
    int result = put_columns(report);
    if (given) {
        put_given(report, given);
        put_comparison(report);
    } else {
        put_without_file(report);
    }
    cup_json_end_object(&report->json);
    return result;
}

static bool is_given(const struct cup_page *page)
{
    return page->totals->given != NULL;
}

const struct cup_report_section cup_coffea_section = {
    .name = "coffea",
    .shown = CUP_SHOWN_ON_REQUEST,
    .is_wanted = is_given,
    .print = print_coffea,
    .put = put_coffea,
};
