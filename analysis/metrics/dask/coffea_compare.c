#include "analysis/metrics/dask/coffea_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile/runs.h"

/* ---- one figure: seen in the chunks, or given in the file ---------------------------------- */

static uint64_t seen(const struct cup_totals *t, enum cup_coffea_field field)
{
    switch (field) {
    case CUP_COFFEA_BYTES:
        return cup_coffea_bytes(&t->coffea);
    case CUP_COFFEA_ENTRIES:
        return cup_coffea_entries(&t->coffea);
    case CUP_COFFEA_PROCESS:
        return t->timed_chunks ? t->process_ns : CUP_UNKNOWN64;
    default:
        return t->coffea.chunks ? cup_coffea_chunks(&t->coffea) : CUP_UNKNOWN64;
    }
}

enum cup_coffea_origin cup_coffea_origin(const struct cup_totals *totals,
                                         enum cup_coffea_field field)
{
    const struct cup_coffea_file *given = totals->given;
    if (given && given->dataset_count > 0 && given->dataset_sums.of[field] != CUP_UNKNOWN64)
        return CUP_COFFEA_OF_DATASETS;
    return !given || seen(totals, field) != CUP_UNKNOWN64 ? CUP_COFFEA_SEEN : CUP_COFFEA_GIVEN;
}

uint64_t cup_coffea_figure(const struct cup_totals *totals, enum cup_coffea_field field)
{
    switch (cup_coffea_origin(totals, field)) {
    case CUP_COFFEA_OF_DATASETS:
        return totals->given->dataset_sums.of[field];
    case CUP_COFFEA_SEEN:
        return seen(totals, field);
    default:
        return totals->given->report.of[field];
    }
}

/* ---- rows ------------------------------------------------------------------------------- */

static struct cup_value value_of(enum cup_unit unit, uint64_t number)
{
    if (number == CUP_UNKNOWN64)
        return cup_null();
    return unit == CUP_UNIT_SECONDS ? cup_seconds((int64_t)number) : cup_count(number);
}

struct cup_value cup_coffea_columns(const struct cup_totals *t)
{
    size_t count = 0;
    bool known = t->coffea.with_columns && !t->coffea.unknown;
    uint32_t *names = known ? cup_columns_used(t, &count) : NULL;
    free(names);
    return cup_value_if(names, cup_count(count));
}

static struct cup_value seen_value(const struct cup_totals *t, int field, enum cup_unit unit)
{
    if (field == CUP_COFFEA_COLUMNS)
        return cup_coffea_columns(t);
    if (field == CUP_COFFEA_WALL) {
        const struct cup_run *call = cup_run_call(t);
        return call && !cup_run_is_given(call) ? cup_seconds(call->stop_ns - call->start_ns)
                                               : cup_null();
    }
    return value_of(unit, seen(t, field));
}

static struct cup_value given_value(const struct cup_coffea_file *given, int field,
                                    enum cup_unit unit)
{
    if (!given)
        return cup_null();
    if (field == CUP_COFFEA_COLUMNS)
        return cup_value_if(given->columns, cup_count(json_array_size(given->columns)));
    if (field == CUP_COFFEA_WALL)
        return cup_value_if(given->start_ns && given->stop_ns,
                            cup_seconds(given->stop_ns - given->start_ns));
    return value_of(unit, given->report.of[field]);
}

/* Differences below this come from rounding. Coffea adds up floats that are good to 0.24 us each.
 * The user reads the clock a little before and after the Runner call. */
static double rounding_of(const struct cup_totals *t, int field)
{
    static const double process_s = 1e-6, call_s = 0.5;
    if (field == CUP_COFFEA_PROCESS)
        return process_s * (double)(t->timed_chunks + 1);
    return field == CUP_COFFEA_WALL ? call_s : 0;
}

void cup_coffea_compare(const struct cup_totals *totals,
                        struct cup_coffea_row rows[CUP_COFFEA_FIELDS])
{
    static const struct cup_coffea_row named[CUP_COFFEA_FIELDS] = {
        [CUP_COFFEA_BYTES] = {.name = "bytesread",
                              .label = "bytes requested",
                              .unit = CUP_UNIT_BYTES},
        [CUP_COFFEA_ENTRIES] = {.name = "entries", .label = "events", .unit = CUP_UNIT_COUNT},
        [CUP_COFFEA_PROCESS] = {.name = "processtime",
                                .label = "inside process()",
                                .unit = CUP_UNIT_SECONDS},
        [CUP_COFFEA_CHUNKS] = {.name = "chunks", .label = "chunks", .unit = CUP_UNIT_COUNT},
        [CUP_COFFEA_COLUMNS] = {.name = "columns", .label = "columns", .unit = CUP_UNIT_COUNT},
        [CUP_COFFEA_WALL] = {.name = "wall_time", .label = "Runner call", .unit = CUP_UNIT_SECONDS},
    };
    for (int i = 0; i < CUP_COFFEA_FIELDS; i++) {
        struct cup_coffea_row *row = &rows[i];
        *row = named[i];
        row->seen = seen_value(totals, i, row->unit);
        row->given = given_value(totals->given, i, row->unit);
        double difference = cup_number(row->given) - cup_number(row->seen); /* NAN: not known */
        row->ratio = cup_ratio(cup_number(row->given), cup_number(row->seen));
        row->differs = fabs(difference) > rounding_of(totals, i);
    }
}

/* ---- sentences -------------------------------------------------------------------------- */

static const char *hint_for(const struct cup_totals *t, const struct cup_coffea_row *row)
{
    double given = cup_number(row->given), found = cup_number(row->seen);
    if (strcmp(row->name, "wall_time") == 0)
        return "The client's clock calls inside the Runner call were few, or none of it was seen.";
    if (t->profile->run_count > 1)
        return "The profile holds several Runner calls: --run N chooses.";
    return given > found ? "Results that Dask knew already are in Coffea's report; or some workers "
                           "were not profiled, or it is another run's."
                         : "It may be another run's report.";
}

void cup_coffea_sentence(const struct cup_totals *totals, const struct cup_coffea_row *row,
                         char sentence[CUP_COFFEA_SENTENCE])
{
    char given[CUP_NUMBER_ROOM + 1], found[CUP_NUMBER_ROOM + 1];
    given[cup_print_number(given, row->given)] = '\0';
    found[cup_print_number(found, row->seen)] = '\0';
    snprintf(sentence, CUP_COFFEA_SENTENCE, "%s: the report given says %s, the run itself %s. %s",
             row->name, given, found, hint_for(totals, row));
}
