/* A program with sections of its own; prints whether it is profiled, and a sum. */
#include <cupping.h>
#include <stdio.h>

int main(void)
{
    int i, k, sum = 0;
    for (i = 0; i < 2; i++) {
        cupping_section_begin("outer");
        for (k = 0; k < 3; k++) {
            cupping_section_begin("inner");
            sum += 4;
            cupping_section_end();
        }
        cupping_section_end();
        cupping_value("sum", sum);
    }
    cupping_section_end(); /* one too many */
    printf("%d %d\n", cupping_active(), sum);
    return 0;
}
