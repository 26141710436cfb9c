/* A table of the report is described once, by its fields: what each is called in JSON and CSV,
 * where it stands in the text, and its value in a row. The text, the page of HTML, the rows in the
 * JSON and the files of `cupping export --to csv` are all written from that description.
 *
 * To describe a table, list its fields as
 *     #define FIELDS(X)                                                             \
 *         X("server", TEXT, cup_text(name), .heading = "server")                    \
 *         X("recv_calls", COUNT, cup_count(calls))
 * and write a function that computes what the values are made from, then CUP_FILL(values, FIELDS).
 */
#pragma once

#include <stdio.h>
#include <string.h>

#include "analysis/report/page/page.h"
#include "analysis/tasks/task_columns.h"
#include "analysis/write/cell_writer.h"
#include "analysis/write/json_writer.h"
#include "analysis/write/output.h"

static inline struct cup_value cup_count_if(bool known, uint64_t count)
{
    return cup_value_if(known, cup_count(count));
}

static inline struct cup_value cup_ns_if(bool known, uint64_t ns)
{
    return cup_value_if(known, cup_ns(ns));
}

/* The report while it is written as JSON. */
struct report {
    const struct cup_totals *totals;
    const struct cup_profile *profile;
    const struct cup_output *output;
    const struct cup_target *target;
    const uint32_t *attempts; /* per task */
    bool without_tasks;       /* tables with `of_tasks` are left out */
    struct cup_json json;
};

static inline struct cup_value text_of(const struct report *report, uint32_t string)
{
    return cup_text(cup_profile_text(report->profile, string));
}

static inline void put(struct report *report, const char *name, struct cup_value value)
{
    cup_json_value(&report->json, name, value);
}

static inline void put_ns(struct report *report, const char *name, uint64_t ns)
{
    put(report, name, cup_ns(ns));
}

/* Writes all metrics of a section as keys of the JSON object that is open. */
static inline void put_metrics(struct report *report, const struct cup_metric_section *section)
{
    for (size_t i = 0; i < section->count; i++)
        put(report, section->metrics[i].name,
            cup_metric_value(section->metrics[i].id, report->totals));
}

/* Times, which the log counts in *_ns, are *_s in the report. */
static inline bool is_time_counter(const char *counter)
{
    size_t length = strlen(counter);
    return length > 3 && memcmp(counter + length - 3, "_ns", 3) == 0;
}

/* The counter's key in the report: NAME_s for NAME_ns, otherwise its own name. ROOM: of BYTES
 * bytes, more than the name has. */
static inline const char *counter_key(const char *counter, char *room, size_t bytes)
{
    size_t length = strlen(counter);
    if (!is_time_counter(counter) || length >= bytes)
        return counter;
    memcpy(room, counter, length - 2);
    memcpy(room + length - 2, "s", sizeof "s");
    return room;
}

/* Null if not `known`; nanoseconds become seconds. */
static inline struct cup_value counter_value(const char *counter, uint64_t value, bool known)
{
    if (!known)
        return cup_null();
    return is_time_counter(counter) ? cup_ns(value) : cup_count(value);
}

/* What a value is: how the text shows it, and its type in docs/report.schema.json. */
enum cup_field_type {
    CUP_FIELD_TEXT,
    CUP_FIELD_WORD, /* a text that is aligned right, as numbers are: a version */
    CUP_FIELD_BOOL,
    CUP_FIELD_TIME,
    CUP_FIELD_ID,     /* a number without a unit: a pid */
    CUP_FIELD_NUMBER, /* a number from the profiled program, whose unit is not known */
    CUP_FIELD_COUNT,
    CUP_FIELD_BYTES,
    CUP_FIELD_SECONDS,
    CUP_FIELD_SHARE,
    CUP_FIELD_PERCENT,
    CUP_FIELD_RATIO,
    CUP_FIELD_MBS,
    CUP_FIELD_KHZ,
    CUP_FIELD_HZ,
    CUP_FIELD_TYPES
};

