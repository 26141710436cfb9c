/* The walk through the records of ROOT files: records that are made here, and whole files, of which
 * uproot said what is in them (tests/data/root). */
#include "preload/root/root_records.h"

#include "include/log_format.h"
#include "preload/root/root_carry.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FILE_ID = 1, MOST = 4096 };

/* ---- what was reported ----------------------------------------------------------------------- */

struct reported {
    size_t baskets, blocks, heads;
    struct {
        struct cup_root_basket basket;
        char branch[1024], tree[1024];
    } basket[MOST];
    struct cup_root_basket block[MOST];
    struct cup_root_head head;
};

static struct reported reported;

static void on_basket(void *user, const struct cup_root_basket *basket)
{
    struct reported *into = user;
    cr_assert(into->baskets < MOST && into->blocks < MOST);
    if (basket->is_block) {
        into->block[into->blocks++] = *basket;
        return;
    }
    into->basket[into->baskets].basket = *basket;
    snprintf(into->basket[into->baskets].branch, 1024, "%.*s", (int)basket->branch_bytes,
             basket->branch);
    snprintf(into->basket[into->baskets].tree, 1024, "%.*s", (int)basket->tree_bytes, basket->tree);
    into->baskets++;
}

static void on_head(void *user, const struct cup_root_head *head)
{
    struct reported *into = user;
    into->head = *head;
    into->heads++;
}

/* A copy, so that a sanitizer sees who looks behind its end. */
static void read_into(struct reported *into, struct cup_root_read read)
{
    const struct cup_root_sink sink = {into, on_basket, on_head};
    unsigned char *copy = malloc(read.bytes);
    memcpy(copy, read.data, read.bytes);
    read.data = copy;
    if (cup_root_is(&read))
        cup_root_walk(&read, &sink);
    free(copy);
}

static void forget(void)
{
    reported.baskets = reported.blocks = reported.heads = 0;
}

/* ---- a file that is made here ------------------------------------------------------------ */

static unsigned char image[1 << 20];
static size_t used;

static void put(uint64_t value, size_t bytes)
{
    for (size_t i = bytes; i-- > 0;)
        image[used++] = (unsigned char)(value >> (8 * i));
}

static void put_text(const char *text)
{
    size_t bytes = strlen(text);
    if (bytes >= 255) {
        put(255, 1);
        put(bytes, 4);
    } else {
        put(bytes, 1);
    }
    memcpy(image + used, text, bytes);
    used += bytes;
}

static void put_bytes(const void *bytes, size_t count)
{
    memcpy(image + used, bytes, count);
    used += count;
}

/* Of a byte that makes no record and no block. */
static void put_junk(size_t bytes)
{
    memset(image + used, 0x55, bytes);
    used += bytes;
}

struct record {
    const char *class, *name, *title;
    size_t payload; /* bytes */
    uint32_t object_bytes, entries;
    const char *letters; /* that the payload begins with */
    bool small;          /* positions of 32 bits */
    bool elsewhere;      /* says that it is somewhere else */
};

static void set_32(size_t at, uint32_t value)
{
    size_t end = used;
    used = at;
    put(value, 4);
    used = end;
}

static void set_16(size_t at, uint32_t value)
{
    size_t end = used;
    used = at;
    put(value, 2);
    used = end;
}

/* Returns where it begins. */
static size_t put_record(const struct record *record)
{
    size_t at = used, seek = at + record->elsewhere;
    put(0, 4);
    put(record->small ? 4 : 1004, 2);
    put(record->object_bytes, 4);
    put(0x7cb06721, 4);
    put(0, 2); /* fKeylen, below */
    put(1, 2);
    put(seek, record->small ? 4 : 8);
    put(100, record->small ? 4 : 8);
    put_text(record->class);
    put_text(record->name);
    put_text(record->title);
    if (strcmp(record->class, "TBasket") == 0) {
        put(3, 2);
        put(32000, 4);
        put(1000, 4);
        put(record->entries, 4);
        put(17, 4);
        put(0, 1);
    }
    set_16(at + 14, (uint32_t)(used - at));
    size_t payload = used;
    put_junk(record->payload);
    if (record->letters)
        memcpy(image + payload, record->letters, strlen(record->letters));
    set_32(at, (uint32_t)(used - at));
    return at;
}

static size_t put_basket(const char *branch, size_t payload)
{
    return put_record(&(struct record){.class = "TBasket",
                                       .name = branch,
                                       .title = "Events",
                                       .payload = payload,
                                       .object_bytes = (uint32_t)payload * 3,
                                       .entries = 12,
                                       .letters = "ZS\1"});
}

static void begin_at(size_t offset)
{
    memset(image, 0x55, sizeof image);
    used = offset;
    forget();
    cup_root_reset();
    cup_root_expect(FILE_ID);
}

static void begin_file(void)
{
    begin_at(100);
    memcpy(image, "root", 4);
    memset(image + 4, 0, 96);
}

/* Bytes FROM to END are delivered by one call. */
static void deliver(size_t from, size_t end, bool continues)
{
    read_into(&reported, (struct cup_root_read){.file = FILE_ID,
                                                .continues = continues,
                                                .offset = from,
                                                .data = image + from,
                                                .bytes = end - from});
}

