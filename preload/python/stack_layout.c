#include "preload/python/frames.h"
#include "preload/python/stack_frames.h"
#include "preload/sys/raw.h"

#include <dlfcn.h>

const void *cup_stack_code_type;

/* ---- fields ------------------------------------------------------------------------------ */

/* True if the word at OFFSET points to the object that the attribute NAME (a literal) returns. */
static bool is_attribute_at(cup_object *code, size_t offset, const char *name)
{
    CUP_OWNED cup_object *value = cup_python_attribute(code, name);
    return value && cup_code_word((const char *)code + offset) == (const char *)value;
}

static bool check_text(cup_object *text)
{
    char expected[4096], read[4096 + 4];
    const char *at;
    size_t length = cup_python_text(text, expected, sizeof expected);
    cup_py.PyObject_Hash(text); /* now the object holds its hash */
    return cup_code_utf8(text, read, sizeof expected - 1, &at) == length &&
           memcmp(at, expected, length) == 0 &&
           (ssize_t)cup_code_word((const char *)text + cup_layout.text_hash) ==
               cup_py.PyObject_Hash(text);
}

static bool check_text_at(cup_object *code, size_t offset)
{
    return check_text((cup_object *)(uintptr_t)cup_code_word((const char *)code + offset));
}

static bool check_table(cup_object *code)
{
    const char *table = cup_code_word((const char *)code + cup_layout.code_table);
    cup_object *bytes = (cup_object *)(uintptr_t)table;
    return cup_py.PyBytes_AsString(bytes) == table + cup_layout.bytes_data &&
           cup_py.PyBytes_Size(bytes) == (ssize_t)cup_code_word(table + cup_layout.bytes_length);
}

/* The order matters: no pointer is followed before the field that holds it is checked. */
static const char *check_code(cup_object *code)
{
    bool old = cup_py.minor < 11;
    if (!is_attribute_at(code, cup_layout.code_name, "co_name") ||
        !is_attribute_at(code, cup_layout.code_label, old ? "co_name" : "co_qualname") ||
        !is_attribute_at(code, cup_layout.code_file, "co_filename") ||
        !is_attribute_at(code, cup_layout.code_table,
                         cup_py.minor < 10 ? "co_lnotab" : "co_linetable") ||
        cup_python_integer_at(code, "co_firstlineno", -1) !=
            (int32_t)cup_code_half((const char *)code + cup_layout.code_first_line))
        return "the interpreter's code objects are not laid out as expected";
    if (!check_text_at(code, cup_layout.code_name) || !check_text_at(code, cup_layout.code_label) ||
        !check_text_at(code, cup_layout.code_file) || !check_table(code))
        return "the interpreter's strings are not laid out as expected";
    return NULL;
}

/* Verifies texts that are not ASCII, with one, two and four bytes per character. */
static bool check_wide_texts(void)
{
    static const char *const texts[] = {"\xc3\xa9t\xc3\xa9", "\xce\xbb_\xe2\x82\xac",
                                        "\xf0\x9d\x92\xb3z"};
    bool right = true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CUP_OWNED cup_object *text = cup_py.PyUnicode_InternFromString(texts[i]);
        right = right && text && check_text(text);
    }
    cup_py.PyErr_Clear();
    return right;
}

static bool has_expected_size(cup_object *code)
{
    int64_t size = cup_python_integer_at(cup_python_type(code), "__basicsize__", -1);
    if (cup_layout.code_instructions != CUP_NOWHERE)
        return size == (int64_t)cup_layout.code_instructions;
    return size > (int64_t)(cup_layout.code_table + sizeof(void *));
}

/* ---- the whole stack --------------------------------------------------------------------- */

static const char *check_frame(cup_object *frame, struct cup_frame at)
{
    CUP_OWNED cup_object *code = cup_py.PyFrame_GetCode(frame);
    int64_t place = cup_python_integer_at(frame, "f_lasti", -2);
    if (!code || cup_stack_code_of(&cup_layout, at.at) != (const char *)code ||
        !has_expected_size(code))
        return "the interpreter's code objects are not what was expected";
    if (cup_stack_offset_of(at.at, code) != (place == -1 ? CUP_AT_UNKNOWN : (uint64_t)place))
        return "the instruction is not where it is expected in the interpreter's frames";
    return check_code(code);
}

static const char *check_stack(void)
{
    struct cup_frame at;
    CUP_OWNED cup_object *frame = cup_python_hold(cup_py.PyEval_GetFrame());
    bool more = cup_frames_top(&at);
    const char *why = frame && more ? NULL : "no Python frame to verify with";
    for (; !why && frame && more; more = cup_frames_back(&at)) {
        why = check_frame(frame, at);
        cup_frames_older(&frame);
    }
    return why;
}

/* ---- fields that are optional -------------------------------------------------------------- */

/* Verifies code_version: three new code objects must have consecutive numbers. */
static bool check_versions(cup_object *code)
{
    uint32_t versions[3] = {0};
    cup_object *copies[3];
    for (int i = 0; i < 3; i++)
        if ((copies[i] = cup_python_call(code, "replace", NULL)))
            versions[i] = cup_code_half((const char *)copies[i] + cup_layout.code_version);
    for (int i = 0; i < 3; i++)
        cup_python_drop(copies[i]);
    return versions[0] && versions[1] == versions[0] + 1 && versions[2] == versions[1] + 1;
}

/* Verifies thread_chunk: some frame of this thread must lie on the chunk. */
static bool check_chunk(void)
{
    struct cup_frame at;
    const char *chunk = cup_memory_word(cup_python_thread(), cup_layout.thread_chunk);
    uint64_t bytes = (uintptr_t)cup_memory_word(chunk, 8);
    bool inside = false, more = chunk && bytes && bytes % 4096 == 0 && cup_frames_top(&at);
    while (more && !inside) {
        inside = (uint64_t)(at.at - chunk) < bytes;
        more = cup_frames_back(&at);
    }
    return inside;
}

static bool lacks_versions, lacks_chunk;

static void check_optional(void)
{
    CUP_OWNED cup_object *code = cup_py.PyFrame_GetCode(cup_py.PyEval_GetFrame());
    lacks_versions = cup_layout.code_version != CUP_NOWHERE && !check_versions(code);
    lacks_chunk = cup_layout.thread_chunk != CUP_NOWHERE && !check_chunk();
    if (lacks_versions)
        cup_layout.code_version = CUP_NOWHERE;
    if (lacks_chunk)
        cup_layout.thread_chunk = CUP_NOWHERE;
}

const char *cup_stack_layout_lacks(void)
{
    if (lacks_versions && lacks_chunk)
        return "versions of code objects and chunks of frames are not as expected";
    return lacks_versions ? "versions of code objects are not as expected"
           : lacks_chunk  ? "chunks of frames are not as expected"
                          : NULL;
}

const char *cup_stack_layout_verify(void)
{
    cup_stack_code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
    if (!cup_stack_code_type || cup_layout.code_label == CUP_NOWHERE)
        return "this Python version's code objects are not known";
    if (cup_layout.frame_place == CUP_NOWHERE)
        return "the instruction is not where it is expected in the interpreter's frames";
    const char *why = check_stack();
    if (!why && !check_wide_texts())
        why = "the interpreter's strings are not laid out as expected";
    if (!why)
        check_optional();
    return why;
}
