/* The list of modules, compared with the loader's own; and the parser of /proc/self/maps. */
#include "tests/preload/basket_records.h"

#include "preload/stacks/modules.h"
#include "preload/sys/maps.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

static void set_up(void)
{
    cr_assert(cup_modules_find());
}

TestSuite(modules, .init = set_up);

/* ---- compared with the loader
 * -------------------------------------------------------------------- */

struct found {
    struct dl_phdr_info info;
    uint64_t address; /* looked for */
};

/* Finds the module that contains the address. */
static int holds(struct dl_phdr_info *info, size_t size, void *user)
{
    struct found *found = user;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD &&
            found->address - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr <
                info->dlpi_phdr[i].p_memsz) {
            found->info = *info;
            return 1;
        }
    return 0;
}

static void is_as_the_loader_says(const void *code)
{
    struct found loader = {.address = (uintptr_t)code}, ours = loader;
    cr_assert_eq(dl_iterate_phdr(holds, &loader), 1);
    cr_assert_eq(cup_modules_each(0, holds, &ours), 1);
    cr_expect_eq(ours.info.dlpi_addr, loader.info.dlpi_addr);
    cr_assert_eq(ours.info.dlpi_phnum, loader.info.dlpi_phnum);
    cr_expect_arr_eq(ours.info.dlpi_phdr, loader.info.dlpi_phdr,
                     loader.info.dlpi_phnum * sizeof *loader.info.dlpi_phdr);
    char *path = loader.info.dlpi_name[0] ? realpath(loader.info.dlpi_name, NULL) : NULL;
    cr_expect(!path || strcmp(ours.info.dlpi_name, path) == 0, "%s", ours.info.dlpi_name);
    free(path);
}

Test(modules, are_those_of_the_loader)
{
    is_as_the_loader_says((const void *)set_up);
    is_as_the_loader_says((const void *)strlen);
    is_as_the_loader_says(dlsym(RTLD_DEFAULT, "dlopen"));
    is_as_the_loader_says(dlsym(RTLD_DEFAULT, "criterion_run_all_tests"));
}

Test(modules, an_address_lies_in_one_or_in_none)
{
    char here;
    uint32_t own = cup_module_of((uintptr_t)set_up), libc = cup_module_of((uintptr_t)abort);
    cr_assert(own && libc && own != libc);
    cr_expect_eq(cup_module_of((uintptr_t)&here), 0);
    cr_expect_eq(cup_module_of(0), 0);
    struct cup_module_range range = cup_module_range(libc);
    cr_expect(range.low <= (uintptr_t)abort && (uintptr_t)abort < range.high);
    cr_expect_eq(cup_module_of(range.low), libc);
    cr_expect_neq(cup_module_of(range.high), libc);
    cr_expect_neq(cup_module_of(range.low - 1), libc);
}

static int first_one(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    *(struct dl_phdr_info *)user = *info;
    return 1;
}

Test(modules, the_one_that_is_likely_comes_first)
{
    const void *places[] = {(const void *)set_up, (const void *)abort};
    for (int i = 0; i < 2; i++) {
        struct found loader = {.address = (uintptr_t)places[i]};
        struct dl_phdr_info ours;
        cr_assert_eq(dl_iterate_phdr(holds, &loader), 1);
        cr_assert_eq(cup_modules_each((uintptr_t)places[i], first_one, &ours), 1);
        cr_expect_eq(ours.dlpi_addr, loader.info.dlpi_addr);
    }
}

/* A library that is mapped as data only is no module. */
Test(modules, what_is_only_read_is_none)
{
    FILE *file = fopen("/proc/self/exe", "r");
    cr_assert(file);
    void *data = mmap(NULL, 1 << 16, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    cr_assert_neq(data, MAP_FAILED);
    cup_modules_find();
    cr_expect_eq(cup_module_of((uintptr_t)data), 0);
    munmap(data, 1 << 16);
    fclose(file);
}

/* ---- loading and unloading
 * -------------------------------------------------------------------- */

static uint64_t load(void **library)
{
    *library = dlopen(CUP_BUILD "/tests/trace/libplugin_a.so", RTLD_NOW | RTLD_LOCAL);
    cr_assert(*library, "%s", dlerror());
    return (uintptr_t)dlsym(*library, "plugin_a");
}

static void unload(void *library)
{
    cup_modules_closing();
    cr_expect_not(cup_modules_current(), "something is being unloaded");
    dlclose(library);
    cup_modules_closed();
}

static int none(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)info, (void)size, (void)user;
    return 0;
}

Test(modules, one_that_comes_is_found_at_once_by_who_must_know)
{
    void *library;
    cr_expect_eq(cup_modules_each(0, none, NULL), 0, "the next look is after a pause");
    uint64_t address = load(&library);
    uint32_t module = cup_module_holding(address);
    struct cup_elf object;
    cr_assert(module && module <= cup_modules_count());
    cr_expect_eq(module, cup_module_of(address));
    cr_expect_str_eq(cup_module_path(module), CUP_BUILD "/tests/trace/libplugin_a.so");
    cr_assert(cup_module_object(module, &object));
    cr_expect(cup_elf_symbol(&object, "plugin_a") == (void *)address);
    unload(library);
    cr_expect_eq(cup_module_holding(address), 0);
    cr_expect_not(cup_module_object(module, &object), "it is no longer mapped");
    cr_expect_not(cup_module_object(0, &object));
}

