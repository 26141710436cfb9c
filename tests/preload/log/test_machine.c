/* The library and the kernel agree about the machine. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload/log/machine.h"

TestSuite(machine);

Test(machine, lists_of_processors)
{
    cr_expect_eq(cup_machine_count_list("0-3,8,10-11\n"), 7);
    cr_expect_eq(cup_machine_count_list("0"), 1);
    cr_expect_eq(cup_machine_count_list("0-127\n"), 128);
    cr_expect_eq(cup_machine_count_list(""), 0);
    cr_expect_eq(cup_machine_count_list("\n"), 0);
    cr_expect_eq(cup_machine_count_list("3-1"), 0);
    cr_expect_eq(cup_machine_count_list("0-1,"), 2);
    cr_expect_eq(cup_machine_count_list("0-18446744073709551615"), 0);
}

Test(machine, processors)
{
    cr_expect_eq(cup_machine_cpus(), sysconf(_SC_NPROCESSORS_ONLN));
    cr_expect_gt(cup_machine_usable_cpus(), 0);
    cr_expect_leq(cup_machine_usable_cpus(), cup_machine_cpus());
}

/* The model of the first processor; "" where there is no such line. */
static void read_model(char *to, size_t room)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "re");
    *to = '\0';
    while (file && !*to && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':'))
            snprintf(to, room, "%.*s", (int)strcspn(strchr(line, ':') + 2, "\n"),
                     strchr(line, ':') + 2);
    if (file)
        fclose(file);
}

Test(machine, cpu_model_is_that_of_cpuinfo)
{
    char expected[512], model[CUP_CPU_MODEL_ROOM];
    read_model(expected, sizeof expected);
    cr_expect_str_eq(cup_machine_cpu_model(model), expected);
}
