#include "preload/stacks/native.h"

#include "preload/lifecycle/recording.h"
#include "preload/log/log.h"
#include "preload/python/python.h"
#include "preload/stacks/chain_memo.h"
#include "preload/stacks/modules.h"
#include "preload/sys/elf_symbols.h"
#include "preload/sys/id_table.h"
#include "preload/sys/raw.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef int backtrace_function(void **buffer, int size);

static bool wanted;
static backtrace_function *backtrace_by;               /* NULL: native frames are off */
static uint32_t unwinding;                             /* threads inside libunwind */
static struct cup_module_range own, interpreter, eval; /* code of each kind */

void cup_native_want(bool want)
{
    wanted = want;
}

static bool is_on(void)
{
    return __atomic_load_n(&backtrace_by, __ATOMIC_ACQUIRE) != NULL;
}

/* ---- unwinding --------------------------------------------------------------------------- */

/* libunwind may read files, which are cancellation points: a thread cancelled there would leave its
 * locks held. */
static uint32_t call_libunwind(backtrace_function *function, void **at)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    __atomic_fetch_add(&unwinding, 1, __ATOMIC_SEQ_CST);
    cup_native_unwinds = true;
    int count = function(at, CUP_NATIVE_MOST);
    cup_native_unwinds = false;
    __atomic_fetch_sub(&unwinding, 1, __ATOMIC_SEQ_CST);
    pthread_setcancelstate(before, NULL);
    return count > 0 ? (uint32_t)count : 0;
}

static bool is_in_range(const struct cup_module_range *range, const void *at)
{
    return (uintptr_t)at - range->low < range->high - range->low;
}

static uint64_t hash_frames(const struct cup_native *native)
{
    uint64_t hash = cup_modules_closes();
    for (uint32_t i = native->own; i < native->count; i++)
        hash = cup_mix(hash, (uintptr_t)native->at[i]);
    return hash | 1; /* as chain_memo.h wants it */
}

static void read_frames(backtrace_function *function, struct cup_native *native)
{
    native->count = call_libunwind(function, native->at);
    native->cut = native->count == CUP_NATIVE_MOST;
    native->own = 0;
    while (native->own < native->count &&
           is_in_range(&own, cup_native_call(native->at[native->own])))
        native->own++;
    native->hash = hash_frames(native);
}

void cup_native_here(struct cup_native *native)
{
    backtrace_function *function = __atomic_load_n(&backtrace_by, __ATOMIC_ACQUIRE);
    int saved = errno;
    native->count = native->own = 0;
    if (function)
        read_frames(function, native);
    errno = saved;
}

/* Counts the missed stack, and switches native frames off if they cannot be read any more. */
static __attribute__((noinline)) bool refuse_stack(void)
{
    if (cup_modules_lost() && __atomic_exchange_n(&backtrace_by, NULL, __ATOMIC_ACQ_REL))
        cup_log_note(
            "native frames are no longer read: a library that contained some was unloaded");
    cup_log_health(CUP_H_NATIVE_MISSED, 1);
    return false;
}

bool cup_native_may(void)
{
    int saved = errno;
    bool on = is_on() && !cup_native_unwinds;
    bool may = on && (cup_modules_current() || refuse_stack());
    errno = saved;
    return may;
}

enum cup_native_kind cup_native_kind(const void *call)
{
    if (is_in_range(&eval, call))
        return CUP_NATIVE_EVAL;
    if (is_in_range(&interpreter, call))
        return CUP_NATIVE_INTERPRETER;
    return is_in_range(&own, call) ? CUP_NATIVE_OWN : CUP_NATIVE_OTHER;
}

/* ---- loading libunwind --------------------------------------------------------------------- */

static void *open_if_there(const char *path, int flags)
{
    return syscall(SYS_faccessat, AT_FDCWD, path, R_OK) ? NULL : dlopen(path, flags | RTLD_LOCAL);
}

/* Loads the file NAME from the directory ../lib, seen from the interpreter's own file. */
static void *load_from_installation(const char *interpreter_path, const char *name)
{
    char path[4096] = "";
    if (*interpreter_path)
        strncpy(path, interpreter_path, sizeof path - 64);
    else
        syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof path - 64);
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path)
            return NULL;
        *slash = '\0';
    }
    strcat(strcat(path, "/lib/"), name);
    return open_if_there(path, RTLD_NOW);
}

#if defined(__aarch64__)
#define MACHINE "aarch64"
#else
#define MACHINE "x86_64"
#endif

/* Loads the extension module _lzma and with it, by its RPATH, the liblzma that this Python was
 * built with. */
static bool load_lzma_from(cup_object *directory)
{
    static const char last[] = "/lib-dynload";
    char path[4096];
    size_t bytes = cup_python_text(directory, path, sizeof path - 64);
    if (bytes < sizeof last || strcmp(path + bytes - (sizeof last - 1), last) != 0)
        return false;
    snprintf(path + bytes, sizeof path - bytes, "/_lzma.cpython-3%d-" MACHINE "-linux-gnu.so",
             cup_py.minor);
    return open_if_there(path, RTLD_LAZY);
}

static bool load_lzma(void)
{
    cup_object *paths = cup_py.PySys_GetObject("path");
    ssize_t count = paths ? cup_py.PySequence_Size(paths) : 0;
    bool found = false;
    for (ssize_t i = 0; i < count && !found; i++) {
        CUP_OWNED cup_object *directory = cup_py.PySequence_GetItem(paths, i);
        found = directory && load_lzma_from(directory);
    }
    cup_py.PyErr_Clear();
    return found;
}

