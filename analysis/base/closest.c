#include "analysis/base/closest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LETTERS = 40 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t less = a < b ? a : b;
    return less < c ? less : c;
}

/* The edit distance of Damerau and Levenshtein, of texts of at most MOST_LETTERS. */
static size_t count_edits(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t edits[MOST_LETTERS + 1][MOST_LETTERS + 1];
    for (size_t i = 0; i <= a_length; i++)
        for (size_t k = 0; k <= b_length; k++) {
            if (i == 0 || k == 0) {
                edits[i][k] = i + k;
                continue;
            }
            edits[i][k] = least(edits[i - 1][k] + 1, edits[i][k - 1] + 1,
                                edits[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
                edits[i - 2][k - 2] + 1 < edits[i][k])
                edits[i][k] = edits[i - 2][k - 2] + 1;
        }
    return edits[a_length][b_length];
}

void cup_closest_try(struct cup_closest *closest, const char *name)
{
    size_t typed = strlen(closest->word), length = strlen(name);
    if (typed > MOST_LETTERS || length > MOST_LETTERS)
        return;
    bool begins = typed >= 3 && strncmp(name, closest->word, typed) == 0;
    size_t distance = begins ? 1 : count_edits(closest->word, typed, name, length);
    size_t most = (typed > length ? typed : length) / 3;
    if (distance > most || (closest->name && distance >= closest->distance))
        return;
    closest->name = name;
    closest->distance = distance;
}

void cup_closest_try_all(struct cup_closest *closest, const char *name_of(size_t n))
{
    for (size_t n = 0; name_of(n); n++)
        cup_closest_try(closest, name_of(n));
}

const char *cup_closest_text(struct cup_closest *closest)
{
    *closest->text = '\0';
    if (closest->name)
        snprintf(closest->text, sizeof closest->text, "; did you mean %s", closest->name);
    return closest->text;
}
