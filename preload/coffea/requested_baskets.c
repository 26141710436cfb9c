#include "preload/coffea/requested_baskets.h"

#include "preload/attribution/attribution.h"
#include "preload/coffea/uproot.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/python/anchors.h"
#include "preload/python/frames.h"
#include "preload/root/baskets.h"
#include "preload/stacks/stack_uses.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/id_table.h"

#include <string.h>

/* ---- trees that are described in the log ------------------------------------------------- */

enum { TREES_MOST = 3072 };
static struct cup_id_table trees; /* by path, name and sizes; protected by the GIL */
static bool complained;

void cup_requested_baskets_reset(void)
{
    cup_id_table_reset(&trees);
    complained = false;
}

/* True once for each tree. False when the table is full: further trees are not described. */
static bool is_new_tree(const struct cup_requested_baskets_tree *tree)
{
    uint64_t key = (uint64_t)tree->path << 32 | tree->tree;
    uint64_t more = cup_mix(tree->entries, tree->compressed_bytes);
    if (cup_id_find(&trees, key, more) || !cup_id_room(&trees, 1, TREES_MOST))
        return false;
    cup_id_add(&trees, key, more, 1);
    return true;
}

/* ---- positions --------------------------------------------------------------------------- */

/* Positions are ints or numpy scalars (of 32 bits in trees of old ROOT versions). A numpy scalar
 * holds its number behind reference count and type. That word is compared with int(object) until
 * both have agreed ENOUGH times; then only the word is read. */
enum { ENOUGH = 8, NUMBER = 2 };

static struct scalar {
    const char *name;
    bool is_wide;
    cup_object *type; /* never freed; NULL: not seen yet */
    int agreed;       /* times; -1: they disagreed, use int(object) */
} scalars[] = {{"numpy.int64", true, NULL, 0}, {"numpy.int32", false, NULL, 0}};
enum { SCALARS = sizeof scalars / sizeof *scalars };

/* NULL: TYPE is not one of them. */
static struct scalar *find_scalar(cup_object *type)
{
    for (int i = 0; i < SCALARS; i++)
        if (scalars[i].type == type)
            return &scalars[i];
    for (int i = 0; i < SCALARS; i++)
        if (!scalars[i].type && strcmp(cup_python_type_name(type), scalars[i].name) == 0) {
            scalars[i].type = type;
            cup_py.Py_IncRef(type);
            return &scalars[i];
        }
    return NULL;
}

static int64_t read_number(const struct scalar *scalar, cup_object *object)
{
    const void *number = (const int64_t *)object + NUMBER;
    return scalar->is_wide ? *(const int64_t *)number : *(const int32_t *)number;
}

/* Reads a position. False: OBJECT is of another type, or negative. */
static bool read_position(cup_object *object, int64_t *value)
{
    cup_object *type = cup_python_type(object);
    struct scalar *scalar = type == cup_py.int_type ? NULL : find_scalar(type);
    if (scalar && scalar->agreed == ENOUGH) {
        *value = read_number(scalar, object);
        return *value >= 0;
    }
    if (type != cup_py.int_type && !scalar)
        return false;
    *value = cup_python_integer(object, -1);
    if (scalar && scalar->agreed >= 0)
        scalar->agreed = read_number(scalar, object) == *value ? scalar->agreed + 1 : -1;
    return *value >= 0;
}

/* ---- the list ---------------------------------------------------------------------------- */

enum { BATCH = 64 };

struct request {
    uint32_t task;
    uint32_t node; /* the stack that requests the baskets; 0: unknown */
    struct cup_requested_baskets_tree tree;
    bool is_new;           /* the tree must be described */
    cup_object *tree_name; /* a str */
    cup_object *branch;    /* of the last basket; borrowed from the list */
    uint32_t branch_number;
    uint32_t count;
    struct cup_requested_baskets baskets[BATCH];
};

/* Adds to the sums of the stack, by branch. The baskets of a branch are adjacent. */
static void count_at_stack(const struct request *request)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0, first = 0; i < request->count; i++) {
        uint32_t branch = request->baskets[i].branch;
        bytes += request->baskets[i].bytes;
        if (i + 1 < request->count && request->baskets[i + 1].branch == branch)
            continue;
        if (branch && branch <= CUP_USE_MOST - CUP_USE_BRANCHES)
            cup_stack_use(request->task, request->node,
                          (enum cup_stack_use)(CUP_USE_BRANCHES + branch), i + 1 - first, bytes, 0);
        first = i + 1;
        bytes = 0;
    }
}

