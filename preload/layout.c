#include "preload/layout.h"

#include <dlfcn.h>
#include <string.h>

struct cup_layout cup_layout;

/* offsetof as printed from each version's internal headers. */
/* clang-format off */
#define NONE CUP_NOWHERE
#define OFFSETS(X)                                                                                 \
    /* Python             3.9  3.10  3.11  3.12  3.13 */                                           \
    X(thread_frame,        24,   24,   56,   56,   72)                                             \
    X(thread_indirect,   NONE, NONE,    8,    0, NONE)                                             \
    X(thread_chunk,      NONE, NONE,  296,  232,  232)                                             \
    X(frame_code,          32,   32,   32,    0,    0)                                             \
    X(frame_back,          24,   24,   48,    8,    8)                                             \
    X(frame_variables,    360,  352,   72,   72,   72)                                             \
    X(frame_owner,       NONE, NONE, NONE,   70,   70)                                             \
    X(frame_place,        104,   96,   56,   56,   56)                                             \
    X(code_name,          112,  112,  120,  120,  120)                                             \
    X(code_label,         112,  112,  128,  128,  128)                                             \
    X(code_file,          104,  104,  112,  112,  112)                                             \
    X(code_first_line,     40,   40,   72,   68,   68)                                             \
    X(code_table,         120,  120,  136,  136,  136)                                             \
    X(code_version,      NONE, NONE, NONE,   92,   92)                                             \
    X(code_instructions, NONE, NONE,  184,  192,  200)                                             \
    X(text_length,         16,   16,   16,   16,   16)                                             \
    X(text_hash,           24,   24,   24,   24,   24)                                             \
    X(text_state,          32,   32,   32,   32,   32)                                             \
    X(text_ascii,          48,   48,   48,   40,   40)                                             \
    X(text_other,          72,   72,   72,   56,   56)                                             \
    X(bytes_length,        16,   16,   16,   16,   16)                                             \
    X(bytes_data,          32,   32,   32,   32,   32)
/* clang-format on */

#define OF_9(field, of_9, of_10, of_11, of_12, of_13) .field = of_9,
#define OF_10(field, of_9, of_10, of_11, of_12, of_13) .field = of_10,
#define OF_11(field, of_9, of_10, of_11, of_12, of_13) .field = of_11,
#define OF_12(field, of_9, of_10, of_11, of_12, of_13) .field = of_12,
#define OF_13(field, of_9, of_10, of_11, of_12, of_13) .field = of_13,
static const struct cup_layout by_minor[] = {
    [9] = {OFFSETS(OF_9)},   [10] = {OFFSETS(OF_10)}, [11] = {OFFSETS(OF_11)},
    [12] = {OFFSETS(OF_12)}, [13] = {OFFSETS(OF_13)},
};

/* From 3.13 on the interpreter tells its own offsets: a block of 64-bit words that starts with a
 * cookie at _PyRuntime. Of 3.14 the words are known, its layout was not seen: enough for frames,
 * which are verified, and no code objects, whose line tables nobody has read. */
static bool read_debug_offsets(int minor, struct cup_layout *layout)
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
    *layout = (struct cup_layout){.thread_frame = block[CURRENT_FRAME],
                                  .thread_indirect = CUP_NOWHERE,
                                  .thread_chunk = CUP_NOWHERE,
                                  .frame_code = block[CODE],
                                  .frame_back = block[BACK],
                                  .frame_variables = block[VARIABLES],
                                  .frame_owner = block[OWNER],
                                  .frame_place = block[PLACE],
                                  .code_name = block[NAME],
                                  .code_label = CUP_NOWHERE};
    return true;
}

bool cup_layout_known(int minor, struct cup_layout *layout)
{
    if (minor >= (int)(sizeof by_minor / sizeof *by_minor))
        return read_debug_offsets(minor, layout);
    *layout = by_minor[minor];
    return true;
}
