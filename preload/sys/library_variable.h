/* A variable of the library's own that a hook looks at in each call. Said where it is declared:
 * then other files find it without looking up its address first. */
#ifndef CUPPING_PRELOAD_SYS_LIBRARY_VARIABLE_H
#define CUPPING_PRELOAD_SYS_LIBRARY_VARIABLE_H

#define CUP_OURS __attribute__((visibility("hidden")))

#endif
