#include "preload/coffea/coffea_columns.h"

#include "preload/log/log.h"

#include <string.h>

/* All of this is done with the GIL held; `busy` is for Python code that a look at an unknown kind
 * of access might run. */
enum { COLUMNS = 4096, SLOTS = 2 * COLUMNS, SETS = 256, LONGEST = 1024 };

static struct {
    struct {
        uint64_t hash; /* of branch and use; 0: free */
        uint32_t name; /* string */
        uint32_t round;
    } columns[SLOTS];
    struct {
        uint64_t hash;
        uint32_t count, id;
    } sets[SETS];
    uint32_t column_count, set_count, last_id;
    uint32_t round; /* number of the access log that is looked at */
    uint32_t members[COLUMNS];
    uint32_t member_count;
    uint64_t set_hash; /* sum over its members: in no order */
    bool busy;
} known;

void cup_columns_reset(void)
{
    memset(&known, 0, sizeof known);
}

/* ---- one access -------------------------------------------------------------------------- */

struct access {
    const char *branch, *use; /* use: part of the buffer key, still quoted */
    size_t branch_bytes, use_bytes;
    bool named; /* has a use */
};

/* The fourth of the parts between slashes. */
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

static const char *text_of(cup_object *object, size_t *bytes)
{
    ssize_t length = 0;
    if (!object || cup_python_type(object) != cup_py.string_type)
        return NULL;
    const char *text = cup_py.PyUnicode_AsUTF8AndSize(object, &length);
    if (!text)
        cup_py.PyErr_Clear();
    *bytes = (size_t)length;
    return text;
}

/* Where the accesses of one type have their parts. Named tuples have them among their items, which
 * is found out by comparing: asking for two attributes costs more than all the rest. */
enum { ENOUGH = 4 };
static struct {
    cup_object *type; /* kept, so that its address stays its own */
    ssize_t branch, key;
    int agreed; /* accesses for which both ways gave the same; -1: never read by place */
} places;

static ssize_t place_of(cup_object *tuple, const cup_object *item)
{
    ssize_t size = cup_py.PyTuple_Size(tuple), found = -1;
    for (ssize_t i = 0; i < size; i++)
        if (cup_py.PyTuple_GetItem(tuple, i) == item)
            found = found < 0 ? i : size; /* twice: which is it? */
    return found < size ? found : -1;
}

static void learn_places(cup_object *object, const cup_object *branch, const cup_object *key)
{
    cup_object *type = cup_python_type(object);
    if (type != places.type) {
        cup_py.Py_IncRef(type);
        cup_python_drop(places.type);
        places.type = type;
        places.agreed = cup_py.PyType_IsSubtype(type, cup_py.tuple_type) ? 0 : -1;
        places.branch = places.key = -1;
    }
    if (places.agreed < 0 || !branch || !key)
        return;
    ssize_t at = place_of(object, branch), key_at = place_of(object, key);
    bool same = !places.agreed || (at == places.branch && key_at == places.key);
    places.branch = at;
    places.key = key_at;
    places.agreed = same && at >= 0 && key_at >= 0 ? places.agreed + 1 : -1;
}

static bool read_parts(cup_object *branch, cup_object *key, struct access *access)
{
    size_t bytes = 0;
    const char *text = text_of(key, &bytes);
    access->branch = text_of(branch, &access->branch_bytes);
    if (text)
        find_use(access, text, bytes);
    return access->branch && access->named;
}

/* An access is a tuple of a branch and a buffer key, or a name. Texts stay where they are, in the
 * strings, which the list holds. */
static bool read_access(cup_object *object, struct access *access)
{
    *access = (struct access){0};
    if (cup_python_type(object) == places.type && places.agreed >= ENOUGH)
        return read_parts(cup_py.PyTuple_GetItem(object, places.branch),
                          cup_py.PyTuple_GetItem(object, places.key), access);
    access->branch = text_of(object, &access->branch_bytes);
    if (access->branch)
        return true;
    cup_object *branch = cup_python_attribute(object, "branch");
    cup_object *key = cup_python_attribute(object, "buffer_key");
    bool read = read_parts(branch, key, access);
    learn_places(object, branch, key);
    cup_python_drop(key);
    cup_python_drop(branch);
    return read;
}

