#include "preload/coffea/uproot.h"

#include "preload/log/log.h"
#include "preload/log/python_strings.h"
#include "preload/root/branches.h"
#include "preload/xrootd/xrootd.h"

#include <string.h>

enum { PATH_LONGEST = 2048, NAME_LONGEST = 1024, DEEPEST = 16 };

/* True if OBJECT is not NULL and is exactly of TYPE. */
static bool has_type(cup_object *object, cup_object *type)
{
    return object && cup_python_type(object) == type;
}

/* The text of a str; 0: OBJECT is NULL or no str. */
static size_t read_str(cup_object *object, char *text, size_t size)
{
    return has_type(object, cup_py.string_type) ? cup_python_text(object, text, size) : 0;
}

/* ---- members ----------------------------------------------------------------------------- */

/* A member of the object's own class. */
static cup_object *read_own_member(cup_object *object, const char *name)
{
    CUP_OWNED cup_object *members = cup_python_kept(object, "_members");
    return has_type(members, cup_py.dict_type) ? cup_python_item(members, name) : NULL;
}

/* The part of the object that belongs to its first base class; borrowed from a list that the object
 * holds. */
static cup_object *find_base(cup_object *object)
{
    CUP_OWNED cup_object *bases = cup_python_kept(object, "_bases");
    return has_type(bases, cup_py.list_type) && cup_py.PySequence_Size(bases) > 0
               ? cup_py.PyList_GetItem(bases, 0)
               : NULL;
}

/* A data member that ROOT stored (fEntries, ...): of the object's class, of its first base class,
 * of that one's first base class, and so on (a TNtuple has the members of its TTree). A new
 * reference. */
static cup_object *read_member(cup_object *object, const char *name)
{
    cup_object *value = NULL;
    for (int depth = 0; object && !value && depth < DEEPEST; depth++) {
        value = read_own_member(object, name);
        object = find_base(object);
    }
    return value;
}

cup_object *cup_uproot_name(cup_object *object)
{
    return read_member(object, "fName");
}

/* Only trees have this member, in all versions of ROOT. */
static bool is_tree(cup_object *object)
{
    CUP_OWNED cup_object *member = read_member(object, "fMaxVirtualSize");
    return member != NULL;
}

cup_object *cup_uproot_tree(cup_object *object)
{
    cup_python_hold(object);
    for (int depth = 0; object && depth < DEEPEST; depth++) {
        if (is_tree(object))
            return object;
        cup_object *parent = cup_python_kept(object, "_parent");
        cup_python_drop(object);
        object = parent;
    }
    cup_python_drop(object);
    return NULL;
}

/* ---- numbers ----------------------------------------------------------------------------- */

/* int(VALUE) if it is an int, else OTHERWISE. Drops VALUE. */
static int64_t convert_integer(cup_object *value, int64_t otherwise)
{
    CUP_OWNED cup_object *owned = value;
    return has_type(owned, cup_py.int_type) ? cup_python_integer(owned, otherwise) : otherwise;
}

static uint64_t read_amount(cup_object *tree, const char *member)
{
    int64_t value = convert_integer(read_member(tree, member), -1);
    return value < 0 ? CUP_UNKNOWN64 : (uint64_t)value;
}

/* The file offset of the tree's record, from its key. */
static uint64_t find_tree_offset(cup_object *tree)
{
    CUP_OWNED cup_object *key = cup_python_kept(tree, "_parent");
    int64_t place = convert_integer(cup_python_kept(key, "_fSeekKey"), 0);
    return place > 0 ? (uint64_t)place : 0;
}

void cup_uproot_describe(cup_object *tree, struct cup_requested_baskets_tree *about)
{
    CUP_OWNED cup_object *name = cup_uproot_name(tree);
    about->tree = cup_log_python_str(name);
    about->entries = read_amount(tree, "fEntries");
    about->compressed_bytes = read_amount(tree, "fZipBytes");
    about->uncompressed_bytes = read_amount(tree, "fTotBytes");
    about->at = find_tree_offset(tree);
    about->auto_flush = convert_integer(read_member(tree, "fAutoFlush"), 0);
}

