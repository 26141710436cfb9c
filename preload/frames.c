#include "preload/frames.h"

#include "preload/memory.h"

#include <dlfcn.h>
#include <string.h>

struct offsets {
    size_t thread_frame; /* in the thread state: frame, or what leads to it */
    size_t indirect;     /* 3.11, 3.12: from there once more; NONE otherwise */
    size_t frame_code;
    size_t code_name;
    size_t frame_back;
    size_t frame_variables; /* the first local variable */
    size_t frame_owner;     /* 3.12 and later: a byte; NONE before */
    size_t frame_place;     /* the instruction: a pointer, up to 3.10 an int; NONE: not verified */
};
enum { NONE = ~0u };
enum { OWNED_BY_C = 3 }; /* from this value on: no Python code, an entry from C */

/* offsetof as printed from each version's internal headers; verified before use. */
static const struct offsets by_minor[] = {
    [9] = {24, NONE, 32, 112, 24, 360, NONE, 104}, [10] = {24, NONE, 32, 112, 24, 352, NONE, 96},
    [11] = {56, 8, 32, 120, 48, 72, NONE, 56},     [12] = {56, 0, 0, 120, 8, 72, 70, 56},
    [13] = {72, NONE, 0, 120, 8, 72, 70, 56},
};

static struct offsets use;
static bool verified;

/* From 3.13 on the interpreter tells its own offsets: a block of 64-bit words that starts with a
 * cookie at _PyRuntime. Of 3.14 the words are known, its layout was not seen. */
