#include "analysis/metrics/reads/branches.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/id_map.h"
#include "analysis/metrics/sums/sums.h"

/* The files that work items name, each once. */
struct named {
    struct cup_id_map datasets; /* index + 1 in totals->datasets, by name */
    struct cup_id_map files;    /* index + 1 in totals->datasets, by the string that names a file */
    uint32_t *names;            /* owned; the keys of `files` */
    size_t count;
};

static int add_item(struct named *named, const struct cup_profile *profile,
                    const struct cup_item *item)
{
    if (item->file == 0 || cup_id_map_get(&named->files, item->file))
        return 0;
    named->names[named->count++] = item->file;
    return cup_id_map_set(&named->files, item->file,
                          cup_id_map_get(&named->datasets, cup_source_of(profile, item)->dataset));
}

static int find_names(struct named *named, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    int result = 0;
    named->names = malloc((profile->item_count + 1) * sizeof *named->names);
    if (!named->names)
        return -1;
    for (uint32_t i = 0; result == 0 && i < totals->dataset_count; i++)
        result = cup_id_map_set(&named->datasets, totals->datasets[i].name, i + 1);
    for (size_t i = 0; result == 0 && i < profile->item_count; i++)
        if (cup_item_is_chunk(&profile->items[i]))
            result = add_item(named, profile, &profile->items[i]);
    return result;
}

/* "data/a.root" is the end of "/home/me/data/a.root", and not of "/home/me/olddata/a.root". */
static bool is_end_of(struct cup_text end, struct cup_text path)
{
    if (!end.bytes || !path.bytes || end.length >= path.length)
        return false;
    const char *from = path.bytes + path.length - end.length;
    return from[-1] == '/' && memcmp(from, end.bytes, end.length) == 0;
}

static uint32_t dataset_of(const struct named *named, const struct cup_profile *profile,
                           uint32_t path)
{
    uint32_t dataset = cup_id_map_get(&named->files, path);
    for (size_t i = 0; dataset == 0 && i < named->count; i++)
        if (is_end_of(cup_profile_text(profile, named->names[i]), cup_profile_text(profile, path)))
            dataset = cup_id_map_get(&named->files, named->names[i]);
    return dataset;
}

uint32_t *cup_datasets_of_files(const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    struct named named = {.names = NULL};
    uint32_t *datasets = calloc(profile->root_file_count + 1, sizeof *datasets);
    if (datasets && find_names(&named, totals) != 0) {
        free(datasets);
        datasets = NULL;
    }
    for (size_t i = 0; datasets && i < profile->root_file_count; i++)
        datasets[i] = dataset_of(&named, profile, profile->root_files[i].path);
    cup_id_map_clear(&named.datasets);
    cup_id_map_clear(&named.files);
    free(named.names);
    return datasets;
}
