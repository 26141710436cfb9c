/* The terminal of `cupping top`: keys come one by one, and the screen is drawn over. Plain control
 * sequences are enough for that (docs/live.md). */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* True if standard input and output are terminals. */
bool cup_top_is_terminal(void);

/* Takes the terminal over: other screen, no echo, no cursor. It is given back by
 * cup_top_terminal_end(), and when a signal ends the program, a crash included. Returns 0, or -1
 * with errno. */
int cup_top_terminal_begin(void);
void cup_top_terminal_end(void);

/* Blocks the signals that end the program or change the window, and sets *waiting to the signals
 * that are blocked while the program waits for events: none of these. */
void cup_top_signals_begin(sigset_t *waiting);

/* The signal that asked the program to end; 0: none. */
int cup_top_ended_by(void);

/* The size of the window; 80 x 24 if the terminal does not report one. */
void cup_top_window(unsigned *width, unsigned *height);

/* Draws the lines of a text over the screen. */
void cup_top_draw(const char *text, size_t length);

/* Stops the program if Ctrl-Z asked for it: gives the terminal back, and takes it over again when
 * the program goes on. */
void cup_top_stop_if_asked(void);