static bool read_debug_offsets(int minor, struct offsets *offsets)
{
    enum {
        CURRENT_FRAME = 26,
        BACK = 32,
        CODE = 33,
        PLACE = 34,
        VARIABLES = 35,
        OWNER = 36,
        NAME = 41
    };
    const uint64_t *block = dlsym(RTLD_DEFAULT, "_PyRuntime");
    if (!block || memcmp(block, "xdebugpy", 8) || (int)(block[1] >> 16 & 0xff) != minor ||
        minor != 14)
        return false;
    *offsets =
        (struct offsets){block[CURRENT_FRAME], NONE,         block[CODE], block[NAME], block[BACK],
                         block[VARIABLES],     block[OWNER], block[PLACE]};
    return true;
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

void cup_frames_off(void)
{
    __atomic_store_n(&verified, false, __ATOMIC_RELEASE);
}

/* ---- walking ----------------------------------------------------------------------------- */

static const char *word_at(const char *object, size_t offset)
{
    return *(const char *const *)(object + offset);
}

/* 3.14 keeps flags in the low bits of a frame's reference to its code. */
static const char *untagged(const char *reference)
{
    return (const char *)((uintptr_t)reference & ~(uintptr_t)7);
}

static inline const char *skip_entries_from_c(const char *frame)
{
    while (frame && use.frame_owner != NONE && frame[use.frame_owner] >= OWNED_BY_C)
        frame = word_at(frame, use.frame_back);
    return frame;
}

static inline const char *top(void)
{
    if (!__atomic_load_n(&verified, __ATOMIC_ACQUIRE))
        return NULL;
    const char *thread = cup_python_thread_fast();
    if (!thread)
        return NULL;
    const char *at = word_at(thread, use.thread_frame);
    return skip_entries_from_c(at && use.indirect != NONE ? word_at(at, use.indirect) : at);
}

bool cup_frames_top(struct cup_frame *frame)
{
    *frame = (struct cup_frame){top(), 0};
    return frame->at != NULL;
}

const void *cup_frames_top_name(void)
{
    const char *at = top();
    return at ? word_at(untagged(word_at(at, use.frame_code)), use.code_name) : NULL;
}

static uint64_t place_of(const struct offsets *offsets, const char *frame)
{
    uint64_t place = 0;
    memcpy(&place, frame + offsets->frame_place, cup_py.minor < 11 ? sizeof(int) : sizeof place);
    return place;
}

uint64_t cup_frames_top_place(void)
{
    const char *at = use.frame_place == NONE ? NULL : top();
    return at ? (uintptr_t)at ^ place_of(&use, at) << 16 : 0;
}

uint64_t cup_frames_place(struct cup_frame frame)
{
    return use.frame_place == NONE ? 0 : place_of(&use, frame.at);
}

bool cup_frames_back(struct cup_frame *frame)
{
    frame->at = skip_entries_from_c(word_at(frame->at, use.frame_back));
    frame->depth++;
    return frame->at != NULL;
}

cup_object *cup_frames_code(struct cup_frame frame)
{
    return (cup_object *)(uintptr_t)untagged(word_at(frame.at, use.frame_code));
}

const void *cup_frames_name(struct cup_frame frame)
{
    return word_at(cup_frames_code(frame), use.code_name);
}

bool cup_frames_is_in(struct cup_frame frame, const char *ending)
{
    char path[4096];
    cup_object *file = cup_python_attribute(cup_frames_code(frame), "co_filename");
    size_t bytes = cup_python_text(file, path, sizeof path), length = strlen(ending);
    cup_python_drop(file);
    return bytes >= length && strcmp(path + bytes - length, ending) == 0;
}

/* ---- verification ------------------------------------------------------------------------ */

/* Like the walk, with loads that may fail: for offsets that may be wrong. */
static const char *safe_back(const struct offsets *offsets, const char *frame, bool itself)
{
    char owner = 0;
    do {
        if (!itself)
            frame = cup_memory_word(frame, offsets->frame_back);
        itself = false;
        if (frame && offsets->frame_owner != NONE &&
            !cup_memory_read(frame + offsets->frame_owner, &owner, 1))
            return NULL;
    } while (frame && offsets->frame_owner != NONE && owner >= OWNED_BY_C);
    return frame;
}

static const char *safe_top(const struct offsets *offsets)
{
    const char *at = cup_memory_word(cup_python_thread(), offsets->thread_frame);
    if (offsets->indirect != NONE)
        at = cup_memory_word(at, offsets->indirect);
    return at ? safe_back(offsets, at, true) : NULL;
}

static bool same_frame(const struct offsets *offsets, cup_object *frame, const char *at)
{
    cup_object *code = cup_py.PyFrame_GetCode(frame);
    cup_object *name = cup_python_attribute(code, "co_name");
    bool same = untagged(cup_memory_word(at, offsets->frame_code)) == code &&
                cup_memory_word(code, offsets->code_name) == name;
    cup_python_drop(name);
    cup_python_drop(code);
    return same;
}

/* Every frame, by the API and by the offsets, down to the last. */
static bool same_stack(const struct offsets *offsets, cup_object *top)
{
    const char *at = safe_top(offsets);
    cup_object *frame = top;
    cup_py.Py_IncRef(frame);
    bool same = true;
    while (frame && (same = at && same_frame(offsets, frame, at))) {
        cup_object *older = cup_py.PyFrame_GetBack(frame);
        cup_python_drop(frame);
        frame = older;
        at = safe_back(offsets, at, false);
    }
    cup_python_drop(frame);
    return same && !at;
}

/* The place in FRAME, which is AT, is the one that the API tells, in bytes of its code. */
static bool same_place(const struct offsets *offsets, cup_object *frame, const char *at)
{
    cup_object *code = cup_py.PyFrame_GetCode(frame);
    int64_t told = cup_python_integer_at(frame, "f_lasti", -1);
    int64_t header = cup_python_integer_at(cup_python_type(code), "__basicsize__", -1);
    int64_t place = (int64_t)place_of(offsets, at);
    if (cup_py.minor == 10)
        place *= 2; /* counted in instructions */
    else if (cup_py.minor > 10)
        place -= (int64_t)(uintptr_t)code + header;
    cup_python_drop(code);
    return told >= 0 && place == told;
}

const char *cup_frames_verify(void)
{
    struct offsets offsets;
    if (!find_offsets(&offsets))
        return "this Python version is not known";
    cup_object *frame = cup_py.PyEval_GetFrame(); /* borrowed */
    if (!frame)
        return "no Python frame to verify with";
    if (!same_stack(&offsets, frame))
        return "the interpreter's frames are not laid out as expected";
    if (!same_place(&offsets, frame, safe_top(&offsets)))
        offsets.frame_place = NONE;
    use = offsets;
    __atomic_store_n(&verified, true, __ATOMIC_RELEASE);
    return NULL;
}

/* ---- local variables --------------------------------------------------------------------- */

enum { VARIABLES = 64, ENOUGH = 4 };

struct variable {
    const char *name; /* literal; NULL: free place */
    cup_object *code; /* kept, so that its address stays its own */
    int index;        /* among the code's local variables; -1: it has no such plain variable */
    int agreed;       /* times both ways gave the same object; -1: never read alone */
};

static int index_of(cup_object *code, const char *name)
{
    cup_object *names = cup_python_attribute(code, "co_varnames");
    ssize_t count = names ? cup_py.PySequence_Size(names) : 0;
    int index = -1;
    for (ssize_t i = 0; i < count && index < 0; i++) {
        cup_object *each = cup_py.PySequence_GetItem(names, i);
        if (each == cup_python_name(name))
            index = (int)i;
        cup_python_drop(each);
    }
    cup_python_drop(names);
    return index;
}

static struct variable *find_variable(cup_object *code, const char *name)
{
    static struct variable table[VARIABLES];
    size_t at = ((uintptr_t)code ^ (uintptr_t)name * 31) / 16 % VARIABLES;
    for (int i = 0; i < VARIABLES; i++, at = (at + 1) % VARIABLES) {
        if (table[at].name == name && table[at].code == code)
            return &table[at];
        if (table[at].name)
            continue;
        int index = index_of(code, name);
        cup_py.Py_IncRef(code);
        table[at] = (struct variable){name, code, index, index < 0 ? -1 : 0};
        return &table[at];
    }
    return NULL;
}

static cup_object *frame_object(int depth)
{
    cup_object *frame = cup_py.PyEval_GetFrame();
    if (frame)
        cup_py.Py_IncRef(frame);
    while (frame && depth-- > 0) {
        cup_object *older = cup_py.PyFrame_GetBack(frame);
        cup_python_drop(frame);
        frame = older;
    }
    return frame;
}

static cup_object *ask_api(struct cup_frame at, const char *name, cup_object **locals)
{
    cup_object *frame = *locals ? NULL : frame_object(at.depth);
    cup_object *value = NULL;
    if (cup_py.frame_variable) {
        value = frame ? cup_py.frame_variable(frame, cup_python_name(name)) : NULL;
        if (!value)
            cup_py.PyErr_Clear();
    } else {
        if (!*locals)
            *locals = cup_python_attribute(frame, "f_locals");
        value = cup_python_item(*locals, name);
    }
    cup_python_drop(frame);
    return value;
}

static void learn(struct variable *variable, const char *place, cup_object *value)
{
    if (variable->agreed < 0)
        return;
    bool same = cup_memory_word(place, 0) == value;
    variable->agreed = same ? variable->agreed + (value != NULL) : -1;
}

cup_object *cup_frames_local(struct cup_frame frame, const char *name, cup_object **locals)
{
    struct variable *variable = find_variable(cup_frames_code(frame), name);
    if (!variable)
        return ask_api(frame, name, locals);
    const char *place =
        frame.at + use.frame_variables + (size_t)(variable->index < 0 ? 0 : variable->index) * 8;
    if (variable->agreed < ENOUGH) {
        cup_object *value = ask_api(frame, name, locals);
        learn(variable, place, value);
        return value;
    }
    cup_object *value = (cup_object *)(uintptr_t)word_at(place, 0);
    if (value)
        cup_py.Py_IncRef(value);
    return value;
}
