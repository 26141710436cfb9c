/* Names of workers in pictures. */
#pragma once

#include "plot/shared/plot.h"

/* Compares by numbers within the names: "w2" comes before "w10". Returns below, equal to or above
 * 0. */
int cup_names_compare(struct cup_text one, struct cup_text two);

/* Dask's name of a worker; a name that is only a number becomes "worker 3". The text is in the
 * arena, or the given one. */
struct cup_text cup_worker_name(struct cup_arena *arena, struct cup_text name);

/* The name of a worker of the samples: Dask's name, else its address. */
struct cup_text cup_observed_worker_name(struct cup_arena *arena,
                                         const struct cup_observed_worker *worker);

/* Names each process of the profile: as its worker is named in samples or, if the process has
 * several workers, "host pid". In the arena; NULL without memory. */
struct cup_text *cup_process_names(struct cup_plot_input *input);
