/* Symbols of loaded libraries, compared with what the loader returns. */
#include "preload/sys/elf_symbols.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cup_elf library_of(const void *place)
{
    struct cup_elf object;
    cr_assert(cup_elf_of(place, &object));
    return object;
}

/* The symbol in libc, even if a preloaded library defines it too. */
static void *loader_says(const char *name)
{
    return dlsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), name);
}

Test(elf_symbols, the_library_of_a_place)
{
    void *place = loader_says("getenv");
    Dl_info info;
    struct cup_elf object = library_of(place);
    cr_assert(dladdr(place, &info));
    cr_expect_str_eq(object.path, info.dli_fname);
    cr_expect(object.base == (uintptr_t)info.dli_fbase);
}

Test(elf_symbols, no_library_has_it)
{
    struct cup_elf object;
    cr_expect_not(cup_elf_of((void *)16, &object));
    cr_expect_not(cup_elf_of(&object, &object), "the stack is in no library");
}

Test(elf_symbols, by_name)
{
    static const char *const names[] = {"getenv", "qsort_r", "environ", "fopen64"};
    struct cup_elf object = library_of(loader_says("getenv"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_expect(cup_elf_symbol(&object, names[i]) == loader_says(names[i]), "%s", names[i]);
    cr_expect_null(cup_elf_symbol(&object, "no_such_symbol"));
    cr_expect_null(cup_elf_symbol(&object, "cr_no_library_of_tests"));
}

Test(elf_symbols, the_function_around_a_place)
{
    const char *inside = (const char *)loader_says("qsort_r") + 5;
    struct cup_elf object = library_of(inside);
    const char *name = cup_elf_name_at(&object, inside);
    cr_assert_not_null(name);
    cr_expect(strstr(name, "qsort_r") != NULL, "%s", name);
    cr_expect_null(cup_elf_name_at(&object, (void *)(object.base + 1)), "the file's head");
}

static bool is_libc(const struct cup_elf *object, void *user)
{
    if (!cup_elf_symbol(object, "__libc_start_main"))
        return false;
    *(struct cup_elf *)user = *object;
    return true;
}

Test(elf_symbols, what_is_linked_with_what)
{
    struct cup_elf libc = {0}, program = library_of((const void *)(uintptr_t)is_libc);
    cup_elf_each(is_libc, &libc);
    cr_assert_not_null(libc.dynamic);
    cr_expect(cup_elf_needs(&program, &libc));
    cr_expect_not(cup_elf_needs(&libc, &program));
    cr_expect_not(cup_elf_needs(&libc, &libc));
}

typedef int find_information(const void *place, Dl_info *info);

Test(elf_symbols, what_a_library_calls)
{
    Dl_info info;
    find_information *callee;
    struct cup_elf program = library_of((const void *)is_libc);
    *(void **)&callee = cup_elf_callee(&program, "dladdr");
    cr_assert_not_null(callee);
    cr_assert(callee((const void *)is_libc, &info));
    cr_expect(program.base == (uintptr_t)info.dli_fbase);
    cr_expect_null(cup_elf_callee(&program, "no_such_symbol"));
}

static int closed;

static int count_close(FILE *file)
{
    closed++;
    return ((int (*)(FILE *))loader_says("_IO_file_close"))(file);
}

/* libc has such a table for its streams. The loader has made it read-only. */
Test(elf_symbols, an_entry_of_a_table_of_methods_is_replaced)
{
    static const char jumps[] = "_IO_file_jumps";
    const void *real = loader_says("_IO_file_close"), *ours = (const void *)(uintptr_t)count_close;
    struct cup_elf libc = library_of(real);
    cr_expect_not(cup_elf_replace(&libc, jumps, ours, real), "not in it");
    cr_expect_not(cup_elf_replace(&libc, "no_such_table", real, ours));
    cr_expect(cup_elf_replace(&libc, jumps, real, ours));
    fclose(fopen("/dev/null", "r"));
    cr_expect_eq(closed, 1);
    cr_expect(cup_elf_replace(&libc, jumps, ours, real));
    fclose(fopen("/dev/null", "r"));
    cr_expect_eq(closed, 1);
}
