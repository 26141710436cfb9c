/* The contents of the .css and .js files of this folder. page_drawing.css has the rules that a plot
 * needs outside of the page, too, when it is saved as a file. */
#ifndef CUPPING_PLOT_PAGE_PAGE_PARTS_H
#define CUPPING_PLOT_PAGE_PAGE_PARTS_H

extern const char cup_page_css[], cup_page_drawing_css[], cup_page_js[];
extern const char cup_flame_css[], cup_flame_js[];

#endif
