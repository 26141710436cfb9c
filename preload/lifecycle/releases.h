/* Whether the library knows how the imported release of a package works. */
#pragma once

#include "include/releases.h"

#include <stdbool.h>

/* False: it is older than the oldest of CUP_RELEASES. Then the first call opens the log, with the
 * release and a note. A version that is no number is supported. Needs the GIL. */
bool cup_release_supported(enum cup_release package);

/* True if cup_release_supported() was false before. */
bool cup_release_refused(enum cup_release package);
