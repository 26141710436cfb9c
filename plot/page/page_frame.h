/* What pages of cupping have in common: what stands around the parts, and the parts, which are made
 * before what links to them is written. */
#ifndef CUPPING_PLOT_PAGE_PAGE_FRAME_H
#define CUPPING_PLOT_PAGE_PAGE_FRAME_H

#include <stdio.h>

/* All up to what stands below the title, in the header; the caller ends that and begins <main>.
 * `first` is the id of the part that comes first. */
void cup_page_frame_begin(FILE *out, const char *title, const char *below, const char *first);
void cup_page_frame_end(FILE *out);

/* A part, with its heading. */
void cup_page_part_begin(FILE *out, const char *id, const char *heading);
void cup_page_part_end(FILE *out);

/* Likewise, a whole one; `class` is that of an element around the text, or NULL. */
void cup_page_part_put(FILE *out, const char *id, const char *heading, const char *text,
                       const char *class);

/* The part of the functions, with its script; nothing if the text is empty. */
void cup_page_functions_put(FILE *out, const char *text);

struct cup_page_part {
    FILE *file;
    char *text; /* of the file, once it is closed; owned */
    size_t bytes;
};

/* Returns 0, or -1: then close and free them, too. */
int cup_page_parts_open(struct cup_page_part *parts, size_t count);

/* Returns 0, or -1 if anything did not get into them. */
int cup_page_parts_close(struct cup_page_part *parts, size_t count);
void cup_page_parts_free(struct cup_page_part *parts, size_t count);

#endif
