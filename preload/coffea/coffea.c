#include "preload/coffea/coffea.h"

#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/log/python_strings.h"
#include "preload/sys/id_table.h"
#include "preload/sys/raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns that a chunk accessed, as Coffea's report lists them. Most chunks access the same
 * columns, so the log gets each set of columns once (COLUMNS record). */

enum { COLUMNS = 4096, SETS = 256, LONGEST = 1024 };

/* Protected by the GIL; busy keeps other threads out while reading an access of an unusual type
 * runs Python code. */
static struct {
    struct cup_id_table column_ids; /* hash of branch and use: index in columns + 1 */
    struct cup_id_table set_ids;    /* hash and number of members: COLUMNS record */
    struct {
        uint32_t name;  /* string */
        uint32_t round; /* of the last access log that contained it */
    } columns[COLUMNS];
    uint32_t column_count, last_set;
    uint32_t round; /* number of the access log that is being read */
    uint32_t members[COLUMNS];
    uint32_t member_count;
    uint64_t set_hash; /* a sum over the members, so that their order does not matter */
    bool busy;
    bool versions; /* are in the log */
} known;

void cup_coffea_child_begins(void)
{
    cup_id_table_reset(&known.column_ids);
    cup_id_table_reset(&known.set_ids);
    cup_raw_clear(&known, sizeof known);
}

/* ---- one access -------------------------------------------------------------------------- */

struct access {
    const char *branch, *use; /* use: a part of the buffer key, with %XX escapes */
    size_t branch_bytes, use_bytes;
    bool named; /* it has a use */
};

/* The use is the fourth part of the buffer key, between slashes. */
static void find_use(struct access *access, const char *key, size_t bytes)
{
    const char *end = key + bytes, *from = key;
    for (int part = 0; part < 3 && from; part++) {
        from = memchr(from, '/', (size_t)(end - from));
        from += from != NULL;
    }
    const char *to = from ? memchr(from, '/', (size_t)(end - from)) : NULL;
    access->use = from;
    access->use_bytes = from ? (size_t)((to ? to : end) - from) : 0;
    access->named = from != NULL;
}

/* Coffea's accesses are named tuples. Reading a tuple's item by index is much cheaper than reading
 * an attribute by name, so the indexes of branch and buffer key are learned: for the first accesses
 * both ways are tried and compared. */
enum { ENOUGH = 4 };
static struct {
    cup_object *type; /* a reference is held, so no other type can take this address */
    ssize_t branch, key;
    int agreed; /* accesses where both ways agreed; -1: they did not, read attributes only */
} places;

/* The item's index in the tuple; -1: it is not in it, or twice. */
static ssize_t find_place(cup_object *tuple, const cup_object *item)
{
    ssize_t size = cup_py.PyTuple_Size(tuple), found = -1;
    for (ssize_t i = 0; i < size; i++)
        if (cup_py.PyTuple_GetItem(tuple, i) == item)
            found = found < 0 ? i : size;
    return found < size ? found : -1;
}

static void learn_places(cup_object *object, const cup_object *branch, const cup_object *key)
{
    cup_object *type = cup_python_type(object);
    if (type != places.type) {
        cup_python_drop(places.type);
        places.type = cup_python_hold(type);
        places.agreed = cup_py.PyType_IsSubtype(type, cup_py.tuple_type) ? 0 : -1;
        places.branch = places.key = -1;
    }
    if (places.agreed < 0 || !branch || !key)
        return;
    ssize_t at = find_place(object, branch), key_at = find_place(object, key);
    bool same = !places.agreed || (at == places.branch && key_at == places.key);
    places.branch = at;
    places.key = key_at;
    places.agreed = same && at >= 0 && key_at >= 0 ? places.agreed + 1 : -1;
}

static bool read_parts(cup_object *branch, cup_object *key, struct access *access)
{
    size_t bytes = 0;
    const char *text = cup_python_utf8(key, &bytes);
    access->branch = cup_python_utf8(branch, &access->branch_bytes);
    if (text)
        find_use(access, text, bytes);
    return access->branch && access->named;
}