static void expect_branches(const char *const *names, size_t count)
{
    cr_expect_eq(reported.baskets, count, "%zu baskets, not %zu", reported.baskets, count);
    for (size_t i = 0; i < count && i < reported.baskets; i++)
        cr_expect_str_eq(reported.basket[i].branch, names[i]);
}
#define EXPECT_BRANCHES(...)                                                                       \
    expect_branches((const char *const[]){__VA_ARGS__},                                            \
                    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static enum cup_root_place place_of(size_t index)
{
    return reported.basket[index].basket.place;
}

/* ---- keys -------------------------------------------------------------------------------- */

static void expect_one_basket(bool small)
{
    begin_at(4711);
    size_t at = put_record(&(struct record){.class = "TBasket",
                                            .name = "Muon_pt",
                                            .title = "Events",
                                            .payload = 300,
                                            .object_bytes = 1000,
                                            .entries = 250,
                                            .letters = "L4\1",
                                            .small = small});
    deliver(at, used, false);
    cr_assert_eq(reported.baskets, 1);
    const struct cup_root_basket *basket = &reported.basket[0].basket;
    cr_expect_eq(basket->offset, 4711);
    cr_expect_eq(basket->bytes, used - at);
    cr_expect_eq(basket->key_bytes, used - at - 300);
    cr_expect_eq(basket->object_bytes, 1000);
    cr_expect_eq(basket->entries, 250);
    cr_expect_eq(basket->algorithm, CUP_ALGORITHM_LZ4);
    cr_expect_eq(basket->place, CUP_ROOT_STARTS);
    cr_expect_str_eq(reported.basket[0].branch, "Muon_pt");
    cr_expect_str_eq(reported.basket[0].tree, "Events");
}

Test(root_records, a_basket_with_positions_of_64_bits)
{
    expect_one_basket(false);
}

Test(root_records, a_basket_with_positions_of_32_bits)
{
    expect_one_basket(true);
}

Test(root_records, algorithms)
{
    static const struct {
        const char *letters;
        uint32_t algorithm;
    } cases[] = {{"ZL\10", CUP_ALGORITHM_ZLIB}, {"XZ", CUP_ALGORITHM_LZMA},
                 {"L4\1", CUP_ALGORITHM_LZ4},   {"ZS\1", CUP_ALGORITHM_ZSTD},
                 {"CS\10", CUP_ALGORITHM_OLD},  {"??", CUP_ALGORITHM_UNKNOWN},
                 {NULL, CUP_ALGORITHM_UNKNOWN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin_at(1000);
        put_record(&(struct record){.class = "TBasket",
                                    .name = "x",
                                    .title = "t",
                                    .payload = 50,
                                    .object_bytes = 100,
                                    .letters = cases[i].letters});
        deliver(1000, used, false);
        cr_assert_eq(reported.baskets, 1);
        cr_expect_eq(reported.basket[0].basket.algorithm, cases[i].algorithm, "case %zu", i);
    }
}

Test(root_records, what_is_stored_as_it_is_may_begin_with_any_letters)
{
    begin_at(1000);
    put_record(&(struct record){.class = "TBasket",
                                .name = "x",
                                .title = "t",
                                .payload = 50,
                                .object_bytes = 50,
                                .letters = "ZL\10"});
    deliver(1000, used, false);
    cr_assert_eq(reported.baskets, 1);
    cr_expect_eq(reported.basket[0].basket.algorithm, CUP_ALGORITHM_NONE);
}

Test(root_records, other_classes_are_passed_over)
{
    begin_file();
    put_record(&(struct record){"TFile", "f.root", "", 78, 78, 0, NULL, true, false});
    put_basket("a", 500);
    put_record(&(struct record){"TTree", "Events", "title", 2000, 9000, 0, NULL, true, false});
    put_basket("b", 500);
    put_record(&(struct record){"TList", "StreamerInfo", "Doubly linked list", 900, 4000, 0, NULL,
                                false, false});
    deliver(0, used, false);
    EXPECT_BRANCHES("a", "b");
}

Test(root_records, names_longer_than_one_byte_can_count)
{
    char name[400];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    begin_at(1000);
    put_basket(name, 300);
    put_basket("after", 300);
    for (size_t split = 1001; split < 1600; split++) {
        forget();
        deliver(1000, split, false);
        deliver(split, used, true);
        EXPECT_BRANCHES(name, "after");
    }
}

/* ---- records over several reads ---------------------------------------------------------- */

Test(root_records, a_key_split_anywhere_over_two_reads)
{
    begin_at(1000);
    put_basket("first", 40);
    put_basket("second", 40);
    for (size_t split = 1001; split < used; split++) {
        forget();
        deliver(1000, split, false);
        deliver(split, used, true);
        EXPECT_BRANCHES("first", "second");
        cr_expect_eq(reported.basket[0].basket.algorithm, CUP_ALGORITHM_ZSTD, "split %zu", split);
        cr_expect_eq(reported.basket[1].basket.algorithm, CUP_ALGORITHM_ZSTD, "split %zu", split);
    }
}

Test(root_records, a_key_split_anywhere_over_three_reads)
{
    begin_at(1000);
    put_basket("first", 20);
    put_basket("second", 20);
    for (size_t one = 1001; one < used; one++) {
        for (size_t two = one + 1; two < used; two++) {
            forget();
            deliver(1000, one, false);
            deliver(one, two, true);
            deliver(two, used, true);
            cr_assert_eq(reported.baskets, 2, "splits %zu %zu", one, two);
            cr_assert_str_eq(reported.basket[1].branch, "second");
        }
    }
}

Test(root_records, another_descriptor_carries_a_record_on)
{
    begin_at(1000);
    put_basket("first", 5000);
    put_basket("second", 5000);
    deliver(1000, 2000, false);
    deliver(2000, 7000, false); /* where nothing begins: no request for a basket */
    deliver(7000, used, false);
    EXPECT_BRANCHES("first", "second");
    cr_expect_eq(place_of(1), CUP_ROOT_PASSES);
}

Test(root_records, who_knows_nothing_does_not_make_forget_what_is_known)
{
    begin_at(1000);
    put_basket("first", 100000);
    put_basket("second", 100);
    deliver(1000, 4000, false);
    deliver(3000, 4000, false);
    deliver(4000, used, true); /* second: farther away than what is searched */
    EXPECT_BRANCHES("first", "second");
}

Test(root_records, reads_of_two_files_in_turns)
{
    begin_at(1000);
    cup_root_expect(FILE_ID + 1);
    put_basket("first", 5000);
    size_t second = put_basket("second", 5000);
    for (size_t at = 1000; at < used; at += 100) {
        size_t bytes = used - at < 100 ? used - at : 100;
        struct cup_root_read read = {.file = FILE_ID,
                                     .continues = at > 1000,
                                     .offset = at,
                                     .data = image + at,
                                     .bytes = bytes};
        read_into(&reported, read);
        read.file = FILE_ID + 1;
        read_into(&reported, read);
    }
    EXPECT_BRANCHES("first", "first", "second", "second");
    cr_expect_eq(reported.basket[3].basket.offset, second);
}

static pthread_barrier_t all_came_so_far;

static void *walk_by_hundreds(void *user)
{
    enum { READS_APART = 50 };
    struct reported *into = user;
    int reads = 0;
    for (size_t at = 1000; at < used; at += 100) {
        if (++reads % READS_APART == 0)
            pthread_barrier_wait(&all_came_so_far);
        read_into(into, (struct cup_root_read){.file = FILE_ID,
                                               .continues = at > 1000,
                                               .offset = at,
                                               .data = image + at,
                                               .bytes = used - at < 100 ? used - at : 100});
    }
    return NULL;
}

/* The cache of unfinished reads has 512 places. The threads wait for each other every 50 reads:
 * otherwise one that the kernel holds up is overtaken by more reads than the cache can hold. */
Test(root_records, threads_that_read_the_same)
{
    enum { THREADS = 4, BASKETS = 300 };
    static struct reported each[THREADS];
    pthread_t threads[THREADS];
    begin_at(1000);
    for (int i = 0; i < BASKETS; i++)
        put_basket("x", 1000);
    pthread_barrier_init(&all_came_so_far, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, walk_by_hundreds, &each[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        cr_expect_eq(each[i].baskets, BASKETS);
    }
    pthread_barrier_destroy(&all_came_so_far);
}

Test(root_records, the_oldest_are_forgotten_and_begin_anew)
{
    enum { STREAMS = 2000 };
    begin_at(1000);
    put_basket("first", 1000);
    put_basket("second", 1000);
    for (uint32_t file = 2; file < STREAMS; file++) {
        cup_root_expect(file);
        read_into(&reported, (struct cup_root_read){
                                 .file = file, .offset = 1000, .data = image + 1000, .bytes = 20});
    }
    cr_expect_eq(reported.baskets, 0);
    for (uint32_t file = 2; file < STREAMS; file++)
        read_into(&reported, (struct cup_root_read){.file = file,
                                                    .continues = true,
                                                    .offset = 1020,
                                                    .data = image + 1020,
                                                    .bytes = used - 1020});
    /* second: of every one, since it is looked for where nothing is known. */
    cr_expect(reported.baskets > STREAMS - 3 && reported.baskets < STREAMS - 2 + 300);
}

/* ---- where no record is known ------------------------------------------------------------ */

Test(root_records, the_next_record_after_a_gap)
{
    begin_at(1000);
    put_junk(3000);
    put_basket("found", 500);
    put_basket("next", 500);
    for (size_t split = 3900; split < 4200; split++) {
        forget();
        deliver(1000, split, false);
        deliver(split, used, true);
        EXPECT_BRANCHES("found", "next");
        cr_expect_eq(place_of(0), CUP_ROOT_PASSES);
    }
}

Test(root_records, a_hole_of_zeros_as_uproot_leaves_them)
{
    begin_at(1000);
    put_basket("before", 500);
    memset(image + used, 0, 700);
    used += 700;
    put_basket("after", 500);
    for (size_t split = 1001; split < used; split++) {
        forget();
        deliver(1000, split, false);
        deliver(split, used, true);
        EXPECT_BRANCHES("before", "after");
    }
}

Test(root_records, the_search_is_bounded_in_each_read)
{
    begin_at(1000);
    put_junk(100000);
    put_basket("far", 500);
    size_t next = used;
    put_junk(1000);
    put_basket("near", 500);
    deliver(1000, next, false);
    cr_expect_eq(reported.baskets, 0);
    deliver(next, used, true);
    EXPECT_BRANCHES("near");
}

Test(root_records, a_stream_without_records_is_given_up_until_a_new_request)
{
    enum { PIECE = 50000 };
    const size_t at = 900000, before = 2000000;
    begin_at(at);
    put_junk(1000);
    size_t key = put_basket("x", 500);
    const uint64_t far = before + at; /* of the junk */
    used = key + 18;
    put(far + (key - at), 8);
    used = key + 600;
    for (size_t streamed = 0; streamed < before; streamed += PIECE)
        read_into(&reported, (struct cup_root_read){.file = FILE_ID,
                                                    .continues = streamed > 0,
                                                    .offset = far - before + streamed,
                                                    .data = image + at - PIECE,
                                                    .bytes = PIECE});
    struct cup_root_read last = {
        .file = FILE_ID, .continues = true, .offset = far, .data = image + at, .bytes = used - at};
    read_into(&reported, last);
    cr_expect_eq(reported.baskets, 0);
    last.continues = false;
    read_into(&reported, last);
    cr_expect_eq(reported.baskets, 1);
}

Test(root_records, data_that_look_like_a_record)
{
    begin_at(1000);
    put_junk(100);
    put_record(&(struct record){"TBasket", "fake", "Events", 50, 100, 0, NULL, false, true});
    put_bytes("\7TBasket\7TBasket\7TBaske", 23);
    put_basket("real", 500);
    deliver(1000, used, false);
    EXPECT_BRANCHES("real");
}

Test(root_records, a_whole_file_inside_of_a_basket)
{
    begin_at(1000);
    size_t at = used;
    put_basket("outer", 3000);
    size_t end = used;
    used = at + 500;
    put_record(&(struct record){"TBasket", "inner", "Events", 50, 100, 0, NULL, false, true});
    used = end;
    put_basket("next", 300);
    deliver(at, used, false);
    EXPECT_BRANCHES("outer", "next");
}

Test(root_records, free_places_are_passed_over)
{
    begin_file();
    put_record(&(struct record){"TFile", "f.root", "", 78, 78, 0, NULL, false, false});
    size_t at = used;
    put_junk(400);
    set_32(at, (uint32_t)-400);
    put_basket("after", 300);
    for (size_t split = 101; split < used; split++) {
        forget();
        deliver(0, split, false);
        deliver(split, used, true);
        EXPECT_BRANCHES("after");
    }
}

Test(root_records, where_a_request_begins_a_negative_number_is_no_free_place)
{
    begin_at(1000);
    put_junk(60);
    set_32(1000, (uint32_t)-600); /* would hide the record */
    put_basket("found", 300);
    put_junk(1000);
    deliver(1000, used, false);
    EXPECT_BRANCHES("found");
}

Test(root_records, sizes_that_contradict_each_other)
{
    static const struct {
        uint32_t at, bytes, value;
    } cases[] = {
        {0, 4, 0},          {0, 4, 1},           {0, 4, 17},          {0, 4, 0x7fffffff},
        {0, 4, 0x80000000}, {0, 4, 0xffffffff},  {6, 4, 0x80000000},  {6, 4, 0xffffffff},
        {14, 2, 0},         {14, 2, 1},          {14, 2, 36},         {14, 2, 0x7fff},
        {14, 2, 0x8000},    {14, 2, 0xffff},     {34, 1, 255},        {42, 1, 255},
        {42, 1, 254},       {18, 4, 0xffffffff}, {22, 4, 0xffffffff},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t split = 1000; split < 1080; split++) {
            begin_at(1000);
            put_basket("broken", 300);
            size_t end = used;
            used = 1000 + cases[i].at;
            put(cases[i].value, cases[i].bytes);
            used = end;
            put_basket("sound", 300);
            if (split > 1000)
                deliver(1000, split, false);
            deliver(split, used, split > 1000);
            bool huge = cases[i].at == 0 && cases[i].value == 0x7fffffff;
            cr_assert_leq(reported.baskets, 2);
            if (!huge && cases[i].value != 0x80000000 - 0)
                cr_expect(reported.baskets &&
                              !strcmp(reported.basket[reported.baskets - 1].branch, "sound"),
                          "case %zu, split %zu", i, split);
        }
    }
}

Test(root_records, a_record_that_ends_behind_all_files)
{
    begin_at(1000);
    put_basket("x", 300);
    const uint64_t far = INT64_MAX - 500;
    used = 1018;
    put(far, 8);
    read_into(&reported, (struct cup_root_read){
                             .file = FILE_ID, .offset = far, .data = image + 1000, .bytes = 300});
    EXPECT_BRANCHES("x");
    read_into(&reported,
              (struct cup_root_read){
                  .file = FILE_ID, .offset = UINT64_MAX - 2, .data = image + 1000, .bytes = 300});
    cr_expect_eq(reported.baskets, 1);
}

/* ---- places ------------------------------------------------------------------------------ */

Test(root_records, what_was_asked_for_at_once_counts)
{
    begin_at(1000);
    for (int i = 0; i < 3; i++)
        put_basket("x", 3000);
    deliver(1000, used, false);
    cr_assert_eq(reported.baskets, 3);
    cr_expect_eq(place_of(0), CUP_ROOT_STARTS);
    cr_expect_eq(place_of(1), CUP_ROOT_FOLLOWS);
    cr_expect_eq(place_of(2), CUP_ROOT_FOLLOWS);
}

Test(root_records, a_filled_buffer_holds_one_that_was_wanted)
{
    begin_at(1000);
    for (int i = 0; i < 8; i++)
        put_basket("x", 600);
    deliver(1000, 1000 + 4096, false);
    cr_assert_eq(reported.baskets, 6); /* whether the seventh, cut one was wanted is open */
    cr_expect_eq(place_of(0), CUP_ROOT_STARTS);
    for (size_t i = 1; i < reported.baskets; i++)
        cr_expect_eq(place_of(i), CUP_ROOT_PASSES);
}

/* Python's: what was asked for, less what does not fill its buffer; then the buffer. */
Test(root_records, the_last_buffer_of_a_request_is_read_ahead)
{
    begin_at(1000);
    put_basket("asked", 9000);
    put_basket("ahead", 600);
    put_basket("cut", 6000);
    deliver(1000, 1000 + 2 * 4096, false);
    deliver(1000 + 2 * 4096, 1000 + 3 * 4096, true);
    EXPECT_BRANCHES("asked", "ahead");
    cr_expect_eq(place_of(0), CUP_ROOT_STARTS);
    cr_expect_eq(place_of(1), CUP_ROOT_PASSES);
}

Test(root_records, a_reader_that_goes_on_from_its_buffer_wanted_its_end)
{
    begin_at(1000);
    put_basket("first", 7000);
    put_basket("second", 8000);
    deliver(1000, 5096, false);
    deliver(5096, 9192, true); /* second begins in here */
    EXPECT_BRANCHES("first");
    deliver(9192, used, true);
    EXPECT_BRANCHES("first", "second");
    cr_expect_eq(place_of(1), CUP_ROOT_FOLLOWS);
}

Test(root_records, the_end_of_a_buffer_that_another_one_reads_on_from)
{
    begin_at(1000);
    put_basket("first", 7000);
    put_basket("second", 8000);
    deliver(1000, 5096, false);
    deliver(5096, 9192, true);
    deliver(9192, used, false);
    EXPECT_BRANCHES("first", "second");
    cr_expect_eq(place_of(1), CUP_ROOT_PASSES);
}

Test(root_records, larger_buffers)
{
    begin_at(1000);
    for (int i = 0; i < 30; i++)
        put_basket("x", 6000);
    read_into(&reported, (struct cup_root_read){.file = FILE_ID,
                                                .offset = 1000,
                                                .data = image + 1000,
                                                .bytes = 131072,
                                                .ahead = 131072});
    cr_expect_eq(place_of(0), CUP_ROOT_STARTS);
    cr_assert(reported.baskets > 10);
    for (size_t i = 1; i < reported.baskets; i++)
        cr_expect_eq(place_of(i), CUP_ROOT_PASSES);
}

Test(root_records, who_begins_at_the_files_head_asked_for_no_basket)
{
    begin_file();
    put_record(&(struct record){"TFile", "f.root", "", 78, 78, 0, NULL, false, false});
    put_basket("x", 9000);
    deliver(0, used, false);
    EXPECT_BRANCHES("x");
    cr_expect_eq(place_of(0), CUP_ROOT_PASSES);
}

/* ---- files ------------------------------------------------------------------------------- */

static void put_head(uint32_t version, size_t width)
{
    memset(image, 0, 100);
    used = 0;
    put_bytes("root", 4);
    put(version, 4);
    put(100, 4);
    put(0x12345, width); /* fEND */
    put(0x12000, width);
    put(60, 4);
    put(1, 4);
    put(50, 4);
    put(width, 1);
    put(505, 4);
    used = 100;
}

static struct cup_root_read first_read(uint32_t file, size_t bytes)
{
    return (struct cup_root_read){.file = file, .data = image, .bytes = bytes};
}

Test(root_records, the_head_of_a_file)
{
    put_head(64000, 4);
    read_into(&reported, first_read(FILE_ID, 403));
    cr_assert_eq(reported.heads, 1);
    cr_expect_eq(reported.head.version, 64000);
    cr_expect_eq(reported.head.compression, 505);
    cr_expect_eq(reported.head.end, 0x12345);
    put_head(1064000, 8);
    read_into(&reported, first_read(FILE_ID, 403));
    cr_assert_eq(reported.heads, 2);
    cr_expect_eq(reported.head.version, 1064000);
    cr_expect_eq(reported.head.compression, 505);
    cr_expect_eq(reported.head.end, 0x12345);
}

Test(root_records, which_files_are_walked)
{
    struct cup_root_read read = first_read(7, 100);
    memcpy(image, "root", 4);
    cr_expect(cup_root_is(&read));
    read.offset = 5000;
    cr_expect(cup_root_is(&read));
    read.file = 8;
    cr_expect_not(cup_root_is(&read));
    cup_root_expect(8);
    cr_expect(cup_root_is(&read));
    read.offset = 0;
    memcpy(image, "PAR1", 4);
    cr_expect_not(cup_root_is(&read));
    read.offset = 5000;
    cr_expect_not(cup_root_is(&read));
    read.file = 7;
    cr_expect(cup_root_is(&read));
    cup_root_reset();
    cr_expect_not(cup_root_is(&read));
}

Test(root_records, a_file_with_too_high_a_number_is_not_walked)
{
    memcpy(image, "root", 4);
    struct cup_root_read read = first_read(UINT32_MAX, 100);
    cup_root_expect(UINT32_MAX);
    cr_expect_not(cup_root_is(&read));
}

/* As it is left over if another thread wrote into the buffer between two looks at it. */
Test(root_records, a_rest_that_contradicts_the_read_that_left_it)
{
    begin_file();
    size_t from = put_basket("twice", 10);
    struct cup_root_carry carry = {.standing = {.file = FILE_ID,
                                                .offset = from + 5000,
                                                .record = from,
                                                .known = true,
                                                .bytes = (uint16_t)(used - from)}};
    memcpy(carry.rest, image + from, used - from);
    cup_root_carry_keep(&carry);
    used = from + 5000;
    put_basket("next", 100);
    deliver(from + 5000, used - 1, true);
    EXPECT_BRANCHES("twice", "next");
}

Test(root_records, nothing_is_carried_into_another_log)
{
    begin_at(1000);
    put_basket("first", 40);
    deliver(1000, 1030, false);
    cup_root_reset();
    cup_root_expect(FILE_ID);
    deliver(1030, used, true);
    cr_expect_eq(reported.baskets, 0);
}

/* ---- RNTuples ---------------------------------------------------------------------------- */

enum { HEADER_BYTES = 60, FOOTER_BYTES = 50 };

/* Compressed to BYTES, with the head. Returns where it begins. */
static size_t put_block(const char *letters, size_t bytes, uint32_t object_bytes)
{
    size_t at = used, stored = bytes - 9;
    put_bytes(letters, 3);
    for (int i = 0; i < 3; i++)
        put(stored >> (8 * i) & 255, 1);
    for (int i = 0; i < 3; i++)
        put(object_bytes >> (8 * i) & 255, 1);
    put_junk(stored);
    return at;
}

static size_t begin_blob(void)
{
    return put_record(&(struct record){"RBlob", "", "", 0, 70000, 0, NULL, false, false});
}

static void end_blob(size_t at)
{
    set_32(at, (uint32_t)(used - at));
}

static void put_anchor(uint64_t header, uint64_t footer)
{
    size_t at =
        put_record(&(struct record){"ROOT::RNTuple", "nt", "", 0, 78, 0, NULL, true, false});
    put(0x40000042, 4);
    for (int i = 0; i < 5; i++)
        put(1, 2);
    put(header, 8);
    put(HEADER_BYTES, 8);
    put(200, 8);
    put(footer, 8);
    put(FOOTER_BYTES, 8);
    put(200, 8);
    put(1 << 30, 8);
    put(0, 8);
    set_32(at, (uint32_t)(used - at));
}

/* The list of keys of the file: copies of the keys at the places given. */
static size_t put_list(const size_t *keys, size_t count)
{
    size_t at = put_record(&(struct record){"TFile", "f.root", "", 0, 100, 0, NULL, true, false});
    put(count, 4);
    for (size_t i = 0; i < count; i++)
        put_bytes(image + keys[i], (size_t)image[keys[i] + 14] << 8 | image[keys[i] + 15]);
    set_32(at, (uint32_t)(used - at));
    return at;
}

/* A file with a tree, and an RNTuple of two blobs of pages. */
static struct {
    size_t header, page[4], footer, tree, anchor, list, end;
} ntuple;

static void make_ntuple(void)
{
    begin_file();
    put_record(&(struct record){"TFile", "f.root", "", 78, 78, 0, NULL, true, false});
    ntuple.tree = put_record(&(struct record){"TTree", "t", "", 0, 900, 0, NULL, true, false});
    size_t tree_payload = put_block("ZL\10", 300, 900);
    set_32(ntuple.tree, (uint32_t)(used - ntuple.tree));
    size_t blob = begin_blob();
    ntuple.header = put_block("ZS\1", HEADER_BYTES, 200);
    end_blob(blob);
    blob = begin_blob();
    ntuple.page[0] = put_block("ZS\1", 1000, 4000);
    put(0x0102030405060708, 8);
    ntuple.page[1] = put_block("ZS\1", 500, 4001);
    put_junk(8);
    end_blob(blob);
    blob = begin_blob();
    ntuple.page[2] = put_block("L4\1", 700, 4002);
    put_junk(8);
    put_junk(600); /* a page that did not get smaller */
    ntuple.page[3] = put_block("ZS\1", 700, 4003);
    put_junk(8);
    end_blob(blob);
    blob = begin_blob();
    ntuple.footer = put_block("ZS\1", FOOTER_BYTES, 200);
    end_blob(blob);
    ntuple.anchor = used;
    put_anchor(ntuple.header, ntuple.footer);
    ntuple.list = put_list((size_t[]){ntuple.tree, ntuple.anchor}, 2);
    ntuple.tree = tree_payload;
    ntuple.end = used;
}

static size_t payload_of(size_t key)
{
    return key + ((size_t)image[key + 14] << 8 | image[key + 15]);
}

/* As a reader does that opens the file. */
static void open_ntuple(void)
{
    deliver(0, 300, false);
    deliver(ntuple.list, ntuple.end, false);
    deliver(payload_of(ntuple.anchor), ntuple.list, false);
    deliver(ntuple.header, ntuple.header + HEADER_BYTES, false);
    deliver(ntuple.footer, ntuple.footer + FOOTER_BYTES, false);
}

Test(root_records, pages_of_an_rntuple)
{
    make_ntuple();
    open_ntuple();
    cr_expect_eq(reported.blocks, 0, "no page was read");
    deliver(ntuple.page[1], ntuple.page[1] + 508, false);
    cr_assert_eq(reported.blocks, 1);
    cr_expect_eq(reported.block[0].offset, ntuple.page[1]);
    cr_expect_eq(reported.block[0].bytes, 500);
    cr_expect_eq(reported.block[0].object_bytes, 4001);
    cr_expect_eq(reported.block[0].algorithm, CUP_ALGORITHM_ZSTD);
    cr_expect_eq(reported.block[0].place, CUP_ROOT_STARTS);
}

Test(root_records, pages_behind_each_other_and_behind_a_key)
{
    make_ntuple();
    open_ntuple();
    for (size_t split = ntuple.page[0] + 1; split < ntuple.anchor; split++) {
        forget();
        deliver(ntuple.page[0], split, false);
        deliver(split, ntuple.end, true);
        cr_assert_eq(reported.blocks, 3, "split %zu: %zu", split - ntuple.page[0], reported.blocks);
        for (size_t i = 0; i < 3; i++)
            cr_assert_eq(reported.block[i].offset, ntuple.page[i]);
        cr_expect_eq(reported.block[2].algorithm, CUP_ALGORITHM_LZ4);
    }
}

Test(root_records, a_page_that_is_read_on_counts)
{
    make_ntuple();
    open_ntuple();
    const size_t cut = ntuple.page[1] + 100;
    deliver(ntuple.page[0], cut, false);
    cr_expect_eq(reported.blocks, 1);
    deliver(cut, cut + 1000, true);
    cr_assert_geq(reported.blocks, 2);
    cr_expect_eq(reported.block[1].offset, ntuple.page[1]);
    cr_expect_eq(reported.block[1].place, CUP_ROOT_FOLLOWS);
    forget();
    deliver(ntuple.page[0], cut, false);
    deliver(cut, cut + 1000, false);
    cr_assert_geq(reported.blocks, 2);
    cr_expect_eq(reported.block[1].place, CUP_ROOT_PASSES);
}

Test(root_records, a_whole_rntuple_from_its_keys_alone)
{
    make_ntuple();
    for (size_t bytes = 1; bytes < 3000; bytes = bytes * 3 / 2 + 1) {
        begin_file();
        make_ntuple();
        for (size_t at = 0; at < ntuple.end; at += bytes)
            deliver(at, ntuple.end - at < bytes ? ntuple.end : at + bytes, at > 0);
        cr_expect_eq(reported.blocks, 5, "in reads of %zu: %zu", bytes, reported.blocks);
    }
}

Test(root_records, payloads_of_other_objects_are_no_pages)
{
    make_ntuple();
    open_ntuple();
    deliver(ntuple.tree, ntuple.header, false);
    cr_expect_eq(reported.blocks, 0);
}

Test(root_records, where_there_is_no_rntuple_no_block_is_counted)
{
    make_ntuple();
    deliver(0, 300, false);
    deliver(ntuple.tree, ntuple.header, false);
    deliver(ntuple.page[0], ntuple.page[0] + 1000, false);
    cr_expect_eq(reported.blocks, 0);
}

/* The same, into a buffer behind which there is nothing. */
static void deliver_to_the_edge(size_t from, size_t end)
{
    const size_t room = 1 << 16, bytes = end - from;
    const struct cup_root_sink sink = {&reported, on_basket, on_head};
    unsigned char *map =
        mmap(NULL, 2 * room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(map != MAP_FAILED && bytes <= room);
    cr_assert_eq(mprotect(map + room, room, PROT_NONE), 0);
    memcpy(map + room - bytes, image + from, bytes);
    cup_root_walk(
        &(struct cup_root_read){
            .file = FILE_ID, .offset = from, .data = map + room - bytes, .bytes = bytes},
        &sink);
    munmap(map, 2 * room);
}

/* A list holds keys alone: what they stand for may not be there. */
Test(root_records, a_listed_basket_at_the_end_of_what_was_read)
{
    begin_file();
    size_t basket = put_basket("listed", 500), anchor = used;
    put_anchor(200, 300);
    size_t list = put_list((size_t[]){basket, anchor, basket}, 3);
    deliver_to_the_edge(list, used);
    deliver_to_the_edge(basket, used);
    EXPECT_BRANCHES("listed");
}

Test(root_records, blocks_whose_sizes_cannot_be)
{
    static const struct {
        const char *letters;
        size_t bytes;
        uint32_t object_bytes;
    } cases[] = {{"ZS\1", 50, 100},
                 {"ZS\1", 9, 100},
                 {"ZS\1", 200, 100},
                 {"ZS\2", 50, 100},
                 {"XX\1", 50, 100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_ntuple();
        open_ntuple();
        put_junk(1000);
        size_t at = used;
        put_block(cases[i].letters, cases[i].bytes, cases[i].object_bytes);
        deliver(at, used + 100, false);
        cr_expect_eq(reported.blocks, i == 0, "case %zu", i); /* the first one is sound */
    }
}

/* ---- whole files ------------------------------------------------------------------------- */

struct whole {
    unsigned char *data;
    size_t bytes;
    json_t *expected;
};

/* LIST: what uproot said of the file beside it. */
static struct whole load(const char *list)
{
    struct whole whole = {.data = malloc(1 << 20)};
    char name[4096];
    json_error_t error;
    snprintf(name, sizeof name, "%.*sroot", (int)strlen(list) - 4, list);
    FILE *file = fopen(name, "rb");
    cr_assert(file);
    whole.bytes = fread(whole.data, 1, 1 << 20, file);
    fclose(file);
    whole.expected = json_load_file(list, 0, &error);
    cr_assert(whole.expected, "%s: %s", list, error.text);
    cr_assert_eq(json_integer_value(json_object_get(whole.expected, "size")),
                 (json_int_t)whole.bytes);
    return whole;
}

static uint64_t number(json_t *row, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(row, name));
}

static void expect_basket(json_t *row, size_t index)
{
    const struct cup_root_basket *basket = &reported.basket[index].basket;
    cr_expect_eq(basket->offset, number(row, "offset"));
    cr_expect_eq(basket->bytes, number(row, "bytes"));
    cr_expect_eq(basket->key_bytes, number(row, "key_bytes"));
    cr_expect_eq(basket->object_bytes, number(row, "object_bytes"));
    cr_expect_eq(basket->entries, number(row, "entries"));
    cr_expect_str_eq(reported.basket[index].branch,
                     json_string_value(json_object_get(row, "branch")));
    cr_expect_str_eq(reported.basket[index].tree, json_string_value(json_object_get(row, "tree")));
}

static void expect_all(const struct whole *whole, const char *path, size_t piece)
{
    json_t *baskets = json_object_get(whole->expected, "baskets"), *row;
    size_t i;
    cr_assert_eq(reported.baskets, json_array_size(baskets), "%s in reads of %zu: %zu baskets",
                 path, piece, reported.baskets);
    json_array_foreach(baskets, i, row) expect_basket(row, i);
}

/* The pages are among the blocks, as are a page list and what else is compressed. */
static void expect_pages(const struct whole *whole, const char *path)
{
    json_t *pages = json_object_get(whole->expected, "pages"), *row;
    size_t i, at = 0;
    json_array_foreach(pages, i, row)
    {
        while (at < reported.blocks && reported.block[at].offset != number(row, "offset"))
            at++;
        cr_assert(at < reported.blocks, "%s: page %zu", path, i);
        cr_expect_eq(reported.block[at].bytes, number(row, "bytes"));
        cr_expect_eq(reported.block[at].object_bytes, number(row, "object_bytes"));
    }
    cr_expect(reported.blocks <= (json_array_size(pages) ? json_array_size(pages) + 3 : 3));
}

static void walk_whole(const struct whole *whole, const char *path, size_t piece, bool random)
{
    forget();
    cup_root_reset();
    cup_root_expect(FILE_ID);
    for (size_t at = 0, bytes; at < whole->bytes; at += bytes) {
        bytes = random ? 1 + (size_t)rand() % piece : piece;
        bytes = bytes < whole->bytes - at ? bytes : whole->bytes - at;
        read_into(&reported, (struct cup_root_read){.file = FILE_ID,
                                                    .continues = at > 0,
                                                    .offset = at,
                                                    .data = whole->data + at,
                                                    .bytes = bytes});
    }
    expect_all(whole, path, piece);
    if (!random)
        cr_expect_eq(reported.heads, piece >= 100 ? 1 : 0);
    expect_pages(whole, path);
}

/* Each basket by a request of its own, as Python's buffered files do it. */
static void request_each(const struct whole *whole)
{
    enum { BUFFER = 4096 };
    json_t *baskets = json_object_get(whole->expected, "baskets"), *row;
    size_t i;
    forget();
    json_array_foreach(baskets, i, row)
    {
        size_t at = number(row, "offset"), bytes = number(row, "bytes");
        size_t sizes[] = {bytes / BUFFER * BUFFER, bytes % BUFFER ? BUFFER : 0};
        for (size_t part = 0, from = at; part < 2; from += sizes[part++])
            if (sizes[part] && from < whole->bytes)
                read_into(&reported,
                          (struct cup_root_read){.file = FILE_ID,
                                                 .continues = from > at,
                                                 .offset = from,
                                                 .data = whole->data + from,
                                                 .bytes = sizes[part] < whole->bytes - from
                                                              ? sizes[part]
                                                              : whole->bytes - from});
    }
    size_t counted = 0;
    for (i = 0; i < reported.baskets; i++)
        if (place_of(i) == CUP_ROOT_STARTS)
            expect_basket(json_array_get(baskets, counted++), i);
        else
            cr_expect_eq(place_of(i), CUP_ROOT_PASSES);
    cr_expect_eq(counted, json_array_size(baskets));
}

Test(root_records, whole_files_of_which_uproot_said_what_is_in_them)
{
    static const size_t pieces[] = {1, 2, 7, 100, 333, 4096, 65536, 1 << 20};
    glob_t files;
    cr_assert_eq(glob(CUP_TOP "/tests/data/root/*.json", 0, NULL, &files), 0);
    cr_assert_eq(files.gl_pathc, 13);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const char *path = files.gl_pathv[i];
        struct whole whole = load(path);
        for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++)
            walk_whole(&whole, path, pieces[k], false);
        srand(1);
        for (size_t piece = 10; piece < 20000; piece *= 4)
            walk_whole(&whole, path, piece, true);
        request_each(&whole);
        json_decref(whole.expected);
        free(whole.data);
    }
    globfree(&files);
}
