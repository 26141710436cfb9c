#include "preload/raw.h"

uint64_t cup_raw_bytes_read;
