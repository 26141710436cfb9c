/* Decides which of the user's files are the same in two runs. */
#ifndef CUPPING_ANALYSIS_COMPARE_SAME_FILE_H
#define CUPPING_ANALYSIS_COMPARE_SAME_FILE_H

#include "analysis/base/intern.h"

/* The name by which a user's file is matched: the path without directories, because an analysis may
 * be copied elsewhere. __init__.py keeps its directory. All notebook cells are "notebook", because
 * IPython names a cell after its process and text. The result points into the path, or is constant.
 */
struct cup_text cup_same_file(struct cup_text path);

#endif
