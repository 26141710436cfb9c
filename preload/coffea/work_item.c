#include "preload/coffea/work_item.h"

#include "preload/attribution/lock_origin.h"
#include "preload/coffea/uproot.h"
#include "preload/counters/totals.h"
#include "preload/io/file_class.h"
#include "preload/lifecycle/releases.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/log/python_strings.h"

#include <string.h>

/* enum cup_item_kind; 0: not known */
static __thread uint32_t item_kind __attribute__((tls_model("initial-exec")));

bool cup_work_item_known(void)
{
    return item_kind != 0;
}

void cup_work_item_task_begins(uint32_t task, uint64_t cpu_ns)
{
    (void)cpu_ns;
    if (cup_self.task == task)
        item_kind = 0;
}

/* In ITEM, strings are ids, 0: unknown; entries are -1: unknown. */
static void record_item(struct cup_r_item item)
{
    item_kind = item.kind;
    item.task = cup_self.task;
    if (!cup_totals_item(&item))
        cup_log_write(CUP_R_ITEM, &item, NULL, 0);
}

cup_object *cup_item_type(const char *name)
{
    return cup_python_attribute(cup_python_module("coffea.processor.executor"), name);
}

/* True if OBJECT's type, which is called NAME, is Coffea's. The user may have one of that name,
 * too, whose attributes may be code. */
static bool is_of_coffea(cup_object *object, const char *name)
{
    CUP_OWNED cup_object *type = cup_item_type(name);
    return type == cup_python_type(object) && cup_release_supported(CUP_RELEASE_COFFEA);
}

bool cup_item_is_coffea(cup_object *object, const char *type_name)
{
    bool work = strcmp(type_name, "WorkItem") == 0;
    if ((!work && strcmp(type_name, "FileMeta") != 0) || !is_of_coffea(object, type_name))
        return false;
    record_item((struct cup_r_item){
        .kind = work ? CUP_ITEM_WORK : CUP_ITEM_METADATA,
        .dataset = cup_log_python_attribute(object, "dataset"),
        .file = cup_log_python_attribute(object, "filename"),
        .tree = cup_log_python_attribute(object, "treename"),
        .entry_start = work ? cup_python_integer_at(object, "entrystart", -1) : -1,
        .entry_stop = work ? cup_python_integer_at(object, "entrystop", -1) : -1});
    return true;
}

/* Coffea's metadata task returns a set with one FileMeta. */
static int64_t read_entries(cup_object *result)
{
    CUP_OWNED cup_object *iterator = cup_py.PyObject_GetIter(result);
    CUP_OWNED cup_object *file = iterator ? cup_py.PyIter_Next(iterator) : NULL;
    cup_py.PyErr_Clear();
    CUP_OWNED cup_object *metadata = cup_python_attribute(file, "metadata");
    CUP_OWNED cup_object *entries = cup_python_item(metadata, "numentries");
    return cup_python_integer(entries, -1);
}

void cup_work_item_result(cup_object *result)
{
    bool has_entries =
        item_kind == CUP_ITEM_METADATA && result &&
        strcmp(cup_python_type_name(cup_python_type(result)), "set_accumulator") == 0;
    int64_t entries = has_entries ? read_entries(result) : -1;
    if (entries >= 0)
        cup_log_write(CUP_R_CHUNK_REPORT,
                      &(struct cup_r_chunk_report){.task = cup_self.task,
                                                   .requested_bytes = CUP_UNKNOWN64,
                                                   .entries = (uint64_t)entries},
                      NULL, 0);
}

/* ---- types ------------------------------------------------------------------------------- */

enum known_type {
    NODE,
    DATA,
    SUBGRAPH,
    READ,
    OPEN_AND_READ,
    READ_NUMPY,
    OPEN_AND_READ_NUMPY,
    TYPES
};

/* NODE: a node of Dask's graph, with the attributes func, args and kwargs. READ...: uproot.dask's
 * callables, for files that the client opened (READ) or that the task opens itself
 * (OPEN_AND_READ). */
static const struct {
    const char *module, *name;
    enum known_type type;
} type_names[] = {
    {"dask._task_spec", "Task", NODE},
    {"dask._task_spec", "List", NODE},
    {"dask._task_spec", "Tuple", NODE},
    {"dask._task_spec", "Dict", NODE},
    {"dask._task_spec", "Set", NODE},
    {"dask._task_spec", "DataNode", DATA},
    {"dask.optimization", "SubgraphCallable", SUBGRAPH},
    {"uproot._dask", "_UprootRead", READ},
    {"uproot._dask", "_UprootOpenAndRead", OPEN_AND_READ},
    {"uproot._dask", "_UprootReadNumpy", READ_NUMPY},
    {"uproot._dask", "_UprootOpenAndReadNumpy", OPEN_AND_READ_NUMPY},
};

/* The known type of OBJECT; TYPES: none. The names are compared first, because most objects are of
 * no known type; then the type object itself, which is looked up in the module and referenced, so
 * that no other type can take its address. */