struct cup_field {
    const char *key; /* in JSON and CSV; NULL: only in the text */
    enum cup_field_type type;
    const char *heading; /* in the text; NULL: no column there */
    unsigned place;      /* order of the columns in the text, from 1; 0 in all fields of a table:
                          * the order of the fields */
    unsigned rank;       /* see struct cup_column: the highest is hidden first */
    const char *none;    /* printed for null; NULL: "n/a", and "(not known)" for texts */
    int counter;         /* enum cup_counter: shown if the run has any of it; 0: shown */
    bool (*is_shown)(const struct cup_totals *totals); /* in the text or not; NULL: always */
};

enum { CUP_FIELDS_MOST = 128, CUP_KEY_ROOM = 64 };

struct cup_report_rows;

/* Some fields of a row. */
struct cup_row_part {
    const struct cup_field *fields; /* NULL: only in JSON and CSV */
    unsigned count;
    /* Without `fields`: the keys are `before` and `names`, with *_ns as *_s, or what `key` says. */
    const char *before; /* NULL: nothing */
    const char *const *names;
    const char *(*key)(unsigned index, char room[CUP_KEY_ROOM]);
    /* Computes the values of this part, and of those behind it that have no `fill`. Texts made for
     * this row must be stored with cup_row_string(). */
    void (*fill)(struct cup_report_rows *rows, const void *item, struct cup_value *values);
    /* Set instead of fields: writes objects and arrays inside the row, in the JSON only. */
    void (*put)(struct report *report, const void *item);
    const char *nested; /* the key that `put` writes; NULL: it writes several keys */
};

struct cup_report_table {
    const struct cup_row_part *parts;
    unsigned part_count;
    /* Calls cup_add_row() for every row, in order. Returns 0, or -1 without memory. */
    int (*list)(struct cup_report_rows *rows);
    size_t on_screen; /* rows on a terminal; 0: all */
    const char *more; /* WHAT of cup_page_more(): "server in --json" */
    const char *name; /* of the array in the section's object in the JSON; NULL: "rows" */
    bool of_tasks;    /* a row for each task or chunk, so that there may be millions */
};

#define CUP_FIELD(name, kind, value, ...) {.key = (name), .type = CUP_FIELD_##kind, __VA_ARGS__},
#define CUP_FIELD_VALUE(name, kind, value, ...) value,

#define CUP_ROW_PART(FIELDS, filler)                                                               \
    {                                                                                              \
        .fields = (const struct cup_field[]){FIELDS(CUP_FIELD)},                                   \
        .count = sizeof((const struct cup_field[]){FIELDS(CUP_FIELD)}) / sizeof(struct cup_field), \
        .fill = (filler)                                                                           \
    }

/* Keys `head` and a name for each of `number` values, which the `fill` before it computes. */
#define CUP_NAMED_PART(head, list, number)                                                         \
    {                                                                                              \
        .before = (head), .names = (list), .count = (number)                                       \
    }

/* Writes the values of the fields, and moves `values` behind them. */
#define CUP_FILL(values, FIELDS)                                                                   \
    do {                                                                                           \
        const struct cup_value all_[] = {FIELDS(CUP_FIELD_VALUE)};                                 \
        memcpy((values), all_, sizeof all_);                                                       \
        (values) += sizeof all_ / sizeof *all_;                                                    \
    } while (0)

/* Defines the function `name` for `.fill` of a part that needs nothing but the item. */
#define CUP_FILL_ITEM(name, type, variable, FIELDS)                                                \
    static void name(struct cup_report_rows *rows, const void *item, struct cup_value *values)     \
    {                                                                                              \
        const type *variable = item;                                                               \
        (void)rows;                                                                                \
        CUP_FILL(values, FIELDS);                                                                  \
    }

