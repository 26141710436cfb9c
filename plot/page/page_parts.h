/* page.css, page_drawing.css, page.js and the same of flame, as texts. page_drawing.css is what a
 * plot needs to look as it does, also outside of the page. */
#ifndef CUPPING_PLOT_PAGE_PAGE_PARTS_H
#define CUPPING_PLOT_PAGE_PAGE_PARTS_H

extern const char cup_page_css[], cup_page_drawing_css[], cup_page_js[];
extern const char cup_flame_css[], cup_flame_js[];

#endif
