/* Nothing is sampled in these tests. */
#include "preload/sampler.h"
#include "preload/seats.h"

void cup_seat_works(uint32_t task, bool runs, uint64_t cpu_ns)
{
    (void)task, (void)runs, (void)cpu_ns;
}

void cup_seat_helps(void) {}

void cup_seat_leaves(void) {}

void cup_sampler_looks(void) {}

void cup_sampler_thread_ends(void) {}
