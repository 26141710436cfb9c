#include "preload/python/frames.h"

#include "preload/python/stack_frames.h"
#include "preload/sys/raw.h"

#include <string.h>

static bool verified;

void cup_frames_off(void)
{
    __atomic_store_n(&verified, false, __ATOMIC_RELEASE);
}

/* ---- reading ------------------------------------------------------------------------------ */

/* VERIFIES: the offsets may be wrong, so the kernel copies each word: a load could crash. */
static inline const char *load_word(const char *object, size_t offset, bool verifies)
{
    return verifies ? cup_memory_word(object, offset) : cup_code_word(object + offset);
}

/* If verification cannot read the owner, it cannot read the way to the next frame either, and ends
 * there. */
static inline bool is_from_c(const struct cup_layout *layout, const char *frame, bool verifies)
{
    char owner = CUP_FRAME_FROM_C;
    if (!verifies || layout->frame_owner == CUP_NOWHERE)
        return cup_stack_is_from_c(layout, frame);
    cup_memory_read(frame + layout->frame_owner, &owner, 1);
    return owner >= CUP_FRAME_FROM_C;
}

/* FRAME itself if it is a Python frame, else the first of its callers that is. */
static inline const char *skip_entries_from_c(const struct cup_layout *layout, const char *frame,
                                              bool verifies)
{
    while (frame && is_from_c(layout, frame, verifies))
        frame = load_word(frame, layout->frame_back, verifies);
    return frame;
}

/* From 3.13 on, when Python code makes an object, the interpreter may put a frame of its own below
 * __init__(): see cup_stack_is_shim(). The API skips it. */
static inline bool is_below_init(const struct cup_layout *layout, const char *frame, bool verifies)
{
    const char *code = cup_stack_referent(load_word(frame, layout->frame_code, verifies));
    const char *name = code ? load_word(code, layout->code_name, verifies) : NULL;
    return layout->frame_owner != CUP_NOWHERE && name &&
           name == load_word(code, layout->code_file, verifies) &&
           (uintptr_t)load_word(name, layout->text_length, verifies) == CUP_INIT_LENGTH &&
           cup_stack_is_init((uintptr_t)load_word(name, layout->text_ascii, verifies));
}

static inline const char *find_caller(const struct cup_layout *layout, const char *frame,
                                      bool verifies)
{
    do
        frame =
            skip_entries_from_c(layout, load_word(frame, layout->frame_back, verifies), verifies);
    while (frame && is_below_init(layout, frame, verifies));
    return frame;
}

/* THREAD: the calling thread's state; NULL: none. */
static inline const char *find_top_of(const struct cup_layout *layout, const char *thread,
                                      bool verifies)
{
    const char *at = thread ? load_word(thread, layout->thread_frame, verifies) : NULL;
    if (at && layout->thread_indirect != CUP_NOWHERE)
        at = load_word(at, layout->thread_indirect, verifies);
    return skip_entries_from_c(layout, at, verifies);
}

static inline const char *find_top(void)
{
    if (!__atomic_load_n(&verified, __ATOMIC_ACQUIRE))
        return NULL;
    return find_top_of(&cup_layout, cup_python_thread_fast(), false);
}

bool cup_frames_top(struct cup_frame *frame)
{
    *frame = (struct cup_frame){find_top(), 0};
    return frame->at != NULL;
}

const void *cup_frames_top_name(void)
{
    const char *at = find_top();
    return at ? cup_frames_name((struct cup_frame){at, 0}) : NULL;
}

static uint64_t read_place(const struct cup_layout *layout, const char *frame)
{
    uint64_t place = 0;
    memcpy(&place, frame + layout->frame_place, cup_py.minor < 11 ? sizeof(int) : sizeof place);
    return place;
}

uint64_t cup_frames_top_place(void)
{
    const char *at = cup_layout.frame_place == CUP_NOWHERE ? NULL : find_top();
    return at ? (uintptr_t)at ^ read_place(&cup_layout, at) << 16 : 0;
}

