/* The functions that the library exports in addition to its hooks. */
#pragma once

#include <stdbool.h>

#define CUP_API(X)                                                                                 \
    X(cupping_api_begin)                                                                           \
    X(cupping_api_end) X(cupping_api_value) X(cupping_api_active) X(cupping_api_version)

/* False: another copy of the library comes before this one in LD_PRELOAD, for instance that of
 * another installation, or the one that `cupping attach` sent. Two that record would count
 * everything twice. Only at load. */
bool cup_api_is_first(void);

unsigned cupping_api_begin(const char *name);
void cupping_api_end(unsigned section);
void cupping_api_value(const char *name, double value);
int cupping_api_active(void);
const char *cupping_api_version(void); /* of the library; static */
