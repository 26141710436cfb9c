/* The window of `cupping top`. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/top_terminal.h"

/* Makes standard output a terminal of this size, and asks for the size that is drawn. */
static void ask_window(unsigned short columns, unsigned short rows, unsigned *width,
                       unsigned *height)
{
    int device = posix_openpt(O_RDWR | O_NOCTTY), stdout_before = dup(STDOUT_FILENO);
    const struct winsize size = {.ws_col = columns, .ws_row = rows};
    cr_assert_geq(device, 0);
    cr_assert_eq(ioctl(device, TIOCSWINSZ, &size), 0);
    dup2(device, STDOUT_FILENO);
    cup_top_window(width, height);
    dup2(stdout_before, STDOUT_FILENO);
    close(stdout_before);
    close(device);
}

Test(top_terminal, a_narrow_window_is_drawn_wider)
{
    unsigned width, height;
    ask_window(132, 50, &width, &height);
    cr_expect_eq(width, 132);
    cr_expect_eq(height, 50);
    ask_window(1, 7, &width, &height);
    cr_expect_eq(width, 10);
    cr_expect_eq(height, 7);
}
