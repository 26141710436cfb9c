#include "analysis/profile/collected.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const reason_names[CUP_PART_REASONS] = {
    [CUP_PART_STOPPED] = "stopped", [CUP_PART_LOST] = "lost", [CUP_PART_FULL] = "full"};

/* 0: it is not there. */
static int64_t read_time_ns(const json_t *object, const char *name)
{
    double seconds = json_number_value(json_object_get(object, name));
    return seconds > 0 && seconds < 9e9 ? (int64_t)(seconds * 1e9) : 0;
}

static char *copy_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? strdup(text) : NULL;
}

static void read_log(struct cup_collected *collected, const json_t *log)
{
    const char *why = json_string_value(json_object_get(log, "why"));
    int64_t until_ns = read_time_ns(log, "until");
    for (int i = 0; i < CUP_PART_REASONS; i++) {
        if (!why || strcmp(why, reason_names[i]) != 0)
            continue;
        collected->logs[i]++;
        if (until_ns < collected->until_ns[i])
            collected->until_ns[i] = until_ns;
    }
}

static void read_all(struct cup_collected *collected, json_t *root)
{
    const char *name;
    json_t *log, *full = json_object_get(root, "full"), *refused = json_object_get(root, "refused");
    json_object_foreach(json_object_get(root, "logs"), name, log)
    {
        read_log(collected, log);
    }
    collected->full = copy_text(full, "why");
    collected->full_ns = read_time_ns(full, "at");
    collected->refused = json_array_size(refused);
    collected->refused_worker = copy_text(json_array_get(refused, 0), "worker");
    collected->refused_why = copy_text(json_array_get(refused, 0), "why");
}

void cup_collected_read(struct cup_collected *collected, const char *directory)
{
    char *path = NULL;
    *collected = (struct cup_collected){0};
    for (int i = 0; i < CUP_PART_REASONS; i++)
        collected->until_ns[i] = INT64_MAX;
    if (asprintf(&path, "%s/collected.json", directory) < 0)
        return;
    json_t *root = json_load_file(path, 0, NULL);
    if (root)
        read_all(collected, root);
    json_decref(root);
    free(path);
}

void cup_collected_free(struct cup_collected *collected)
{
    free(collected->full);
    free(collected->refused_worker);
    free(collected->refused_why);
    *collected = (struct cup_collected){0};
}
