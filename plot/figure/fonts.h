/* The fonts that pictures are drawn with. */
#pragma once

/* An installation may bring fonts: the file ../share/cupping/fonts.conf, seen from the program. If
 * it is there, and the user chose no other (FONTCONFIG_FILE), fontconfig reads it, and it includes
 * the fonts of the machine. Called before the first picture, while there is one thread: it sets an
 * environment variable. */
void cup_fonts_find(void);
