/* page.css and page.js, as texts. */
#ifndef CUPPING_PAGE_PARTS_H
#define CUPPING_PAGE_PARTS_H

extern const char cup_page_css[], cup_page_js[];

#endif
