/* A job that runs, in the text format of Prometheus. Figures that `cupping export --to prometheus`
 * has as well have the same names there; the others begin with cupping_live_. */
#pragma once

#include <stdio.h>

#include "analysis/live/live.h"

/* Workers beyond this number have no series. */
enum { CUP_LIVE_WORKERS_MOST = 1000 };

/* What is not known has no series. Returns 0, or -1 without memory. */
int cup_live_metrics(const struct cup_live *live, FILE *out);
