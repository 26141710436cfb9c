#include "preload/stacks/native.h"

#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/maps.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* STACK_LEFT: minimum free stack, bytes. Unwinding and reading the maps use up to 8 KiB. STORAGE:
 * bytes of thread-local storage for libunwind. */
enum { STACK_LEFT = 20 << 10, STORAGE = 128 };

__thread bool cup_native_unwinds __attribute__((tls_model("initial-exec")));

/* One per thread slot. A thread has no slot if it works for no task, or if all were taken: its
 * native frames are not read. */
static struct unwind_state {
    const struct cup_thread *owner;
    uint64_t not_before;         /* ticks: earliest time to search the maps again */
    uintptr_t low, high;         /* the thread's own stack; 0: not known yet */
    uintptr_t other, other_high; /* the last other mapping that it used as a stack */
    void *cache;                 /* libunwind's, freed when the thread ends */
    uint64_t storage[STORAGE / sizeof(uint64_t)];
} states[CUP_THREAD_SLOTS];

/* NULL: the thread has none. TAKE: gives it one if its slot is free. */
static struct unwind_state *find_state(bool take)
{
    const struct cup_thread *no_thread = NULL;
    struct unwind_state *state = cup_self.slot ? &states[cup_self.slot - 1] : NULL;
    if (!state || state->owner == &cup_self)
        return state;
    return take && __atomic_compare_exchange_n(&state->owner, &no_thread, &cup_self, false,
                                               __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
               ? state
               : NULL;
}

/* ---- the stack ---------------------------------------------------------------------------- */

static uint32_t lock; /* protects the buffer into which the maps are read */

static bool find_mapping(uintptr_t at, struct cup_mapping_line *line, bool *is_main)
{
    static struct cup_maps maps;
    bool found = false;
    cup_spin_lock(&lock);
    if (cup_maps_open(&maps)) {
        while (!found && cup_maps_next(&maps, line))
            found = at >= line->start && at < line->end;
        *is_main = found && strcmp(line->path, "[stack]") == 0;
        cup_maps_close(&maps);
    }
    cup_spin_unlock(&lock);
    return found;
}

bool cup_native_on_signal_stack(void)
{
    stack_t stack;
    int saved = errno;
    bool is = syscall(SYS_sigaltstack, NULL, &stack) || (stack.ss_flags & SS_ONSTACK);
    errno = saved;
    return is;
}

/* The first thread's stack grows down to RLIMIT_STACK. */
static uintptr_t lowest_of_main(const struct cup_mapping_line *line)
{
    const rlim_t most = 1 << 30;
    struct rlimit limit;
    if (syscall(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit))
        return line->start;
    return line->end - (limit.rlim_cur < most ? limit.rlim_cur : most);
}

/* Finds out which stack the address AT is on. The stack of other threads than the first ends where
 * their thread-local storage begins, in the same mapping. Any other mapping may be a
 * coroutine's. */
static void find_stack(struct unwind_state *state, uintptr_t at)
{
    enum { WAIT_NS = 20000000 };
    struct cup_mapping_line line;
    bool is_main, found = find_mapping(at, &line, &is_main);
    uintptr_t self = (uintptr_t)&cup_self;
    state->not_before = cup_ticks() + cup_ns_ticks(WAIT_NS);
    if (found && is_main) {
        state->low = lowest_of_main(&line);
        state->high = line.end;
    } else if (found && self > at && self < line.end) {
        state->low = line.start;
        state->high = self;
    } else if (found) {
        state->other = line.start;
        state->other_high = line.end;
    }
}

static bool is_on_own(struct unwind_state *state, uintptr_t at)
{
    if (__builtin_expect(at - state->low < state->high - state->low, 1))
        return true;
    if (at - state->other < state->other_high - state->other || cup_ticks() < state->not_before ||
        cup_native_on_signal_stack())
        return false;
    find_stack(state, at);
    return at - state->low < state->high - state->low;
}

bool cup_native_has_room(void)
{
    int saved = errno;
    struct unwind_state *state = find_state(true);
    uintptr_t at = (uintptr_t)__builtin_frame_address(0);
    bool has = state && is_on_own(state, at) && at - state->low >= STACK_LEFT;
    if (!has)
        cup_log_health(CUP_H_NATIVE_MISSED, 1);
    errno = saved;
    return has;
}

const uint64_t *cup_native_stack_end(void)
{
    const struct unwind_state *state = find_state(false);
    return state ? (const uint64_t *)(state->high & ~UINT64_C(7)) : NULL;
}

/* ---- thread-local storage ----------------------------------------------------------------- */

/* The argument of __tls_get_addr(): tls_index of the ELF TLS ABI. */
struct tls_index {
    unsigned long module, offset;
};
static void *(*real_tls_get_addr)(struct tls_index *index);

/* Before glibc 2.34 they are in libpthread, which a program without threads does not load. */
#pragma weak pthread_key_create
#pragma weak pthread_setspecific

typedef void key_destructor(void *cache);
static key_destructor *destructor; /* libunwind's; NULL: the program used libunwind before us, so
                                      the key was made without our seeing it */

/* The program may use libunwind too: its calls (cup_native_unwinds is false) get the real
 * storage. */
static void *find_storage(struct tls_index *index)
{
    struct unwind_state *state = cup_native_unwinds ? find_state(false) : NULL;
    return state ? (char *)state->storage + index->offset : real_tls_get_addr(index);
}

static int create_key(pthread_key_t *key, key_destructor *function)
{
    if (cup_native_unwinds)
        destructor = function;
    return pthread_key_create(key, function);
}

static int set_value(pthread_key_t key, const void *value)
{
    struct unwind_state *state = cup_native_unwinds && destructor ? find_state(false) : NULL;
    if (!state)
        return pthread_setspecific(key, value);
    state->cache = (void *)(uintptr_t)value;
    return 0;
}

/* True if the library's thread-local storage is small and initialised with zeros. */
static bool has_small_storage(const struct cup_elf *library)
{
    const ElfW(Phdr) *storage = cup_elf_part(library, PT_TLS, NULL);
    return storage && storage->p_filesz == 0 && storage->p_memsz <= STORAGE;
}

bool cup_native_thread_redirect(const struct cup_elf *library)
{
    real_tls_get_addr = (void *(*)(struct tls_index *))dlsym(RTLD_DEFAULT, "__tls_get_addr");
    if (!real_tls_get_addr || !has_small_storage(library) ||
        !cup_elf_redirect(library, "__tls_get_addr", (const void *)find_storage))
        return false;
    cup_elf_redirect(library, "pthread_key_create", (const void *)create_key);
    cup_elf_redirect(library, "pthread_setspecific", (const void *)set_value);
    return true;
}

/* ---- the thread's end ---------------------------------------------------------------------- */

/* Does what pthread does when a thread ends: calls the destructor again as long as it sets the key
 * again. libunwind's destructor does that until the last iteration, so that it runs after the
 * program's other destructors. */
static void destroy_cache(struct unwind_state *state)
{
    cup_native_unwinds = true;
    for (int i = 0; i < PTHREAD_DESTRUCTOR_ITERATIONS && state->cache; i++) {
        void *cache = state->cache;
        state->cache = NULL;
        destructor(cache);
    }
    cup_native_unwinds = false;
}

void cup_native_thread_ends(void)
{
    struct unwind_state *state = find_state(false);
    if (!state)
        return;
    if (state->cache)
        destroy_cache(state);
    memset(&state->not_before, 0, sizeof *state - offsetof(struct unwind_state, not_before));
    __atomic_store_n(&state->owner, NULL, __ATOMIC_RELEASE);
}

void cup_native_threads_forked(void)
{
    lock = 0;
    cup_raw_clear(states, sizeof states);
}