/* Adds to *COUNT. *LEFT: how many more branches may be visited. */
static void count_branches(cup_object *object, uint32_t *count, uint32_t *left, int depth)
{
    CUP_OWNED cup_object *array = read_member(object, "fBranches");
    CUP_OWNED cup_object *list = cup_python_kept(array, "_data");
    ssize_t size = has_type(list, cup_py.list_type) ? cup_py.PySequence_Size(list) : 0;
    for (ssize_t i = 0; i < size && *left && depth < DEEPEST; i++) {
        cup_object *branch = cup_py.PyList_GetItem(list, i);
        --*left;
        *count += convert_integer(cup_python_kept(branch, "_num_normal_baskets"), 0) > 0;
        count_branches(branch, count, left, depth + 1);
    }
}

uint32_t cup_uproot_branches(cup_object *tree)
{
    enum { MOST = 20000 };
    uint32_t count = 0, left = MOST;
    count_branches(tree, &count, &left, 0);
    return left ? count : 0;
}

uint32_t cup_uproot_branch(cup_object *branch, cup_object *tree_name)
{
    char tree[NAME_LONGEST], name[NAME_LONGEST];
    CUP_OWNED cup_object *text = cup_uproot_name(branch);
    size_t bytes = read_str(text, name, sizeof name);
    size_t tree_bytes = read_str(tree_name, tree, sizeof tree);
    return bytes ? cup_branches_number(tree, tree_bytes, name, bytes) : 0;
}

static bool read_number(cup_object *basket, const char *member, uint32_t *number)
{
    int64_t value = convert_integer(read_member(basket, member), -1);
    *number = (uint32_t)value;
    return value >= 0 && value <= INT32_MAX;
}

/* The condition of uproot's Model_TBasket.is_embedded: the basket has no payload of its own
 * (fNbytes <= fKeylen). */
bool cup_uproot_embedded(cup_object *basket, struct cup_requested_baskets *about)
{
    uint32_t object_bytes, key_bytes;
    CUP_OWNED cup_object *cursor = cup_python_kept(basket, "_cursor");
    int64_t offset = convert_integer(cup_python_kept(cursor, "_index"), -1);
    *about = (struct cup_requested_baskets){.is_embedded = true, .offset = (uint64_t)offset};
    if (offset < 0 || !read_number(basket, "fNbytes", &about->bytes) ||
        !read_number(basket, "fKeylen", &key_bytes) || about->bytes > key_bytes ||
        !read_number(basket, "fObjlen", &object_bytes) ||
        !read_number(basket, "fNevBuf", &about->entries))
        return false;
    about->object_bytes = object_bytes + key_bytes;
    about->key_bytes = about->bytes;
    return true;
}

/* ---- files ------------------------------------------------------------------------------- */

static bool is_remote(const char *path)
{
    return strstr(path, "://") && strncmp(path, "file://", strlen("file://")) != 0;
}

static size_t read_text(cup_object *object, const char *name, char *text, size_t size)
{
    CUP_OWNED cup_object *value = cup_python_kept(object, name);
    return read_str(value, text, size);
}

/* The absolute path that numpy.memmap holds. */
static size_t read_mapped_path(cup_object *source, char *path, size_t size)
{
    CUP_OWNED cup_object *array = cup_python_kept(source, "_file");
    return read_text(array, "filename", path, size);
}

/* fsspec's sources hold the path twice: as the user gave it (_file_path_orig), and without its
 * protocol (_file_path). So a remote path is taken as it was given. */
static size_t read_path(cup_object *source, char *path, size_t size)
{
    size_t bytes = read_text(source, "_file_path_orig", path, size);
    if (bytes && is_remote(path))
        return bytes;
    bool mapped = strcmp(cup_python_type_name(cup_python_type(source)), "MemmapSource") == 0;
    bytes = mapped ? read_mapped_path(source, path, size) : 0;
    return bytes ? bytes : read_text(source, "_file_path", path, size);
}

uint32_t cup_uproot_path(cup_object *object)
{
    char path[PATH_LONGEST];
    CUP_OWNED cup_object *file = cup_python_kept(object, "_file");
    CUP_OWNED cup_object *source = cup_python_kept(file, "_source");
    size_t bytes = source ? read_path(source, path, sizeof path) : 0;
    if (bytes && memmem(path, bytes, "://", 3))
        bytes = cup_xrootd_url(path, sizeof path, path, bytes);
    return bytes ? cup_log_string(path, bytes) : 0;
}
