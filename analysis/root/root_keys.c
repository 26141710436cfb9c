#include "analysis/root/root_keys.h"

#include <stdlib.h>

enum {
    MOST_BYTES = 1 << 28,     /* longest record that is read */
    MOST_DEPTH = 16,          /* directories in directories */
    MOST_DIRECTORIES = 10000, /* hostile files may have circular directories */
};

unsigned char *cup_root_read(FILE *file, uint64_t offset, uint64_t bytes)
{
    if (bytes == 0 || bytes > MOST_BYTES || offset > INT64_MAX ||
        fseeko(file, (off_t)offset, SEEK_SET) != 0)
        return NULL;
    unsigned char *piece = malloc((size_t)bytes);
    if (piece && fread(piece, 1, (size_t)bytes, file) != bytes) {
        free(piece);
        return NULL;
    }
    return piece;
}

/* ---- keys --------------------------------------------------------------------------------- */

enum { WIDE_KEY = 1000 }; /* higher versions have offsets of 8 bytes */

static struct cup_root_key take_key(struct cup_bytes *bytes, struct cup_text *class,
                                    struct cup_text *name)
{
    struct cup_root_key key = {.bytes = cup_bytes_take(bytes, 4)};
    unsigned width = cup_bytes_take(bytes, 2) > WIDE_KEY ? 8 : 4;
    key.object_bytes = cup_bytes_take(bytes, 4);
    cup_bytes_skip(bytes, 4); /* date */
    key.key_bytes = cup_bytes_take(bytes, 2);
    key.cycle = cup_bytes_take(bytes, 2);
    key.seek = cup_bytes_take(bytes, width);
    cup_bytes_skip(bytes, width); /* offset of the directory */
    *class = cup_bytes_take_text(bytes);
    *name = cup_bytes_take_text(bytes);
    cup_bytes_take_text(bytes); /* title */
    return key;
}

static bool is_any(struct cup_text class, const char *const *names)
{
    while (*names && !cup_text_is(class, *names))
        names++;
    return *names != NULL;
}

static bool is_directory(struct cup_text class)
{
    return is_any(class, (const char *const[]){"TDirectory", "TDirectoryFile", NULL});
}

static bool is_ntuple(struct cup_text class)
{
    return is_any(class,
                  (const char *const[]){"ROOT::RNTuple", "ROOT::Experimental::RNTuple", NULL});
}

static bool is_tree(struct cup_text class)
{
    return is_any(class, (const char *const[]){"TTree", "TNtuple", "TNtupleD", NULL});
}

/* ---- directories -------------------------------------------------------------------------- */

struct search {
    FILE *file;
    uint64_t cycle; /* 0: the newest */
    bool anywhere;  /* in any directory */
    unsigned directories, hits;
    bool damaged;
    struct cup_root_key found;
};

/* Returns the rest of PATH inside DIRECTORY: "tree" for the path "directory/tree" in "directory".
 * The result is empty if PATH is not inside DIRECTORY. */
static struct cup_text path_within(struct cup_text path, struct cup_text directory)
{
    bool in = path.length > directory.length && path.bytes[directory.length] == '/' &&
              memcmp(path.bytes, directory.bytes, directory.length) == 0;
    size_t passed = in ? directory.length + 1 : path.length;
    return (struct cup_text){path.bytes + passed, path.length - passed};
}

static void note_tree(struct search *search, struct cup_root_key key, bool *hit)
{
    bool wanted =
        search->cycle ? key.cycle == search->cycle : !*hit || key.cycle >= search->found.cycle;
    if (!wanted)
        return;
    search->hits += !*hit;
    search->found = key;
    *hit = true;
}

static void search_directory(struct search *search, struct cup_bytes record, struct cup_text path,
                             unsigned depth);

static void search_key(struct search *search, struct cup_root_key key, struct cup_text name,
                       struct cup_text path, unsigned depth)
{
    struct cup_text rest = search->anywhere ? path : path_within(path, name);
    uint64_t bytes = key.object_bytes < 64 ? key.object_bytes : 64;
    unsigned char *record =
        rest.length ? cup_root_read(search->file, key.seek + key.key_bytes, bytes) : NULL;
    if (record)
        search_directory(search, (struct cup_bytes){record, record + bytes, false}, rest,
                         depth + 1);
    free(record);
}