/* Defines the function `name` for `.list` of a table whose rows are an array in `rows`. */
#define CUP_LIST_ARRAY(name, array, number)                                                        \
    static int name(struct cup_report_rows *rows)                                                  \
    {                                                                                              \
        return cup_add_rows(rows, (array), (number), sizeof *(array));                             \
    }

/* The parts of a table, in the order of the JSON and the CSV. */
#define CUP_TABLE_PARTS(...)                                                                       \
    .parts = (const struct cup_row_part[]){__VA_ARGS__},                                           \
    .part_count = sizeof((const struct cup_row_part[]){__VA_ARGS__}) / sizeof(struct cup_row_part)
#define CUP_TABLE_FIELDS(FIELDS, filler) CUP_TABLE_PARTS(CUP_ROW_PART(FIELDS, filler))

/* The rows of one table while they are written. */
struct cup_report_rows {
    const struct cup_totals *totals;
    const struct cup_profile *profile;
    const struct cup_report_table *table;
    const void *of; /* for a table that is written several times: its subject, such as a prefix */
    struct cup_text_rows {
        const struct cup_page *page;
        struct cup_table cells;
        struct cup_column columns[CUP_TABLE_COLUMNS];
        const struct cup_field *fields[CUP_TABLE_COLUMNS];
        unsigned of_value[CUP_TABLE_COLUMNS]; /* index into the row's values */
        unsigned count;
        size_t most, shown, hidden;  /* `hidden`: for the line "... and N more" */
    } text;                          /* page NULL: JSON or CSV is written */
    struct report *report;           /* NULL: not JSON */
    struct cup_cells cells;          /* of a table in a file of its own */
    const struct cup_output *output; /* NULL: text */
    const uint32_t *attempts;        /* of each task; NULL: text */
    struct cup_record_reader keys;   /* opened by the first cup_row_task() */
    char composed[2048];             /* texts of the row */
    size_t composed_bytes;
};

/* Writes a row. Does nothing once the output has failed. */
void cup_add_row(struct cup_report_rows *rows, const void *item);

/* Writes a row for each element of an array. Returns 0. */
int cup_add_rows(struct cup_report_rows *rows, const void *items, size_t count, size_t bytes);

/* What the columns of `cupping tasks` are computed from; valid until the next call. */
struct cup_task_row cup_row_task(struct cup_report_rows *rows, const struct cup_task *task);

/* Copies a text into `rows`, where it stays until the row is written. */
struct cup_value cup_row_string(struct cup_report_rows *rows, const char *string);

static inline struct cup_value cup_row_text(const struct cup_report_rows *rows, uint32_t string)
{
    return cup_text(cup_profile_text(rows->profile, string));
}

/* Write the rows as JSON: into the array that is open, as an array with the table's name, or as one
 * in an object `name`. Each returns 0, or -1 without memory. */
int cup_put_more_rows(struct report *report, const struct cup_report_table *table, const void *of);
int cup_put_rows(struct report *report, const struct cup_report_table *table, const void *of);
int cup_put_row_object(struct report *report, const char *name,
                       const struct cup_report_table *table);

/* Writes the fields of one part as keys of the JSON object that is open. */
void cup_put_part(struct report *report, const struct cup_row_part *part, const void *item);

/* Prints the rows as a table under the heading (NULL: none), and a line with the number of hidden
 * rows. Prints nothing if there are no rows. Returns 0, or -1 without memory. */
int cup_print_rows(const struct cup_page *page, const struct cup_report_table *table,
                   const void *of, const char *heading, const char *note);

/* Writes a row of keys, then the rows, as cells. Returns 0, or -1 without memory. */
int cup_write_rows(const struct cup_totals *totals, const struct cup_output *output,
                   const struct cup_report_table *table);

/* The key of field `index` of the part. */
const char *cup_row_key(const struct cup_row_part *part, unsigned index, char room[CUP_KEY_ROOM]);
