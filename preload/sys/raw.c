#include "preload/sys/raw.h"

uint64_t cup_raw_bytes_read;
