/* Real libraries, compiled as the tests run, and where their functions lie. */
#pragma once

#include <stdint.h>

#include "analysis/base/intern.h"

enum { NATIVE_PATH = 1024, NATIVE_PLACES = 5 };

/* Functions of the library: STATIC_INNER is known by no other file, and stands in no table of the
 * dynamic linker's; LAMBDA and RUST have mangled names. */
enum { P_STATIC_INNER, P_OUTER, P_LAMBDA, P_TEMPLATE, P_RUST };

struct native_file {
    char path[NATIVE_PATH];
    uint32_t places[NATIVE_PLACES]; /* offsets of instructions in them */
    unsigned char build_id[64];
    uint32_t build_id_bytes;
};

/* Compiles DIRECTORY/NAME with FLAGS besides. Its build id is what readelf tells. */
void make_native(struct native_file *file, const char *directory, const char *name,
                 const char *flags);

static inline struct cup_text native_build_id(const struct native_file *file)
{
    return (struct cup_text){(const char *)file->build_id, file->build_id_bytes};
}

/* Runs a command of the shell, made as by printf; it must succeed. */
__attribute__((format(printf, 1, 2))) void shell(const char *format, ...);