static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t count)
{
    enum { WORD = 8 };
    for (; count >= WORD; bytes += WORD, count -= WORD) {
        uint64_t word;
        memcpy(&word, bytes, WORD);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    uint64_t rest = count;
    memcpy(&rest, bytes, count);
    hash = (hash ^ rest ^ (uint64_t)count << 56) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

static uint64_t hash_access(const struct access *access)
{
    uint64_t hash = hash_bytes(access->named, access->branch, access->branch_bytes);
    if (access->named)
        hash = hash_bytes(hash, access->use, access->use_bytes);
    return hash ? hash : 1;
}

static int hex(char digit)
{
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
           : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                          : -1;
}

/* Without the %XX of URLs. */
static size_t unquote(const char *text, size_t bytes, char *to, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < bytes && used < room; i++) {
        int high = text[i] == '%' && i + 2 < bytes ? hex(text[i + 1]) : -1;
        int low = high < 0 ? -1 : hex(text[i + 2]);
        to[used++] = low < 0 ? text[i] : (char)(high << 4 | low);
        i += low < 0 ? 0 : 2;
    }
    return used;
}

/* As Coffea's report has it. */
static uint32_t name_of(const struct access *access)
{
    char name[LONGEST];
    size_t bytes = access->branch_bytes < LONGEST - 1 ? access->branch_bytes : LONGEST - 1;
    memcpy(name, access->branch, bytes);
    if (access->named) {
        name[bytes++] = '-';
        bytes += unquote(access->use, access->use_bytes, name + bytes, LONGEST - bytes);
    }
    return cup_log_string(name, bytes);
}

/* ---- sets -------------------------------------------------------------------------------- */

/* False: there are too many different columns, or the string table is full. */
static bool add(const struct access *access)
{
    uint64_t hash = hash_access(access);
    size_t at = hash % SLOTS;
    while (known.columns[at].hash && known.columns[at].hash != hash)
        at = (at + 1) % SLOTS;
    if (!known.columns[at].hash) {
        uint32_t name = known.column_count < COLUMNS ? name_of(access) : 0;
        if (!name)
            return false;
        known.columns[at].hash = hash;
        known.columns[at].name = name;
        known.column_count++;
    }
    if (known.columns[at].round == known.round)
        return true;
    known.columns[at].round = known.round;
    known.members[known.member_count++] = known.columns[at].name;
    known.set_hash += hash * (hash >> 7 | 1);
    return true;
}

static uint32_t write_set(void)
{
    size_t tail = known.member_count * sizeof *known.members;
    struct cup_r_columns *record = cup_log_reserve(sizeof *record, tail);
    if (!record)
        return 0;
    record->id = ++known.last_id;
    record->count = known.member_count;
    memcpy(record + 1, known.members, tail);
    cup_log_commit(record, CUP_R_COLUMNS);
    return known.last_id;
}

/* Its id: of the record that is there, or of a new one. */
static uint32_t find_set(void)
{
    for (uint32_t i = 0; i < known.set_count; i++)
        if (known.sets[i].hash == known.set_hash && known.sets[i].count == known.member_count)
            return known.sets[i].id;
    uint32_t id = write_set();
    if (id && known.set_count < SETS) { /* else it is written each time */
        known.sets[known.set_count].hash = known.set_hash;
        known.sets[known.set_count].count = known.member_count;
        known.sets[known.set_count++].id = id;
    }
    return id;
}

static bool add_all(cup_object *accesses)
{
    ssize_t size = cup_py.PySequence_Size(accesses);
    bool fine = true;
    for (ssize_t i = 0; i < size && fine; i++) {
        struct access access;
        cup_object *object = cup_py.PyList_GetItem(accesses, i);
        if (object) /* Python code that a look may run may change the list */
            cup_py.Py_IncRef(object);
        fine = object && read_access(object, &access) && add(&access);
        cup_python_drop(object);
    }
    if (cup_py.PyErr_Occurred())
        cup_py.PyErr_Clear();
    return fine && size >= 0;
}

uint32_t cup_columns_of(cup_object *accesses)
{
    if (!accesses || cup_python_type(accesses) != cup_py.list_type || known.busy)
        return 0;
    known.busy = true;
    known.round++;
    known.member_count = 0;
    known.set_hash = 0;
    uint32_t id = add_all(accesses) ? find_set() : 0;
    known.busy = false;
    return id;
}
