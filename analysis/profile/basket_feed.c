#include "analysis/profile/basket_feed.h"

/* The numbers of a process ascend: 1, 2, 3, ... unless records are missing. So the first guess is
 * that NUMBER is at index NUMBER - 1; if not, this searches for it. */
uint32_t cup_branch_of(const struct cup_profile *profile, uint32_t process, uint32_t number)
{
    const struct cup_process *of = &profile->processes[process];
    if (number == 0 || of->branches == 0)
        return 0;
    const struct cup_branch_number *numbers = &profile->branch_numbers[of->first_branch];
    if (number <= of->branches && numbers[number - 1].number == number)
        return numbers[number - 1].branch;
    uint32_t from = 0, to = of->branches;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (numbers[middle].number < number)
            from = middle + 1;
        else
            to = middle;
    }
    return from < of->branches && numbers[from].number == number ? numbers[from].branch : 0;
}

/* ---- the iterator ------------------------------------------------------------------------- */

void cup_basket_feed_open(struct cup_basket_feed *feed, const struct cup_profile *profile)
{
    *feed = (struct cup_basket_feed){.profile = profile};
    cup_record_reader_open(&feed->reader, profile);
}

void cup_basket_feed_file(struct cup_basket_feed *feed, uint32_t root_file)
{
    bool kept = !feed->profile->basket_places_dropped;
    feed->next = kept ? feed->profile->root_files[root_file].first_place : 0;
    feed->rows = (struct cup_basket_reader){0};
}

/* Reads the record of the next place; false if there is none. */
static bool next_record(struct cup_basket_feed *feed)
{
    while (feed->next && !feed->reader.out_of_memory) {
        const struct cup_basket_place *place = &feed->profile->basket_places[feed->next - 1];
        const struct cup_record *record =
            cup_record_at(&feed->reader, place->process, place->at, CUP_R_BASKETS);
        feed->next = place->next;
        feed->task = place->task;
        feed->process = place->process;
        if (record) {
            cup_basket_reader_start(&feed->rows, record);
            feed->records++;
            return true;
        }
        feed->lost++;
    }
    return false;
}

bool cup_basket_feed_next(struct cup_basket_feed *feed)
{
    while (!cup_basket_reader_next(&feed->rows))
        if (!next_record(feed))
            return false;
    feed->branch = cup_branch_of(feed->profile, feed->process, feed->rows.row.branch);
    return true;
}

int cup_basket_feed_close(struct cup_basket_feed *feed)
{
    return cup_record_reader_close(&feed->reader);
}
