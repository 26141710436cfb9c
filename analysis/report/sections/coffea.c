/* Coffea's report: the one that cupping recorded in the chunks, next to the one that the user
 * saved. */
#include <stdlib.h>

#include "analysis/metrics/dask/coffea_compare.h"
#include "analysis/profile/summed_text.h"
#include "analysis/report/page/section.h"

static struct cup_value seconds(uint64_t ns)
{
    return ns == CUP_UNKNOWN64 ? cup_null() : cup_ns(ns);
}

/* ---- both, field by field ---------------------------------------------------------------- */

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
    for (const struct cup_coffea_row *row = rows; row < rows + CUP_COFFEA_FIELDS; row++) {
        cup_table_add_string(&table, row->label);
        cup_table_add_value(&table, row->seen, row->unit);
        cup_table_add_value(&table, row->given, row->unit);
        cup_table_add_value(&table, row->ratio, CUP_UNIT_RATIO);
        cup_table_add_string(&table, row->differs ? "differs" : "");
    }
    cup_table_finish(&table, &page->terminal);
    if (page->totals->coffea.unknown)
        cup_page_line(page, CUP_DIM, "n/a: " CUP_SUMMED ".");
    for (int i = 0; i < CUP_COFFEA_FIELDS; i++)
        if (rows[i].differs) {
            cup_coffea_sentence(page->totals, &rows[i], sentence);
            cup_page_line(page, CUP_WARN, "%s", sentence);
        }
}

/* ---- the saved datasets ------------------------------------------------------------------ */

#define DATASET_FIELDS(X)                                                                          \
    X("dataset", TEXT, cup_string(dataset->name), .heading = "dataset (saved)")                    \
    X("entries", COUNT, cup_count_or_null(figures[CUP_COFFEA_ENTRIES]), .heading = "events")       \
    X("duration", SECONDS, seconds(figures[CUP_COFFEA_PROCESS]), .heading = "duration")            \
    X("num_requested_bytes", BYTES, cup_count_or_null(figures[CUP_COFFEA_BYTES]),                  \
      .heading = "bytes requested")

static void fill_dataset(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_coffea_dataset *dataset = item;
    const uint64_t *figures = dataset->figures.of;
    (void)rows;
    CUP_FILL(values, DATASET_FIELDS);
}

/* The text has the first of them, and their sum. */
static int list_datasets(struct cup_report_rows *rows)
{
    enum { SHOWN_DATASETS = 20 };
    const struct cup_coffea_file *given = rows->totals->given;
    for (size_t i = 0; i < given->dataset_count; i++)
        if (rows->text.page && i >= SHOWN_DATASETS)
            rows->text.hidden++;
        else
            cup_add_row(rows, &given->datasets[i]);
    if (rows->text.page && given->dataset_count > 0)
        cup_add_row(rows, &(struct cup_coffea_dataset){"sum over datasets", given->dataset_sums});
    return 0;
}

static const struct cup_report_table datasets = {CUP_TABLE_FIELDS(DATASET_FIELDS, fill_dataset),
                                                 list_datasets, .more = "dataset",
                                                 .name = "datasets"};

/* ---- in the text -------------------------------------------------------------------------- */

static void print_notes(const struct cup_page *page, const struct cup_coffea_file *given)
{
    if (given->columns_unreadable)
        cup_page_line(page, CUP_WARN,
                      "columns could not be read, because they are not a list of names. "
                      "json.dump(..., default=list) writes a set as a list.");
    if (given->ignored)
        cup_page_line(page, CUP_DIM, "Members of the file that were ignored: %zu.", given->ignored);
}

static int print_coffea(const struct cup_page *page)
{
    const struct cup_coffea_file *given = page->totals->given;
    struct cup_coffea_row rows[CUP_COFFEA_FIELDS];
    if (!given && !cup_coffea_was_seen(&page->totals->coffea))
        return 0;
    cup_page_heading(
        page, "Coffea's report",
        given ? given->path
              : "made from the chunks; --coffea-report FILE compares it with a saved one");
    cup_coffea_compare(page->totals, rows);
    print_comparison(page, rows);
    if (!given)
        return 0;
    int result = cup_print_rows(page, &datasets, NULL, NULL, NULL);
    print_notes(page, given);
    return result;
}

/* ---- in the JSON ------------------------------------------------------------------------- */

void cup_report_put_coffea_sums(struct report *report, const struct cup_coffea_sums *sums)
{
    put(report, "bytesread", cup_count_or_null(cup_coffea_bytes(sums)));
    put(report, "entries", cup_count_or_null(cup_coffea_entries(sums)));
    put(report, "processtime", cup_ns_if(cup_coffea_was_seen(sums), sums->process_ns));
    put(report, "chunks", cup_count_or_null(cup_coffea_chunks(sums)));
}

static int put_columns(struct report *report)
{
    size_t count = 0;
    if (report->totals->coffea.unknown) {
        put(report, "columns", cup_null());
        return 0;
    }
    uint32_t *names = cup_columns_used(report->totals, &count);
    cup_json_array(&report->json, "columns");
    for (size_t i = 0; names && i < count; i++)
        put(report, NULL, text_of(report, names[i]));
    cup_json_end_array(&report->json);
    free(names);
    return names ? 0 : -1;
}

/* ---- as given --------------------------------------------------------------------------- */

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

static int put_given(struct report *report, const struct cup_coffea_file *given)
{
    cup_json_object(&report->json, "given");
    put(report, "file", cup_string(given->path));
    put(report, "bytesread", cup_count_or_null(given->report.of[CUP_COFFEA_BYTES]));
    put(report, "entries", cup_count_or_null(given->report.of[CUP_COFFEA_ENTRIES]));
    put(report, "processtime", seconds(given->report.of[CUP_COFFEA_PROCESS]));
    put(report, "chunks", cup_count_or_null(given->report.of[CUP_COFFEA_CHUNKS]));
    put_given_columns(report, given);
    put(report, "columns_unreadable", cup_bool(given->columns_unreadable));
    put(report, "t_start", cup_value_if(given->start_ns, cup_time(given->start_ns)));
    put(report, "t_stop", cup_value_if(given->stop_ns, cup_time(given->stop_ns)));
    put(report, "ignored", cup_count(given->ignored));
    int result = cup_put_rows(report, &datasets, NULL);
    cup_json_end_object(&report->json);
    return result;
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

/* Null if no chunk had a report and the user gave no file. */
static int put_coffea(struct report *report)
{
    const struct cup_coffea_file *given = report->totals->given;
    if (!cup_coffea_was_seen(&report->totals->coffea) && !given) {
        put(report, "coffea", cup_null());
        return 0;
    }
    cup_json_object(&report->json, "coffea");
    cup_report_put_coffea_sums(report, &report->totals->coffea);
    int result = put_columns(report);
    if (given) {
        result |= put_given(report, given);
        put_comparison(report);
    } else {
        put(report, "given", cup_null());
        put(report, "compared", cup_null());
        put(report, "differs", cup_null());
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
    .nothing = "No chunk of Coffea's Runner was seen.",
    .print = print_coffea,
    .put = put_coffea,
};
