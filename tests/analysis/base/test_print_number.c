/* Numbers as JSON and CSV show them: the shortest text that reads back as the same number. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/value.h"

static const char *printed(double real)
{
    static char text[CUP_NUMBER_ROOM + 1];
    text[cup_print_number(text, cup_real(real))] = '\0';
    return text;
}

/* The first of "%.6g", "%.7g", ... that reads back as the same number. */
static void expect_shortest(double real)
{
    char expected[64];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(expected, sizeof expected, "%.*g", digits, real);
        if (strtod(expected, NULL) == real)
            break;
    }
    cr_expect_str_eq(printed(real), expected, "%a: %s, not %s", real, printed(real), expected);
}

static double any_double(void)
{
    uint64_t bits = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
    double real;
    memcpy(&real, &bits, sizeof real);
    return isnan(real) ? 0 : real;
}

Test(print_number, edges)
{
    const double numbers[] = {0,
                              -0.0,
                              1,
                              10,
                              0.5,
                              1e-4,
                              9.99999999e-5,
                              0.1,
                              1e5,
                              999999,
                              1e6,
                              1234567,
                              1200000,
                              123456789,
                              1e15,
                              1e16,
                              1e17,
                              1e22,
                              1e300,
                              5e-324,
                              1.0 / 3,
                              2.0 / 3,
                              100.0 / 3,
                              1e6 / 3,
                              999999.999999999,
                              0.000123456789,
                              1e-9,
                              0.30000000000000004};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        expect_shortest(numbers[i]);
        expect_shortest(-numbers[i]);
    }
}

Test(print_number, nanoseconds_as_seconds)
{
    for (int i = 0; i < 100000; i++)
        expect_shortest((double)((int64_t)rand() * rand() % (INT64_C(1) << (i % 60))) / 1e9);
}

Test(print_number, ratios_and_any_bits)
{
    for (int i = 0; i < 100000; i++) {
        expect_shortest((double)rand() / (1 + rand()));
        expect_shortest((double)(rand() % 100000) * pow(10, rand() % 20 - 10));
        expect_shortest(any_double());
    }
}
