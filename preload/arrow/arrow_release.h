/* Which releases of libarrow have the methods and objects that arrow_jobs.c expects. */
#pragma once

/* PATH is that of libarrow, in a release that was tried ("libarrow.so.2600" is 26.0), or in a newer
 * one. */
enum cup_arrow_release { CUP_ARROW_NONE, CUP_ARROW_TRIED, CUP_ARROW_NEWER };
enum cup_arrow_release cup_arrow_release_of(const char *path);
