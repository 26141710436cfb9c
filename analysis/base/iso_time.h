/* Reads times that people and programs wrote. */
#ifndef CUPPING_ANALYSIS_BASE_ISO_TIME_H
#define CUPPING_ANALYSIS_BASE_ISO_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a time in ISO 8601, such as "2026-01-31T12:00:00.123456+01:00". A blank may stand for the
 * T; seconds or their fraction may be missing. Without Z or an offset, *zoned is false and the time
 * is read as UTC. Returns 0, or -1 for anything else; then nothing is set. */
int cup_iso_time(const char *text, int64_t *time_ns, bool *zoned);

/* The time at which a clock in this machine's time zone shows what a UTC clock shows at UTC_NS. */
int64_t cup_local_time(int64_t utc_ns);

#endif
