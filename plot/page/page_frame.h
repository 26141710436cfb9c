/* What the pages of one run and of several have in common: the frame, and the parts, which are made
 * in memory first, because the table of contents links to them. */
#ifndef CUPPING_PLOT_PAGE_PAGE_FRAME_H
#define CUPPING_PLOT_PAGE_PAGE_FRAME_H

#include <stdio.h>

/* Writes the page up to the line below the title. The caller ends the header and begins <main>.
 * `first` is the id of the first part. */
void cup_page_frame_begin(FILE *out, const char *title, const char *below, const char *first);
void cup_page_frame_end(FILE *out);

/* A part begins with its heading. */
void cup_page_part_begin(FILE *out, const char *id, const char *heading);
void cup_page_part_end(FILE *out);

/* Writes a whole part. `class`: of an element around the text; NULL: no such element. */
void cup_page_part_put(FILE *out, const char *id, const char *heading, const char *text,
                       const char *class);

/* Writes the part with stacks and its script; nothing if the text is empty. */
void cup_page_functions_put(FILE *out, const char *text);

struct cup_page_part {
    FILE *file;
    char *text; /* owned; what was written to the file, once that is closed */
    size_t bytes;
};

/* Opens files in memory. Returns 0, or -1; close and free the parts in both cases. */
int cup_page_parts_open(struct cup_page_part *parts, size_t count);

/* Returns 0, or -1 if writing failed. */
int cup_page_parts_close(struct cup_page_part *parts, size_t count);
void cup_page_parts_free(struct cup_page_part *parts, size_t count);

#endif
