/* What workers are called in pictures. */
#ifndef CUPPING_PLOT_SHARED_WORKER_NAMES_H
#define CUPPING_PLOT_SHARED_WORKER_NAMES_H

#include "plot/shared/plot.h"

/* As people count: "w2" before "w10". */
int cup_names_compare(struct cup_text one, struct cup_text two);

/* Dask's name of a worker; one that is a number only is "worker 3". In the arena, or as given. */
struct cup_text cup_worker_name(struct cup_arena *arena, struct cup_text name);

/* Of each of the profile's processes: as Dask calls its worker, or, where that is but an address or
 * there are several, "host pid". In the arena; NULL without memory. */
struct cup_text *cup_process_names(struct cup_plot_input *input);

#endif
