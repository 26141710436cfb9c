/* The text of the exception that ended a task, from Dask's message about it. */
#pragma once

#include "preload/python/python.h"

#include <stdint.h>

/* The id of a STRING record: repr() of the exception, and of the first one that it was raised from
 * ("raise ... from"), unless the first repr() has it. A long text keeps its beginning and its end.
 * MESSAGE: what Worker.execute() gets; may be NULL. 0: the task did not fail, or the log is full.
 * Needs the GIL. */
uint32_t cup_exception_text(cup_object *message);
