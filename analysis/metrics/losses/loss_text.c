#include "analysis/metrics/losses/loss_text.h"

#include <math.h>

/* Chunks are whole files if only their metadata was to be read. */
static uint64_t count_chunks(const struct cup_loss_sums *sums)
{
    return cup_losses_chunks(sums) - sums->metadata;
}

/* The events of a file that was lost before its metadata was read are not known. */
static const char *describe_events(char *to, const struct cup_loss_sums *sums)
{
    uint64_t events = cup_losses_events(sums), unknown = sums->without_events - sums->metadata;
    if (unknown && events == 0)
        return "events not known";
    return cup_format(to, "%s%s", unknown ? "at least " : "", CUP_SHOW_COUNTED(events, "event"));
}

char *cup_losses_text(char *to, const struct cup_loss_sums *sums)
{
    uint64_t chunks = count_chunks(sums), files = sums->metadata;
    char events[CUP_LINE_ROOM];
    const char *files_text = CUP_FORMAT("%s (events not known)", CUP_SHOW_COUNTED(files, "file"));
    const char *chunks_text =
        CUP_FORMAT("%s (%s)", CUP_SHOW_COUNTED(chunks, "chunk"), describe_events(events, sums));
    return cup_format(to, "%s%s%s", chunks ? chunks_text : "", chunks && files ? " and " : "",
                      files    ? files_text
                      : chunks ? ""
                               : "nothing");
}

char *cup_losses_chunks_text(char *to, const struct cup_loss_sums *sums)
{
    uint64_t chunks = count_chunks(sums), files = sums->metadata;
    return cup_format(to, "%s%s%s", chunks ? CUP_SHOW_COUNTED(chunks, "chunk") : "",
                      chunks && files ? " and " : "", files ? CUP_SHOW_COUNTED(files, "file") : "");
}

struct cup_value cup_losses_events_value(const struct cup_loss_sums *sums)
{
    return sums->without_events ? cup_null() : cup_count(cup_losses_events(sums));
}

struct cup_value cup_losses_share(const struct cup_loss_sums *sums, uint64_t events)
{
    bool is_known = sums->without_events == 0 && events != CUP_UNKNOWN64;
    if (is_known && cup_losses_events(sums) == 0)
        return cup_real(0);
    return is_known ? cup_ratio((double)cup_losses_events(sums), (double)events) : cup_null();
}

char *cup_losses_share_text(char *to, const struct cup_loss_sums *sums, uint64_t events)
{
    struct cup_value lost = cup_count(cup_losses_events(sums)), all = cup_count_or_null(events);
    double share = cup_number(lost) / cup_number(all);
    char percent[CUP_LINE_ROOM] = "";
    if (isfinite(share))
        cup_format(percent, " (%.3g %%)", 100 * share);
    const char *known =
        all.kind == CUP_VALUE_NULL
            ? CUP_FORMAT("%s; how many there are is not known",
                         CUP_SHOW_COUNTED(cup_losses_events(sums), "event"))
            : CUP_FORMAT("%s of %s%s events%s", CUP_SHOW_VALUE(lost, CUP_UNIT_COUNT),
                         CUP_SHOW_VALUE(all, CUP_UNIT_COUNT), sums->without_events ? " known" : "",
                         percent);
    if (sums->without_events == 0)
        return cup_format(to, "%s", known);
    uint64_t chunks = sums->without_events - sums->metadata;
    return cup_format(to, "%s%sthe events of %s%s%s are not known",
                      cup_losses_events(sums) ? known : "", cup_losses_events(sums) ? "; " : "",
                      chunks ? CUP_SHOW_COUNTED(chunks, "lost chunk") : "",
                      chunks && sums->metadata ? " and " : "",
                      sums->metadata ? CUP_SHOW_COUNTED(sums->metadata, "lost file") : "");
}
