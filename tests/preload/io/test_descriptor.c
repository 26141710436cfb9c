/* What the opening of a file means for others. */
#include "preload/io/descriptor.h"

#include <criterion/criterion.h>

extern uint32_t test_modules_loaded; /* fake_lifecycle.c */

static void expect_loads(const char *path, uint32_t loads)
{
    uint32_t before = test_modules_loaded;
    cup_descriptor_opened(5, path);
    cr_expect_eq(test_modules_loaded - before, loads, "%s", path);
}

/* Python opens the source where it cannot write compiled files. */
Test(descriptor, a_module_may_be_opened_as_source)
{
    cr_assert_eq(cup_descriptor_init(), 0);
    expect_loads("/venv/pyarrow/__pycache__/types.cpython-311.pyc", 1);
    expect_loads("/venv/pyarrow/types.py", 1);
    expect_loads("/data/types.root", 0);
    expect_loads(NULL, 0);
}
