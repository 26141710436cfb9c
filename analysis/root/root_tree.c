#include "analysis/root/root_tree.h"

#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/root/root_bytes.h"

/* The state while a tree is read. In a hostile file, objects may refer to each other in circles.
 * In a sound file each object is stored once, so all objects together are at most as large as the
 * record: LEFT starts as the size of the record, and each object takes its size from it. */
struct reading {
    const unsigned char *start, *end;
    uint64_t key_bytes;
    uint64_t left; /* bytes */
    struct cup_root_tree *tree;
    size_t room; /* for branches */
    struct cup_error *error;
};
enum { MOST_DEPTH = 64 };

static int damaged(struct reading *reading)
{
    return cup_error_set(reading->error, "", CUP_NO_OFFSET, "the tree's record is damaged");
}

static bool skip_bytes(struct reading *reading, uint64_t bytes)
{
    bool enough = bytes <= reading->left;
    reading->left -= enough ? bytes : 0;
    return enough;
}

/* ---- objects in lists --------------------------------------------------------------------- */

enum { NEW_CLASS = 0xffffffff, IS_CLASS = 0x80000000, MAP_OFFSET = 2 };

/* Returns a cursor to the object that a reference refers to. The cursor has failed if the
 * reference is invalid. */
static struct cup_bytes follow_reference(const struct reading *reading, uint64_t reference)
{
    uint64_t size = (uint64_t)(reading->end - reading->start);
    uint64_t before = MAP_OFFSET + reading->key_bytes;
    if (reference < before || reference - before >= size)
        return (struct cup_bytes){reading->end, reading->end, true};
    return (struct cup_bytes){reading->start + (reference - before), reading->end, false};
}

static struct cup_text take_class(struct cup_bytes *bytes)
{
    const void *nul = bytes->failed ? NULL : memchr(bytes->at, 0, (size_t)(bytes->end - bytes->at));
    const char *name = (const char *)bytes->at;
    cup_bytes_skip(bytes,
                   nul ? (uint64_t)((const unsigned char *)nul - bytes->at) + 1 : UINT64_MAX);
    return bytes->failed ? (struct cup_text){0}
                         : (struct cup_text){name, (size_t)((const char *)nul - name)};
}

/* Reads the class of an object after its byte count: a name, or a reference to an earlier name. The
 * object follows. */
static struct cup_text take_tag(const struct reading *reading, struct cup_bytes *bytes)
{
    uint64_t tag = cup_bytes_take(bytes, 4);
    if (tag == NEW_CLASS)
        return take_class(bytes);
    struct cup_bytes there = follow_reference(reading, tag & (IS_CLASS - 1));
    bytes->failed |= !(tag & IS_CLASS) || cup_bytes_take(&there, 4) != NEW_CLASS;
    struct cup_text class = take_class(&there);
    bytes->failed |= there.failed;
    return class;
}

/* The next object of a list: none, an object at this place, or a reference to one elsewhere. */
static struct cup_bytes take_item(const struct reading *reading, struct cup_bytes *list, bool *none)
{
    uint64_t count = cup_bytes_take(list, 4);
    *none = list->failed || count == 0;
    if (*none)
        return (struct cup_bytes){list->end, list->end, true};
    struct cup_bytes item = *list;
    if (count & CUP_ROOT_HAS_COUNT) {
        cup_bytes_skip(list, count & (CUP_ROOT_HAS_COUNT - 1));
    } else {
        item = follow_reference(reading, count);
        item.failed |= !(cup_bytes_take(&item, 4) & CUP_ROOT_HAS_COUNT);
    }
    return item;
}

/* Reads the head of a TObjArray; *count objects follow. */
static struct cup_bytes take_list(struct cup_bytes *bytes, uint64_t *count)
{
    unsigned version;
    struct cup_bytes list = cup_bytes_take_object(bytes, &version);
    cup_bytes_skip_tobject(&list);
    cup_bytes_take_text(&list); /* name */
    *count = cup_bytes_take(&list, 4);
    cup_bytes_skip(&list, 4); /* lower bound */
    if (list.failed)
        *count = 0;
    return list;
}

/* ---- clusters: entries at which all branches begin a new basket ------------------------- */

static uint64_t entry_at(const unsigned char *entries, unsigned width, uint64_t index)
{
    uint64_t entry = 0;
    for (unsigned i = 0; i < width; i++)
        entry = entry << 8 | entries[index * width + i];
    return entry;
}

