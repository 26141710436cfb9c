/* The table of the report's sections. */
#ifndef CUPPING_ANALYSIS_REPORT_REPORT_SECTIONS_H
#define CUPPING_ANALYSIS_REPORT_REPORT_SECTIONS_H

#include "analysis/report/page/section.h"

struct cup_listed_section {
    const struct cup_report_section *section;
    unsigned json_place; /* from 1; 0: not in the JSON */
};

extern const struct cup_listed_section cup_report_sections[]; /* in the order of the text */
extern const size_t cup_report_section_count;

/* By the name for --only; NULL if there is none. */
const struct cup_report_section *cup_find_report_section(const char *name);

/* NULL beyond the last one. */
const struct cup_report_section *cup_report_section_in_json(unsigned place);

/* Tables that `cupping export --to csv` writes, too. */
extern const struct cup_report_table cup_chunks_table, cup_files_table, cup_branches_table,
    cup_workers_table, cup_opens_table, cup_functions_table, cup_natives_table,
    cup_section_rows_table, cup_value_rows_table;

#endif
