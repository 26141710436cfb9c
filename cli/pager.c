#include "cli/pager.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void cup_pager_open(struct cup_output *output)
{
    FILE *text = isatty(STDOUT_FILENO) ? tmpfile() : NULL;
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

static bool is_longer(FILE *text, unsigned rows)
{
    unsigned lines = 0;
    rewind(text);
    for (int c; (c = getc(text)) != EOF;)
        lines += c == '\n';
    return lines >= rows;
}

static void copy_text(FILE *text, FILE *to)
{
    char buffer[4096];
    rewind(text);
    for (size_t bytes; (bytes = fread(buffer, 1, sizeof buffer, text)) > 0;)
        if (fwrite(buffer, 1, bytes, to) < bytes)
            break;
}

/* The pager gets the default action of SIGPIPE, which main() ignores. While it runs, Ctrl-C is for
 * the pager. Returns false if there is no such command. */
static bool run_pager(const char *command, FILE *text)
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
    copy_text(text, pager);
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
        bool paged = *command && strcmp(command, "cat") != 0 && is_longer(text, count_rows()) &&
                     run_pager(command, text);
        if (!paged)
            copy_text(text, stdout);
        fclose(text);
        *output = (struct cup_output){.file = stdout};
    }
    return cup_output_close(output, error);
}
