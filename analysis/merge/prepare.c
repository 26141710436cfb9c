#include "analysis/merge/prepare.h"

#include <stdlib.h>
#include <unistd.h>

#include "analysis/base/parallel.h"
#include "analysis/profile/load/prepared_log.h"

struct crew {
    const struct cup_prepare_request *request;
    FILE *out;
    uint64_t at; /* bytes written; only for the thread whose turn it is */
    struct cup_turns turns;
};

/* Copies the prepared form of a log from the merged log that it comes from, if this program wrote
 * that. */
static bool copy_prepared(struct cup_prepared *prepared, const char *path)
{
    struct cup_log_bytes log;
    struct cup_error error;
    *prepared = (struct cup_prepared){0};
    if (cup_log_bytes_open(&log, path, &error) != 0)
        return false;
    uint64_t maker = log.merged ? log.merged->header.prepared_maker : 0;
    size_t bytes = log.merged ? log.log->prepared_packed : 0;
    if (bytes && maker && maker == cup_prepared_maker())
        prepared->packed = malloc(bytes);
    if (prepared->packed && pread(log.merged->fd, prepared->packed, bytes,
                                  (off_t)log.log->prepared_at) == (ssize_t)bytes) {
        prepared->packed_bytes = bytes;
        prepared->bytes = log.log->prepared_bytes;
    } else {
        free(prepared->packed);
    }
    cup_log_bytes_close(&log);
    return prepared->packed_bytes > 0;
}

static bool prepare_log(const struct cup_prepare_request *request, size_t log,
                        struct cup_prepared *prepared)
{
    const struct cup_merge_source *source = &request->sources->sources[log];
    char *path;
    if (!request->summed && copy_prepared(prepared, source->path))
        return true;
    if (asprintf(&path, "%s/%s", request->merged, source->name) < 0)
        return false;
    bool done = cup_prepare_log(prepared, path);
    free(path);
    return done;
}

static void write_prepared(struct crew *crew, size_t log, struct cup_prepared *prepared)
{
    struct cup_merged_log *entry = &crew->request->logs[log];
    entry->prepared_at = crew->at;
    entry->prepared_packed = prepared->packed_bytes;
    entry->prepared_bytes = prepared->bytes;
    fwrite(prepared->packed, 1, prepared->packed_bytes, crew->out);
    crew->at += prepared->packed_bytes;
    free(prepared->packed);
}

static void prepare_some(void *context)
{
    struct crew *crew = context;
    size_t log;
    while (cup_turns_take(&crew->turns, &log)) {
        struct cup_prepared prepared;
        bool done = prepare_log(crew->request, log, &prepared);
        cup_turns_await(&crew->turns, log);
        if (done)
            write_prepared(crew, log, &prepared);
        cup_turns_end(&crew->turns);
    }
}

void cup_prepare_logs(const struct cup_prepare_request *request, FILE *out)
{
    struct crew crew = {.request = request, .out = out};
    cup_turns_start(&crew.turns, request->sources->count);
    cup_parallel(request->sources->count, prepare_some, &crew);
    cup_turns_finish(&crew.turns);
}
