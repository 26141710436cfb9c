#include "preload/layout.h"

#include <dlfcn.h>
#include <string.h>

struct cup_layout cup_layout;

/* offsetof as printed from each version's internal headers. */
#define TEXT_OLD                                                                                   \
    .text_length = 16, .text_hash = 24, .text_state = 32, .text_ascii = 48, .text_other = 72
#define TEXT_NEW                                                                                   \
    .text_length = 16, .text_hash = 24, .text_state = 32, .text_ascii = 40, .text_other = 56
#define BYTES .bytes_length = 16, .bytes_data = 32

static const struct cup_layout by_minor[] = {
    [9] = {.thread_frame = 24,
           .thread_indirect = CUP_NOWHERE,
           .thread_chunk = CUP_NOWHERE,
           .frame_code = 32,
           .frame_back = 24,
           .frame_variables = 360,
           .frame_owner = CUP_NOWHERE,
           .frame_place = 104,
           .code_name = 112,
           .code_label = 112,
           .code_file = 104,
           .code_first_line = 40,
           .code_table = 120,
           .code_version = CUP_NOWHERE,
           .code_instructions = CUP_NOWHERE,
           TEXT_OLD,
           BYTES},
    [10] = {.thread_frame = 24,
            .thread_indirect = CUP_NOWHERE,
            .thread_chunk = CUP_NOWHERE,
            .frame_code = 32,
            .frame_back = 24,
            .frame_variables = 352,
            .frame_owner = CUP_NOWHERE,
            .frame_place = 96,
            .code_name = 112,
            .code_label = 112,
            .code_file = 104,
            .code_first_line = 40,
            .code_table = 120,
            .code_version = CUP_NOWHERE,
            .code_instructions = CUP_NOWHERE,
            TEXT_OLD,
            BYTES},
    [11] = {.thread_frame = 56,
            .thread_indirect = 8,
            .thread_chunk = 296,
            .frame_code = 32,
            .frame_back = 48,
            .frame_variables = 72,
            .frame_owner = CUP_NOWHERE,
            .frame_place = 56,
            .code_name = 120,
            .code_label = 128,
            .code_file = 112,
            .code_first_line = 72,
            .code_table = 136,
            .code_version = CUP_NOWHERE,
            .code_instructions = 184,
            TEXT_OLD,
            BYTES},
    [12] = {.thread_frame = 56,
            .thread_indirect = 0,
            .thread_chunk = 232,
            .frame_code = 0,
            .frame_back = 8,
            .frame_variables = 72,
            .frame_owner = 70,
            .frame_place = 56,
            .code_name = 120,
            .code_label = 128,
            .code_file = 112,
            .code_first_line = 68,
            .code_table = 136,
            .code_version = 92,
            .code_instructions = 192,
            TEXT_NEW,
            BYTES},
    [13] = {.thread_frame = 72,
            .thread_indirect = CUP_NOWHERE,
            .thread_chunk = 232,
            .frame_code = 0,
            .frame_back = 8,
            .frame_variables = 72,
            .frame_owner = 70,
            .frame_place = 56,
            .code_name = 120,
            .code_label = 128,
            .code_file = 112,
            .code_first_line = 68,
            .code_table = 136,
            .code_version = 92,
            .code_instructions = 200,
            TEXT_NEW,
            BYTES},
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
