/* Sentences about what is missing in the result. */
#pragma once

#include "analysis/base/units.h"
#include "analysis/base/value.h"
#include "analysis/metrics/losses/losses.h"

/* "2 chunks (5,000 events) and 3 files (events not known)"; "nothing". Into TO (CUP_LINE_ROOM
 * bytes), which is returned. */
char *cup_losses_text(char *to, const struct cup_loss_sums *sums);
#define CUP_SHOW_LOSSES(sums) cup_losses_text((char[CUP_LINE_ROOM]){""}, sums)

/* "2 chunks and 3 files"; for sentences that say the events apart. */
char *cup_losses_chunks_text(char *to, const struct cup_loss_sums *sums);
#define CUP_SHOW_LOST_CHUNKS(sums) cup_losses_chunks_text((char[CUP_LINE_ROOM]){""}, sums)

/* Lost events; null if those of a lost chunk or file are not known. */
struct cup_value cup_losses_events_value(const struct cup_loss_sums *sums);

/* Lost events as a share of EVENTS, the number that there is (CUP_UNKNOWN64: not known). */
struct cup_value cup_losses_share(const struct cup_loss_sums *sums, uint64_t events);

/* "5,000 of 20,000 events (25 %)", with what is not known. Into TO (CUP_LINE_ROOM bytes). */
char *cup_losses_share_text(char *to, const struct cup_loss_sums *sums, uint64_t events);
#define CUP_SHOW_LOSSES_SHARE(sums, events)                                                        \
    cup_losses_share_text((char[CUP_LINE_ROOM]){""}, sums, events)
