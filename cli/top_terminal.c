#include "cli/top_terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static const char enter_screen[] = "\033[?1049h\033[?25l\033[2J";
static const char leave_screen[] = "\033[0m\033[?25h\033[?1049l";

static struct termios before;            /* how the terminal was */
static volatile sig_atomic_t taken;      /* the terminal is taken over */
static volatile sig_atomic_t ended_by;   /* a signal */
static volatile sig_atomic_t stop_asked; /* SIGTSTP came */

bool cup_top_is_terminal(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static void write_all(const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t done = write(STDOUT_FILENO, bytes, count);
        if (done < 0 && errno != EINTR && errno != EAGAIN)
            return;
        if (done > 0) {
            bytes += done;
            count -= (size_t)done;
        }
    }
}

/* Calls only functions that signal handlers may call. */
void cup_top_terminal_end(void)
{
    if (!taken)
        return;
    taken = 0;
    write_all(leave_screen, sizeof leave_screen - 1);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

int cup_top_terminal_begin(void)
{
    struct termios raw;
    if (tcgetattr(STDIN_FILENO, &before) != 0)
        return -1;
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) != 0)
        return -1;
    taken = 1;
    write_all(enter_screen, sizeof enter_screen - 1);
    return 0;
}

/* ---- signals ------------------------------------------------------------------------------- */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
enum { ENDING = sizeof ending / sizeof *ending, CRASHES = sizeof crashes / sizeof *crashes };

static void on_end(int signal)
{
    ended_by = signal;
}

static void on_window(int signal)
{
    (void)signal; /* it only ends the waiting */
}

static void on_stop(int signal)
{
    (void)signal;
    stop_asked = 1;
}

/* SA_RESETHAND: the signal then does what it does without a handler. */
static void on_crash(int signal)
{
    cup_top_terminal_end();
    raise(signal);
}

static void handle(int signal, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

/* As with nohup. */
static bool is_ignored(int signal)
{
    struct sigaction now;
    return sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

void cup_top_signals_begin(sigset_t *waiting)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGWINCH);
    sigaddset(&blocked, SIGTSTP);
    for (int i = 0; i < ENDING; i++)
        sigaddset(&blocked, ending[i]);
    sigprocmask(SIG_BLOCK, &blocked, waiting);
    handle(SIGWINCH, on_window, 0);
    handle(SIGTSTP, on_stop, 0);
    for (int i = 0; i < ENDING; i++) {
        if (!is_ignored(ending[i]))
            handle(ending[i], on_end, 0);
        sigdelset(waiting, ending[i]);
    }
    for (int i = 0; i < CRASHES; i++)
        handle(crashes[i], on_crash, (int)SA_RESETHAND | SA_NODEFER);
    sigdelset(waiting, SIGWINCH);
    sigdelset(waiting, SIGTSTP);
}

int cup_top_ended_by(void)
{
    return ended_by;
}

void cup_top_stop_if_asked(void)
{
    bool had = taken;
    if (!stop_asked)
        return;
    stop_asked = 0;
    cup_top_terminal_end();
    raise(SIGSTOP);
    if (had)
        cup_top_terminal_begin();
}

/* ---- drawing ------------------------------------------------------------------------------- */

enum { LEAST_WIDTH = 10 }; /* for the frames of bars and the indents of lines */

void cup_top_window(unsigned *width, unsigned *height)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col || !size.ws_row)
        size = (struct winsize){.ws_col = 80, .ws_row = 24};
    *width = size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col;
    *height = size.ws_row;
}

/* Each line is erased to its end, and no line end follows the last one, which would scroll. All of
 * it is one write, so that a slow connection shows no half of it. */
void cup_top_draw(const char *text, size_t length)
{
    char *drawn = NULL;
    size_t bytes;
    FILE *out = open_memstream(&drawn, &bytes);
    if (!out)
        return;
    while (length > 0 && text[length - 1] == '\n')
        length--;
    fputs("\033[H", out);
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\n')
            fputs("\033[K\r\n", out);
        else
            putc(text[i], out);
    fputs("\033[K\033[J", out);
    if (fclose(out) == 0)
        write_all(drawn, bytes);
    free(drawn);
}
