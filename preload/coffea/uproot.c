#include "preload/coffea/uproot.h"

#include "preload/log/log.h"
#include "preload/log/python_strings.h"
#include "preload/root/branches.h"
#include "preload/xrootd/xrootd.h"

#include <string.h>

enum { PATH_LONGEST = 2048, NAME_LONGEST = 1024, DEEPEST = 16 };

static bool is(cup_object *object, cup_object *type)
{
    return object && cup_python_type(object) == type;
}

/* ---- members ----------------------------------------------------------------------------- */

/* Of its own class. */
static cup_object *own_member(cup_object *object, const char *name)
{
    cup_object *members = cup_python_kept(object, "_members");
    cup_object *value = is(members, cup_py.dict_type) ? cup_python_item(members, name) : NULL;
    cup_python_drop(members);
    return value;
}

/* Object of the first base class, borrowed from a list that the object keeps. */
static cup_object *first_base(cup_object *object)
{
    cup_object *bases = cup_python_kept(object, "_bases");
    cup_object *base = is(bases, cup_py.list_type) && cup_py.PySequence_Size(bases) > 0
                           ? cup_py.PyList_GetItem(bases, 0)
                           : NULL;
    cup_python_drop(bases);
    return base;
}

cup_object *cup_uproot_member(cup_object *object, const char *name)
{
    cup_object *value = NULL;
    for (int depth = 0; object && !value && depth < DEEPEST; depth++) {
        value = own_member(object, name);
        object = first_base(object);
    }
    return value;
}

cup_object *cup_uproot_name(cup_object *object)
{
    return cup_uproot_member(object, "fName");
}

/* Trees alone have this one, of all versions. */
static bool is_tree(cup_object *object)
{
    cup_object *member = cup_uproot_member(object, "fMaxVirtualSize");
    cup_python_drop(member);
    return member != NULL;
}

cup_object *cup_uproot_tree(cup_object *object)
{
    if (object)
        cup_py.Py_IncRef(object);
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

static int64_t integer(cup_object *value, int64_t otherwise)
{
    int64_t number = is(value, cup_py.int_type) ? cup_python_integer(value, otherwise) : otherwise;
    cup_python_drop(value);
    return number;
}

static uint64_t amount(cup_object *tree, const char *member)
{
    int64_t value = integer(cup_uproot_member(tree, member), -1);
    return value < 0 ? CUP_UNKNOWN64 : (uint64_t)value;
}

/* As its key has it. */
static uint64_t place_of_tree(cup_object *tree)
{
    cup_object *key = cup_python_kept(tree, "_parent");
    int64_t place = integer(cup_python_kept(key, "_fSeekKey"), 0);
    cup_python_drop(key);
    return place > 0 ? (uint64_t)place : 0;
}

void cup_uproot_describe(cup_object *tree, struct cup_requested_baskets_tree *about)
{
    cup_object *name = cup_uproot_name(tree);
    about->tree = cup_log_python_str(name);
    about->entries = amount(tree, "fEntries");
    about->compressed_bytes = amount(tree, "fZipBytes");
    about->uncompressed_bytes = amount(tree, "fTotBytes");
    about->at = place_of_tree(tree);
    about->auto_flush = integer(cup_uproot_member(tree, "fAutoFlush"), 0);
    cup_python_drop(name);
}

/* Adds to *COUNT; *LEFT are those that may still be looked at. */
static void count_branches(cup_object *object, uint32_t *count, uint32_t *left, int depth)
{
    cup_object *array = cup_uproot_member(object, "fBranches");
    cup_object *list = cup_python_kept(array, "_data");
    ssize_t size = is(list, cup_py.list_type) ? cup_py.PySequence_Size(list) : 0;
    for (ssize_t i = 0; i < size && *left && depth < DEEPEST; i++) {
        cup_object *branch = cup_py.PyList_GetItem(list, i);
        --*left;
        *count += integer(cup_python_kept(branch, "_num_normal_baskets"), 0) > 0;
        count_branches(branch, count, left, depth + 1);
    }
    cup_python_drop(list);
    cup_python_drop(array);
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
    cup_object *text = cup_uproot_name(branch);
    size_t bytes = is(text, cup_py.string_type) ? cup_python_text(text, name, sizeof name) : 0;
    size_t tree_bytes =
        is(tree_name, cup_py.string_type) ? cup_python_text(tree_name, tree, sizeof tree) : 0;
    cup_python_drop(text);
    return bytes ? cup_branches_number(tree, tree_bytes, name, bytes) : 0;
}

static bool number_of(cup_object *basket, const char *member, uint32_t *number)
{
    int64_t value = integer(cup_uproot_member(basket, member), -1);
    *number = (uint32_t)value;
    return value >= 0 && value <= INT32_MAX;
}

/* It has no payload of its own, as uproot sees it: is_embedded of Model_TBasket. Its key's length
 * is in the compressed bytes only if they hold it. */
bool cup_uproot_embedded(cup_object *basket, struct cup_requested_baskets *about)
{
    uint32_t object_bytes, key_bytes;
    cup_object *cursor = cup_python_kept(basket, "_cursor");
    int64_t offset = integer(cup_python_kept(cursor, "_index"), -1);
    cup_python_drop(cursor);
    *about = (struct cup_requested_baskets){.is_embedded = true, .offset = (uint64_t)offset};
    if (offset < 0 || !number_of(basket, "fNbytes", &about->bytes) ||
        !number_of(basket, "fKeylen", &key_bytes) || about->bytes > key_bytes ||
        !number_of(basket, "fObjlen", &object_bytes) ||
        !number_of(basket, "fNevBuf", &about->entries))
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

static size_t text_kept(cup_object *object, const char *name, char *text, size_t size)
{
    cup_object *value = cup_python_kept(object, name);
    size_t bytes = is(value, cup_py.string_type) ? cup_python_text(value, text, size) : 0;
    cup_python_drop(value);
    return bytes;
}

/* The absolute name that numpy keeps of a file that it mapped. */
static size_t path_of_mapped(cup_object *source, char *path, size_t size)
{
    cup_object *array = cup_python_kept(source, "_file");
    size_t bytes = text_kept(array, "filename", path, size);
    cup_python_drop(array);
    return bytes;
}

/* Of fsspec's sources, the path has lost its protocol, unless it is asked for as it was given. */
static size_t path_of(cup_object *source, char *path, size_t size)
{
    size_t bytes = text_kept(source, "_file_path_orig", path, size);
    if (bytes && is_remote(path))
        return bytes;
    if (strcmp(cup_python_type_name(cup_python_type(source)), "MemmapSource") == 0)
        bytes = path_of_mapped(source, path, size);
    else
        bytes = 0;
    return bytes ? bytes : text_kept(source, "_file_path", path, size);
}

uint32_t cup_uproot_path(cup_object *object)
{
    char path[PATH_LONGEST];
    cup_object *file = cup_python_kept(object, "_file");
    cup_object *source = cup_python_kept(file, "_source");
    size_t bytes = source ? path_of(source, path, sizeof path) : 0;
    cup_python_drop(source);
    cup_python_drop(file);
    if (bytes && memmem(path, bytes, "://", 3))
        bytes = cup_xrootd_url(path, sizeof path, path, bytes);
    return bytes ? cup_log_string(path, bytes) : 0;
}
