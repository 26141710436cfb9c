#include <stdio.h>

#include "analysis/base/array.h"
#include "plot/figure/canvas.h"

/* Keeps every second hover text, so that CUP_HOVERS_MOST is never exceeded. */
static void thin_out_hovers(struct cup_canvas *canvas)
{
    for (size_t i = 0; 2 * i < canvas->hover_count; i++)
        canvas->hovers[i] = canvas->hovers[2 * i];
    canvas->hover_count = (canvas->hover_count + 1) / 2;
    canvas->hover_step *= 2;
}

void cup_canvas_add_hover(struct cup_canvas *canvas, struct cup_box box, struct cup_colour colour,
                          const char *text)
{
    if (!canvas->sheet.for_page)
        return;
    if (canvas->hover_step == 0)
        canvas->hover_step = 1;
    if (canvas->hover_count == CUP_HOVERS_MOST)
        thin_out_hovers(canvas);
    if (canvas->hovers_given++ % canvas->hover_step != 0)
        return;
    if (cup_array_grow(&canvas->hovers, &canvas->hover_room, canvas->hover_count,
                       sizeof *canvas->hovers) != 0) {
        canvas->out_of_memory = true;
        return;
    }
    struct cup_hover *hover = &canvas->hovers[canvas->hover_count++];
    hover->box = box;
    hover->colour = colour;
    snprintf(hover->text, sizeof hover->text, "%s", text);
}
