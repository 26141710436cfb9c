/* Which fields of records are texts, and what they say. */
#pragma once

#include "analysis/anonymize/aliases.h"
#include "include/log_format.h"

/* Calls NOTE for each string that the record refers to, by its id. */
void cup_record_texts(const struct cup_record *record,
                      void (*note)(void *user, uint32_t string, enum cup_name_kind kind),
                      void *user);

/* What the value of a fact says (INFO record). */
enum cup_name_kind cup_fact_kind(struct cup_text name, struct cup_text value);