static void record_batch(struct request *request)
{
    if (request->node)
        count_at_stack(request);
    cup_baskets_requested(request->task, &request->tree, request->is_new, request->baskets,
                          request->count);
    request->is_new = false;
    request->count = 0;
}

static uint32_t number_branch(struct request *request, cup_object *branch)
{
    if (branch != request->branch)
        request->branch_number = cup_uproot_branch(branch, request->tree_name);
    request->branch = branch;
    return request->branch_number;
}

static void add_basket(struct request *request, struct cup_requested_baskets basket)
{
    if (request->count == BATCH)
        record_batch(request);
    request->baskets[request->count++] = basket;
}

/* False: PART is not as expected. */
static bool add_range(struct request *request, cup_object *part, cup_object *range)
{
    int64_t start, stop, number;
    if (!read_position(cup_py.PyTuple_GetItem(range, 0), &start) ||
        !read_position(cup_py.PyTuple_GetItem(range, 1), &stop) ||
        !read_position(cup_py.PyTuple_GetItem(part, 1), &number) || stop - start > UINT32_MAX ||
        number > UINT32_MAX)
        return false;
    if (stop <= start) /* a damaged file: uproot will raise an error */
        return true;
    add_basket(request, (struct cup_requested_baskets){
                            .offset = (uint64_t)start,
                            .bytes = (uint32_t)(stop - start),
                            .number = (uint32_t)number,
                            .branch = number_branch(request, cup_py.PyTuple_GetItem(part, 0))});
    return true;
}

/* An element of the list; a new reference, because reading it may run Python code that changes the
 * list. NULL: the list has become shorter. */
static cup_object *read_part(cup_object *list, ssize_t at)
{
    return at < cup_py.PySequence_Size(list) ? cup_python_hold(cup_py.PyList_GetItem(list, at))
                                             : NULL;
}

/* The part holds a basket in place of a range. One that is embedded in the tree's record is
 * recorded; one that uproot read before is not. */
static void add_embedded(struct request *request, cup_object *part)
{
    int64_t number;
    struct cup_requested_baskets basket;
    if (!cup_uproot_embedded(cup_py.PyTuple_GetItem(part, 2), &basket) ||
        !read_position(cup_py.PyTuple_GetItem(part, 1), &number) || number > UINT32_MAX)
        return;
    basket.number = (uint32_t)number;
    basket.branch = number_branch(request, cup_py.PyTuple_GetItem(part, 0));
    add_basket(request, basket);
}

/* True for (branch, basket number, range), or (branch, basket number, basket). */
static bool is_part(cup_object *part)
{
    return part && cup_python_type(part) == cup_py.tuple_type && cup_py.PyTuple_Size(part) == 3;
}

/* The range of PART, borrowed; NULL: it has a basket. */
static cup_object *find_range(cup_object *part)
{
    cup_object *range = cup_py.PyTuple_GetItem(part, 2);
    bool plain = cup_python_type(range) == cup_py.tuple_type && cup_py.PyTuple_Size(range) == 2;
    return plain ? range : NULL;
}

/* False: PART is not as expected. */
static bool add_part(struct request *request, cup_object *part)
{
    if (!is_part(part))
        return false;
    cup_object *range = find_range(part);
    if (range)
        return add_range(request, part, range);
    add_embedded(request, part);
    return true;
}

/* False: the list is not as expected. */
static bool add_parts(struct request *request, cup_object *list)
{
    bool known = true;
    ssize_t size = cup_py.PySequence_Size(list);
    for (ssize_t i = 0; i < size && known; i++) {
        CUP_OWNED cup_object *part = read_part(list, i);
        known = add_part(request, part);
    }
    if (request->count || request->is_new)
        record_batch(request);
    return known;
}

