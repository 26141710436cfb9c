#include "preload/root/root_search.h"

#include "preload/root/root_key.h"

#include <string.h>

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
