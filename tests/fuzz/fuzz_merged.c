/* Arbitrary merged logs. The first byte of an input chooses the verb. What follows is a merged log,
 * whose size and checksum are mended first; if it does not begin as one, it becomes the unpacked
 * block of a merged log: the fuzzer need not guess a checksum. */
#include <stdlib.h>
#include <string.h>

#include "analysis/log/merged_log.h"
#include "analysis/log/packed_block.h"
#include "include/log_format.h"
#include "tests/fuzz/verbs.h"

const struct fuzz_inputs fuzz_inputs = {.first_byte_chooses = true};

static const char *const verbs[] = {
    "dump @in/merged.cup",       "report @in/merged.cup --full",
    "report @in --json",         "tasks @in/merged.cup --csv -",
    "merge @in -o @again.cup",   "plot @in --all --format svg -o @plots",
    "compare @in @in --csv -",   "export @in/merged.cup --to csv -o @csv",
    "top @in/merged.cup --once", "export @in --to perfetto -o @perfetto.json",
};

enum { PIECE = 1 << 16 };
static const char name[] = "node-1-1.cup";

static void mend_checksum(unsigned char *file, size_t size)
{
    struct cup_merged_header *header = (struct cup_merged_header *)file;
    header->file_bytes = size;
    if (header->index_at <= size && header->index_bytes <= size - header->index_at)
        header->index_hash = cup_text_hash(
            (struct cup_text){(const char *)file + header->index_at, header->index_bytes});
}

/* Appends the blocks of a log of these bytes; returns where the next thing begins. */
static size_t pack_blocks(unsigned char *file, size_t at, const unsigned char *data, size_t size,
                          struct cup_merged_block *blocks)
{
    struct cup_packer *packer = cup_packer_new(NULL);
    for (size_t from = 0, i = 0; from < size; from += PIECE, i++) {
        size_t bytes = size - from < PIECE ? size - from : PIECE;
        size_t packed = packer ? cup_pack(packer, data + from, bytes, file + at, 2 * PIECE) : 0;
        blocks[i] = (struct cup_merged_block){at, (uint32_t)packed, 0};
        if (packed == 0 || packed >= bytes) {
            memcpy(file + at, data + from, bytes);
            blocks[i].packed = (uint32_t)bytes;
        }
        at += blocks[i].packed;
    }
    cup_packer_free(packer);
    return at;
}

/* Returns an allocated merged log with one log, and its *size. */
static unsigned char *make_merged(const unsigned char *data, size_t *size)
{
    size_t count = (*size + PIECE - 1) / PIECE;
    unsigned char *file = calloc(1, *size + 4 * PIECE);
    struct cup_merged_block *blocks = calloc(count + 1, sizeof *blocks);
    struct cup_merged_header *header = (struct cup_merged_header *)file;
    const struct cup_merged_log log = {.bytes = *size, .name_bytes = sizeof name - 1};
    if (!file || !blocks)
        abort();
    size_t at = pack_blocks(file, sizeof *header, data, *size, blocks);
    *header = (struct cup_merged_header){
        .byte_order = CUP_LOG_BYTE_ORDER,
        .version = CUP_MERGED_VERSION,
        .packing = cup_can_compress ? CUP_PACKING_ZSTD : CUP_PACKING_NONE,
        .block_bytes = PIECE,
        .log_count = 1,
        .index_at = at,
        .index_bytes = sizeof log + count * sizeof *blocks + sizeof name - 1,
        .block_count = count};
    memcpy(header->magic, CUP_MERGED_MAGIC, sizeof header->magic);
    memcpy(file + at, &log, sizeof log);
    memcpy(file + at + sizeof log, blocks, count * sizeof *blocks);
    memcpy(file + at + sizeof log + count * sizeof *blocks, name, sizeof name - 1);
    *size = at + header->index_bytes;
    free(blocks);
    return file;
}

static unsigned char *copy_bytes(const unsigned char *data, size_t size)
{
    unsigned char *copy = malloc(size);
    return copy ? memcpy(copy, data, size) : NULL;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size < 1 + sizeof(struct cup_merged_header))
        return 0;
    unsigned verb = data[0] % (sizeof verbs / sizeof *verbs);
    data++, size--;
    bool whole = memcmp(data, CUP_MERGED_MAGIC, 8) == 0;
    unsigned char *file = whole ? copy_bytes(data, size) : make_merged(data, &size);
    if (!file)
        abort();
    mend_checksum(file, size);
    fuzz_write("in/merged.cup", file, size);
    free(file);
    fuzz_verb(verbs[verb]);
    fuzz_remove("in/merged.cup");
    return 0;
}
