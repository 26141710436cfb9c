/* page.css, drawing.css and page.js, as texts. drawing.css is what a plot needs to look as it does,
 * also outside of the page. */
#ifndef CUPPING_PAGE_PARTS_H
#define CUPPING_PAGE_PARTS_H

extern const char cup_page_css[], cup_page_drawing_css[], cup_page_js[];

#endif
