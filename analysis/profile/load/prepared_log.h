/* Prepared logs: what the loader makes of a log, as a merged log stores it next to the log, so that
 * a report need not unpack and read all its records again. It is a copy of the structs of the
 * profile. Therefore it is used only by the same build of the program that wrote it; every other
 * one reads the records. Nothing in it is trusted: see is_sound() in prepared_log.c. */
#pragma once

#include "analysis/profile/profile_builder.h"

/* A hash of the build of this program; 0: it is not known, and nothing is prepared. */
uint64_t cup_prepared_maker(void);

struct cup_prepared {
    unsigned char *packed; /* owned */
    size_t packed_bytes, bytes;
};

/* Loads the log at PATH and packs the result. False if the log is too large, damaged, or summed up,
 * or without memory: then there is nothing to free. Several threads may call it. */
bool cup_prepare_log(struct cup_prepared *prepared, const char *path);

/* Does what cup_load_log() does for an empty builder, from the prepared form of the log at PATH.
 * False if there is none that these options and this program can use: then nothing has changed. */
bool cup_load_prepared(struct cup_builder *builder, const char *path,
                       const struct cup_load_options *options, struct cup_kept_records *kept);