/* An access is a named tuple of a branch and a buffer key, or, before Coffea 2026, a name. The
 * texts of ACCESS point into the str objects, which the list keeps alive. */
static bool read_access(cup_object *object, struct access *access)
{
    *access = (struct access){0};
    if (cup_python_type(object) == places.type && places.agreed >= ENOUGH)
        return read_parts(cup_py.PyTuple_GetItem(object, places.branch),
                          cup_py.PyTuple_GetItem(object, places.key), access);
    access->branch = cup_python_utf8(object, &access->branch_bytes);
    if (access->branch)
        return true;
    CUP_OWNED cup_object *branch = cup_python_attribute(object, "branch");
    CUP_OWNED cup_object *key = cup_python_attribute(object, "buffer_key");
    learn_places(object, branch, key);
    return read_parts(branch, key, access);
}

static struct cup_hash hash_access(const struct access *access)
{
    struct cup_hash hash = {access->named, 0};
    hash = cup_hash_bytes(hash, access->branch, access->branch_bytes);
    return cup_hash_bytes(hash, access->use, access->use_bytes);
}

static int decode_hex(char digit)
{
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
           : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                          : -1;
}

/* Decodes %XX escapes. Returns the length. */
static size_t decode_escapes(const char *text, size_t bytes, char *to, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < bytes && used < room; i++) {
        int high = text[i] == '%' && i + 2 < bytes ? decode_hex(text[i + 1]) : -1;
        int low = high < 0 ? -1 : decode_hex(text[i + 2]);
        to[used++] = low < 0 ? text[i] : (char)(high << 4 | low);
        i += low < 0 ? 0 : 2;
    }
    return used;
}

/* The column's name as Coffea's report writes it: "branch", or "branch-use". */
static uint32_t log_name(const struct access *access)
{
    char name[LONGEST];
    size_t bytes = access->branch_bytes < LONGEST - 1 ? access->branch_bytes : LONGEST - 1;
    memcpy(name, access->branch, bytes);
    if (access->named) {
        name[bytes++] = '-';
        bytes += decode_escapes(access->use, access->use_bytes, name + bytes, LONGEST - bytes);
    }
    return cup_log_string(name, bytes);
}

/* ---- sets -------------------------------------------------------------------------------- */

/* The index of a column in known.columns + 1; 0: too many columns, or the log is full. */
static uint32_t find_column(const struct access *access, struct cup_hash hash)
{
    const struct cup_id_entry *entry = cup_id_find(&known.column_ids, hash.key, hash.more);
    if (entry)
        return entry->id;
    uint32_t name = cup_id_room(&known.column_ids, 1, COLUMNS) ? log_name(access) : 0;
    if (!name)
        return 0;
    known.columns[known.column_count++].name = name;
    cup_id_add(&known.column_ids, hash.key, hash.more, known.column_count);
    return known.column_count;
}

static bool add_member(const struct access *access)
{
    struct cup_hash hash = hash_access(access);
    uint32_t column = find_column(access, hash);
    if (!column)
        return false;
    if (known.columns[column - 1].round == known.round)
        return true;
    known.columns[column - 1].round = known.round;
    known.members[known.member_count++] = known.columns[column - 1].name;
    known.set_hash += hash.key * (hash.key >> 7 | 1);
    return true;
}

static uint32_t write_set(void)
{
    const struct cup_r_columns set = {.id = known.last_set + 1, .count = known.member_count};
    size_t tail = known.member_count * sizeof *known.members;
    return cup_log_write(CUP_R_COLUMNS, &set, known.members, tail) ? ++known.last_set : 0;
}

/* The id of the set's COLUMNS record, written on first use (and on each use beyond SETS sets). */
static uint32_t find_set(void)
{
    const struct cup_id_entry *entry =
        cup_id_find(&known.set_ids, known.set_hash, known.member_count);
    if (entry)
        return entry->id;
    uint32_t id = write_set();
    if (id && cup_id_room(&known.set_ids, 1, SETS))
        cup_id_add(&known.set_ids, known.set_hash, known.member_count, id);
    return id;
}

