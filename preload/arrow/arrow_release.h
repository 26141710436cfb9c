/* Which releases of libarrow have the methods and objects that arrow_jobs.c expects. */
#pragma once

/* What the file name in PATH says of a library: "libarrow.so.2600" is release 26.0. NONE: it is no
 * libarrow, or an older release than those that were tried. Any thread. */
enum cup_arrow_release { CUP_ARROW_NONE, CUP_ARROW_TRIED, CUP_ARROW_NEWER };
enum cup_arrow_release cup_arrow_release_of(const char *path);