/* True if uproot has the branch's array in its cache: then its baskets are not read. */
static bool is_cached(cup_object *arrays, cup_object *branch)
{
    CUP_OWNED cup_object *key = cup_python_kept(branch, "_cache_key");
    CUP_OWNED cup_object *array =
        key && cup_python_type(key) == cup_py.string_type ? cup_python_get(arrays, key) : NULL;
    return array != NULL;
}

static bool is_anything_read(cup_object *list, cup_object *arrays)
{
    bool none_cached =
        !arrays || cup_python_type(arrays) != cup_py.dict_type || cup_py.PyDict_Size(arrays) == 0;
    ssize_t size = cup_py.PySequence_Size(list);
    cup_object *last = NULL;
    bool read = false;
    for (ssize_t i = 0; i < size && !read; i++) {
        CUP_OWNED cup_object *part = read_part(list, i);
        cup_object *branch = is_part(part) ? cup_py.PyTuple_GetItem(part, 0) : NULL;
        read = none_cached || !branch || (branch != last && !is_cached(arrays, branch));
        last = branch;
    }
    return read;
}

static bool read_request(uint32_t task, cup_object *from, cup_object *list)
{
    struct request request;
    memset(&request, 0, offsetof(struct request, baskets));
    request.task = task;
    request.node = cup_stacks_on() ? cup_stack_here(0) : 0;
    CUP_OWNED cup_object *tree = cup_uproot_tree(from);
    if (!tree)
        return false;
    cup_uproot_describe(tree, &request.tree);
    request.tree.path = cup_uproot_path(from);
    CUP_OWNED cup_object *name = cup_uproot_name(tree);
    request.tree_name = name;
    request.is_new = is_new_tree(&request.tree);
    if (request.is_new)
        request.tree.branches = cup_uproot_branches(tree);
    return add_parts(&request, list);
}

/* ---- recognising the function -------------------------------------------------------------- */

static bool read_arguments(struct cup_frame frame, uint32_t task)
{
    CUP_OWNED cup_object *locals = NULL;
    CUP_OWNED cup_object *list = cup_frames_local(frame, "ranges_or_baskets", &locals);
    CUP_OWNED cup_object *from = cup_frames_local(frame, "hasbranches", &locals);
    CUP_OWNED cup_object *arrays = cup_frames_local(frame, "arrays", &locals);
    if (!list || !from || cup_python_type(list) != cup_py.list_type)
        return false;
    return !is_anything_read(list, arrays) || read_request(task, from, list);
}

static bool is_queue_for_arrays(struct cup_frame *frame)
{
    return cup_frames_top(frame) &&
           cup_frames_name(*frame) == cup_anchor_name(CUP_ANCHOR_QUEUE_MADE) &&
           cup_frames_back(frame) && cup_frames_name(*frame) == cup_anchor_name(CUP_ANCHOR_ARRAYS);
}

static void read_request_of(struct cup_frame frame, uint32_t task)
{
    if (read_arguments(frame, task)) {
        cup_recording_add_feature(CUP_FEATURE_REQUESTED);
    } else if (!complained) {
        complained = true;
        cup_log_health(CUP_H_ANCHOR_ERRORS, 1);
        cup_recording_drop_feature(CUP_FEATURE_REQUESTED,
                                   "baskets that uproot requests are not recorded",
                                   "its list is not as expected");
    }
}

void cup_requested_baskets_expect(void)
{
    if (!complained && cup_active() && cup_log_header()->features & CUP_FEATURE_HANDOFF)
        cup_recording_add_feature(CUP_FEATURE_REQUESTED);
}

static void look_at_queue(uint32_t task)
{
    struct cup_frame frame;
    if (is_queue_for_arrays(&frame) && cup_anchors_may_ask() &&
        cup_frames_is_in(frame, "uproot/behaviors/TBranch.py"))
        read_request_of(frame, task);
}

void cup_requested_baskets_begin(struct cup_frame frame)
{
    uint32_t task = cup_active() && !cup_self.guard ? cup_attribution_task() : 0;
    if (!task || !cup_anchors_may_ask())
        return;
    int saved = cup_enter();
    read_request_of(frame, task);
    cup_leave(saved);
}

void cup_requested_baskets_lock(uint32_t task)
{
    int saved = cup_enter();
    look_at_queue(task);
    cup_leave(saved);
}
