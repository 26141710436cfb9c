#include <stdio.h>

#include "analysis/base/array.h"
#include "plot/figure/canvas.h"

/* Keeps every second one of those that are kept. */
static void thin_out_told(struct cup_canvas *canvas)
{
    for (size_t i = 0; 2 * i < canvas->told_count; i++)
        canvas->told[i] = canvas->told[2 * i];
    canvas->told_count = (canvas->told_count + 1) / 2;
    canvas->told_step *= 2;
}

void cup_canvas_tell(struct cup_canvas *canvas, struct cup_box box, struct cup_colour colour,
                     const char *text)
{
    if (!canvas->sheet.for_page)
        return;
    if (canvas->told_step == 0)
        canvas->told_step = 1;
    if (canvas->told_count == CUP_TOLD_MOST)
        thin_out_told(canvas);
    if (canvas->told_seen++ % canvas->told_step != 0)
        return;
    if (cup_array_grow(&canvas->told, &canvas->told_room, canvas->told_count,
                       sizeof *canvas->told) != 0) {
        canvas->out_of_memory = true;
        return;
    }
    struct cup_last_written *told = &canvas->told[canvas->told_count++];
    told->box = box;
    told->colour = colour;
    snprintf(told->text, sizeof told->text, "%s", text);
}