/* Before 3.11 the place is -1 until the first instruction runs, for example while the function of
 * sys.setprofile() handles the call event: that is before all other instructions. */
uint64_t cup_frames_place(struct cup_frame frame)
{
    uint64_t place = cup_layout.frame_place == CUP_NOWHERE ? 0 : read_place(&cup_layout, frame.at);
    return cup_py.minor < 11 && (int32_t)place < 0 ? 0 : place;
}

bool cup_frames_back(struct cup_frame *frame)
{
    frame->at = find_caller(&cup_layout, frame->at, false);
    frame->depth++;
    return frame->at != NULL;
}

cup_object *cup_frames_code(struct cup_frame frame)
{
    return (cup_object *)(uintptr_t)cup_stack_referent(
        cup_code_word(frame.at + cup_layout.frame_code));
}

const void *cup_frames_code_name(cup_object *code)
{
    return cup_code_word((const char *)code + cup_layout.code_name);
}

const void *cup_frames_name(struct cup_frame frame)
{
    return cup_frames_code_name(cup_frames_code(frame));
}

bool cup_frames_is_in(struct cup_frame frame, const char *ending)
{
    char path[4096];
    CUP_OWNED cup_object *file = cup_python_attribute(cup_frames_code(frame), "co_filename");
    size_t bytes = cup_python_text(file, path, sizeof path), length = strlen(ending);
    return bytes >= length && strcmp(path + bytes - length, ending) == 0;
}

void cup_frames_older(cup_object **frame)
{
    CUP_OWNED cup_object *younger = *frame;
    *frame = cup_py.PyFrame_GetBack(younger);
}

/* ---- verification ------------------------------------------------------------------------ */

static bool is_same_frame(const struct cup_layout *layout, cup_object *frame, const char *at)
{
    CUP_OWNED cup_object *code = cup_py.PyFrame_GetCode(frame);
    CUP_OWNED cup_object *name = cup_python_attribute(code, "co_name");
    return cup_stack_referent(cup_memory_word(at, layout->frame_code)) == code &&
           cup_memory_word(code, layout->code_name) == name;
}

/* Compares every frame as the API shows it with what the offsets give, to the end of the stack. */
static bool is_same_stack(const struct cup_layout *layout, cup_object *top)
{
    const char *at = find_top_of(layout, cup_python_thread(), true);
    CUP_OWNED cup_object *frame = cup_python_hold(top);
    bool same = true;
    for (; frame && (same = at && is_same_frame(layout, frame, at)); cup_frames_older(&frame))
        at = find_caller(layout, at, true);
    return same && !at;
}

/* Compares the instruction at AT with f_lasti of FRAME, which is in bytes from the code's
 * beginning; -1: no instruction has run yet, as above. */
static bool is_same_place(const struct cup_layout *layout, cup_object *frame, const char *at)
{
    CUP_OWNED cup_object *code = cup_py.PyFrame_GetCode(frame);
    int64_t expected = cup_python_integer_at(frame, "f_lasti", -2);
    int64_t header = cup_python_integer_at(cup_python_type(code), "__basicsize__", -1);
    int64_t place = (int64_t)read_place(layout, at);
    if (cup_py.minor < 11 && expected == -1)
        return (int32_t)place == -1;
    if (cup_py.minor == 10)
        place *= 2; /* from instructions to bytes */
    else if (cup_py.minor > 10)
        place -= (int64_t)(uintptr_t)code + header;
    return expected >= 0 && place == expected;
}

/* False: FRAME and its callers are in no layout that this version may have. */
static bool find_layout(cup_object *frame, struct cup_layout *layout)
{
    for (int try = 0; cup_layout_candidate(cup_py.minor, try, layout); try++)
        if (is_same_stack(layout, frame))
            return true;
    return false;
}

