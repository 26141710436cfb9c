/* Reads times that people and programs wrote. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Reads a time in ISO 8601, such as "2026-01-31T12:00:00.123456+01:00". A blank may stand for the
 * T; seconds or their fraction may be missing. If the text has neither Z nor an offset, *zoned is
 * false and the time is read as UTC. Returns 0, or -1 for anything else; then *time_ns and *zoned
 * are undefined. */
int cup_iso_time(const char *text, int64_t *time_ns, bool *zoned);

/* Corrects a local time that was read as UTC. Example: if UTC_NS is 12:00 UTC, this returns the
 * moment at which clocks in the time zone of this machine show 12:00. */
int64_t cup_local_time(int64_t utc_ns);
