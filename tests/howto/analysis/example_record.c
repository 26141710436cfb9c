/* Reads the example record, as a file of analysis/profile/load/ would:
 * docs/contributing/add-a-log-record.md. */
#include <criterion/criterion.h>

#include "analysis/log/log_reader.h"
#include "tests/analysis/log_builder.h"
#include "tests/analysis/support.h"
#include "tests/howto/example_record.h"

/* In the profile this would be cup_load_temperature(loader, record). */
static void load_temperature(uint32_t *hottest, const struct cup_record *record)
{
    struct cup_r_temperature temperature; /* there: cup_read_temperature(record) */
    cup_record_fixed(record, &temperature, sizeof temperature);
    if (temperature.millidegrees > *hottest)
        *hottest = temperature.millidegrees;
}

static uint32_t find_hottest(const char *path)
{
    struct cup_log log;
    struct cup_error error;
    const struct cup_record *record;
    uint32_t hottest = 0;
    cr_assert_eq(cup_log_open(&log, path, &error), 0, "%s", error.text);
    while ((record = cup_log_next(&log)) != NULL)
        if (record->type == CUP_R_TEMPERATURE)
            load_temperature(&hottest, record);
    cup_log_close(&log);
    return hottest;
}

Test(howto, reads_a_record)
{
    char scratch[SUPPORT_PATH], outside[SUPPORT_PATH], path[2 * SUPPORT_PATH];
    struct log_builder builder;
    struct cup_r_temperature record = {.core = 3, .millidegrees = 61500};
    make_golden(scratch, outside);
    builder_start(&builder);
    builder_record(&builder, CUP_R_TEMPERATURE, &record, sizeof record, NULL, 0);
    record.millidegrees = 58000;
    builder_record(&builder, CUP_R_TEMPERATURE, &record, sizeof record, NULL, 0);
    builder_finish(&builder);
    save_log(&builder, scratch, "temperature.cup");
    builder_free(&builder);
    snprintf(path, sizeof path, "%s/temperature.cup", scratch);
    cr_expect_eq(find_hottest(path), 61500);
    remove_scratch(scratch);
    remove_scratch(outside);
}