const char *cup_frames_verify(void)
{
    static const uintptr_t word = 0x7ace5a17;
    struct cup_layout layout;
    cup_object *frame = cup_py.PyEval_GetFrame(); /* borrowed */
    if (!frame)
        return "no Python frame to verify with";
    if ((uintptr_t)cup_memory_word(&word, 0) != word)
        return "a sandbox forbids process_vm_readv() and reading /proc/self/mem";
    if (!find_layout(frame, &layout))
        return cup_layout_is_listed(cup_py.minor)
                   ? "the interpreter's frames are not laid out as expected"
                   : "unknown interpreter";
    if (!is_same_place(&layout, frame, find_top_of(&layout, cup_python_thread(), true)))
        layout.frame_place = CUP_NOWHERE;
    cup_layout = layout;
    __atomic_store_n(&verified, true, __ATOMIC_RELEASE);
    return NULL;
}

/* ---- local variables --------------------------------------------------------------------- */

enum { VARIABLES = 64, ENOUGH = 4 };

struct variable {
    const char *name; /* literal; NULL: the entry is free */
    cup_object *code; /* a reference is held, so no other object can take this address */
    int index;        /* in co_varnames; -1: not in it (no variable, or one of a closure) */
    int agreed;       /* times that API and frame agreed; -1: they did not, ask the API */
};

static int find_index(cup_object *code, const char *name)
{
    CUP_OWNED cup_object *names = cup_python_attribute(code, "co_varnames");
    ssize_t count = names ? cup_py.PySequence_Size(names) : 0;
    for (ssize_t i = 0; i < count; i++) {
        CUP_OWNED cup_object *each = cup_py.PySequence_GetItem(names, i);
        if (each == cup_python_name(name))
            return (int)i;
    }
    return -1;
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
        int index = find_index(code, name);
        table[at] = (struct variable){name, cup_python_hold(code), index, index < 0 ? -1 : 0};
        return &table[at];
    }
    return NULL;
}

static cup_object *frame_object(int depth)
{
    cup_object *frame = cup_python_hold(cup_py.PyEval_GetFrame());
    while (frame && depth-- > 0)
        cup_frames_older(&frame);
    return frame;
}

static cup_object *ask_api(struct cup_frame at, const char *name, cup_object **locals)
{
    CUP_OWNED cup_object *frame = *locals ? NULL : frame_object(at.depth);
    if (!cup_py.frame_variable) {
        if (!*locals)
            *locals = cup_python_attribute(frame, "f_locals");
        return cup_python_item(*locals, name);
    }
    cup_object *value = frame ? cup_py.frame_variable(frame, cup_python_name(name)) : NULL;
    if (!value)
        cup_py.PyErr_Clear();
    return value;
}

static void compare_with_frame(struct variable *variable, const char *place, cup_object *value)
{
    if (variable->agreed < 0)
        return;
    bool same = cup_stack_referent(cup_memory_word(place, 0)) == value;
    variable->agreed = same ? variable->agreed + (value != NULL) : -1;
}

cup_object *cup_frames_local(struct cup_frame frame, const char *name, cup_object **locals)
{
    struct variable *variable = find_variable(cup_frames_code(frame), name);
    if (!variable)
        return ask_api(frame, name, locals);
    const char *place = frame.at + cup_layout.frame_variables +
                        (size_t)(variable->index < 0 ? 0 : variable->index) * 8;
    if (variable->agreed < ENOUGH) {
        cup_object *value = ask_api(frame, name, locals);
        compare_with_frame(variable, place, value);
        return value;
    }
    return cup_python_hold((cup_object *)(uintptr_t)cup_stack_referent(cup_code_word(place)));
}

bool cup_frames_has_local(struct cup_frame frame, const char *name)
{
    const struct variable *variable = find_variable(cup_frames_code(frame), name);
    return variable && variable->index >= 0;
}
