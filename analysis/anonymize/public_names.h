/* Names that say nothing about a user: of Python, of public packages, and of the programs that
 * cupping knows. */
#pragma once

#include <stdbool.h>

#include "analysis/base/intern.h"

/* A prefix or a span of Dask, Coffea or uproot, or a number of few digits. */
bool cup_is_public_word(struct cup_text word);

/* A folder that many machines have, such as "lib" or "python3.11". */
bool cup_is_public_folder(struct cup_text folder);

/* A Python package that anyone can install. */
bool cup_is_public_package(struct cup_text package);

/* A library that anyone can install, such as libz.so.1. */
bool cup_is_public_library(struct cup_text file);

/* The part of a file name that says what the file holds, such as ".root"; empty: none is known. */
struct cup_text cup_public_extension(struct cup_text file);
