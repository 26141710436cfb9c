#include "plot/figure/fonts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cup_fonts_find(void)
{
    char *program = realpath("/proc/self/exe", NULL);
    char *slash = program ? strrchr(program, '/') : NULL;
    char path[PATH_MAX + 64];
    if (slash) {
        snprintf(path, sizeof path, "%.*s/../share/cupping/fonts.conf", (int)(slash - program),
                 program);
        if (access(path, R_OK) == 0)
            setenv("FONTCONFIG_FILE", path, 0);
    }
    free(program);
}
