/* Which library a call comes from or leads to, while another thread has the loader's lock. It may
 * be inside dl_iterate_phdr(), in a callback that waits for the GIL, which the caller may hold.
 * Where the library asks for that lock, these tests hang. */
#include "preload/xrootd/xrootd.h"
#include "preload/xrootd/xrootd_methods.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t is_held, may_end;
static char directory[] = "/tmp/cupping-test-XXXXXX", path[64];

static int wait_inside(struct dl_phdr_info *info, size_t bytes, void *user)
{
    (void)info, (void)bytes, (void)user;
    sem_post(&is_held);
    sem_wait(&may_end);
    return 1;
}

static void *hold_lock(void *user)
{
    dl_iterate_phdr(wait_inside, user);
    return NULL;
}

static pthread_t begin_to_hold(void)
{
    pthread_t thread;
    sem_init(&is_held, 0, 0);
    sem_init(&may_end, 0, 0);
    cr_assert_eq(pthread_create(&thread, NULL, hold_lock, NULL), 0);
    sem_wait(&is_held);
    return thread;
}

static void end_to_hold(pthread_t thread)
{
    sem_post(&may_end);
    pthread_join(thread, NULL);
}

/* Loads a copy of the library of tests FROM that is called NAME. */
static void *load_as(const char *from, const char *name)
{
    char command[200];
    cr_assert(mkdtemp(directory) != NULL);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    snprintf(command, sizeof command, "cp " CUP_BUILD "/tests/trace/%s %s", from, path);
    cr_assert_eq(system(command), 0);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cr_assert(library, "%s", dlerror());
    return library;
}

static void remove_copy(void)
{
    unlink(path);
    rmdir(directory);
}

Test(xrootd_libraries, one_that_connects_is_recognised_without_the_lock)
{
    void *utils = load_as("libplugin_a.so", "libXrdUtils.so.3.0.0");
    const void *inside = dlsym(utils, "plugin_a");
    pthread_t thread = begin_to_hold();
    bool connects = cup_xrootd_connects(inside), libc = cup_xrootd_connects((const void *)abort);
    end_to_hold(thread);
    cr_expect(connects);
    cr_expect_not(libc);
    dlclose(utils);
    remove_copy();
}

#if defined(__x86_64__)
Test(xrootd_libraries, a_method_is_found_without_the_lock)
{
    void *client = load_as("libclient.so", "libXrdCl.so.3");
    pthread_t thread = begin_to_hold();
    struct place place = cup_xrootd_place((const void *)abort, READ, ABI_T);
    end_to_hold(thread);
    cr_expect(place.known);
    cr_expect(place.real == dlsym(client, "_ZN5XrdCl4File4ReadEmjPvRjt"));
    remove_copy();
}
#endif
