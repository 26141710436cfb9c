#include "analysis/metrics/reads/server_uses.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/base/id_map.h"
#include "analysis/base/pair_map.h"
#include "analysis/metrics/reads/open_ranks.h"
#include "analysis/profile/files.h"

/* ---- names ----------------------------------------------------------------------------------- */

static struct cup_text without_default_port(struct cup_text name)
{
    static const char port[] = ":1094", scheme[] = "root";
    size_t bytes = sizeof port - 1;
    bool has = name.length > bytes && memcmp(name.bytes, scheme, sizeof scheme - 1) == 0 &&
               memcmp(name.bytes + name.length - bytes, port, bytes) == 0;
    return (struct cup_text){name.bytes, name.length - (has ? bytes : 0)};
}

bool cup_same_server(struct cup_text one, struct cup_text other)
{
    return cup_text_compare(without_default_port(one), without_default_port(other)) == 0;
}

bool cup_is_xrootd_url(struct cup_text url)
{
    size_t skip = url.length && url.bytes[0] == 'x';
    return url.length > skip + 4 && memcmp(url.bytes + skip, "root", 4) == 0;
}

/* ---- the rows while they are made ------------------------------------------------------------ */

struct making {
    const struct cup_profile *profile;
    struct cup_server_uses *uses;
    size_t room, error_room;
    struct cup_id_map by_string;      /* of servers in requests: index + 1 */
    struct cup_pair_map files, tasks; /* index + 1 of a row, and the file or task: 1, or FAILED */
    uint64_t *bytes_of_file;          /* by file: what its requests delivered */
    bool out_of_memory;
};
enum { SEEN = 1, FAILED = 2 };

/* Index + 1; 0 without memory. */
static uint32_t find_row(struct making *making, struct cup_text name, enum cup_server_kind kind)
{
    struct cup_server_uses *uses = making->uses;
    for (size_t i = 0; uses->rows && i < uses->count; i++)
        if (uses->rows[i].kind == kind && cup_same_server(uses->rows[i].name, name))
            return (uint32_t)i + 1;
    if (cup_array_grow(&uses->rows, &making->room, uses->count, sizeof *uses->rows) != 0) {
        making->out_of_memory = true;
        return 0;
    }
    uses->rows[uses->count++] = (struct cup_server_use){.name = name, .kind = kind};
    return (uint32_t)uses->count;
}

static struct cup_server_use *row_of(struct making *making, struct cup_text name,
                                     enum cup_server_kind kind)
{
    uint32_t index = name.length ? find_row(making, name, kind) : 0;
    return index ? &making->uses->rows[index - 1] : NULL;
}

static enum cup_server_kind kind_of(struct cup_text server)
{
    if (cup_is_peer_address(server))
        return CUP_SERVER_PEER;
    return memmem(server.bytes, server.length, "://", 3) ? CUP_SERVER_XROOTD : CUP_SERVER_MOUNT;
}

/* ---- requests -------------------------------------------------------------------------------- */

static uint32_t row_of_server(struct making *making, uint32_t server)
{
    struct cup_text name = cup_profile_text(making->profile, server);
    uint32_t index = server ? cup_id_map_get(&making->by_string, server) : 0;
    if (index || !name.length || cup_is_dask_address(making->profile, server))
        return index;
    index = find_row(making, name, kind_of(name));
    if (index && cup_id_map_set(&making->by_string, server, index) != 0)
        making->out_of_memory = true;
    return index;
}

/* Returns what MAP had of the pair before. */
static uint32_t mark_pair(struct making *making, struct cup_pair_map *map, uint32_t row,
                          uint32_t of, uint32_t mark)
{
    uint32_t before = cup_pair_map_get(map, row, of);
    if ((before | mark) != before && cup_pair_map_set(map, row, of, before | mark) != 0)
        making->out_of_memory = true;
    return before;
}

static void add_chunk(struct cup_server_use *use, const struct cup_profile *profile,
                      const struct cup_task *task)
{
    const struct cup_item *item = cup_task_item(profile, task);
    uint64_t events = item ? cup_item_events(item) : CUP_UNKNOWN64;
    if (!cup_item_is_chunk(item) || task->status != CUP_STATUS_FINISHED || events == CUP_UNKNOWN64)
        return;
    use->chunks++;
    use->chunk_ns += cup_task_wall_ns(task);
    use->events += events;
}

