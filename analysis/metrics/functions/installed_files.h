/* Which Python files pip installed outside of site-packages, as `pip install --target` does. The
 * directory then holds NAME.dist-info, whose RECORD lists the files of the package. The answer is
 * known only where the report is made on a machine that has the directory. */
#pragma once

#include "analysis/base/id_map.h"
#include "analysis/base/intern.h"

/* Answers that were found, so that no directory is read twice. Zeros are none. */
struct cup_installed {
    struct cup_intern asked;
    struct cup_id_map answers; /* by the ids of `asked`: the answer + 1 */
    struct cup_intern listed;  /* what the packages of the directories have */
};

/* Bytes of PATH up to the file's name within the directory that it was installed into, which is
 * "coffea/util.py" of "/home/me/extra/coffea/util.py". 0: it was not installed, or that is not
 * known. */
size_t cup_installed_below(struct cup_installed *installed, struct cup_text path);
void cup_installed_clear(struct cup_installed *installed);
