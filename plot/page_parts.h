/* page.css, page.js and the same of flame, as texts. */
#ifndef CUPPING_PAGE_PARTS_H
#define CUPPING_PAGE_PARTS_H

extern const char cup_page_css[], cup_page_js[], cup_flame_css[], cup_flame_js[];

#endif