static void mark_task(struct making *making, uint32_t row, const struct cup_request_row *request)
{
    struct cup_server_use *use = &making->uses->rows[row - 1];
    bool fault = cup_request_is_fault(request, use->kind == CUP_SERVER_PEER);
    uint32_t mark = SEEN | (fault ? FAILED : 0);
    uint32_t before = mark_pair(making, &making->tasks, row, request->task, mark);
    use->failed_tasks += (mark & FAILED) && !(before & FAILED);
    if (before)
        return;
    use->tasks++;
    add_chunk(use, making->profile, &making->profile->tasks[request->task - 1]);
}

static void add_http_error(struct cup_server_use *use, uint32_t error, uint64_t count)
{
    use->is_http = true;
    if (error >= 500)
        use->http_5xx += count;
    else if (error >= 400)
        use->http_4xx += count;
    else if (error == CUP_REQUEST_GIVEN_UP)
        use->given_up += count;
    else if (error)
        use->cut_off += count;
}

static void add_request(struct making *making, const struct cup_request_row *request)
{
    uint32_t row = row_of_server(making, request->server);
    if (!row)
        return;
    struct cup_server_use *use = &making->uses->rows[row - 1];
    const uint64_t *values = request->values;
    use->requests += values[CUP_Q_COUNT];
    use->bytes += values[CUP_Q_BYTES];
    use->busy_ns += values[CUP_Q_NS];
    use->moved += values[CUP_Q_MOVED];
    use->encrypted += values[CUP_Q_ENCRYPTED];
    use->repeated += values[CUP_Q_REPEATED];
    use->process_ns += values[CUP_Q_PROCESS_NS];
    if (values[CUP_Q_MOST_OUT] > use->most_out)
        use->most_out = values[CUP_Q_MOST_OUT];
    if (use->kind == CUP_SERVER_PEER) /* add_peer() knows better for how long tasks waited */
        add_http_error(use, request->error, values[CUP_Q_COUNT]);
    else
        use->waited_ns += values[CUP_Q_WAITED_NS];
    use->failed += request->error ? values[CUP_Q_COUNT] : 0;
    bool fault = cup_request_is_fault(request, use->kind == CUP_SERVER_PEER);
    use->faults += fault ? values[CUP_Q_COUNT] : 0;
    use->failed_ns += fault ? values[CUP_Q_NS] : 0;
    if (request->task)
        mark_task(making, row, request);
    if (!request->file)
        return;
    making->bytes_of_file[request->file - 1] += values[CUP_Q_BYTES];
    use->files += mark_pair(making, &making->files, row, request->file, SEEN) == 0;
}

static void add_error(struct making *making, struct cup_pair_map *places, uint32_t row,
                      const struct cup_request_row *request)
{
    struct cup_server_uses *uses = making->uses;
    uint32_t place = cup_pair_map_get(places, row, request->error);
    if (!place) {
        if (cup_array_grow(&uses->errors, &making->error_room, uses->error_count,
                           sizeof *uses->errors) != 0 ||
            cup_pair_map_set(places, row, request->error, (uint32_t)uses->error_count + 1) != 0) {
            making->out_of_memory = true;
            return;
        }
        uses->errors[uses->error_count++] = (struct cup_server_error){row, request->error, 0};
        place = (uint32_t)uses->error_count;
    }
    uses->errors[place - 1].count += request->values[CUP_Q_COUNT];
}

static int by_row_and_count(const void *left, const void *right)
{
    const struct cup_server_error *a = left, *b = right;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->error < b->error ? -1 : a->error > b->error;
}

static void add_errors(struct making *making)
{
    struct cup_server_uses *uses = making->uses;
    struct cup_pair_map places = {0};
    for (size_t i = 0; i < making->profile->request_count; i++) {
        const struct cup_request_row *request = &making->profile->requests[i];
        uint32_t row = request->error ? row_of_server(making, request->server) : 0;
        if (row)
            add_error(making, &places, row, request);
    }
    cup_pair_map_clear(&places);
    if (uses->error_count)
        qsort(uses->errors, uses->error_count, sizeof *uses->errors, by_row_and_count);
    for (size_t i = uses->error_count; i-- > 0;) {
        struct cup_server_use *use = &uses->rows[uses->errors[i].row - 1];
        use->first_error = (uint32_t)i;
        use->errors++;
    }
}

/* The first bucket of durations that count. XRootD's client answers some requests itself, such as
 * for a size that it knows already; no server can answer so soon. */
