/* How a replay opens and reads files: pread() for paths; for root:// URLs XRootD's own client. The
 * client's C++ classes differ from version to version. Its library libXrdPosix has static functions
 * with the arguments of open(), pread() and so on, which are the same in versions 5 and 6, so this
 * calls those. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "analysis/base/error.h"
#include "analysis/replay/replay_table.h"

/* The functions set errno. */
struct cup_replay_client {
    int (*open)(const char *path); /* returns a number of its own, or -1 */
    /* Reads one part, or several at a time, one behind the other into BUFFER. Returns the number of
     * bytes, or -1. */
    ssize_t (*read)(int file, const struct cup_replay_part *parts, uint32_t count, char *buffer);
};

/* True for a URL that needs XRootD's client. */
int cup_replay_is_remote(const char *path);

/* Loads what IS_REMOTE files need: libXrdPosix at LIBRARY, or (NULL) where the loader or Python
 * finds it. Any thread may then call the client. Returns 0, or -1 and *error. */
int cup_replay_client_load(struct cup_replay_client *client, int is_remote, const char *library,
                           struct cup_error *error);
