#include "analysis/profile/load/prepared_log.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/log/packed_block.h"
#include "analysis/profile/load/loader.h"

/* Larger logs are loaded into the whole profile directly (profile_load.c). A prepared log takes a
 * tenth of its log. */
enum { MOST_LOG = CUP_LARGE_LOG, MOST_PREPARED = 2 * CUP_LARGE_LOG };

/* ---- the build of this program ----------------------------------------------------------------
 */

static uint64_t hash_build_id(const char *notes, size_t bytes)
{
    ElfW(Nhdr) note;
    for (size_t at = 0; at + sizeof note <= bytes;) {
        memcpy(&note, notes + at, sizeof note);
        size_t name = at + sizeof note, text = name + ((note.n_namesz + 3u) & ~3u);
        if (text + note.n_descsz > bytes)
            return 0;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(notes + name, "GNU", 4) == 0)
            return cup_text_hash((struct cup_text){notes + text, note.n_descsz});
        at = text + ((note.n_descsz + 3u) & ~3u);
    }
    return 0;
}

/* The program itself is the first object. */
static int find_build_id(struct dl_phdr_info *object, size_t bytes, void *maker)
{
    (void)bytes;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uint64_t hash =
            part->p_type == PT_NOTE
                ? hash_build_id((const char *)object->dlpi_addr + part->p_vaddr, part->p_memsz)
                : 0;
        if (hash) {
            memcpy(maker, &hash, sizeof hash);
            break;
        }
    }
    return 1;
}

uint64_t cup_prepared_maker(void)
{
    uint64_t maker = 0;
    if (cup_can_compress)
        dl_iterate_phdr(find_build_id, &maker);
    return maker;
}

/* ---- is a prepared log sound? -----------------------------------------------------------------
 */

#define INDEX(field, entry) (it->field < profile->entry##_count)
#define NUMBER(field, entry) (it->field <= profile->entry##_count) /* index + 1; 0: none */
#define STRING(field) (it->field == 0 || it->field < profile->strings.count)
#define PREFIX(field) (it->field == CUP_NO_PREFIX || INDEX(field, prefix))

/* What must be true of each entry of the arrays that refer to others, or whose values are used as
 * indexes. I: its own index. */
