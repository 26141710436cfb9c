#include "cli/pager.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* What is to be shown. In memory: a file in /tmp may find no room. */
static char *all;
static size_t all_bytes;

void cup_pager_open(struct cup_output *output)
{
    FILE *text = isatty(STDOUT_FILENO) ? open_memstream(&all, &all_bytes) : NULL;
    *output = (struct cup_output){.file = text ? text : stdout, .shown_on = text ? stdout : NULL};
}

static const char *find_command(void)
{
    const char *command = getenv("CUPPING_PAGER");
    if (!command)
        command = getenv("PAGER");
    return command ? command : "less";
}

static unsigned count_rows(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row ? size.ws_row : 24;
}

static bool is_longer(unsigned rows)
{
    unsigned lines = 0;
    for (size_t i = 0; i < all_bytes; i++)
        lines += all[i] == '\n';
    return lines >= rows;
}

/* The pager gets the default action of SIGPIPE, which main() ignores. While it runs, Ctrl-C is for
 * the pager. Returns false if there is no such command. */
static bool run_pager(const char *command)
{
    setenv("LESS", "FRX", 0);
    fflush(stdout);
    signal(SIGPIPE, SIG_DFL);
    FILE *pager = popen(command, "w");
    signal(SIGPIPE, SIG_IGN);
    if (!pager)
        return false;
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    fwrite(all, 1, all_bytes, pager);
    int status = pclose(pager);
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    return !(WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127));
}

int cup_pager_close(struct cup_output *output, struct cup_error *error)
{
    FILE *text = output->shown_on ? output->file : NULL;
    const char *command = find_command();
    if (text) {
        bool failed = ferror(text) != 0;
        failed |= fclose(text) != 0;
        *output = (struct cup_output){.file = stdout};
        if (failed) /* no memory for all of it */
            return cup_error_memory(error, "standard output");
        bool paged = *command && strcmp(command, "cat") != 0 && is_longer(count_rows()) &&
                     run_pager(command);
        if (!paged)
            fwrite(all, 1, all_bytes, stdout);
        free(all);
    }
    return cup_output_close(output, error);
}