static int first_bucket(const struct cup_server_use *use)
{
    return use->kind == CUP_SERVER_XROOTD ? (int)cup_bucket(8192) : 0;
}

static void add_requests(struct making *making)
{
    const struct cup_profile *profile = making->profile;
    for (size_t i = 0; i < profile->request_count; i++)
        add_request(making, &profile->requests[i]);
    for (size_t i = 0; i < profile->request_sum_count; i++) {
        const struct cup_request_sum *sum = &profile->request_sums[i];
        uint32_t row = row_of_server(making, sum->server);
        if (!row)
            continue;
        struct cup_server_use *use = &making->uses->rows[row - 1];
        for (int at = first_bucket(use); at < CUP_BUCKETS; at++) {
            use->buckets[at] += sum->buckets[at];
            use->first_buckets[at] += sum->first_buckets[at];
        }
        if (sum->answered[CUP_Q_LONGEST_NS] > use->longest_ns)
            use->longest_ns = sum->answered[CUP_Q_LONGEST_NS];
    }
    add_errors(making);
}

/* ---- what has no requests: peers, page caches, files in older logs --------------------------- */

/* Reads of a mounted file that were no requests came from this host's memory. */
static void add_mounted_file(struct making *making, uint32_t index)
{
    const struct cup_profile *profile = making->profile;
    const struct cup_file_sum total = cup_file_total(profile, index);
    uint64_t bytes = total.counters[CUP_F_READ_BYTES], known = making->bytes_of_file[index];
    uint64_t cached = bytes > known ? bytes - known : 0;
    uint64_t mapped = total.counters[CUP_F_MAPPED_BYTES];
    struct cup_text mount = cup_profile_text(profile, profile->files[index].mount);
    struct cup_server_use *use = cached || mapped ? row_of(making, mount, CUP_SERVER_MOUNT) : NULL;
    if (!use)
        return;
    use->files += known == 0;
    use->bytes += cached;
    use->cached_bytes += cached;
    use->mapped_bytes += mapped;
}

/* What a file delivered beyond its requests counts for the server in its URL. */
static void add_file(struct making *making, uint32_t index)
{
    const struct cup_profile *profile = making->profile;
    const struct cup_file *file = &profile->files[index];
    const struct cup_file_sum total = cup_file_total(profile, index);
    uint64_t bytes = total.counters[CUP_F_READ_BYTES], known = making->bytes_of_file[index];
    struct cup_text server = cup_url_server(cup_profile_text(profile, file->path));
    struct cup_server_use *use =
        file->class == CUP_FILE_DATA && cup_is_xrootd_url(server) && bytes > known
            ? row_of(making, server, CUP_SERVER_XROOTD)
            : NULL;
    if (!use)
        return;
    use->files += known == 0;
    use->bytes += bytes - known;
    use->requests += known ? 0 : total.counters[CUP_F_READ_CALLS];
    use->busy_ns += known ? 0 : total.counters[CUP_F_READ_NS];
    use->waited_ns += known ? 0 : total.counters[CUP_F_READ_NS];
}

static void add_peer(struct making *making, uint32_t index, bool has_client)
{
    const struct cup_profile *profile = making->profile;
    const struct cup_file_sum total = cup_file_total(profile, index);
    const uint64_t *c = total.counters;
    struct cup_text name = cup_profile_text(profile, profile->files[index].path);
    bool wire = has_client && total.tasks == 0 && !cup_is_nameless_socket(name);
    struct cup_server_use *use = row_of(making, name, wire ? CUP_SERVER_WIRE : CUP_SERVER_PEER);
    if (!use)
        return;
    bool known = use->requests > 0;
    uint64_t ns = c[CUP_F_READ_NS] + c[CUP_F_WRITE_NS], waited = c[CUP_F_WAIT_NS];
    use->bytes = c[CUP_F_READ_BYTES];
    use->sent_bytes = c[CUP_F_WRITE_BYTES];
    use->receives = c[CUP_F_READ_CALLS];
    use->connections = c[CUP_F_OPENS];
    use->reconnects = c[CUP_F_RECONNECTS];
    use->tasks = total.tasks;
    use->processes = profile->files[index].processes;
    use->requests = known ? use->requests : c[CUP_F_WRITE_CALLS];
    use->busy_ns = known ? use->busy_ns : ns;
    use->waited_ns += waited > ns ? waited : ns;
}

