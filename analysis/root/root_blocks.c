#include "analysis/root/root_blocks.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Decompresses one block, given without its head. Returns true if the result has exactly TO_BYTES.
 * FUNCTION is the one of the loaded library; its signature has not changed since the first release
 * of that library. */
typedef bool unpack_fn(void *function, const unsigned char *from, size_t from_bytes,
                       unsigned char *to, size_t to_bytes);

static bool unpack_zlib(void *function, const unsigned char *from, size_t from_bytes,
                        unsigned char *to, size_t to_bytes)
{
    typedef int uncompress_fn(unsigned char *, unsigned long *, const unsigned char *,
                              unsigned long);
    unsigned long made = to_bytes;
    return ((uncompress_fn *)function)(to, &made, from, from_bytes) == 0 && made == to_bytes;
}

static bool unpack_lzma(void *function, const unsigned char *from, size_t from_bytes,
                        unsigned char *to, size_t to_bytes)
{
    typedef int decode_fn(uint64_t *, uint32_t, const void *, const unsigned char *, size_t *,
                          size_t, unsigned char *, size_t *, size_t);
    uint64_t memory =
        256u << 20; /* the dictionaries of ROOT's compression levels have up to 64 MiB */
    size_t read = 0, made = 0;
    int result =
        ((decode_fn *)function)(&memory, 0, NULL, from, &read, from_bytes, to, &made, to_bytes);
    return result == 0 && made == to_bytes;
}

/* Skips the checksum of 8 bytes before the data. */
static bool unpack_lz4(void *function, const unsigned char *from, size_t from_bytes,
                       unsigned char *to, size_t to_bytes)
{
    typedef int decompress_fn(const char *, char *, int, int);
    enum { CHECKSUM_BYTES = 8 };
    return from_bytes > CHECKSUM_BYTES &&
           ((decompress_fn *)function)((const char *)from + CHECKSUM_BYTES, (char *)to,
                                       (int)(from_bytes - CHECKSUM_BYTES),
                                       (int)to_bytes) == (int)to_bytes;
}

static bool unpack_zstd(void *function, const unsigned char *from, size_t from_bytes,
                        unsigned char *to, size_t to_bytes)
{
    typedef size_t decompress_fn(void *, size_t, const void *, size_t);
    return ((decompress_fn *)function)(to, to_bytes, from, from_bytes) == to_bytes;
}

static const struct method {
    const char *mark; /* first bytes of a block */
    const char *name;
    const char *files[2]; /* names of the library: Linux, macOS */
    const char *function;
    unpack_fn *unpack;
} methods[] = {
    {"ZL", "libz", {"libz.so.1", "libz.1.dylib"}, "uncompress", unpack_zlib},
    {"XZ",
     "liblzma",
     {"liblzma.so.5", "liblzma.5.dylib"},
     "lzma_stream_buffer_decode",
     unpack_lzma},
    {"L4", "liblz4", {"liblz4.so.1", "liblz4.1.dylib"}, "LZ4_decompress_safe", unpack_lz4},
    {"ZS", "libzstd", {"libzstd.so.1", "libzstd.1.dylib"}, "ZSTD_decompress", unpack_zstd},
};

static const struct method *find_method(const unsigned char *mark)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (memcmp(methods[i].mark, mark, 2) == 0)
            return &methods[i];
    return NULL;
}

/* Libraries stay loaded, so the next call only costs a look-up. */
static void *find_function(const struct method *method)
{
    for (size_t i = 0; i < sizeof method->files / sizeof *method->files; i++) {
        void *library = dlopen(method->files[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            return dlsym(library, method->function);
    }
    return NULL;
}

static int unpack_block(const unsigned char *mark, const unsigned char *from, size_t from_bytes,
                        unsigned char *to, size_t to_bytes, struct cup_error *error)
{
    const struct method *method = find_method(mark);
    if (!method)
        return cup_error_set(error, "", CUP_NO_OFFSET,
                             memcmp(mark, "CS", 2) == 0
                                 ? "the tree's record is compressed as only very old ROOT did it"
                                 : "the tree's record is damaged");
    void *function = find_function(method);
    if (!function)
        return cup_error_set(error, "", CUP_NO_OFFSET, "%s is not installed", method->name);
    if (!method->unpack(function, from, from_bytes, to, to_bytes))
        return cup_error_set(error, "", CUP_NO_OFFSET, "the tree's record is damaged");
    return 0;
}

static size_t little_endian(const unsigned char *bytes)
{
    return bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16;
}

int cup_root_unpack(const unsigned char *stored, size_t stored_bytes, unsigned char *object,
                    size_t object_bytes, struct cup_error *error)
{
    enum { HEAD_BYTES = 9 }; /* mark, method, compressed and uncompressed size of three bytes */
    while (object_bytes > 0) {
        size_t from_bytes = stored_bytes >= HEAD_BYTES ? little_endian(stored + 3) : 0;
        size_t to_bytes = from_bytes ? little_endian(stored + 6) : 0;
        if (to_bytes == 0 || to_bytes > object_bytes || from_bytes > stored_bytes - HEAD_BYTES)
            return cup_error_set(error, "", CUP_NO_OFFSET, "the tree's record is damaged");
        if (unpack_block(stored, stored + HEAD_BYTES, from_bytes, object, to_bytes, error) != 0)
            return -1;
        stored += HEAD_BYTES + from_bytes;
        stored_bytes -= HEAD_BYTES + from_bytes;
        object += to_bytes;
        object_bytes -= to_bytes;
    }
    return 0;
}