/* The wheel has a libunwind next to libcupping.so, under another name, which needs no liblzma. */
static void *load_from_wheel(void)
{
    struct cup_elf library;
    char path[4096 + 32];
    if (!cup_elf_of((const void *)&cup_native_verify, &library))
        return NULL;
    const char *slash = strrchr(library.path, '/');
    int length = slash ? (int)(slash - library.path) : 0;
    snprintf(path, sizeof path, "%.*s/libcupping-unwind.so", length, library.path);
    return length ? open_if_there(path, RTLD_NOW) : NULL;
}

/* libunwind depends on liblzma, and the loader keeps one library per name. If the interpreter's
 * installation (conda) has a liblzma of its own, it is loaded first, so that the program's own
 * modules do not get the system's one because of libunwind. */
static void *load_libunwind_and_lzma(const char *interpreter_path)
{
    if (!load_lzma())
        load_from_installation(interpreter_path, "liblzma.so.5");
    void *library = load_from_installation(interpreter_path, "libunwind.so.8");
    return library ? library : dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
}

static void *load_libunwind(const char *interpreter_path)
{
    void *library = load_from_wheel();
    if (!library)
        library = load_libunwind_and_lzma(interpreter_path);
    dlerror(); /* the program asks for its own errors, not for ours */
    return library;
}

static bool find_ranges(struct cup_elf *python)
{
    const void *function = dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault");
    if (!function || !cup_elf_of(function, python) || !cup_modules_find())
        return false;
    const ElfW(Sym) *symbol = cup_elf_symbol_at(python, function);
    eval.low = (uintptr_t)function;
    eval.high = symbol ? python->base + symbol->st_value + symbol->st_size : 0;
    interpreter = cup_module_range(cup_module_of((uintptr_t)function));
    own = cup_module_range(cup_module_of((uintptr_t)&cup_native_verify));
    return eval.high > eval.low && interpreter.high && own.high;
}

/* ---- calls of libunwind that are redirected ------------------------------------------------ */

static bool was_asked; /* libunwind has called iterate_modules() */

/* In place of dl_iterate_phdr(); calls that are not ours (the program may use libunwind too) get
 * the real one. USER begins with the address that libunwind looks for; in a version where it does
 * not, the search only takes longer. */
static int iterate_modules(cup_modules_look *callback, void *user)
{
    if (!cup_native_unwinds)
        return dl_iterate_phdr(callback, user);
    if (!was_asked)
        was_asked = true;
    return cup_modules_each(*(const uint64_t *)user, callback, user);
}

/* In place of pipe() and pipe2(): fails. */
static int refuse_pipe(int ends[2], int flags)
{
    (void)flags;
    ends[0] = ends[1] = -1;
    errno = EMFILE;
    return -1;
}

/* In place of syscall(): libunwind tests whether an address is mapped by writing a byte from there
 * into its pipe, whose descriptor is -1. Only the lower half of DESCRIPTOR counts: the caller
 * passes an int as a variable argument. */
static long test_byte(long number, long descriptor, const void *byte, size_t count, long fourth,
                      long fifth, long sixth)
{
    char copy;
    if (number != SYS_write || (int)descriptor != -1 || count != 1)
        return syscall(number, descriptor, byte, count, fourth, fifth, sixth);
    return cup_memory_read(byte, &copy, 1) ? 1 : -1;
}

static const char *redirect_calls(const struct cup_elf *library)
{
    if (!cup_elf_redirect(library, "dl_iterate_phdr", (const void *)iterate_modules))
        return "libunwind does not call dl_iterate_phdr";
    bool has_pipe = cup_elf_redirect(library, "pipe2", (const void *)refuse_pipe);
    has_pipe = cup_elf_redirect(library, "pipe", (const void *)refuse_pipe) || has_pipe;
    if (has_pipe && !cup_elf_redirect(library, "syscall", (const void *)test_byte))
        return "libunwind tests addresses in an unknown way";
    if (!cup_native_thread_redirect(library))
        return "libunwind's thread-local storage is of an unknown kind";
    return NULL;
}

/* ---- verification -------------------------------------------------------------------------- */

static const char *test_unwinding(backtrace_function *function)
{
    struct cup_native native;
    read_frames(function, &native);
    if (!was_asked)
        return "libunwind does not call dl_iterate_phdr";
    for (uint32_t i = 0; i < native.count; i++)
        if (cup_native_kind(cup_native_call(native.at[i])) == CUP_NATIVE_EVAL)
            return NULL;
    return "libunwind does not find the interpreter on the stack";
}

const char *cup_native_verify(void)
{
    struct cup_elf python, unwinder;
    if (!wanted)
        return "";
    if (cup_elf_lock_is_lost())
        return "the process was forked while another thread may have been loading a library";
    if (!find_ranges(&python))
        return "the interpreter's code was not found";
    void *library = load_libunwind(python.path);
    if (!library)
        return "libunwind.so.8 is not installed (Debian: libunwind8)";
    backtrace_function *function = (backtrace_function *)dlsym(library, "unw_backtrace");
    if (!function || !cup_elf_of((const void *)function, &unwinder))
        return "libunwind has no unw_backtrace";
    const char *why = redirect_calls(&unwinder);
    if (!why)
        why = test_unwinding(function);
    if (!why)
        __atomic_store_n(&backtrace_by, function, __ATOMIC_RELEASE);
    return why;
}

/* ---- forks ------------------------------------------------------------------------------- */

void cup_native_child_begins(void)
{
    bool held = unwinding && is_on();
    cup_modules_forked();
    cup_chains_forked();
    cup_native_threads_forked();
    if (held)
        backtrace_by = NULL;
    unwinding = 0;
    cup_native_unwinds = false;
    if (held)
        cup_recording_drop_feature(
            CUP_FEATURE_NATIVE, "native functions are not seen",
            "another thread was reading its native stack when the process forked");
}
