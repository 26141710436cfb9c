/* A job that runs, as one screen of text. */
#pragma once

#include "analysis/live/live.h"
#include "analysis/write/terminal.h"

/* By what workers are sorted. X(id, key, name of the option's value, text). */
#define CUP_LIVE_SORTS(X)                                                                          \
    X(MEMORY, 'm', "memory", "memory")                                                             \
    X(RATE, 'b', "bytes", "bytes/s")                                                               \
    X(RUNNING, 'r', "running", "running tasks")                                                    \
    X(CPU, 'c', "cpu", "CPU")                                                                      \
    X(NAME, 'n', "name", "name")
enum cup_live_sort {
#define X(id, key, name, text) CUP_LIVE_BY_##id,
    CUP_LIVE_SORTS(X)
#undef X
        CUP_LIVE_SORT_COUNT
};
extern const char cup_live_sort_keys[CUP_LIVE_SORT_COUNT];
extern const char *const cup_live_sort_names[CUP_LIVE_SORT_COUNT];

struct cup_live_view {
    unsigned height; /* lines */
    enum cup_live_sort sort;
    const char *ended;   /* what the report says of the run that ended, as its first line; NULL */
    const char *address; /* of the page; NULL or "": none */
    const char *failed;  /* why the last look failed, and the figures are older; NULL: it did not */
    bool keys;           /* show the keys in the last line */
};

/* Prints at most view->height lines, none wider than the terminal. Texts from logs cannot control
 * the terminal, and URLs in errors are shown without user, password and query. Returns 0, or -1
 * without memory. */
int cup_live_screen(const struct cup_live *live, const struct cup_live_view *view,
                    const struct cup_terminal *terminal);

/* Copies an error to TO (ROOM bytes), with URLs as above. */
void cup_live_hide_secrets(struct cup_text text, char *to, size_t room);