static void add_files_and_peers(struct making *making)
{
    size_t count;
    uint32_t *peers = cup_files_by_bytes(making->profile, CUP_FILE_SOCKET, &count);
    bool has_client = false;
    for (uint32_t i = 0; i < making->profile->file_count; i++) {
        const struct cup_file *file = &making->profile->files[i];
        if (file->mount)
            add_mounted_file(making, i);
        else
            add_file(making, i);
        has_client |= file->class == CUP_FILE_DATA &&
                      cup_is_xrootd_url(cup_profile_text(making->profile, file->path));
    }
    for (size_t i = 0; peers && i < count; i++)
        add_peer(making, peers[i], has_client);
    making->out_of_memory |= !peers;
    free(peers);
}

/* ---- opens ----------------------------------------------------------------------------------- */

static void add_open(struct making *making, const struct cup_open_sum *sum)
{
    struct cup_text name = cup_profile_text(making->profile, sum->server);
    bool connect = sum->kind == CUP_OPEN_CONNECT;
    struct cup_server_use *use =
        row_of(making, name, connect ? CUP_SERVER_PEER : CUP_SERVER_XROOTD);
    if (!use)
        return;
    *(connect ? &use->connects : &use->opens) = sum;
    use->waited_ns += sum->ns + sum->failed_ns - sum->elsewhere_ns;
}

/* Opens that a data server answered come first: if that is also the server in the URL of other
 * files, `opens` is the sum of those. */
static void add_opens(struct making *making)
{
    size_t count;
    const struct cup_profile *profile = making->profile;
    for (size_t i = 0; i < profile->open_count; i++)
        if (profile->opens[i].kind == CUP_OPEN_REDIRECTED)
            add_open(making, &profile->opens[i]);
    const struct cup_open_sum **sums = cup_opens_by_time(profile, &count);
    for (size_t i = 0; sums && i < count; i++)
        if (sums[i]->kind != CUP_OPEN_LOCAL)
            add_open(making, sums[i]);
    making->out_of_memory |= !sums;
    free(sums);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int by_waiting(const void *left, const void *right)
{
    const struct cup_server_use *a = left, *b = right;
    if (a->waited_ns != b->waited_ns)
        return a->waited_ns > b->waited_ns ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return cup_text_compare(a->name, b->name);
}

int cup_server_uses_make(struct cup_server_uses *uses, const struct cup_profile *profile)
{
    struct making making = {.profile = profile, .uses = uses};
    *uses = (struct cup_server_uses){0};
    making.bytes_of_file = calloc(profile->file_count + 1, sizeof *making.bytes_of_file);
    if (making.bytes_of_file) {
        add_requests(&making);
        add_files_and_peers(&making);
        add_opens(&making);
    }
    making.out_of_memory |= !making.bytes_of_file;
    free(making.bytes_of_file);
    cup_id_map_clear(&making.by_string);
    cup_pair_map_clear(&making.files);
    cup_pair_map_clear(&making.tasks);
    if (uses->count)
        qsort(uses->rows, uses->count, sizeof *uses->rows, by_waiting);
    for (size_t i = 0; i < uses->count; i++)
        uses->waited_ns += uses->rows[i].kind == CUP_SERVER_WIRE ? 0 : uses->rows[i].waited_ns;
    if (making.out_of_memory)
        cup_server_uses_free(uses);
    return making.out_of_memory ? -1 : 0;
}

void cup_server_uses_free(struct cup_server_uses *uses)
{
    free(uses->rows);
    free(uses->errors);
    *uses = (struct cup_server_uses){0};
}

double cup_server_mean_out(const struct cup_server_use *use)
{
    bool known = use->kind == CUP_SERVER_XROOTD && use->process_ns > 0;
    return known ? (double)use->busy_ns / (double)use->process_ns : NAN;
}

uint64_t cup_server_errors(const struct cup_server_use *use)
{
    return use->failed + (use->opens ? use->opens->failed - use->opens->elsewhere_failed : 0) +
           (use->connects ? use->connects->failed : 0);
}

static void write_request_error(const struct cup_server_use *use, uint32_t error, char *to,
                                size_t room)
{
    static const struct {
        uint32_t error;
        const char *text;
    } ends[] = {{CUP_REQUEST_GIVEN_UP, "given up by the client"},
                {CUP_REQUEST_CUT_OFF, "cut off by the server"},
                {CUP_REQUEST_RESET, "connection reset"},
                {CUP_REQUEST_TIMED_OUT, "timed out"}};
    if (use->kind != CUP_SERVER_PEER) {
        cup_xrootd_error_text(error, to, room);
        return;
    }
    snprintf(to, room, error >= 400 ? "HTTP status %u" : "error %u", error);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i].error == error)
            snprintf(to, room, "%s", ends[i].text);
}

