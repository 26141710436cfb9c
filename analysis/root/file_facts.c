#include "analysis/root/file_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "analysis/base/array.h"

/* A file that was opened, and its tree or the reason why the tree cannot be read. */
struct examined_file {
    struct cup_file_fact fact;
    char reason[160];
};

struct cup_file_facts {
    const char *directory; /* not owned; NULL: none */
    int64_t stop_ns;
    struct cup_intern names; /* of path and tree, as join_names() joins them */
    /* owned; what is known of each name (path and tree), by its id in `names`. */
    const struct cup_file_fact **by_name;
    size_t by_name_room;
    struct examined_file **examined; /* owned, and so are the files in it */
    size_t examined_count, examined_room;
    uint64_t opened, left_out; /* files */
    int64_t spent_ns;
};

/* ---- where the file is -------------------------------------------------------------------- */

/* Returns the path in a name: a URL loses its scheme and everything from a question mark on.
 * *LOCAL: the file could be at this path on this machine. Allocated; NULL without memory. */
static char *path_of(struct cup_text text, bool *local)
{
    char *path = malloc(text.length + 1);
    if (!path)
        return NULL;
    if (text.length)
        memcpy(path, text.bytes, text.length);
    path[text.length] = '\0';
    char *scheme = strstr(path, "://");
    bool is_file = strncmp(path, "file://", 7) == 0;
    if (scheme && !is_file)
        path[strcspn(path, "?")] = '\0';
    if (scheme)
        memmove(path, scheme + 3, strlen(scheme + 3) + 1);
    *local = path[0] == '/' && (!scheme || is_file) && strlen(path) > 1;
    return path;
}

enum match { MATCH_NONE, MATCH_CHANGED, MATCH };

/* Checks whether the file at PATH can be the one of the run: it has the same size, and was not
 * changed after NOT_AFTER (seconds since the epoch; 0: any time). */
static enum match check_match(const char *path, uint64_t size, int64_t not_after)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return MATCH_NONE;
    bool newer = not_after && status.st_mtime > not_after;
    return (uint64_t)status.st_size == size && !newer ? MATCH : MATCH_CHANGED;
}

/* Searches below DIRECTORY for the file whose path ends like PATH, with the longest such end, and
 * that has the right size. *OTHER becomes true if a file of that name has another size. Allocated;
 * NULL: none. */
static char *find_below(const char *directory, const char *path, uint64_t size, bool *other)
{
    char *below = malloc(strlen(directory) + strlen(path) + 2);
    bool found = false;
    for (const char *tail = path; below && tail && !found; tail = strchr(tail, '/')) {
        tail += strspn(tail, "/");
        sprintf(below, "%s/%s", directory, tail);
        enum match result = *tail ? check_match(below, size, 0) : MATCH_NONE;
        found = result == MATCH;
        *other |= result == MATCH_CHANGED;
    }
    if (found)
        return below;
    free(below);
    return NULL;
}

/* Why nothing is known about a tree although no file was opened. */
enum miss {
    MISS_SIZE,
    MISS_TREE,
    MISS_MEMORY,
    MISS_CHANGED,
    MISS_OTHER,
    MISS_BELOW,
    MISS_LOCAL,
    MISS_REMOTE,
};
static const struct cup_file_fact misses[] = {
    [MISS_SIZE] = {.reason = "its size in the run is not known"},
    [MISS_TREE] = {.reason = "its tree is not known"},
    [MISS_MEMORY] = {.reason = "out of memory"},
    [MISS_CHANGED] = {.reason = "the file has changed since the run"},
    [MISS_OTHER] = {.reason = "the file of this name in --files has another size"},
    [MISS_BELOW] = {.reason = "the file is neither at its path nor in --files"},
    [MISS_LOCAL] = {.reason = "the file is not at its path now; --files says where else to look"},
    [MISS_REMOTE] = {.reason = "the file is not on this machine; --files says where to look"},
};

/* The path of the file on this machine, allocated; NULL: not found, and *miss says why. */
static char *find_file(const struct cup_file_facts *facts, struct cup_text name, uint64_t size,
                       enum miss *miss)
{
    bool local = false, other = false;
    char *path = path_of(name, &local), *found = NULL;
    enum match here =
        path && local ? check_match(path, size, facts->stop_ns / 1000000000) : MATCH_NONE;
    if (here == MATCH)
        return path;
    if (path && facts->directory)
        found = find_below(facts->directory, path, size, &other);
    *miss = !path                   ? MISS_MEMORY
            : here == MATCH_CHANGED ? MISS_CHANGED
            : other                 ? MISS_OTHER
            : facts->directory      ? MISS_BELOW
            : local                 ? MISS_LOCAL
                                    : MISS_REMOTE;
    free(path);
    return found;
}

/* ---- opening files ------------------------------------------------------------------------ */

