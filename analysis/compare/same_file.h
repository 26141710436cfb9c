/* Which files of the user's are one and the same in two runs. */
#ifndef CUPPING_ANALYSIS_COMPARE_SAME_FILE_H
#define CUPPING_ANALYSIS_COMPARE_SAME_FILE_H

#include "analysis/base/intern.h"

/* What a file of the user's goes by: its name alone, for a copy of an analysis elsewhere is the
 * same. Of an __init__.py the directory is part of its name; a cell of a notebook is named for its
 * process and its text, so all cells are "notebook". The text lies in the path, or is constant. */
struct cup_text cup_same_file(struct cup_text path);

#endif
