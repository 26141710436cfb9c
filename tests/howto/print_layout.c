/* Prints where one version of CPython keeps what the library reads, compiled with that version's
 * headers: a column of preload/python/layout.h. Exit status 1 if a known version differs from its
 * column. See docs/contributing/add-a-python-version.md. */
#define Py_BUILD_CORE 1
#include <Python.h>
#if PY_MINOR_VERSION >= 13
#include <internal/pycore_runtime.h>
#endif
#if PY_MINOR_VERSION >= 14
#include <internal/pycore_interpframe_structs.h>
#elif PY_MINOR_VERSION >= 11
#include <internal/pycore_frame.h>
#else
#include <frameobject.h>
#endif

#include "preload/python/layout.h"

#include <stdio.h>

#if PY_MINOR_VERSION >= 11
#define FRAME _PyInterpreterFrame
#define FRAME_BACK previous
#define FRAME_VARIABLES localsplus
#define CODE_LABEL co_qualname
#define CODE_TABLE co_linetable
#define THREAD_CHUNK offsetof(PyThreadState, datastack_chunk)
#define CODE_INSTRUCTIONS offsetof(PyCodeObject, co_code_adaptive)
#else
#define FRAME PyFrameObject
#define FRAME_BACK f_back
#define FRAME_VARIABLES f_localsplus
#define FRAME_PLACE f_lasti
#define CODE_LABEL co_name
#define THREAD_FRAME frame
#define THREAD_CHUNK CUP_NOWHERE
#define CODE_INSTRUCTIONS CUP_NOWHERE
#define CODE_TABLE co_linetable
#endif

#if PY_MINOR_VERSION == 9
#undef CODE_TABLE
#define CODE_TABLE co_lnotab
#endif

#if PY_MINOR_VERSION >= 12
#define CODE_VERSION offsetof(PyCodeObject, co_version)
#define FRAME_OWNER offsetof(FRAME, owner)
#else
#define CODE_VERSION CUP_NOWHERE /* 3.11 has one, but it is 0 for most code objects */
#define FRAME_OWNER CUP_NOWHERE
#endif

#if PY_MINOR_VERSION >= 13
#define THREAD_FRAME current_frame
#define FRAME_CODE f_executable
#define FRAME_PLACE instr_ptr
#else
#define FRAME_CODE f_code
#endif

#if PY_MINOR_VERSION == 11 || PY_MINOR_VERSION == 12
#define THREAD_FRAME cframe
#define THREAD_INDIRECT offsetof(_PyCFrame, current_frame)
#define FRAME_PLACE prev_instr
#else
#define THREAD_INDIRECT CUP_NOWHERE
#endif

static const struct cup_layout own = {
    .thread_frame = offsetof(PyThreadState, THREAD_FRAME),
    .thread_indirect = THREAD_INDIRECT,
    .thread_chunk = THREAD_CHUNK,
    .frame_code = offsetof(FRAME, FRAME_CODE),
    .frame_back = offsetof(FRAME, FRAME_BACK),
    .frame_variables = offsetof(FRAME, FRAME_VARIABLES),
    .frame_owner = FRAME_OWNER,
    .frame_place = offsetof(FRAME, FRAME_PLACE),
    .code_name = offsetof(PyCodeObject, co_name),
    .code_label = offsetof(PyCodeObject, CODE_LABEL),
    .code_file = offsetof(PyCodeObject, co_filename),
    .code_first_line = offsetof(PyCodeObject, co_firstlineno),
    .code_table = offsetof(PyCodeObject, CODE_TABLE),
    .code_version = CODE_VERSION,
    .code_instructions = CODE_INSTRUCTIONS,
    .text_length = offsetof(PyASCIIObject, length),
    .text_hash = offsetof(PyASCIIObject, hash),
    .text_state = offsetof(PyASCIIObject, state),
    .text_ascii = sizeof(PyASCIIObject),
    .text_other = sizeof(PyCompactUnicodeObject),
    .bytes_length = offsetof(PyBytesObject, ob_base.ob_size),
    .bytes_data = offsetof(PyBytesObject, ob_sval),
};

static int print_field(const char *name, size_t offset, size_t known)
{
    if (offset == CUP_NOWHERE)
        printf("%-18s  NONE", name);
    else
        printf("%-18s %5zu", name, offset);
    printf("%s\n", offset == known ? "" : "   differs from layout.h");
    return offset != known;
}

/* Prints the words of the published block that PUBLISHED names. */
static int print_words(void)
{
    int differences = 0;
#if PY_MINOR_VERSION >= 13
#define WORD(member) (offsetof(_Py_DebugOffsets, member) / sizeof(uint64_t))
#define X(field, member, ...)                                                                      \
    differences += print_field(#member, WORD(member), (int[]){__VA_ARGS__}[PY_MINOR_VERSION - 13]);
    CUP_PUBLISHED(X)
#endif
    return differences;
}

int main(void)
{
    int differences = print_words();
    struct cup_layout known = {0};
    if (PY_MINOR_VERSION < sizeof cup_layouts / sizeof *cup_layouts)
        known = cup_layouts[PY_MINOR_VERSION];
#define PRINT(field, ...) differences += print_field(#field, own.field, known.field);
    CUP_OFFSETS(PRINT)
    return differences > 0;
}
