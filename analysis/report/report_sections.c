/* The sections of the report, in the order of the text. To add one, write its file in sections/ and
 * add a line here. */
#include "analysis/report/report_sections.h"

#include <string.h>

/* The number is the section's place in the JSON; 0: it is not there. */
#define SECTIONS(X)                                                                                \
    X(summary, 6)                                                                                  \
    X(tasks, 11)                                                                                   \
    X(waits, 0)                                                                                    \
    X(chunks, 8)                                                                                   \
    X(slowest, 0)                                                                                  \
    X(datasets, 10)                                                                                \
    X(coffea, 9)                                                                                   \
    X(losses, 18)                                                                                  \
    X(stages, 21)                                                                                  \
    X(merge, 20)                                                                                   \
    X(hosts, 19)                                                                                   \
    X(files, 12)                                                                                   \
    X(branches, 15)                                                                                \
    X(functions, 16)                                                                               \
    X(servers, 13)                                                                                 \
    X(opens, 14)                                                                                   \
    X(workers, 3)                                                                                  \
    X(sections, 17)                                                                                \
    X(workflow, 2)                                                                                 \
    X(efficiency, 4)                                                                               \
    X(time_budget, 5)                                                                              \
    X(fine, 7)                                                                                     \
    X(attribution, 23)                                                                             \
    X(health, 24)                                                                                  \
    X(processes, 0)                                                                                \
    X(runs, 1)                                                                                     \
    X(scaling, 22)                                                                                 \
    X(sources, 25)                                                                                 \
    X(footer, 0)

#define DECLARE(name, place) extern const struct cup_report_section cup_##name##_section;
SECTIONS(DECLARE)

#define LIST(name, place) {&cup_##name##_section, place},
const struct cup_listed_section cup_report_sections[] = {SECTIONS(LIST)};
const size_t cup_report_section_count = sizeof cup_report_sections / sizeof *cup_report_sections;

const struct cup_report_section *cup_find_report_section(const char *name)
{
    for (size_t i = 0; i < cup_report_section_count; i++)
        if (*name && strcmp(cup_report_sections[i].section->name, name) == 0)
            return cup_report_sections[i].section;
    return NULL;
}

const struct cup_report_section *cup_report_section_in_json(unsigned place)
{
    for (size_t i = 0; i < cup_report_section_count; i++)
        if (cup_report_sections[i].json_place == place)
            return cup_report_sections[i].section;
    return NULL;
}
