/* Facts about the machine that the process runs on. Read with raw system calls and the CPUID
 * instruction: nothing here allocates. */
#pragma once

#include <stdint.h>

enum { CUP_CPU_MODEL_ROOM = 49 };

/* The processor's name for itself, as `model name` in /proc/cpuinfo, NUL-terminated; "" where
 * processors have no such name (not x86). Returns TO. Opening that file would cost up to 20 ms on
 * kernels that measure every core's frequency for it. */
const char *cup_machine_cpu_model(char to[CUP_CPU_MODEL_ROOM]);

/* How many processors of the host are online, and how many this process may run on; 0: not known.
 */
uint32_t cup_machine_cpus(void);
uint32_t cup_machine_usable_cpus(void);

/* How many processors a list in the format of /sys names: "0-3,8,10-11" is 7. 0: not a list. */
uint32_t cup_machine_count_list(const char *list);

/* Writes those of these facts that are known into the log, as INFO records. */
void cup_machine_describe(void);