bool cup_server_worst_error(const struct cup_server_uses *uses, const struct cup_server_use *use,
                            char *to, size_t room)
{
    const struct cup_open_sum *sum = use->opens && use->opens->failed ? use->opens : use->connects;
    if (use->errors)
        write_request_error(use, uses->errors[use->first_error].error, to, room);
    return use->errors || (sum && cup_open_worst(sum, to, room));
}

/* ---- all errors ------------------------------------------------------------------------------ */

/* A list of errors that is being written. */
struct kinds {
    char *to;
    size_t room;
    uint64_t other; /* errors that are not in the list */
};
enum { OTHER_ROOM = 32 };

/* Appends COUNT errors of a KIND. */
static void append_kind(struct kinds *kinds, uint64_t count, const char *before, const char *kind)
{
    size_t used = strlen(kinds->to);
    int wanted = snprintf(NULL, 0, ", %llu %s%s", (unsigned long long)count, before, kind);
    if (!count)
        return;
    if (used + (size_t)wanted + OTHER_ROOM > kinds->room)
        kinds->other += count;
    else
        snprintf(kinds->to + used, kinds->room - used, "%s%llu %s%s", used ? ", " : "",
                 (unsigned long long)count, before, kind);
}

static void append_opens(struct kinds *kinds, const struct cup_open_sum *sum, const char *before)
{
    uint64_t listed = 0;
    if (sum && sum->elsewhere_failed) { /* of which kind those were is known at the other servers */
        append_kind(kinds, sum->failed - sum->elsewhere_failed, before, "failed");
        return;
    }
    for (size_t i = 0; sum && i < CUP_OPEN_ERRORS; i++) {
        char text[64];
        cup_open_error_text(sum, sum->errors[i].error, text, sizeof text);
        listed += sum->errors[i].count;
        append_kind(kinds, sum->errors[i].count, before, text);
    }
    if (sum && sum->failed > listed)
        kinds->other += sum->failed - listed;
}

bool cup_server_error_kinds(const struct cup_server_uses *uses, const struct cup_server_use *use,
                            char *to, size_t room)
{
    struct kinds kinds = {to, room, 0};
    *to = '\0';
    for (uint32_t i = 0; i < use->errors; i++) {
        char text[64];
        const struct cup_server_error *error = &uses->errors[use->first_error + i];
        write_request_error(use, error->error, text, sizeof text);
        append_kind(&kinds, error->count, "", text);
    }
    append_opens(&kinds, use->opens, "open: ");
    append_opens(&kinds, use->connects, "connect: ");
    if (kinds.other)
        snprintf(to + strlen(to), room - strlen(to), "%s%llu other", *to ? ", " : "",
                 (unsigned long long)kinds.other);
    return *to != '\0';
}

/* ---- what was tried again -------------------------------------------------------------------- */

static const char old_log[] = "a log of an older cupping does not have it";

const char *cup_server_repeats_unknown(const struct cup_profile *profile,
                                       const struct cup_server_use *use)
{
    if (use->kind == CUP_SERVER_XROOTD || use->kind == CUP_SERVER_WIRE)
        return "XRootD's client sends requests again without telling its caller";
    if (use->kind == CUP_SERVER_MOUNT)
        return "the kernel sends requests again without telling the program";
    if (!use->is_http)
        return "its requests are not known one by one";
    if (use->encrypted)
        return "TLS hides what a request asks for";
    return cup_profile_measured(profile, CUP_FEATURE_REPEATS) ? NULL : old_log;
}

const char *cup_server_reconnects_unknown(const struct cup_profile *profile,
                                          const struct cup_server_use *use)
{
    if (use->kind == CUP_SERVER_XROOTD)
        return "the connections of XRootD's client are in the rows of its sockets";
    if (use->kind == CUP_SERVER_MOUNT)
        return "the kernel connects";
    if (use->name.length < 6 || memcmp(use->name.bytes, "tcp://", 6) != 0)
        return "only TCP connections are followed";
    return cup_profile_measured(profile, CUP_FEATURE_REPEATS) ? NULL : old_log;
}
