/* Times as people and programs write them. */
#ifndef CUPPING_ANALYSIS_BASE_ISO_TIME_H
#define CUPPING_ANALYSIS_BASE_ISO_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* Reads "2026-01-31T12:00:00.123456+01:00" (ISO 8601: date, T or a blank, time, of which seconds
 * and their fraction may be missing, Z or an offset, or neither: then *zoned is false and the time
 * is taken for UTC). Returns 0, or -1 for anything else, of which nothing is believed. */
int cup_iso_time(const char *text, int64_t *time_ns, bool *zoned);

/* The same date and hour as this UTC time, in the zone of this machine. */
int64_t cup_local_time(int64_t utc_ns);

#endif
