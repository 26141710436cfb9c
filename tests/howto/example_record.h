/* A record as in include/log_format.h, for docs/contributing/add-a-log-record.md: the temperature
 * of a CPU core. */
#pragma once

#include "include/log_format.h"

#define EXAMPLE_RECORDS(X) X(TEMPERATURE, temperature, 1000, 24, 24, "")

struct cup_r_temperature {
    struct cup_record head;
    int64_t time_ns;
    uint32_t core;
    uint32_t millidegrees; /* Celsius */
};

/* include/log_format.h has these for CUP_RECORDS: the number of the type, and the size check. */
#define X(NAME, name, number, bytes, least, tail)                                                  \
    enum { CUP_R_##NAME = (number) };                                                              \
    _Static_assert(sizeof(struct cup_r_##name) == (bytes), "size of a " #name " record");
EXAMPLE_RECORDS(X)
#undef X