static bool add_members(cup_object *accesses)
{
    ssize_t size = cup_py.PySequence_Size(accesses);
    bool fine = true;
    for (ssize_t i = 0; i < size && fine; i++) {
        struct access access;
        /* held, because reading it may run Python code, which may change the list */
        CUP_OWNED cup_object *object = cup_python_hold(cup_py.PyList_GetItem(accesses, i));
        fine = object && read_access(object, &access) && add_member(&access);
    }
    if (cup_py.PyErr_Occurred())
        cup_py.PyErr_Clear();
    return fine && size >= 0;
}

/* The id of the set of columns in Coffea's access log: a list of accesses (branch and buffer key),
 * before Coffea 2026 a list of names. 0: ACCESSES is NULL or no such list, or the log is full. */
static uint32_t find_columns(cup_object *accesses)
{
    if (!accesses || cup_python_type(accesses) != cup_py.list_type || known.busy)
        return 0;
    known.busy = true;
    known.round++;
    known.member_count = 0;
    known.set_hash = 0;
    uint32_t id = add_members(accesses) ? find_set() : 0;
    known.busy = false;
    return id;
}

/* ---- what Coffea reports of a chunk ------------------------------------------------------ */

/* object.NAME, or, if there is no such attribute, object.PROPERTY, whose getter may run Python
 * code. */
static cup_object *read_part(cup_object *object, const char *name, const char *property)
{
    cup_object *part = cup_python_attribute(object, name);
    return part ? part : cup_python_attribute(object, property);
}

/* The bytes that uproot requested so far: the count from which Coffea computes its bytesread.
 * Unknown for a file that is no uproot directory (Parquet). */
static uint64_t read_requested_bytes(cup_object *directory)
{
    CUP_OWNED cup_object *file = read_part(directory, "_file", "file");
    CUP_OWNED cup_object *source = read_part(file, "_source", "source");
    int64_t bytes = cup_python_integer_at(source, "_num_requested_bytes", -1);
    return bytes < 0 ? CUP_UNKNOWN64 : (uint64_t)bytes;
}

static uint64_t count_entries(cup_object *item)
{
    int64_t start = cup_python_integer_at(item, "entrystart", -1);
    int64_t stop = cup_python_integer_at(item, "entrystop", -1);
    return start < 0 || stop < start ? CUP_UNKNOWN64 : (uint64_t)(stop - start);
}

void cup_coffea_report(struct cup_frame frame, cup_object *item, cup_object **locals)
{
    CUP_OWNED cup_object *file = cup_frames_local(frame, "file", locals);
    CUP_OWNED cup_object *accessed = cup_frames_local(frame, "materialized", locals);
    const struct cup_r_chunk_report record = {.task = cup_self.task,
                                              .columns = find_columns(accessed),
                                              .requested_bytes = read_requested_bytes(file),
                                              .entries = count_entries(item)};
    cup_log_write(CUP_R_CHUNK_REPORT, &record, NULL, 0);
}

/* Parsl sets these variables in each worker of its HighThroughputExecutor. Needs the GIL, as each
 * change of os.environ does. */
static void note_parsl_worker(void)
{
    char text[128];
    const char *block = getenv("PARSL_WORKER_BLOCK_ID"), *rank = getenv("PARSL_WORKER_RANK");
    if (!block || !rank)
        return;
    snprintf(text, sizeof text, "block %.32s, rank %.32s", block, rank);
    cup_log_info(CUP_INFO_PARSL_WORKER, text);
}

void cup_coffea_note_versions(void)
{
    static const char *const modules[] = {"coffea", "uproot", "awkward", "numpy"};
    if (known.versions)
        return;
    known.versions = true;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        cup_log_python_version(modules[i]);
    note_parsl_worker();
}
