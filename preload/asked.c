#include "preload/asked.h"

#include "preload/anchors.h"
#include "preload/baskets.h"
#include "preload/frames.h"
#include "preload/log.h"
#include "preload/process.h"
#include "preload/uproot.h"

#include <string.h>

/* ---- trees that were told ---------------------------------------------------------------- */

enum { TREES = 4096 };
static uint64_t trees[TREES]; /* hashes; with the GIL */
static uint32_t tree_count;
static bool complained;

void cup_asked_reset(void)
{
    if (tree_count)
        memset(trees, 0, sizeof trees);
    tree_count = 0;
    complained = false;
}

static uint64_t hash_of(const struct cup_asked_tree *tree)
{
    const uint64_t parts[] = {(uint64_t)tree->path << 32 | tree->tree, tree->entries,
                              tree->compressed_bytes};
    uint64_t hash = 0;
    for (int i = 0; i < 3; i++) {
        hash = (hash ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash | 1;
}

/* Once for each tree, as long as there is room for them. */
static bool is_news(const struct cup_asked_tree *tree)
{
    uint64_t hash = hash_of(tree);
    size_t at = hash % TREES;
    for (; trees[at]; at = (at + 1) % TREES)
        if (trees[at] == hash)
            return false;
    if (tree_count >= TREES / 4 * 3)
        return false;
    trees[at] = hash;
    tree_count++;
    return true;
}

/* ---- positions --------------------------------------------------------------------------- */

/* Positions are ints, or scalars of numpy's, which hold their number behind count and type: what
 * stands there is compared with what the object says until it has agreed often enough. */
static bool position(cup_object *object, int64_t *value)
{
    enum { ENOUGH = 8, NUMBER = 2 };
    static cup_object *scalar; /* numpy.int64; kept by numpy for good */
    static int agreed;
    cup_object *type = cup_python_type(object);
    if (type == scalar && agreed == ENOUGH) {
        *value = ((const int64_t *)object)[NUMBER];
        return true;
    }
    if (type != cup_py.int_type && type != scalar) {
        if (scalar || strcmp(cup_python_type_name(type), "numpy.int64") != 0)
            return false;
        scalar = type;
        cup_py.Py_IncRef(scalar);
    }
    *value = cup_python_integer(object, -1);
    if (type == scalar && agreed >= 0 && agreed < ENOUGH)
        agreed = ((const int64_t *)object)[NUMBER] == *value ? agreed + 1 : -1;
    return *value >= 0;
}

/* ---- the list ---------------------------------------------------------------------------- */

enum { BATCH = 64 };

struct request {
    uint32_t task;
    struct cup_asked_tree tree;
    bool tells;
    bool named;            /* branches are to be named here */
    cup_object *tree_name; /* then: a str */
    cup_object *branch;    /* of the last basket, borrowed from the list */
    uint32_t branch_number;
    uint32_t count;
    struct cup_asked baskets[BATCH];
};

static void put(struct request *request)
{
    cup_baskets_asked(request->task, &request->tree, request->tells, request->baskets,
                      request->count);
    request->tells = false;
    request->count = 0;
}

static uint32_t branch_number(struct request *request, cup_object *branch)
{
    if (request->named && branch != request->branch)
        request->branch_number = cup_uproot_branch(branch, request->tree_name);
    request->branch = branch;
    return request->branch_number;
}

static bool add(struct request *request, cup_object *part, cup_object *range)
{
    int64_t start, stop, number;
    if (!position(cup_py.PyTuple_GetItem(range, 0), &start) ||
        !position(cup_py.PyTuple_GetItem(range, 1), &stop) ||
        !position(cup_py.PyTuple_GetItem(part, 1), &number) || stop - start > UINT32_MAX ||
        number > UINT32_MAX)
        return false;
    if (stop <= start) /* a damaged file: uproot will say so */
        return true;
    if (request->count == BATCH)
        put(request);
    request->baskets[request->count++] =
        (struct cup_asked){(uint64_t)start, (uint32_t)(stop - start), (uint32_t)number,
                           branch_number(request, cup_py.PyTuple_GetItem(part, 0))};
    return true;
}

/* Borrowed; NULL: what we asked of Python made it run code of others, which shortened the list. */
static cup_object *part_at(cup_object *list, ssize_t at)
{
    return at < cup_py.PySequence_Size(list) ? cup_py.PyList_GetItem(list, at) : NULL;
}

/* (branch, number of the basket, range), or, in place of the range, a basket that is there. */
static bool is_part(cup_object *part)
{
    return part && cup_python_type(part) == cup_py.tuple_type && cup_py.PyTuple_Size(part) == 3;
}

/* The range of PART, borrowed; NULL: it is a basket. */
static cup_object *range_of(cup_object *part)
{
    cup_object *range = cup_py.PyTuple_GetItem(part, 2);
    bool plain = cup_python_type(range) == cup_py.tuple_type && cup_py.PyTuple_Size(range) == 2;
    return plain ? range : NULL;
}

/* False: the list is not made as we know it. */
static bool add_all(struct request *request, cup_object *list)
{
    bool known = true;
    ssize_t size = cup_py.PySequence_Size(list);
    for (ssize_t i = 0; i < size && known; i++) {
        cup_object *part = part_at(list, i);
        cup_object *range = is_part(part) ? range_of(part) : NULL;
        known = is_part(part) && (!range || add(request, part, range));
    }
    if (request->count || request->tells)
        put(request);
    return known;
}

/* An array that uproot has kept is not read again; if it has kept all, nothing is read. */
static bool is_kept(cup_object *arrays, cup_object *branch)
{
    cup_object *key = cup_python_kept(branch, "_cache_key");
    cup_object *array =
        key && cup_python_type(key) == cup_py.string_type ? cup_python_get(arrays, key) : NULL;
    cup_python_drop(array);
    cup_python_drop(key);
    return array != NULL;
}

static bool is_anything_read(cup_object *list, cup_object *arrays)
{
    bool none_kept =
        !arrays || cup_python_type(arrays) != cup_py.dict_type || cup_py.PyDict_Size(arrays) == 0;
    ssize_t size = cup_py.PySequence_Size(list);
    cup_object *last = NULL;
    for (ssize_t i = 0; i < size; i++) {
        cup_object *part = part_at(list, i);
        cup_object *branch = is_part(part) ? cup_py.PyTuple_GetItem(part, 0) : NULL;
        if (none_kept || !branch || (branch != last && !is_kept(arrays, branch)))
            return true;
        last = branch;
    }
    return false;
}

static bool read_request(uint32_t task, cup_object *from, cup_object *list)
{
    struct request request;
    memset(&request, 0, offsetof(struct request, baskets));
    request.task = task;
    cup_object *tree = cup_uproot_tree(from);
    if (!tree)
        return false;
    cup_uproot_describe(tree, &request.tree);
    request.tree.path = cup_uproot_path(from, &request.named);
    request.tree_name = request.named ? cup_uproot_name(tree) : NULL;
    request.tells = is_news(&request.tree);
    if (request.tells)
        request.tree.branches = cup_uproot_branches(tree);
    bool known = add_all(&request, list);
    cup_python_drop(request.tree_name);
    cup_python_drop(tree);
    return known;
}

/* ---- the function ------------------------------------------------------------------------ */

static bool read_arguments(struct cup_frame frame, uint32_t task)
{
    cup_object *locals = NULL;
    cup_object *list = cup_frames_local(frame, "ranges_or_baskets", &locals);
    cup_object *from = cup_frames_local(frame, "hasbranches", &locals);
    cup_object *arrays = cup_frames_local(frame, "arrays", &locals);
    bool known = list && from && cup_python_type(list) == cup_py.list_type;
    if (known && is_anything_read(list, arrays))
        known = read_request(task, from, list);
    cup_python_drop(arrays);
    cup_python_drop(from);
    cup_python_drop(list);
    cup_python_drop(locals);
    return known;
}

static bool is_queue_for_arrays(struct cup_frame *frame)
{
    return cup_frames_top(frame) &&
           cup_frames_name(*frame) == cup_anchor_name(CUP_ANCHOR_QUEUE_MADE) &&
           cup_frames_back(frame) && cup_frames_name(*frame) == cup_anchor_name(CUP_ANCHOR_ARRAYS);
}

void cup_asked_lock(uint32_t task)
{
    struct cup_frame frame;
    if (!is_queue_for_arrays(&frame) || !cup_anchors_may_ask() ||
        !cup_frames_is_in(frame, "uproot/behaviors/TBranch.py"))
        return;
    if (read_arguments(frame, task)) {
        cup_process_feature(CUP_FEATURE_ASKED);
    } else if (!complained) {
        complained = true;
        cup_log_health(CUP_H_ANCHOR_ERRORS, 1);
        cup_log_note("what uproot asks for is not seen: its list of baskets is not as expected");
    }
}
