#include "preload/frames.h"

#include "preload/memory.h"

#include <dlfcn.h>
#include <string.h>

struct offsets {
    size_t thread_frame; /* in the thread state: frame, or what leads to it */
    size_t indirect;     /* 3.11, 3.12: from there once more; DIRECT otherwise */
    size_t frame_code;
    size_t code_name;
};
enum { DIRECT = ~0u };

/* offsetof as printed from each version's internal headers; verified before use. */
static const struct offsets by_minor[] = {
    [9] = {24, DIRECT, 32, 112}, [10] = {24, DIRECT, 32, 112}, [11] = {56, 8, 32, 120},
    [12] = {56, 0, 0, 120},      [13] = {72, DIRECT, 0, 120},
};

static struct offsets use;
static bool verified;

/* From 3.13 on the interpreter tells its own offsets: a block of 64-bit words that starts with a
 * cookie at _PyRuntime. Words of the groups that are needed here, by version. */
static bool read_debug_offsets(int minor, struct offsets *offsets)
{
    const struct {
        int minor;
        int thread_frame, frame_code, code_name;
    } words[] = {{13, 23, 30, 36}, {14, 26, 33, 41}};
    const uint64_t *block = dlsym(RTLD_DEFAULT, "_PyRuntime");
    if (!block || memcmp(block, "xdebugpy", 8) || (int)(block[1] >> 16 & 0xff) != minor)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].minor != minor)
            continue;
        *offsets = (struct offsets){block[words[i].thread_frame], DIRECT,
                                    block[words[i].frame_code], block[words[i].code_name]};
        return true;
    }
    return false;
}

static bool find_offsets(struct offsets *offsets)
{
    int minor = cup_py.minor;
    if (minor < (int)(sizeof by_minor / sizeof *by_minor)) {
        *offsets = by_minor[minor];
        return true;
    }
    return read_debug_offsets(minor, offsets);
}

/* 3.14 keeps flags in the low bits of a frame's reference to its code. */
static const char *untagged(const char *reference)
{
    return (const char *)((uintptr_t)reference & ~(uintptr_t)7);
}

void cup_frames_off(void)
{
    __atomic_store_n(&verified, false, __ATOMIC_RELEASE);
}

static const char *safe_top_code(const struct offsets *offsets, const char *thread)
{
    const char *frame = cup_memory_word(thread, offsets->thread_frame);
    if (offsets->indirect != DIRECT)
        frame = cup_memory_word(frame, offsets->indirect);
    return untagged(cup_memory_word(frame, offsets->frame_code));
}

const char *cup_frames_verify(void)
{
    struct offsets offsets;
    if (!find_offsets(&offsets))
        return "this Python version is not known";
    cup_object *frame = cup_py.PyEval_GetFrame(); /* borrowed */
    if (!frame)
        return "no Python frame to verify with";
    cup_object *code = cup_py.PyFrame_GetCode(frame);
    cup_object *name = cup_python_attribute(code, "co_name");
    bool same = safe_top_code(&offsets, cup_python_thread()) == code &&
                cup_memory_word(code, offsets.code_name) == name;
    cup_python_drop(name);
    cup_python_drop(code);
    if (!same)
        return "the interpreter's frames are not laid out as expected";
    use = offsets;
    __atomic_store_n(&verified, true, __ATOMIC_RELEASE);
    return NULL;
}

const void *cup_frames_name_of(const cup_object *code)
{
    return *(void *const *)((const char *)code + use.code_name);
}

const void *cup_frames_top_name(void)
{
    if (!__atomic_load_n(&verified, __ATOMIC_ACQUIRE))
        return NULL;
    const char *thread = cup_python_thread_fast();
    if (!thread)
        return NULL;
    const char *frame = *(char *const *)(thread + use.thread_frame);
    if (frame && use.indirect != DIRECT)
        frame = *(char *const *)(frame + use.indirect);
    if (!frame)
        return NULL;
    const char *code = untagged(*(char *const *)(frame + use.frame_code));
    return code ? cup_frames_name_of(code) : NULL;
}
