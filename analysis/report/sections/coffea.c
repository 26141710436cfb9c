/* Coffea's report: as it was seen in the chunks, and as the user saved it. */
#include "analysis/metrics/dask/coffea_compare.h"
#include "analysis/report/page/page.h"

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
        {"", CUP_FIT_LEFT, 0},       {"seen", CUP_FIT_RIGHT, 0}, {"given", CUP_FIT_RIGHT, 0},
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
    cup_table_add_value(table, cup_known_worker_count(figures->entries), CUP_UNIT_COUNT);
    if (figures->process_ns == CUP_UNKNOWN64)
        cup_table_add_value(table, cup_null(), CUP_UNIT_SECONDS);
    else
        cup_table_add_seconds(table, figures->process_ns);
    cup_table_add_value(table, cup_known_worker_count(figures->bytes), CUP_UNIT_BYTES);
}

static void print_datasets(const struct cup_page *page, const struct cup_coffea_file *given)
{
    static const struct cup_column columns[] = {
        {"dataset given", CUP_FIT_LEFT, 0},
        {"events", CUP_FIT_RIGHT, 0},
        {"duration", CUP_FIT_RIGHT, 0},
        {"bytes asked for", CUP_FIT_RIGHT, 0},
    };
    size_t count = given->dataset_count;
    struct cup_table table;
    if (count == 0)
        return;
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count && i < SHOWN_DATASETS; i++)
        add_dataset(&table, given->datasets[i].name, &given->datasets[i].figures);
    add_dataset(&table, "all, as the totals take them", &given->dataset_sums);
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, count > SHOWN_DATASETS ? count - SHOWN_DATASETS : 0, "datasets");
}

static void print_notes(const struct cup_page *page, const struct cup_coffea_file *given)
{
    char line[200];
    if (given->columns_unreadable)
        cup_print_wrapped(&page->terminal, CUP_WARN, 2,
                          "columns could not be read: they are no list of names. json.dump(..., "
                          "default=list) writes a set as one.");
    if (given->ignored == 0)
        return;
    snprintf(line, sizeof line, "Members of the file that mean nothing here: %zu.", given->ignored);
    cup_print_wrapped(&page->terminal, CUP_DIM, 2, line);
}

int cup_print_coffea(const struct cup_page *page)
{
    const struct cup_coffea_file *given = page->totals->given;
    struct cup_coffea_row rows[CUP_COFFEA_FIELDS];
    if (!given && page->totals->coffea.chunks == 0)
        return 0;
    cup_page_heading(page, "Coffea's report",
                     given ? given->path : "as seen; --coffea-report FILE compares it with one");
    cup_coffea_compare(page->totals, rows);
    print_comparison(page, rows);
    if (given) {
        print_datasets(page, given);
        print_notes(page, given);
    }
    return 0;
}
