#include "cli/progress.h"

static const int64_t first_after_ns = 1000000000, again_after_ns = 200000000;

void cup_progress_start(struct cup_progress *progress, FILE *terminal, int64_t now_ns)
{
    *progress = (struct cup_progress){.terminal = terminal, .next_ns = now_ns + first_after_ns};
}

void cup_progress_step(struct cup_progress *progress, int64_t now_ns, size_t done, size_t logs)
{
    if (!progress->terminal || now_ns < progress->next_ns || done == logs)
        return;
    int width = fprintf(progress->terminal, "\rcupping: %zu of %zu logs loaded", done, logs) - 1;
    fflush(progress->terminal);
    progress->width = width > progress->width ? width : progress->width;
    progress->next_ns = now_ns + again_after_ns;
}

void cup_progress_end(struct cup_progress *progress)
{
    if (progress->width > 0)
        fprintf(progress->terminal, "\r%*s\r", progress->width, "");
    progress->width = 0;
}
