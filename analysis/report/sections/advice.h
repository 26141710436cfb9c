/* The advice as text. */
#pragma once

#include "analysis/report/page/page.h"

/* Prints the first findings, at most `most`, and how many more there are. */
void cup_print_findings(const struct cup_page *page, size_t most);

/* Prints the first finding, beginning with what to do, and how many more there are. */
void cup_print_verdict(const struct cup_page *page);
