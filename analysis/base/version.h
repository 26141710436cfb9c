/* The version of this program, as reports and exports state it. */
#pragma once

#ifndef CUP_VERSION
#define CUP_VERSION "0.1.0" /* builds define it: see VERSION in the Makefile */
#endif
