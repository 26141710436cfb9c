/* The machine that a process runs on, in words and numbers, by system calls and instructions of our
 * own. */
#ifndef CUPPING_PRELOAD_LOG_MACHINE_H
#define CUPPING_PRELOAD_LOG_MACHINE_H

#include <stddef.h>
#include <stdint.h>

enum { CUP_CPU_MODEL_ROOM = 49 };

/* The processor's own name of itself, as `model name` in /proc/cpuinfo, NUL-terminated; "" where
 * processors have no such name (not x86). Returns TO. Opening that file would cost up to 20 ms on
 * kernels that measure every core's frequency for it. */
const char *cup_machine_cpu_model(char to[CUP_CPU_MODEL_ROOM]);

/* Processors of the host that are on line, and those that this process may run on; 0: not known. */
uint32_t cup_machine_cpus(void);
uint32_t cup_machine_usable_cpus(void);

/* How many a list as of /sys names: "0-3,8,10-11" is 7. 0 for what is none. */
uint32_t cup_machine_count_list(const char *list);

/* Records all of it in the log, leaving out what is not known. */
void cup_machine_describe(void);

#endif
