/* Which dataset a ROOT file belongs to, from Coffea's work items, which name both. */
#ifndef CUPPING_ANALYSIS_METRICS_READS_FILE_DATASETS_H
#define CUPPING_ANALYSIS_METRICS_READS_FILE_DATASETS_H

#include <stdint.h>

struct cup_totals;

/* For each of profile->root_files the index + 1 of its dataset in totals->datasets; 0: no work item
 * names the file. Work items may have only the end of its path ("data/a.root"). Allocated, the
 * caller frees; NULL without memory. */
uint32_t *cup_datasets_of_files(const struct cup_totals *totals);

#endif
