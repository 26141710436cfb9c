/* Samples over time, for timelines. The sampler adds every sample to sums; the samples of
 * a few looks per second are also kept one by one, with their time, in CPU_SAMPLES records. The
 * caller holds the lock sampler.looking (sampler.c), except in a forked child. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A look at all threads begins at NOW (ticks); looks are LOOK_NS apart on average. Returns true if
 * the samples of this look are to be kept: that is decided at random, independently of what they
 * show. Also writes the samples that were kept more than 4 s ago. */
bool cup_cpu_samples_begin(uint64_t now, uint64_t look_ns);

/* Keeps a sample of the thread TID in slot SLOT: it works for TASK at NODE (0: unknown), and is
 * executed by a core or waits for one (ON_CORE), or is blocked. */
void cup_cpu_samples_keep(uint32_t slot, uint32_t tid, uint32_t task, uint32_t node, bool on_core);

/* Writes all kept samples. Those that do not fit into the log are counted as dropped. */
void cup_cpu_samples_flush(void);

/* A forked child: there are no samples. */
void cup_cpu_samples_reset(void);