#define CHECKS(X)                                                                                  \
    X(prefixes, prefix, STRING(name))                                                              \
    X(processes, process,                                                                          \
      STRING(parsl_worker) && it->first_task == 0 && it->tasks == profile->task_count &&           \
          it->first_branch == 0 && it->branches == profile->branch_number_count &&                 \
          it->summed.tasks == 0 && it->summed.keys == 0 && it->ancestry == 0 && it->life == 0 &&   \
          it->header.host[sizeof it->header.host - 1] == '\0' &&                                   \
          it->header.library_version[sizeof it->header.library_version - 1] == '\0' &&             \
          it->header.library_build[sizeof it->header.library_build - 1] == '\0')                   \
    X(servers, server,                                                                             \
      INDEX(process, process) && STRING(address) && STRING(name) && STRING(local_directory))       \
    X(scopes, scope,                                                                               \
      INDEX(process, process) && INDEX(prefix, prefix) && NUMBER(server, server) &&                \
          STRING(span) && STRING(span_id))                                                         \
    X(tasks, task,                                                                                 \
      INDEX(scope, scope) && NUMBER(item, item) && NUMBER(rare, rare) &&                           \
          it->status <= CUP_STATUS_UNKNOWN)                                                        \
    X(rares, rare, STRING(error) && it->unattributed_reason < CUP_UNATTRIBUTED_REASON_COUNT)       \
    X(inputs, input, INDEX(task, task))                                                            \
    X(items, item,                                                                                 \
      INDEX(task, task) && NUMBER(source, item_source) && STRING(file) &&                          \
          it->entries_read <= CUP_ENTRIES_MISSING)                                                 \
    X(item_sources, item_source, STRING(dataset) && STRING(tree) && NUMBER(columns, column_set))   \
    X(column_sets, column_set,                                                                     \
      NUMBER(first, column_name) && it->count <= profile->column_name_count - it->first)           \
    X(files, file, STRING(path) && STRING(mount))                                                  \
    X(file_sums, file_sum, INDEX(file, file) && PREFIX(prefix))                                    \
    X(opens, open, STRING(server) && it->kind <= CUP_OPEN_REDIRECTED)                              \
    X(request_sums, request_sum, STRING(server) && STRING(host))                                   \
    X(requests, request,                                                                           \
      INDEX(process, process) && NUMBER(task, task) && STRING(server) && NUMBER(file, file))       \
    X(branches, branch, STRING(tree) && STRING(name))                                              \
    X(branch_numbers, branch_number, NUMBER(branch, branch))                                       \
    X(root_files, root_file, STRING(path) && NUMBER(first_place, basket_place))                    \
    X(ttrees, ttree, INDEX(root_file, root_file) && STRING(name))                                  \
    X(basket_places, basket_place,                                                                 \
      INDEX(process, process) && NUMBER(task, task) && NUMBER(next, basket_place) &&               \
          (it->next == 0 || it->next > i + 1))                                                     \
    X(sections, section, STRING(name) && STRING(parent) && PREFIX(prefix))                         \
    X(section_rows, section_row, INDEX(section, section) && NUMBER(task, task))                    \
    X(value_rows, value_row, INDEX(value, named_value) && NUMBER(task, task))                      \
    X(named_values, named_value, STRING(name) && PREFIX(prefix))                                   \
    X(infos, info, INDEX(process, process) && STRING(name) && STRING(value))                       \
    X(notes, note, INDEX(process, process) && STRING(text))                                        \
    X(children, child, INDEX(process, process))                                                    \
    X(samples, sample, INDEX(server, server))                                                      \
    X(sampled_workers, sampled_worker,                                                             \
      INDEX(process, process) && NUMBER(server, server) && STRING(address) && STRING(name))        \
    X(own_samples, own_sample, INDEX(worker, sampled_worker))                                      \
    X(statuses, status, INDEX(process, process) && STRING(name))                                   \
    X(spans, span, STRING(id) && STRING(name))                                                     \
    X(digests, digest,                                                                             \
      INDEX(process, process) && NUMBER(server, server) && STRING(context) && STRING(span) &&      \
          STRING(prefix) && STRING(activity) && STRING(unit))

/* Arrays that the log of one process with the usual options does not fill. */
#define EMPTY(X)                                                                                   \
    X(task_sum)                                                                                    \
    X(summed_key)                                                                                  \
    X(counter) X(own_wait) X(basket) X(access_place) X(single_read) X(other_span) X(run) X(damage)

static bool entries_are_sound(const struct cup_profile *profile)
{
    bool sound = true;
#define X(entries, entry, condition)                                                               \
    for (size_t i = 0; i < profile->entry##_count; i++) {                                          \
        const __typeof__(*profile->entries) *it = &profile->entries[i];                            \
        sound &= (condition);                                                                      \
    }
    CHECKS(X)
#undef X
    for (size_t i = 0; i < profile->column_name_count; i++)
        sound &= profile->column_names[i] == 0 || profile->column_names[i] < profile->strings.count;
    return sound;
}

static bool is_sound(const struct cup_profile *profile)
{
    bool sound = profile->process_count == 1 && profile->prefix_count > 0 &&
                 profile->logs_read == 1 && profile->logs_damaged == 0;
#define X(entry) sound &= profile->entry##_count == 0;
    EMPTY(X)
#undef X
    return sound && entries_are_sound(profile);
}

/* ---- arrays -----------------------------------------------------------------------------------
 */

enum { WORD = sizeof(uint32_t) };

/* Neighbours in an array are similar, and most of their bytes are 0. So each word becomes its
 * difference from the same word of the entry before, and all first bytes of these differences
 * follow each other, all second ones, and so on: zstd makes a third of it. */
static void split_words(const unsigned char *entries, size_t size, size_t count, unsigned char *to)
{
    for (size_t word = 0; word < size / WORD; word++) {
        uint32_t before = 0;
        for (size_t i = 0; i < count; i++) {
            uint32_t value, step;
            memcpy(&value, entries + i * size + word * WORD, WORD);
            step = value - before;
            before = value;
            for (size_t byte = 0; byte < WORD; byte++)
                to[(word * WORD + byte) * count + i] = (unsigned char)(step >> 8 * byte);
        }
    }
}