static int copy_borders(struct cup_root_tree *tree, const unsigned char *entries, unsigned width,
                        uint64_t count)
{
    tree->borders = malloc((size_t)count * sizeof *tree->borders);
    if (!tree->borders)
        return -1;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t entry = entry_at(entries, width, i), kept = tree->border_count;
        if (kept == 0 || entry > tree->borders[kept - 1])
            tree->borders[tree->border_count++] = entry;
    }
    return 0;
}

/* Removes all borders at which no basket of this branch begins; the first branch sets them. ENTRIES
 * are the first entries of its baskets: COUNT big-endian numbers of WIDTH bytes. Both lists are
 * sorted in a sound file. If damaged ones are not, some borders are missed. Returns 0, or -1
 * without memory. */
static int intersect_tree_borders(struct cup_root_tree *tree, const unsigned char *entries,
                                  unsigned width, uint64_t count)
{
    if (!tree->borders)
        return copy_borders(tree, entries, width, count);
    size_t kept = 0;
    uint64_t at = 0;
    for (size_t i = 0; i < tree->border_count; i++) {
        while (at < count && entry_at(entries, width, at) < tree->borders[i])
            at++;
        if (at < count && entry_at(entries, width, at) == tree->borders[i])
            tree->borders[kept++] = tree->borders[i];
    }
    tree->border_count = kept;
    return 0;
}

static int by_number(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Returns the most frequent of sorted values; of several that are equally frequent, the largest. */
static uint64_t most_frequent(const uint64_t *values, size_t count)
{
    size_t longest = 0, first = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i] != values[first])
            first = i;
        if (i - first + 1 >= longest) {
            longest = i - first + 1;
            most = values[i];
        }
    }
    return most;
}

/* Sets tree->cluster_entries, when all branches were added. Returns 0, or -1 without memory. */
static int measure_clusters(struct cup_root_tree *tree)
{
    if (tree->border_count < 2)
        return 0;
    size_t count =
        tree->border_count - 1; /* the last cluster may be shorter, so it does not count */
    uint64_t *sizes = malloc(count * sizeof *sizes);
    if (!sizes)
        return -1;
    for (size_t i = 0; i < count; i++)
        sizes[i] = tree->borders[i + 1] - tree->borders[i];
    qsort(sizes, count, sizeof *sizes, by_number);
    tree->cluster_entries = most_frequent(sizes, count);
    free(sizes);
    return 0;
}

uint64_t cup_root_cluster_start(const struct cup_root_tree *tree, uint64_t entry)
{
    size_t low = 0, high = tree->border_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tree->borders[middle] <= entry)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? tree->borders[low - 1] : 0;
}

/* ---- branches ----------------------------------------------------------------------------- */

/* The members of a TBranch that are needed. */
struct members {
    struct cup_root_branch branch;
    uint64_t written, most; /* fWriteBasket, fMaxBaskets */
    struct cup_bytes branches;
    uint64_t branch_count;
    unsigned version;
};

/* Old versions stored these numbers as floating point. */
static uint64_t take_number(struct cup_bytes *bytes, bool whole)
{
    uint64_t raw = cup_bytes_take(bytes, 8);
    double real;
    if (whole)
        return raw;
    memcpy(&real, &raw, sizeof real);
    return real >= 0 && real < 1e18 ? (uint64_t)real : 0;
}

static void take_numbers(struct cup_bytes *bytes, struct members *members)
{
    unsigned version = members->version;
    members->branch.compression = (int32_t)cup_bytes_take(bytes, 4);
    cup_bytes_skip(bytes, 8); /* sizes of baskets and offsets */
    members->written = cup_bytes_take(bytes, 4);
    cup_bytes_skip(bytes, version >= 10 ? 8 : 4); /* number of the last entry */
    if (version >= 13)
        cup_bytes_skip_object(bytes); /* fIOFeatures */
    cup_bytes_skip(bytes, 4);         /* offset */
    members->most = cup_bytes_take(bytes, 4);
    cup_bytes_skip(bytes, 4); /* split level */
    members->branch.entries = take_number(bytes, version >= 10);
    if (version >= 11)
        cup_bytes_skip(bytes, 8); /* first entry */
    members->branch.uncompressed_bytes = take_number(bytes, version >= 10);
    take_number(bytes, version >= 10); /* fZipBytes */
}

static uint64_t count_items(const struct reading *reading, struct cup_bytes list, uint64_t count)
{
    uint64_t there = 0;
    for (uint64_t i = 0; i < count && !list.failed; i++) {
        bool none;
        take_item(reading, &list, &none);
        there += !none;
    }
    return there;
}

