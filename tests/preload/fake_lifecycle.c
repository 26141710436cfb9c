/* In these tests no file is notified of anything. */
#include "preload/lifecycle/lifecycle.h"

#include <stddef.h>

const struct cup_lifecycle_row cup_lifecycle_rows[] = {{NULL}};