static enum known_type find_type(cup_object *object)
{
    enum { COUNT = sizeof type_names / sizeof *type_names };
    static cup_object *types[COUNT];
    cup_object *type = cup_python_type(object);
    const char *name = cup_python_type_name(type);
    for (int i = 0; i < COUNT; i++) {
        if (type == types[i])
            return type_names[i].type;
        if (types[i] || strcmp(name, type_names[i].name) != 0)
            continue;
        types[i] =
            cup_python_attribute(cup_python_module(type_names[i].module), type_names[i].name);
        if (type == types[i])
            return type_names[i].type;
    }
    return TYPES;
}

/* ---- the search -------------------------------------------------------------------------- */

enum { MOST_OBJECTS = 128, DEEPEST = 12, MOST_ELEMENTS = 16, PATH_LONGEST = 2048 };

/* What a string is. A later kind is preferred to an earlier one: the path that a task opened may be
 * a directory of modules. */
enum path_kind { NO_PATH, OPENED_PATH, EVENT_PATH };

struct search {
    int left;           /* how many more objects may be visited */
    bool done;          /* a work item was found and recorded */
    cup_object *reader; /* uproot's callable; references are held to all three objects */
    enum known_type reader_type;
    cup_object *range; /* the tuple that it is called with */
    int ranges;
    cup_object *path; /* str */
    enum path_kind path_kind;
    bool several_paths; /* of files with events */
};

static void search_object(struct search *search, cup_object *object, int depth);

static void search_items(struct search *search, cup_object *sequence, int depth)
{
    bool list = cup_python_type(sequence) == cup_py.list_type;
    ssize_t size = cup_py.PySequence_Size(sequence);
    for (ssize_t i = 0; i < size && i < MOST_ELEMENTS && !search->done; i++) {
        cup_object *item =
            list ? cup_py.PyList_GetItem(sequence, i) : cup_py.PyTuple_GetItem(sequence, i);
        if (item)
            search_object(search, item, depth);
        else
            cup_py.PyErr_Clear();
    }
}

static void search_values(struct search *search, cup_object *dict, int depth)
{
    ssize_t position = 0;
    cup_object *key, *value;
    for (int i = 0; i < MOST_ELEMENTS && !search->done; i++) {
        if (!cup_py.PyDict_Next(dict, &position, &key, &value))
            break;
        search_object(search, value, depth);
    }
}

static void search_attribute(struct search *search, cup_object *node, const char *name, int depth)
{
    CUP_OWNED cup_object *part = search->done ? NULL : cup_python_attribute(node, name);
    if (part)
        search_object(search, part, depth);
}

/* The items FROM to TO of TUPLE are of TYPE. */
static bool are_all(cup_object *tuple, int from, int to, const cup_object *type)
{
    while (from <= to && cup_python_type(cup_py.PyTuple_GetItem(tuple, from)) == type)
        from++;
    return from > to;
}

/* uproot.dask calls a reader with (index of an opened file, start, stop), or with (file, tree,
 * start or step, stop or number of steps, true if they are start and stop). */
static bool is_range(cup_object *tuple)
{
    enum { OPENED = 3, TO_BE_OPENED = 5 };
    ssize_t size = cup_py.PyTuple_Size(tuple);
    if (size == OPENED)
        return are_all(tuple, 0, 2, cup_py.int_type);
    return size == TO_BE_OPENED && are_all(tuple, 0, 1, cup_py.string_type) &&
           are_all(tuple, 2, 3, cup_py.int_type) &&
           strcmp(cup_python_type_name(cup_python_type(cup_py.PyTuple_GetItem(tuple, 4))),
                  "bool") == 0;
}

/* The length of the file's path in "file.root:tree"; 0: no part of TEXT ends like a data file. */
static size_t find_path_end(const char *text, size_t bytes)
{
    static const char *const endings[] = {CUP_EVENT_FILE_ENDINGS};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(endings[i]);
        for (size_t end = bytes; end > length; end--) {
            if (end < bytes && text[end] != ':')
                continue;
            if (memcmp(text + end - length, endings[i], length) == 0)
                return end;
        }
    }
    return 0;
}

static enum path_kind classify_path(cup_object *string)
{
    size_t bytes;
    if (cup_py.PySequence_Size(string) >= PATH_LONGEST) /* converting it to UTF-8 may copy it */
        return NO_PATH;
    const char *text = cup_python_utf8(string, &bytes);
    if (bytes < 2 || bytes >= PATH_LONGEST || strlen(text) != bytes || strchr(text, '\n'))
        return NO_PATH;
    if (find_path_end(text, bytes))
        return EVENT_PATH;
    return strchr(text, '/') && cup_path_was_used(text, cup_self.task) ? OPENED_PATH : NO_PATH;
}

/* Both are paths of files with events. */
static bool is_same_file(cup_object *one, cup_object *other)
{
    size_t bytes, other_bytes;
    const char *text = cup_python_utf8(one, &bytes);
    const char *other_text = cup_python_utf8(other, &other_bytes);
    bytes = find_path_end(text, bytes);
    return bytes == find_path_end(other_text, other_bytes) && memcmp(text, other_text, bytes) == 0;
}

