/* Files in the report's JSON. */
#include "analysis/report/page/json_page.h"

#include <stdlib.h>

#include "analysis/profile/files.h"

static void put_file_counter(struct report *report, int counter, uint64_t value)
{
    put_counter(report, cup_file_counter_names[counter], value,
                cup_profile_measured(report->profile, counter == CUP_F_MAPPED_BYTES
                                                          ? CUP_FEATURE_MAPPED
                                                          : CUP_FEATURE_FILES));
}

static void put_file_prefixes(struct report *report, const struct cup_file *file)
{
    const struct cup_profile *profile = report->profile;
    cup_json_array(&report->json, "by_prefix");
    for (uint32_t at = file->first_sum; at; at = profile->file_sums[at - 1].next) {
        const struct cup_file_sum *sum = &profile->file_sums[at - 1];
        cup_json_row(&report->json, NULL);
        put(report, "prefix",
            sum->prefix == CUP_NO_PREFIX ? cup_null()
                                         : text_of(report, profile->prefixes[sum->prefix].name));
        put(report, "tasks", cup_count(sum->tasks));
        for (int i = 0; i < CUP_F_SIZE_0_100; i++)
            put_file_counter(report, i, sum->counters[i]);
        put_file_counter(report, CUP_F_MAPPED_BYTES, sum->counters[CUP_F_MAPPED_BYTES]);
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
}

static void put_file(struct report *report, uint32_t index)
{
    const struct cup_file *file = &report->profile->files[index];
    const struct cup_file_sum total = cup_file_total(report->profile, index);
    cup_json_row(&report->json, NULL);
    put(report, "file", text_of(report, file->path));
    put(report, "class", cup_string(cup_file_class_name(file->class)));
    bool unknown = file->flags & CUP_FILE_IS_REMOTE && !file->size;
    put(report, "size_bytes", unknown ? cup_null() : cup_count(file->size));
    put(report, "tasks", cup_count(total.tasks));
    put(report, "processes", cup_count(file->processes));
    for (int i = 0; i < CUP_FILE_COUNTER_COUNT; i++)
        put_file_counter(report, i, total.counters[i]);
    put(report, "sequential_share",
        cup_ratio((double)total.counters[CUP_F_SEQUENTIAL_CALLS],
                  (double)total.counters[CUP_F_READ_CALLS]));
    cup_report_put_file_baskets(report, index);
    put_file_prefixes(report, file);
    cup_json_end_object(&report->json);
}

int cup_report_put_files(struct report *report)
{
    size_t count;
    uint32_t *files = cup_files_by_bytes(report->profile, 0, &count);
    open_rows(report, "files");
    for (size_t i = 0; files && i < count && !cup_output_failed(report->output); i++)
        put_file(report, files[i]);
    close_rows(report);
    free(files);
    return files ? 0 : -1;
}