/* Returns a cursor to an array of COUNT numbers of WIDTH bytes and moves BYTES behind it. The
 * array has one number for each basket that the branch has room for. */
static struct cup_bytes take_array(struct cup_bytes *bytes, uint64_t count, unsigned width)
{
    struct cup_bytes array = *bytes;
    cup_bytes_skip(bytes, count * width);
    array.failed = bytes->failed;
    return array;
}

/* Embedded baskets (inside the record of the tree) may be copies of baskets in the file. They do
 * not count if the baskets in the file already have all entries. */
static void drop_copies(struct members *members, struct cup_bytes entries, unsigned width)
{
    struct cup_root_branch *branch = &members->branch;
    cup_bytes_skip(&entries, branch->baskets * width);
    if (branch->baskets < members->most && cup_bytes_take(&entries, width) == branch->entries)
        branch->embedded_baskets = 0;
}

/* Removes the borders that this branch does not have. Embedded baskets follow those in the file,
 * so the first of them has a border, too. */
static int intersect_borders(struct reading *reading, const struct members *members,
                             const unsigned char *entries, unsigned width)
{
    uint64_t begun = members->branch.baskets + (members->branch.embedded_baskets > 0);
    if (begun > members->most)
        begun = members->most;
    return begun == 0 || intersect_tree_borders(reading->tree, entries, width, begun) == 0
               ? 0
               : cup_error_memory(reading->error, "");
}

/* fBasketBytes, fBasketEntry and fBasketSeek; a byte before each says whether it is there. */
static int take_baskets(struct reading *reading, struct cup_bytes *bytes, struct members *members)
{
    unsigned wide = members->version >= 10 ? 8 : 4;
    cup_bytes_skip(bytes, 1);
    struct cup_bytes sizes = take_array(bytes, members->most, 4);
    cup_bytes_skip(bytes, 1);
    struct cup_bytes entries = take_array(bytes, members->most, wide);
    unsigned seek_wide = cup_bytes_take(bytes, 1) == 2 ? 8 : wide;
    struct cup_bytes seeks = take_array(bytes, members->most, seek_wide);
    struct cup_root_branch *branch = &members->branch;
    if (bytes->failed || !skip_bytes(reading, members->most * (4 + wide + seek_wide)))
        return damaged(reading);
    while (branch->baskets < members->most && branch->baskets < members->written &&
           cup_bytes_take(&seeks, seek_wide) != 0) {
        branch->compressed_bytes += cup_bytes_take(&sizes, 4);
        branch->baskets++;
    }
    drop_copies(members, entries, wide);
    return intersect_borders(reading, members, entries.at, wide);
}

static int add_branch(struct reading *reading, const struct cup_root_branch *branch)
{
    struct cup_root_tree *tree = reading->tree;
    if (branch->baskets + branch->embedded_baskets == 0)
        return 0; /* it only groups other branches, or is empty */
    if (cup_array_grow(&tree->branches, &reading->room, tree->branch_count, sizeof *branch) != 0)
        return cup_error_memory(reading->error, "");
    tree->branches[tree->branch_count++] = *branch;
    return 0;
}

/* Reads the members of a TBranch. BYTES is at the begin of the TBranch, which may be the base of
 * another class. */
static int take_members(struct reading *reading, struct cup_bytes *bytes, struct members *members)
{
    unsigned version;
    uint64_t count;
    struct cup_bytes own = cup_bytes_take_object(bytes, &members->version);
    if (!own.failed && (members->version < 8 || members->version > 13))
        return cup_error_set(reading->error, "", CUP_NO_OFFSET,
                             "its branches are of version %u, which is not known here",
                             members->version);
    struct cup_bytes named = cup_bytes_take_object(&own, &version);
    cup_bytes_skip_tobject(&named);
    struct cup_text name = cup_bytes_take_text(&named);
    members->branch.name = name.bytes;
    members->branch.name_bytes = name.length;
    cup_bytes_skip_object(&own); /* TAttFill */
    take_numbers(&own, members);
    members->branches = take_list(&own, &members->branch_count);
    cup_bytes_skip_object(&own); /* leaves */
    struct cup_bytes embedded = take_list(&own, &count);
    if (named.failed || own.failed || !skip_bytes(reading, (uint64_t)(embedded.end - embedded.at)))
        return damaged(reading);
    members->branch.embedded_baskets = count_items(reading, embedded, count);
    return take_baskets(reading, &own, members);
}

static int take_branches(struct reading *reading, struct cup_bytes list, uint64_t count,
                         unsigned depth);

