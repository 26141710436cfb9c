#include "preload/log/machine.h"

#include "preload/log/log.h"
#include "preload/sys/parse_number.h"
#include "preload/sys/raw.h"

#include <stdio.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* Removes the spaces with which processors pad a name of less than 48 bytes. */
static const char *trim_spaces(char *text)
{
    size_t from = strspn(text, " "), bytes = strlen(text + from);
    memmove(text, text + from, bytes + 1);
    while (bytes && text[bytes - 1] == ' ')
        text[--bytes] = '\0';
    return text;
}

const char *cup_machine_cpu_model(char to[CUP_CPU_MODEL_ROOM])
{
    memset(to, 0, CUP_CPU_MODEL_ROOM);
#if defined(__x86_64__) || defined(__i386__)
    enum { FIRST_LEAF = 0x80000002, LEAVES = 3 };
    uint32_t words[LEAVES * 4];
    if ((uint32_t)__get_cpuid_max(0x80000000, NULL) < (uint32_t)(FIRST_LEAF + LEAVES - 1))
        return to;
    for (unsigned i = 0; i < (unsigned)LEAVES; i++)
        __cpuid((uint32_t)FIRST_LEAF + i, words[4 * i], words[4 * i + 1], words[4 * i + 2],
                words[4 * i + 3]);
    memcpy(to, words, sizeof words);
#endif
    return trim_spaces(to);
}

uint32_t cup_machine_count_list(const char *list)
{
    uint64_t count = 0;
    for (;;) {
        uint64_t first = 0, last;
        const char *rest = cup_number(list, &first);
        if (rest == list)
            return (uint32_t)count;
        last = first;
        if (*rest == '-')
            rest = cup_number(rest + 1, &last);
        count += last >= first && last - first < UINT16_MAX ? last - first + 1 : 0;
        if (*rest != ',')
            return (uint32_t)count;
        list = rest + 1;
    }
}

uint32_t cup_machine_cpus(void)
{
    char text[1024];
    cup_raw_read_text("/sys/devices/system/cpu/online", text, sizeof text);
    return cup_machine_count_list(text);
}

/* The kernel returns the size of the mask that it uses, a whole number of words. */
uint32_t cup_machine_usable_cpus(void)
{
    uint64_t mask[128];
    long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
    uint32_t count = 0;
    for (long i = 0; i < bytes / (long)sizeof *mask; i++)
        count += (uint32_t)__builtin_popcountll(mask[i]);
    return count;
}

static void write_count(const char *name, uint32_t count)
{
    char text[16];
    snprintf(text, sizeof text, "%u", count);
    if (count)
        cup_log_info(name, text);
}

void cup_machine_describe(void)
{
    char model[CUP_CPU_MODEL_ROOM];
    if (*cup_machine_cpu_model(model))
        cup_log_info("cpu_model", model);
    write_count("cpus", cup_machine_cpus());
    write_count("cpus_usable", cup_machine_usable_cpus());
}
