/* The version of this program, as reports and exports state it. */
#ifndef CUPPING_ANALYSIS_BASE_VERSION_H
#define CUPPING_ANALYSIS_BASE_VERSION_H

#ifndef CUP_VERSION
#define CUP_VERSION "0.1.0" /* builds define it: see VERSION in the Makefile */
#endif

#endif
