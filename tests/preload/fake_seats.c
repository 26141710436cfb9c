/* Nothing is sampled in these tests. */
#include "preload/sampler/sampler.h"
#include "preload/sampler/thread_slots.h"

void cup_thread_slot_works(uint32_t task, bool runs, uint64_t cpu_ns)
{
    (void)task, (void)runs, (void)cpu_ns;
}

void cup_thread_slot_helps(void) {}

void cup_thread_slot_leaves(void) {}

void cup_sampler_looks(void) {}

void cup_sampler_thread_ends(void) {}
