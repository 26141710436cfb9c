/* In these tests no file is notified of anything; that a module is loaded is counted. */
#include "preload/lifecycle/lifecycle.h"

#include <stddef.h>

uint32_t test_modules_loaded;

static void count_module(void)
{
    test_modules_loaded++;
}

const struct cup_lifecycle_row cup_lifecycle_rows[] = {{"tests", .module_loads = count_module},
                                                       {NULL}};