static const struct cup_file_fact too_many = {
    .reason = "a report opens at most 1,000 files, for two seconds, and this was not among them"};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static struct examined_file *add_examined_file(struct cup_file_facts *facts)
{
    struct examined_file *file = calloc(1, sizeof *file);
    if (!file || cup_array_grow(&facts->examined, &facts->examined_room, facts->examined_count,
                                sizeof(struct examined_file *)) != 0) {
        free(file);
        return NULL;
    }
    return facts->examined[facts->examined_count++] = file;
}

static const struct cup_file_fact *set_reason(struct examined_file *file, const char *reason)
{
    snprintf(file->reason, sizeof file->reason, "%.150s", reason);
    file->fact.reason = file->reason;
    return &file->fact;
}

static const struct cup_file_fact *leave_out(struct cup_file_facts *facts)
{
    facts->left_out++;
    return &too_many;
}

static const struct cup_file_fact *examine_file(struct cup_file_facts *facts, const char *path,
                                                const char *tree)
{
    struct cup_error error = {0};
    if (facts->opened >= CUP_FILES_EXAMINED)
        return leave_out(facts);
    struct examined_file *file = add_examined_file(facts);
    if (!file)
        return &misses[MISS_MEMORY];
    facts->opened++;
    if (cup_root_examine(path, tree, &file->fact.tree, &error) != 0)
        return set_reason(file, error.text);
    return file->fact.tree.ntuple ? set_reason(file, "it is an RNTuple") : &file->fact;
}

/* Finds and reads the tree. NAMES is path and tree, as join_names() joins them. */
static const struct cup_file_fact *find_fact(struct cup_file_facts *facts, const char *names,
                                             size_t path_bytes, uint64_t size)
{
    const char *tree = names + path_bytes + 1;
    if (size == 0)
        return &misses[MISS_SIZE];
    if (!*tree)
        return &misses[MISS_TREE];
    if (facts->spent_ns >= CUP_FILES_SECONDS * 1000000000ll)
        return leave_out(facts);
    int64_t start_ns = now_ns();
    enum miss miss = MISS_MEMORY;
    char *path = find_file(facts, (struct cup_text){names, path_bytes}, size, &miss);
    const struct cup_file_fact *fact = path ? examine_file(facts, path, tree) : &misses[miss];
    free(path);
    facts->spent_ns += now_ns() - start_ns;
    return fact;
}

static bool grow_facts(struct cup_file_facts *facts, uint32_t id)
{
    while (facts->by_name_room <= id) {
        size_t room = facts->by_name_room;
        if (cup_array_grow(&facts->by_name, &facts->by_name_room, room, sizeof *facts->by_name) !=
            0)
            return false;
        memset(facts->by_name + room, 0, (facts->by_name_room - room) * sizeof *facts->by_name);
    }
    return true;
}

/* Joins path and tree into one text, each with a NUL at its end. Allocated. */
static char *join_names(struct cup_text path, struct cup_text tree)
{
    char *joined = calloc(path.length + tree.length + 2, 1);
    if (joined && path.length)
        memcpy(joined, path.bytes, path.length);
    if (joined && tree.length)
        memcpy(joined + path.length + 1, tree.bytes, tree.length);
    return joined;
}

const struct cup_file_fact *cup_file_facts(struct cup_file_facts *facts, struct cup_text path,
                                           uint64_t size, struct cup_text tree)
{
    char *names = join_names(path, tree);
    uint32_t id = names ? cup_intern_add(&facts->names, names, path.length + 1 + tree.length) : 0;
    const struct cup_file_fact *fact =
        id && grow_facts(facts, id) ? facts->by_name[id] : &misses[MISS_MEMORY];
    if (!fact)
        fact = facts->by_name[id] = find_fact(facts, names, path.length, size);
    free(names);
    return fact;
}

/* ---- all of them -------------------------------------------------------------------------- */

struct cup_file_facts *cup_file_facts_open(const char *directory, int64_t stop_ns,
                                           struct cup_error *error)
{
    struct stat status;
    if (directory && stat(directory, &status) != 0) {
        cup_error_system(error, directory, "look for files there");
        return NULL;
    }
    if (directory && !S_ISDIR(status.st_mode)) {
        cup_error_set(error, directory, CUP_NO_OFFSET, "--files wants a directory");
        return NULL;
    }
    struct cup_file_facts *facts = calloc(1, sizeof *facts);
    if (!facts)
        cup_error_memory(error, "--files");
    else
        *facts = (struct cup_file_facts){.directory = directory, .stop_ns = stop_ns};
    return facts;
}

uint64_t cup_file_facts_left_out(const struct cup_file_facts *facts)
{
    return facts->left_out;
}

void cup_file_facts_free(struct cup_file_facts *facts)
{
    if (!facts)
        return;
    for (size_t i = 0; i < facts->examined_count; i++) {
        cup_root_tree_free(&facts->examined[i]->fact.tree);
        free(facts->examined[i]);
    }
    free(facts->examined);
    free(facts->by_name);
    cup_intern_clear(&facts->names);
    free(facts);
}
