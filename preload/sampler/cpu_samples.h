/* Samples over time, for timelines: of what the sampler finds, a few looks a second are kept as
 * they are (CPU_SAMPLES records), all others only as sums. Only the sampler's thread calls this, or
 * who has made sure that it is in none of its looks. */
#ifndef CUPPING_PRELOAD_SAMPLER_CPU_SAMPLES_H
#define CUPPING_PRELOAD_SAMPLER_CPU_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

/* The sampler looks at NOW (ticks), as it does every LOOK_NS on average: whether what it sees is
 * kept is chosen at random, without regard to what that is. What was kept some seconds ago is
 * written out. */
bool cup_cpu_samples_begin(uint64_t now, uint64_t look_ns);

/* Keeps what was seen in seat SEAT, of thread TID: it works for TASK, at NODE (0: not known). */
void cup_cpu_samples_keep(uint32_t seat, uint32_t tid, uint32_t task, uint32_t node, bool on_core);

/* All that is there is written out. What the log has no room for is counted. */
void cup_cpu_samples_flush(void);

/* A forked child has none. */
void cup_cpu_samples_reset(void);

#endif
