#include "plot/page/page_parts.h"

const char cup_page_css[] =
#include "page.css.inc"
    ;

const char cup_flame_css[] =
#include "flame.css.inc"
    ;

const char cup_flame_js[] =
#include "flame.js.inc"
    ;

const char cup_page_drawing_css[] =
#include "page_drawing.css.inc"
    ;

const char cup_page_js[] =
#include "page.js.inc"
    ;
