/* Adds what a log holds of Dask's own state to a profile: samples, spans, fine metrics. */
#ifndef CUPPING_ANALYSIS_PROFILE_LOAD_LOAD_SAMPLES_H
#define CUPPING_ANALYSIS_PROFILE_LOAD_LOAD_SAMPLES_H

#include "analysis/profile/profile_builder.h"

/* While one log is read. The last two maps are its own: start with zeros, clear at the end. */
struct cup_sample_loader {
    struct cup_builder *builder;
    uint32_t process;                 /* index */
    struct cup_clock clock;           /* of that log */
    const struct cup_id_map *strings; /* of that log: id in the profile */
    const struct cup_id_map *servers; /* of that log: index + 1 */
    struct cup_id_map rows;           /* by number of a sample: where its first rows are */
    struct cup_id_map digests;        /* by key: index + 1 */
};

/* Handlers of the records of each type; OFFSET is where the record is in the log. */
void cup_load_rows(struct cup_sample_loader *loader, const struct cup_record *record,
                   uint64_t offset);
void cup_load_sample(struct cup_sample_loader *loader, const struct cup_record *record,
                     uint64_t offset);
void cup_load_worker(struct cup_sample_loader *loader, const struct cup_record *record);
void cup_load_status(struct cup_sample_loader *loader, const struct cup_record *record);
void cup_load_span(struct cup_sample_loader *loader, const struct cup_record *record);
void cup_load_digest_key(struct cup_sample_loader *loader, const struct cup_record *record);
void cup_load_digest(struct cup_sample_loader *loader, const struct cup_record *record);

void cup_sample_loader_clear(struct cup_sample_loader *loader);

/* Once all logs are in: finds the names of the digests' spans. Returns 0, or -1 without memory. */
int cup_digests_settle(struct cup_profile *profile);

#endif