static void search_keys(struct search *search, struct cup_bytes keys, struct cup_text path,
                        unsigned depth)
{
    bool hit = false;
    struct cup_text class, name;
    take_key(&keys, &class, &name); /* key of the list itself */
    uint64_t count = cup_bytes_take(&keys, 4);
    for (uint64_t i = 0; i < count && !keys.failed; i++) {
        struct cup_root_key key = take_key(&keys, &class, &name);
        if (keys.failed)
            break;
        bool same = name.length == path.length && memcmp(name.bytes, path.bytes, name.length) == 0;
        key.ntuple = is_ntuple(class);
        key.derived = !cup_text_is(class, "TTree");
        if (same && (is_tree(class) || key.ntuple))
            note_tree(search, key, &hit);
        else if (is_directory(class))
            search_key(search, key, name, path, depth);
    }
    search->damaged |= keys.failed;
}

/* RECORD is the record of the directory. */
static void search_directory(struct search *search, struct cup_bytes record, struct cup_text path,
                             unsigned depth)
{
    if (depth > MOST_DEPTH || search->directories++ > MOST_DIRECTORIES) {
        search->damaged = true;
        return;
    }
    unsigned width = cup_bytes_take(&record, 2) > WIDE_KEY ? 8 : 4;
    cup_bytes_skip(&record, 8); /* dates */
    uint64_t bytes = cup_bytes_take(&record, 4);
    cup_bytes_skip(&record, 4 + 2 * width); /* its name, itself, its parent */
    uint64_t seek = cup_bytes_take(&record, width);
    if (record.failed || seek == 0) {
        search->damaged |= record.failed; /* seek == 0: the directory is empty */
        return;
    }
    unsigned char *keys = cup_root_read(search->file, seek, bytes);
    search->damaged |= !keys;
    if (keys)
        search_keys(search, (struct cup_bytes){keys, keys + bytes, false}, path, depth);
    free(keys);
}

/* The offset of the top directory's record; 0: not a ROOT file. */
static uint64_t find_top(FILE *file)
{
    enum { HEAD_BYTES = 40, WIDE_FILE = 1000000 };
    unsigned char *head = cup_root_read(file, 0, HEAD_BYTES);
    if (!head)
        return 0;
    struct cup_bytes bytes = {head, head + HEAD_BYTES, false};
    bool is_root = cup_bytes_take(&bytes, 4) == 0x726f6f74; /* "root" */
    bool wide = cup_bytes_take(&bytes, 4) >= WIDE_FILE;
    uint64_t begin = cup_bytes_take(&bytes, 4);
    cup_bytes_skip(&bytes, wide ? 24 : 16); /* end, free segments */
    uint64_t name_bytes = cup_bytes_take(&bytes, 4);
    free(head);
    return is_root ? begin + name_bytes : 0;
}

/* Splits "tree;2" into the name and the cycle. */
static struct cup_text split_cycle(const char *name, uint64_t *cycle)
{
    const char *mark = strrchr(name, ';');
    char *end = NULL;
    *cycle = mark ? strtoul(mark + 1, &end, 10) : 0;
    bool has_cycle = mark && end > mark + 1 && *end == '\0';
    *cycle = has_cycle ? *cycle : 0;
    return (struct cup_text){name, has_cycle ? (size_t)(mark - name) : strlen(name)};
}

static void search_file(struct search *search, uint64_t top, struct cup_text path)
{
    enum { DIRECTORY_BYTES = 42 };
    unsigned char *record = cup_root_read(search->file, top, DIRECTORY_BYTES);
    search->damaged |= !record;
    search->directories = 0;
    if (record)
        search_directory(search, (struct cup_bytes){record, record + DIRECTORY_BYTES, false}, path,
                         0);
    free(record);
}

int cup_root_find_tree(FILE *file, const char *name, struct cup_root_key *found,
                       struct cup_error *error)
{
    struct search search = {.file = file};
    struct cup_text path = split_cycle(name, &search.cycle);
    uint64_t top = find_top(file);
    if (top == 0)
        return cup_error_set(error, "", CUP_NO_OFFSET, "it is no ROOT file");
    search_file(&search, top, path);
    if (search.hits == 0 && !memchr(path.bytes, '/', path.length)) {
        search.anywhere = true;
        search_file(&search, top, path);
    }
    *found = search.found;
    if (search.hits == 1)
        return 0;
    return cup_error_set(error, "", CUP_NO_OFFSET,
                         search.hits      ? "it has several trees named %.100s"
                         : search.damaged ? "its directory is damaged, and shows no tree %.100s"
                                          : "it has no tree %.100s",
                         name);
}
