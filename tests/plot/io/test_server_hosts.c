/* The matrix of servers and hosts: the names of its columns. */
#include <criterion/criterion.h>

#include <string.h>

#include "plot/io/io_plots.h"
#include "tests/plot/support.h"

static struct cup_drawing drawn;

static void close_drawn(void)
{
    cup_canvas_close(&drawn.canvas);
}

TestSuite(server_hosts, .fini = close_drawn);

static void draw_hosts(const char *const *hosts, size_t count)
{
    static struct cup_server_hosts plot;
    const struct cup_sheet sheet = {
        .format = CUP_FORMAT_SVG, .width = 12, .height = 5, .pixels = 72};
    plot.servers[0] = (struct cup_text){"root://a", 8};
    plot.server_count = 1;
    plot.host_count = count;
    plot.highest = 1;
    for (size_t i = 0; i < count; i++) {
        plot.hosts[i] = (struct cup_text){hosts[i], strlen(hosts[i])};
        plot.means[0][i] = 1;
    }
    draw_data(&drawn, cup_plot_find(&cup_plots, "server-hosts"), &plot, &sheet);
}

Test(server_hosts, addresses_are_not_cut_at_a_dot)
{
    draw_hosts((const char *const[]){"10.0.0.12", "wn17.cern.ch"}, 2);
    cr_expect(has_text(&drawn, "10.0.0.12"));
    cr_expect(has_text(&drawn, "wn17"));
}

Test(server_hosts, long_names_are_shortened_in_the_middle)
{
    draw_hosts((const char *const[]){"a-worker-node-with-a-long-name-1",
                                     "a-worker-node-with-a-long-name-2"},
               2);
    cr_expect(has_text(&drawn, "a-worker-node-with-a-long-name-1"));
    cr_expect(has_text(&drawn, "a-worker-node-with-a-long-name-2"));
}

/* Each character has two bytes. */
Test(server_hosts, no_character_is_cut_in_two)
{
    static const char name[] = "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"
                               "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4";
    draw_hosts((const char *const[]){name, "b"}, 2);
    cr_expect(has_text(&drawn, name));
}