static void join_words(const unsigned char *from, size_t size, size_t count, unsigned char *entries)
{
    for (size_t word = 0; word < size / WORD; word++) {
        const unsigned char *bytes = from + word * WORD * count;
        uint32_t value = 0;
        for (size_t i = 0; i < count; i++) {
            value += bytes[i] | (uint32_t)bytes[count + i] << 8 |
                     (uint32_t)bytes[2 * count + i] << 16 | (uint32_t)bytes[3 * count + i] << 24;
            memcpy(entries + i * size + word * WORD, &value, WORD);
        }
    }
}

/* ---- writing ----------------------------------------------------------------------------------
 */

/* The beginning of a prepared log. Then come the arrays of the profile, the lengths of its strings,
 * their bytes, and the kept records. */
struct head {
    struct cup_profile profile; /* without pointers */
    size_t strings, string_bytes, kept_bytes;
};

/* Padding of structs may hold anything, but the same log must give the same bytes. */
#if defined __has_builtin
#if __has_builtin(__builtin_clear_padding)
#define CLEAR_PADDING(entry) __builtin_clear_padding(entry)
#endif
#endif
#ifndef CLEAR_PADDING
#define CLEAR_PADDING(entry) ((void)(entry))
#endif

static void clear_padding(struct cup_profile *profile)
{
#define X(entries, entry, type, merge, what)                                                       \
    for (size_t i = 0; i < profile->entry##_count; i++)                                            \
        CLEAR_PADDING(&profile->entries[i]);
    CUP_PROFILE_ARRAYS(X)
#undef X
}

static void fill_head(struct head *head, const struct cup_profile *profile,
                      const struct cup_kept_records *kept)
{
    memset(head, 0, sizeof *head);
    head->profile = *profile;
    CLEAR_PADDING(&head->profile);
    head->profile.path = NULL;
    head->profile.strings = (struct cup_intern){0};
    head->profile.collected = (struct cup_collected){0};
#define X(entries, entry, type, merge, what)                                                       \
    head->profile.entries = NULL;                                                                  \
    head->profile.entry##_room = 0;
    CUP_PROFILE_ARRAYS(X)
#undef X
    head->strings = profile->strings.count;
    for (size_t id = 1; id < profile->strings.count; id++)
        head->string_bytes += profile->strings.texts[id].length;
    head->kept_bytes = kept->count;
}

static size_t string_lengths(const struct head *head)
{
    return head->strings > 1 ? (head->strings - 1) * sizeof(uint32_t) : 0;
}

static size_t bytes_of(const struct head *head)
{
    size_t bytes = sizeof *head + string_lengths(head) + head->string_bytes + head->kept_bytes;
#define X(entries, entry, type, merge, what) bytes += head->profile.entry##_count * sizeof(type);
    CUP_PROFILE_ARRAYS(X)
#undef X
    return bytes;
}

static unsigned char *write_strings(const struct cup_intern *strings, unsigned char *at)
{
    for (size_t id = 1; id < strings->count; id++, at += sizeof(uint32_t)) {
        uint32_t length = (uint32_t)strings->texts[id].length;
        memcpy(at, &length, sizeof length);
    }
    for (size_t id = 1; id < strings->count; id++) {
        memcpy(at, strings->texts[id].bytes, strings->texts[id].length);
        at += strings->texts[id].length;
    }
    return at;
}

static void write_all(const struct head *head, const struct cup_profile *profile,
                      const struct cup_kept_records *kept, unsigned char *at)
{
    memcpy(at, head, sizeof *head);
    at += sizeof *head;
#define X(entries, entry, type, merge, what)                                                       \
    _Static_assert(sizeof(type) % WORD == 0, "entries are copied word by word");                   \
    if (profile->entry##_count)                                                                    \
        split_words((const unsigned char *)profile->entries, sizeof(type), profile->entry##_count, \
                    at);                                                                           \
    at += profile->entry##_count * sizeof(type);
    CUP_PROFILE_ARRAYS(X)
#undef X
    at = write_strings(&profile->strings, at);
    if (kept->count)
        memcpy(at, kept->bytes, kept->count);
}

static bool pack(struct cup_prepared *prepared, const struct cup_profile *profile,
                 const struct cup_kept_records *kept)
{
    struct head head;
    fill_head(&head, profile, kept);
    prepared->bytes = bytes_of(&head);
    if (prepared->bytes > MOST_PREPARED)
        return false;
    size_t room = cup_packed_room(prepared->bytes);
    unsigned char *plain = malloc(prepared->bytes);
    struct cup_packer *packer = cup_packer_new(NULL);
    prepared->packed = malloc(room);
    if (plain && prepared->packed && packer) {
        write_all(&head, profile, kept, plain);
        prepared->packed_bytes = cup_pack(packer, plain, prepared->bytes, prepared->packed, room);
    }
    free(plain);
    cup_packer_free(packer);
    if (prepared->packed_bytes == 0)
        free(prepared->packed);
    return prepared->packed_bytes > 0;
}

/* The path is not part of it, nor is how the clock differs from others. */
static void remove_place(struct cup_process *process)
{
    free(process->log_path);
    process->log_path = NULL;
    process->clock = (struct cup_clock){0};
}

static bool is_small(const char *path)
{
    struct cup_log_bytes bytes;
    struct cup_error error;
    uint64_t size = UINT64_MAX;
    bool regular;
    if (cup_log_bytes_open(&bytes, path, &error) == 0)
        cup_log_bytes_size(&bytes, &size, &regular);
    cup_log_bytes_close(&bytes);
    return size <= MOST_LOG;
}

bool cup_prepare_log(struct cup_prepared *prepared, const char *path)
{
    static const struct cup_record_taker taker = {.types = CUP_STACK_TYPES};
    const struct cup_load_options options = {.baskets = true, .taker = &taker};
    struct cup_kept_records kept = {0};
    struct cup_profile profile;
    struct cup_builder builder;
    *prepared = (struct cup_prepared){0};
    if (!is_small(path))
        return false;
    cup_builder_start(&builder, &profile);
    cup_load_log(&builder, path, &options, &kept);
    if (profile.process_count == 1)
        remove_place(&profile.processes[0]);
    clear_padding(&profile);
    bool done = !builder.out_of_memory && !kept.too_many && is_sound(&profile) &&
                pack(prepared, &profile, &kept);
    cup_builder_finish(&builder);
    cup_profile_free(&profile);
    cup_kept_free(&kept);
    return done;
}

/* ---- reading ----------------------------------------------------------------------------------
 */

/* The unpacked bytes of a prepared log. */
struct prepared_bytes {
    unsigned char *bytes; /* owned */
    const unsigned char *at;
    struct head head;
};

/* Whether the options ask for no more than what is prepared, and for all of it. */
static bool is_usual(const struct cup_load_options *options, const char *path)
{
    return !options->counters && !options->accesses && !options->reads && !options->span &&
           options->from_ns == options->to_ns && !options->wants &&
           (!options->taker || options->taker->types == CUP_STACK_TYPES) &&
           cup_clock_of(options->clocks, path).shift_ns == 0;
}

static bool unpack(struct prepared_bytes *prepared, const struct cup_log_bytes *log)
{
    size_t bytes = log->log->prepared_bytes, packed_bytes = log->log->prepared_packed;
    unsigned char *packed = malloc(packed_bytes);
    struct cup_packer *packer = cup_packer_new(NULL);
    prepared->bytes = malloc(bytes);
    bool done = packed && packer && prepared->bytes &&
                pread(log->merged->fd, packed, packed_bytes, (off_t)log->log->prepared_at) ==
                    (ssize_t)packed_bytes &&
                cup_unpack(packer, packed, packed_bytes, prepared->bytes, bytes);
    free(packed);
    cup_packer_free(packer);
    return done;
}

/* Reads the head, and checks that the parts together have as many bytes as there are. */
static bool read_head(struct prepared_bytes *prepared, size_t bytes)
{
    struct head *head = &prepared->head;
    size_t most = bytes;
    memcpy(head, prepared->bytes, sizeof *head);
    prepared->at = prepared->bytes + sizeof *head;
    bool fits = head->strings <= most && head->string_bytes <= most && head->kept_bytes <= most;
#define X(entries, entry, type, merge, what) fits = fits && head->profile.entry##_count <= most;
    CUP_PROFILE_ARRAYS(X)
#undef X
    return fits && bytes_of(head) == bytes;
}

/* The prepared form of a log; false if there is none. */
static bool open_prepared(struct prepared_bytes *prepared, const char *path)
{
    struct cup_log_bytes log;
    struct cup_error error;
    bool done = false;
    if (cup_log_bytes_open(&log, path, &error) != 0)
        return false;
    if (log.merged && log.log->prepared_packed > 0 && log.merged->header.prepared_maker &&
        log.merged->header.prepared_maker == cup_prepared_maker() &&
        log.log->prepared_bytes >= sizeof prepared->head &&
        log.log->prepared_bytes <= MOST_PREPARED)
        done = unpack(prepared, &log) && read_head(prepared, log.log->prepared_bytes);
    cup_log_bytes_close(&log);
    return done;
}

/* Makes room in an array of the builder. Returns 0, or -1 without memory. */
static int reserve(void *items, size_t *room, size_t count, size_t size)
{
    while (*room < count)
        if (cup_array_grow(items, room, *room, size) != 0)
            return -1;
    return 0;
}

/* Fills the profile's arrays, whose memory it already has. */
static bool read_arrays(struct cup_profile *profile, struct prepared_bytes *prepared)
{
    struct cup_profile read = prepared->head.profile;
    read.path = profile->path;
    read.strings = profile->strings;
    read.collected = profile->collected;
#define X(entries, entry, type, merge, what)                                                       \
    if (reserve(&profile->entries, &profile->entry##_room, read.entry##_count, sizeof(type)) != 0) \
        return false;                                                                              \
    read.entries = profile->entries;                                                               \
    read.entry##_room = profile->entry##_room;                                                     \
    join_words(prepared->at, sizeof(type), read.entry##_count, (unsigned char *)read.entries);     \
    prepared->at += read.entry##_count * sizeof(type);
    CUP_PROFILE_ARRAYS(X)
#undef X
    *profile = read;
    for (size_t i = 0; i < profile->process_count; i++)
        profile->processes[i].log_path = NULL;
    return true;
}

static bool read_strings(struct cup_intern *strings, struct prepared_bytes *prepared)
{
    const unsigned char *lengths = prepared->at;
    size_t left = prepared->head.string_bytes;
    prepared->at += string_lengths(&prepared->head);
    for (size_t id = 1; id < prepared->head.strings; id++) {
        uint32_t length;
        memcpy(&length, lengths + (id - 1) * sizeof length, sizeof length);
        if (length > left || cup_intern_add(strings, (const char *)prepared->at, length) != id)
            return false;
        left -= length;
        prepared->at += length;
    }
    return left == 0;
}

/* Records follow each other without a gap. */
static bool records_are_sound(const unsigned char *bytes, size_t count)
{
    struct cup_record record;
    size_t at = 0;
    while (count - at >= sizeof(uint64_t) + sizeof record) {
        memcpy(&record, bytes + at + sizeof(uint64_t), sizeof record);
        at += sizeof(uint64_t);
        if (record.length > count - at || record.length < sizeof record ||
            !cup_record_is_sound(&record) || record.length % 8)
            return false;
        at += record.length;
    }
    return at == count;
}

static bool read_kept(struct cup_kept_records *kept, const struct prepared_bytes *prepared)
{
    size_t count = prepared->head.kept_bytes;
    if (kept->types == 0)
        return true;
    if (!records_are_sound(prepared->at, count) || cup_kept_copy(kept, prepared->at, count) != 0)
        return false;
    return true;
}

static bool read_all(struct cup_profile *profile, struct cup_kept_records *kept,
                     struct prepared_bytes *prepared, const char *path)
{
    if (!read_arrays(profile, prepared) || !read_strings(&profile->strings, prepared) ||
        !is_sound(profile) || !read_kept(kept, prepared))
        return false;
    profile->processes[0].log_path = strdup(path);
    return profile->processes[0].log_path != NULL;
}

bool cup_load_prepared(struct cup_builder *builder, const char *path,
                       const struct cup_load_options *options, struct cup_kept_records *kept)
{
    struct prepared_bytes prepared = {0};
    if (!is_usual(options, path))
        return false;
    bool done = open_prepared(&prepared, path);
    cup_kept_start(kept, options->taker ? options->taker->types : 0);
    if (done && !read_all(builder->profile, kept, &prepared, path)) {
        cup_builder_empty(builder);
        done = false;
    }
    if (done)
        builder->profile->processes[0].clock = cup_clock_of(options->clocks, path);
    free(prepared.bytes);
    return done;
}
