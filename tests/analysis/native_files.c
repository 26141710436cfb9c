#include "tests/analysis/native_files.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "static int n;\n"
    "__attribute__((noinline, used)) static void static_inner(void)\n"
    "{\n"
    "    for (int i = 0; i < 100; i++)\n"
    "        __asm__ volatile(\"\" : \"+r\"(n));\n"
    "}\n"
    "__attribute__((noinline)) void outer(void) { static_inner(); n += 1; }\n"
    "void lambda(void) __asm__(\"_ZZ4mainENKUliE_clEi\");\n"
    "void lambda(void) { static_inner(); n += 2; }\n"
    "void template(void) __asm__(\"_ZNSt6vectorIiSaIiEE9push_backERKi\");\n"
    "void template(void) { static_inner(); n += 3; }\n"
    "void rust(void) __asm__(\"_RNvCskwGfYPst2Cb_3foo16example_function\");\n"
    "void rust(void) { static_inner(); n += 4; }\n"
    "void *const places[] = {static_inner, outer, lambda, template, rust};\n"
    "int main(void)\n"
    "{\n"
    "    for (int i = 0; i < 5; i++)\n"
    "        __builtin_printf(\"%lx\\n\", (unsigned long)places[i]);\n"
    "    return 0;\n"
    "}\n";

void shell(const char *format, ...)
{
    char command[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    cr_assert_eq(system(command), 0, "%s", command);
}

/* As the dynamic linker has it: from where its lowest segment is. */
static void find_places(struct native_file *file)
{
    void *library = dlopen(file->path, RTLD_NOW | RTLD_LOCAL);
    cr_assert(library, "%s", dlerror());
    const struct link_map *map = library;
    void *const *places = dlsym(library, "places");
    cr_assert(places);
    for (int i = 0; i < NATIVE_PLACES; i++)
        file->places[i] = (uint32_t)((uintptr_t)places[i] - map->l_addr) + 2;
    dlclose(library);
}

static void find_build_id(struct native_file *file)
{
    char command[NATIVE_PATH + 100];
    snprintf(command, sizeof command, "LC_ALL=C readelf -n '%s' | sed -n 's/.*Build ID: //p'",
             file->path);
    FILE *out = popen(command, "r");
    unsigned byte;
    cr_assert(out);
    while (file->build_id_bytes < sizeof file->build_id && fscanf(out, "%2x", &byte) == 1)
        file->build_id[file->build_id_bytes++] = (unsigned char)byte;
    cr_assert_eq(pclose(out), 0);
}

void make_native(struct native_file *file, const char *directory, const char *name,
                 const char *flags)
{
    char text[NATIVE_PATH + 8];
    *file = (struct native_file){0};
    snprintf(file->path, sizeof file->path, "%s/%s", directory, name);
    snprintf(text, sizeof text, "%s.c", file->path);
    FILE *out = fopen(text, "w");
    cr_assert(out && fputs(source, out) >= 0 && fclose(out) == 0);
    shell("${CC:-$(command -v gcc || command -v clang)} -O1 -fPIC -shared "
          "-Wl,--build-id=sha1 -o '%s' '%s' %s",
          file->path, text, flags);
    find_places(file);
    find_build_id(file);
}
