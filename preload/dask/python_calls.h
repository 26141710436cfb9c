/* The functions of the standard library and of uproot that the library notices by sys.monitoring,
 * where locks are not seen (Python 3.14): see preload/python/monitored.h. */
#pragma once

/* Needs the GIL and verified frames; called once. Returns NULL, or why they are not noticed; "" in
 * versions where locks are seen. */
const char *cup_python_calls_start(void);