Test(modules, one_that_comes_is_found_when_an_address_is_not)
{
    void *library;
    uint64_t address = load(&library);
    cr_assert_eq(cup_module_of(address), 0);
    cr_expect_eq(cup_modules_each(0, none, NULL), 0);
    cr_expect_neq(cup_module_of(address), 0);
    dlclose(library);
}

Test(modules, one_that_goes_is_forgotten)
{
    void *library;
    uint64_t address = load(&library);
    cup_modules_each(0, none, NULL);
    cr_assert_neq(cup_module_of(address), 0);
    cr_expect(cup_modules_current());
    unload(library);
    cr_expect(cup_modules_current());
    cr_expect_eq(cup_module_of(address), 0);
    cr_expect_not(cup_modules_lost(), "no frames lay in it");
    cr_expect_eq(cup_modules_closes(), 1);
}

Test(modules, after_one_with_frames_addresses_are_not_to_be_relied_on)
{
    void *library, *again;
    uint64_t address = load(&library);
    cup_modules_each(0, none, NULL);
    cup_module_used(cup_module_of(address));
    load(&again);
    unload(again);
    cr_expect(cup_modules_current(), "it is still there");
    unload(library);
    while (!cup_modules_lost()) /* looks are at least 20 ms apart */
        cr_assert_not(cup_modules_current());
    cr_expect_not(cup_modules_current());
}

/* ---- in the log ----------------------------------------------------------------------------- */

static const struct cup_r_module *next_module(uint64_t *at)
{
    return (const void *)test_next(at, CUP_R_MODULE);
}

Test(modules, each_is_told_once)
{
    uint32_t libc = cup_module_of((uintptr_t)abort), own = cup_module_of((uintptr_t)set_up);
    uint64_t at = 0;
    test_log_open(1 << 20);
    cr_expect_eq(cup_module_record(libc), 1);
    cr_expect_eq(cup_module_record(own), 2);
    cr_expect_eq(cup_module_record(libc), 1);
    cr_expect_eq(cup_module_record(0), 0);
    const struct cup_r_module *record = next_module(&at);
    cr_assert(record);
    cr_expect_eq(record->id, 1);
    cr_expect_eq(record->base, cup_module_range(libc).low);
    cr_expect_eq(record->build_id_bytes, 20, "libc has a build id");
    cr_expect_neq(record->path, 0);
    record = next_module(&at);
    cr_assert(record);
    cr_expect_eq(record->id, 2);
    cr_expect_null(next_module(&at));
    cup_modules_reset();
    cr_expect_eq(cup_module_record(own), 1, "a new log has none");
    test_log_close();
}

/* ---- /proc/self/maps ---------------------------------------------------------------------- */

static bool first_line(const char *text, struct cup_mapping_line *line)
{
    static struct cup_maps maps;
    maps = (struct cup_maps){.fd = -1, .end = strlen(text)};
    memcpy(maps.text, text, maps.end);
    return cup_maps_next(&maps, line) && !maps.failed;
}

Test(modules, lines_of_the_kernel_are_read)
{
    struct cup_mapping_line line;
    cr_assert(first_line("7f00-7fff r-xp 00012000 fe:1a 4242      /a b/c\n", &line));
    cr_expect(line.start == 0x7f00 && line.end == 0x7fff && line.offset == 0x12000);
    cr_expect(line.device == (UINT64_C(0xfe) << 32 | 0x1a) && line.inode == 4242);
    cr_expect(line.executable);
    cr_expect_str_eq(line.path, "/a b/c");
    cr_assert(first_line("1-2 rw-p 0 0:0 0 \n", &line));
    cr_expect(!line.executable && !line.inode && !*line.path);
    static const char *const bad[] = {"\n",
                                      "12\n",
                                      "1-2\n",
                                      "1-2 r\n",
                                      "1-2 rwxp zz 0:0 0\n",
                                      "-2 rwxp 0 0:0 0\n",
                                      "1-2 rwxp 0 0:0 \n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_not(first_line(bad[i], &line), "%s", bad[i]);
}

Test(modules, the_kernels_list_is_read_to_its_end)
{
    static struct cup_maps maps;
    struct cup_mapping_line line;
    int lines = 0, stack = 0;
    char here;
    cr_assert(cup_maps_open(&maps));
    for (; cup_maps_next(&maps, &line); lines++)
        stack += line.start <= (uintptr_t)&here && (uintptr_t)&here < line.end;
    cr_expect(cup_maps_close(&maps));
    cr_expect_gt(lines, 20);
    cr_expect_eq(stack, 1);
}

/* Unmapped without dlclose(), like a library whose loading fails after it was mapped: its tables
 * must not be read. */
Test(modules, one_that_is_gone_without_a_word_is_not_told)
{
    void *library;
    struct dl_phdr_info told;
    uint64_t address = load(&library);
    cr_expect_eq(cup_modules_each(0, none, NULL), 0);
    cr_assert_eq(cup_modules_each(address, first_one, &told), 1);
    uint64_t gone = told.dlpi_addr;
    cr_assert_neq(cup_module_of(address), 0);
    dlclose(library);
    cr_assert_eq(cup_modules_each(address, first_one, &told), 1);
    cr_expect_neq(told.dlpi_addr, gone);
    cr_expect_eq(cup_module_of(address), 0);
}