static int take_branch(struct reading *reading, struct cup_bytes item, unsigned depth)
{
    static const char *const derived[] = {"TBranchElement", "TBranchObject", "TBranchRef",
                                          "TBranchSTL"};
    struct members members = {0};
    unsigned version, i = 0;
    struct cup_text class = take_tag(reading, &item);
    while (i < sizeof derived / sizeof *derived && !cup_text_is(class, derived[i]))
        i++;
    if (item.failed || depth > MOST_DEPTH || !skip_bytes(reading, 1))
        return damaged(reading);
    if (i < sizeof derived / sizeof *derived)
        item = cup_bytes_take_object(&item, &version);
    else if (!cup_text_is(class, "TBranch"))
        return cup_error_set(reading->error, "", CUP_NO_OFFSET,
                             "it has branches of class %.*s, which is not known here",
                             class.length < 100 ? (int)class.length : 100, class.bytes);
    if (take_members(reading, &item, &members) != 0 || add_branch(reading, &members.branch) != 0)
        return -1;
    return take_branches(reading, members.branches, members.branch_count, depth + 1);
}

static int take_branches(struct reading *reading, struct cup_bytes list, uint64_t count,
                         unsigned depth)
{
    for (uint64_t i = 0; i < count && !list.failed; i++) {
        bool none;
        struct cup_bytes item = take_item(reading, &list, &none);
        if (!none && take_branch(reading, item, depth) != 0)
            return -1;
    }
    return list.failed ? damaged(reading) : 0;
}

/* ---- the tree ----------------------------------------------------------------------------- */

enum { GEANT4 = 5, OLDEST = 16, NEWEST = 20 }; /* versions; Geant4 writes files by itself */

/* Reads the members of a TTree that come after its base classes and before its list of branches. */
static void take_tree_numbers(struct cup_bytes *bytes, unsigned version, struct cup_root_tree *tree)
{
    tree->entries = take_number(bytes, version >= OLDEST);
    tree->uncompressed_bytes = take_number(bytes, version >= OLDEST);
    tree->compressed_bytes = take_number(bytes, version >= OLDEST);
    if (version == GEANT4) {
        cup_bytes_skip(bytes, 8 + 7 * 4);
        return;
    }
    cup_bytes_skip(bytes, version >= 18 ? 16 : 8); /* bytes saved, and flushed */
    cup_bytes_skip(bytes, 8 + 3 * 4);              /* weight, timer, scan, update */
    cup_bytes_skip(bytes, version >= 17 ? 4 : 0);  /* length of offsets */
    uint64_t ranges = version >= 19 ? cup_bytes_take(bytes, 4) : 0;
    cup_bytes_skip(bytes, 4 * 8); /* three limits, fAutoSave */
    if (version >= 18)
        tree->auto_flush = (int64_t)cup_bytes_take(bytes, 8);
    cup_bytes_skip(bytes, 8); /* estimate */
    /* Cluster ranges: the borders of the baskets are used instead. */
    cup_bytes_skip(bytes, version >= 19 ? 2 + 16 * ranges : 0);
    if (version >= 20)
        cup_bytes_skip_object(bytes); /* fIOFeatures */
}

static int take_tree(struct reading *reading, struct cup_bytes members, unsigned version)
{
    enum { BASES = 4 }; /* name and title, line, fill and marker */
    uint64_t count;
    if (!members.failed && version != GEANT4 && (version < OLDEST || version > NEWEST))
        return cup_error_set(reading->error, "", CUP_NO_OFFSET,
                             "it is a TTree of version %u, which is not known here", version);
    for (int i = 0; i < BASES; i++)
        cup_bytes_skip_object(&members);
    take_tree_numbers(&members, version, reading->tree);
    struct cup_bytes branches = take_list(&members, &count);
    return members.failed ? damaged(reading) : take_branches(reading, branches, count, 0);
}

int cup_root_tree_take(const unsigned char *object, size_t bytes, const struct cup_root_key *key,
                       struct cup_root_tree *out, struct cup_error *error)
{
    struct reading reading = {object, object + bytes, key->key_bytes, bytes, out, 0, error};
    struct cup_bytes all = {object, object + bytes, false};
    unsigned version;
    struct cup_bytes members = cup_bytes_take_object(&all, &version);
    if (key->derived)
        members = cup_bytes_take_object(&members, &version);
    if (take_tree(&reading, members, version) != 0)
        return -1;
    return measure_clusters(out) == 0 ? 0 : cup_error_memory(error, "");
}
