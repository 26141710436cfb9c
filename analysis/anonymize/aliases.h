/* Replaces names by aliases such as host-2, and leaves names that everyone knows, such as those of
 * Python's folders. First every text is translated once, which collects the names in it; then they
 * are numbered in the order of their bytes. So the aliases depend only on the set of names. */
#pragma once

#include <stdbool.h>

#include "analysis/base/intern.h"

/* What a text says: X(ID, "alias"). A text with several meanings has the last one in this list. */
#define CUP_NAME_KINDS(X)                                                                          \
    X(TEXT, "text") /* of no known meaning */                                                      \
    X(PUBLIC, "")   /* it stays */                                                                 \
    X(NOTE, "")                                                                                    \
    X(COMMAND, "command")                                                                          \
    X(SPAN, "span")                                                                                \
    X(PREFIX, "prefix")                                                                            \
    X(DATASET, "dataset")                                                                          \
    X(ERROR, "error")                                                                              \
    X(WORKER, "worker")                                                                            \
    X(KEY, "key")                                                                                  \
    X(HOST, "host")                                                                                \
    X(FOLDER, "dir")                                                                               \
    X(FILE_NAME, "file")                                                                           \
    X(PLACE, "") /* a path, a URL or an address */                                                 \
    X(MOUNT, "mount")
enum cup_name_kind {
#define X(id, alias) CUP_NAME_##id,
    CUP_NAME_KINDS(X)
#undef X
        CUP_NAME_KIND_COUNT
};

struct cup_aliases {
    struct cup_intern names[CUP_NAME_KIND_COUNT]; /* of each kind */
    uint32_t *numbers[CUP_NAME_KIND_COUNT];       /* owned; by id of the name; NULL: not numbered */
    bool short_of_memory;
};

/* A translated text, which each translation replaces. */
struct cup_alias {
    char *bytes; /* owned */
    size_t length, room;
};

/* Translates a text of this kind. Before the names are numbered the alias is of no use. */
void cup_alias_make(struct cup_aliases *aliases, enum cup_name_kind kind, struct cup_text text,
                    struct cup_alias *alias);

/* Numbers the names that were collected. Returns 0, or -1 without memory. */
int cup_aliases_number(struct cup_aliases *aliases);

void cup_aliases_free(struct cup_aliases *aliases);
