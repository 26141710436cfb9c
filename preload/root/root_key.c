#include "preload/root/root_key.h"

#include "include/log_format.h"

#include <string.h>

enum {
    FIXED_BYTES = 18,    /* fNbytes, fVersion, fObjlen, fDatime, fKeylen, fCycle */
    BIG_VERSION = 1000,  /* above: positions have 64 bits */
    TEXTS_LEAST = 3,     /* length bytes of class, name, title */
    GAP_LEAST = 4,       /* ROOT leaves no smaller one: its size has to go in */
    BASKET_BYTES = 19,   /* of TBasket itself, inside the key */
    BASKET_ENTRIES = 10, /* fNevBuf, in those */
    LETTERS = 2,
};

struct text {
    const char *text;
    uint32_t bytes;
};

uint32_t cup_root_algorithm(const unsigned char *letters)
{
    static const struct {
        char letters[LETTERS];
        uint32_t algorithm;
    } known[] = {{"ZL", CUP_ALGORITHM_ZLIB},
                 {"XZ", CUP_ALGORITHM_LZMA},
                 {"L4", CUP_ALGORITHM_LZ4},
                 {"ZS", CUP_ALGORITHM_ZSTD},
                 {"CS", CUP_ALGORITHM_OLD}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (memcmp(letters, known[i].letters, LETTERS) == 0)
            return known[i].algorithm;
    return CUP_ALGORITHM_UNKNOWN;
}

/* Reads a TString: its length, in 1 byte or in 5 of which the first is 255, and its characters.
 * Moves *AT behind it. False if it does not end before END. */
static bool read_text(struct text *text, const unsigned char **at, const unsigned char *end)
{
    enum { LONG = 255 };
    size_t left = (size_t)(end - *at);
    size_t head = left > 0 && **at == LONG ? 5 : 1;
    if (left < head)
        return false;
    uint32_t bytes = head == 1 ? **at : cup_root_32(*at + 1);
    if (bytes > left - head)
        return false;
    *text = (struct text){(const char *)*at + head, bytes};
    *at += head + bytes;
    return true;
}

static bool is_word(const struct text *text, const char *word)
{
    size_t bytes = strlen(word);
    return text->bytes == bytes && memcmp(text->text, word, bytes) == 0;
}

static enum cup_root_kind find_kind(const struct text *class)
{
    static const struct {
        const char *class;
        enum cup_root_kind kind;
    } known[] = {{"TBasket", CUP_ROOT_BASKET},
                 {"TFile", CUP_ROOT_DIRECTORY},
                 {"TDirectory", CUP_ROOT_DIRECTORY},
                 {"TDirectoryFile", CUP_ROOT_DIRECTORY},
                 {"RBlob", CUP_ROOT_BLOB},
                 {"ROOT::RNTuple", CUP_ROOT_ANCHOR},
                 {"ROOT::Experimental::RNTuple", CUP_ROOT_ANCHOR}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_word(class, known[i].class))
            return known[i].kind;
    return CUP_ROOT_OTHER;
}

static enum cup_root_verdict need_more(struct cup_root_key *key, size_t needed)
{
    key->needed = (uint32_t)needed;
    return CUP_ROOT_PART;
}

static enum cup_root_verdict read_gap(struct cup_root_key *key, const unsigned char *data)
{
    key->kind = CUP_ROOT_GAP;
    key->bytes = -cup_root_32(data);
    return key->bytes >= GAP_LEAST ? CUP_ROOT_WHOLE : CUP_ROOT_NOT;
}

/* False if the sizes contradict each other. *TEXTS: offset of the three strings in the key. */
static bool read_sizes(struct cup_root_key *key, const unsigned char *data, size_t *texts)
{
    bool big = cup_root_16(data + 4) > BIG_VERSION;
    *texts = FIXED_BYTES + (big ? 16 : 8);
    key->bytes = cup_root_32(data);
    key->object_bytes = cup_root_32(data + 6);
    key->key_bytes = cup_root_16(data + 14);
    return key->key_bytes >= *texts + TEXTS_LEAST && key->key_bytes <= INT16_MAX &&
           key->key_bytes <= key->bytes && key->object_bytes <= INT32_MAX;
}

static void read_seek(struct cup_root_key *key, const unsigned char *data, size_t texts)
{
    bool big = texts > FIXED_BYTES + 8;
    key->seek = big ? cup_root_64(data + FIXED_BYTES) : cup_root_32(data + FIXED_BYTES);
}

static bool is_stored_plain(const struct cup_root_key *key)
{
    return key->bytes - key->key_bytes == key->object_bytes;
}

/* OWN: the part of the key that belongs to TBasket. LETTERS: the first letters of the payload are
 * there, too. */
static void read_basket(struct cup_root_key *key, const unsigned char *data,
                        const unsigned char *own, bool letters)
{
    const unsigned char *payload = data + key->key_bytes;
    if (payload - own >= BASKET_BYTES && cup_root_32(own + BASKET_ENTRIES) <= INT32_MAX)
        key->entries = cup_root_32(own + BASKET_ENTRIES);
    if (is_stored_plain(key))
        key->algorithm = CUP_ALGORITHM_NONE;
    else
        key->algorithm = letters ? cup_root_algorithm(payload) : CUP_ALGORITHM_UNKNOWN;
}

/* Reads the strings of a key, all of whose bytes are there. */
static enum cup_root_verdict read_texts(struct cup_root_key *key, const unsigned char *data,
                                        size_t texts, bool letters)
{
    struct text class, name, title;
    const unsigned char *at = data + texts, *end = data + key->key_bytes;
    if (!read_text(&class, &at, end) || !read_text(&name, &at, end) || !read_text(&title, &at, end))
        return CUP_ROOT_NOT;
    key->kind = find_kind(&class);
    key->name = name.text;
    key->name_bytes = name.bytes;
    key->title = title.text;
    key->title_bytes = title.bytes;
    if (key->kind == CUP_ROOT_BASKET)
        read_basket(key, data, at, letters);
    return CUP_ROOT_WHOLE;
}

/* OFFSET: of the record; NULL: any fSeekKey is accepted. */
static enum cup_root_verdict read_key(struct cup_root_key *key, const unsigned char *data,
                                      size_t bytes, const uint64_t *offset)
{
    size_t texts;
    *key = (struct cup_root_key){0};
    if (bytes < 4)
        return need_more(key, 4);
    if (data[0] & 0x80)
        return read_gap(key, data);
    if (bytes < FIXED_BYTES)
        return need_more(key, FIXED_BYTES);
    if (!read_sizes(key, data, &texts))
        return CUP_ROOT_NOT;
    if (bytes < texts)
        return need_more(key, texts);
    read_seek(key, data, texts);
    if (offset && key->seek != *offset)
        return CUP_ROOT_NOT;
    key->placed = true;
    bool letters = offset && !is_stored_plain(key) && key->bytes - key->key_bytes >= LETTERS;
    key->needed = key->key_bytes + (letters ? LETTERS : 0);
    return bytes < key->needed ? CUP_ROOT_PART : read_texts(key, data, texts, letters);
}

enum cup_root_verdict cup_root_key_read(struct cup_root_key *key, const unsigned char *data,
                                        size_t bytes, uint64_t offset)
{
    return read_key(key, data, bytes, &offset);
}

enum cup_root_verdict cup_root_key_listed(struct cup_root_key *key, const unsigned char *data,
                                          size_t bytes)
{
    return read_key(key, data, bytes, NULL);
}

/* ---- search ------------------------------------------------------------------------------ */

static const char basket_class[] = "\7TBasket";
enum {
    CLASS_BYTES = sizeof basket_class - 1,
    CLASS_AT = 26, /* in a key with positions of 32 bits; with 64 bits: CUP_ROOT_CLASS_AT_MOST */
};
_Static_assert(CUP_ROOT_UNSEEN == CUP_ROOT_CLASS_AT_MOST + CLASS_BYTES - 1,
               "the longest beginning of a key whose class is not whole");

/* Tests sixteen places at a time for the letters T and k of TBasket: text, numbers and compressed
 * data seldom have both at this distance. */
typedef unsigned char sixteen __attribute__((vector_size(16)));
enum { FIRST_LETTER = 1, SECOND_LETTER = 5 };

static bool may_have_class(const unsigned char *at)
{
    sixteen first, second;
    uint64_t both[2];
    memcpy(&first, at + FIRST_LETTER, sizeof first);
    memcpy(&second, at + SECOND_LETTER, sizeof second);
    sixteen hits = (sixteen)(first == (unsigned char)basket_class[FIRST_LETTER]) &
                   (sixteen)(second == (unsigned char)basket_class[SECOND_LETTER]);
    memcpy(both, &hits, sizeof both);
    return both[0] | both[1];
}

/* The name of the class of baskets between FROM and END; NULL: it is not there. */
static const unsigned char *find_class(const unsigned char *from, const unsigned char *end)
{
    enum { LOOKED_AT = sizeof(sixteen) + CLASS_BYTES };
    for (; end - from >= CLASS_BYTES; from++) {
        while (end - from >= LOOKED_AT && !may_have_class(from))
            from += sizeof(sixteen);
        if (end - from >= CLASS_BYTES && memcmp(from, basket_class, CLASS_BYTES) == 0)
            return from;
    }
    return NULL;
}

/* True: a record, whose class is named at NAME, begins *FOUND bytes after DATA. */
static bool find_record(size_t *found, const unsigned char *data, size_t bytes, size_t name,
                        uint64_t offset)
{
    static const size_t before[] = {CLASS_AT, CUP_ROOT_CLASS_AT_MOST};
    struct cup_root_key key;
    for (size_t i = 0; i < 2; i++) {
        *found = name - before[i];
        if (name >= before[i] &&
            cup_root_key_read(&key, data + *found, bytes - *found, offset + *found) && key.placed)
            return true;
    }
    return false;
}

bool cup_root_search(size_t *found, const unsigned char *data, size_t bytes, size_t searched,
                     uint64_t offset)
{
    const unsigned char *name = data, *end = data + searched;
    for (; (name = find_class(name, end)); name++)
        if (find_record(found, data, bytes, (size_t)(name - data), offset))
            return true;
    return false;
}