static void search_path(struct search *search, cup_object *string)
{
    enum path_kind kind = classify_path(string);
    if (kind > search->path_kind) {
        cup_python_drop(search->path);
        search->path = cup_python_hold(string);
        search->path_kind = kind;
    } else if (kind == EVENT_PATH) {
        search->several_paths |= !is_same_file(search->path, string);
    }
}

static void search_object(struct search *search, cup_object *object, int depth)
{
    if (search->done || depth > DEEPEST || search->left-- <= 0)
        return;
    cup_object *type = cup_python_type(object);
    if (type == cup_py.string_type) {
        search_path(search, object);
        return;
    }
    if (type == cup_py.tuple_type && is_range(object) && search->ranges++ == 0)
        search->range = cup_python_hold(object);
    if (type == cup_py.tuple_type || type == cup_py.list_type) {
        search_items(search, object, depth + 1);
        return;
    }
    if (type == cup_py.dict_type) {
        search_values(search, object, depth + 1);
        return;
    }
    if (cup_item_is_coffea(object, cup_python_type_name(type))) {
        search->done = true;
        return;
    }
    enum known_type known = find_type(object);
    if (known == NODE) {
        search_attribute(search, object, "func", depth + 1);
        search_attribute(search, object, "args", depth + 1);
        search_attribute(search, object, "kwargs", depth + 1);
    } else if (known == DATA) {
        search_attribute(search, object, "value", depth + 1);
    } else if (known == SUBGRAPH) {
        search_attribute(search, object, "dsk", depth + 1);
    } else if (known != TYPES && !search->reader) {
        search->reader = cup_python_hold(object);
        search->reader_type = known;
    }
}

/* ---- what was found ---------------------------------------------------------------------- */

static int64_t read_integer(cup_object *tuple, int at)
{
    return cup_python_integer(cup_py.PyTuple_GetItem(tuple, at), -1);
}

/* The file and the name of a tree that the client opened. */
static void describe_tree(cup_object *tree, struct cup_r_item *found)
{
    CUP_OWNED cup_object *file = cup_python_kept(tree, "_file");
    CUP_OWNED cup_object *path = cup_python_kept(file, "_file_path");
    CUP_OWNED cup_object *name = cup_uproot_name(tree);
    found->file = cup_log_python_str(path);
    found->tree = cup_log_python_str(name);
}

static void describe_opened(const struct search *search, struct cup_r_item *found)
{
    CUP_OWNED cup_object *trees = cup_python_kept(search->reader, "ttrees");
    int64_t at = read_integer(search->range, 0);
    if (trees && cup_python_type(trees) == cup_py.list_type && at >= 0 &&
        at < cup_py.PySequence_Size(trees))
        describe_tree(cup_py.PyList_GetItem(trees, (ssize_t)at), found);
    found->entry_start = read_integer(search->range, 1);
    found->entry_stop = read_integer(search->range, 2);
}

/* If the range is given in steps, the entries depend on the file's number of entries: unknown
 * here. */
static void describe_to_be_opened(const struct search *search, struct cup_r_item *found)
{
    found->file = cup_log_python_str(cup_py.PyTuple_GetItem(search->range, 0));
    found->tree = cup_log_python_str(cup_py.PyTuple_GetItem(search->range, 1));
    if (cup_python_integer(cup_py.PyTuple_GetItem(search->range, 4), 0) != 1)
        return;
    found->entry_start = read_integer(search->range, 2);
    found->entry_stop = read_integer(search->range, 3);
}

/* A task with two ranges (a join of two reads) is not recorded. */
static void record_read(const struct search *search)
{
    enum { OPENED = 3 };
    struct cup_r_item found = {.kind = CUP_ITEM_READ, .entry_start = -1, .entry_stop = -1};
    bool opened = search->reader_type == READ || search->reader_type == READ_NUMPY;
    if (search->ranges != 1 || (cup_py.PyTuple_Size(search->range) == OPENED) != opened)
        return;
    if (opened)
        describe_opened(search, &found);
    else
        describe_to_be_opened(search, &found);
    if (found.file)
        record_item(found);
}

static void record_path(const struct search *search)
{
    size_t bytes;
    const char *text = cup_python_utf8(search->path, &bytes);
    size_t of_file = find_path_end(text, bytes);
    struct cup_r_item found = {
        .kind = search->several_paths ? CUP_ITEM_PATHS : CUP_ITEM_PATH,
        .file = cup_log_string(text, of_file ? of_file : bytes),
        .tree = of_file && of_file + 1 < bytes
                    ? cup_log_string(text + of_file + 1, bytes - of_file - 1)
                    : 0,
        .entry_start = -1,
        .entry_stop = -1,
    };
    if (found.file)
        record_item(found);
}

void cup_item_find(cup_object *const *what, int count)
{
    struct search search = {.left = MOST_OBJECTS};
    for (int i = 0; i < count; i++)
        if (what[i])
            search_object(&search, what[i], 0);
    if (!search.done && !item_kind && search.reader)
        record_read(&search);
    else if (!search.done && !item_kind && search.path)
        record_path(&search);
    cup_python_drop(search.reader);
    cup_python_drop(search.range);
    cup_python_drop(search.path);
}
