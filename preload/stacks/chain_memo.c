#include "preload/stacks/chain_memo.h"

#include "preload/lifecycle/thread.h"
#include "preload/sys/id_table.h"

#include <sys/param.h>

/* Each key belongs to a row of four entries, any of which may hold its chain. A row may hold
 * several chains with the same key, because several may lead to the same place: by two branches of
 * a C function, for instance. */
enum { ROWS_BITS = 8, ROW = 4, SEEN_BITS = 12 };
enum { WINDOW = 8192 /* words of the stack that are searched */ };

/* A return address, which has 47 bits, and above them its place: words above the innermost one. */
enum { ADDRESS_BITS = 48 };
_Static_assert(WINDOW <= 1 << (64 - ADDRESS_BITS), "a place fits above an address");

struct chain {
    uint64_t key;
    uint64_t value; /* the caller's hash of the frames, odd; or CUP_CHAIN_HOPELESS */
    uint32_t count;
    uint64_t placed[CUP_CHAIN_MOST];
};

/* A seqlock: written under the lock; a reader compares its sequence number before and after. */
static struct entry {
    uint32_t turn; /* the sequence number; odd: being written */
    struct chain chain;
} entries[1 << ROWS_BITS][ROW];
static struct {
    uint64_t chain;
    uint32_t times;
} seen[1 << SEEN_BITS]; /* how often each chain came: see comes_often() */
static uint32_t lock;

/* The key includes the place on the stack. The stack of a thread ends where its thread-local
 * storage begins, so threads share chains at the same distance from there, and a chain that ended
 * before the end of one stack does so on each. A place that is not on such a stack (the first
 * thread's, or a coroutine's) is known by its address, and by the thread: another stack may later
 * be mapped there, and reading at the kept places could run over its end. */
static uint64_t whole_key(uint64_t key, const uint64_t *first)
{
    const uintptr_t largest_stack = 1 << 30;
    uintptr_t storage = (uintptr_t)&cup_self, place = storage - (uintptr_t)first;
    if (place >= largest_stack)
        place = cup_mix(storage, (uintptr_t)first);
    return cup_mix(key, place) | 1;
}

static struct entry *find_row(uint64_t key)
{
    return entries[key >> (64 - ROWS_BITS)];
}

/* Compares the addresses from the innermost outwards. A place may be read only because the address
 * before it was found in its own place: then the same function has the same frame there, so its
 * caller's return address, at the next place, is on the stack too. This holds only if all places
 * and addresses are of one chain, and another thread may be rewriting it: so the turn is checked
 * before each read of the stack. */
static bool is_on_stack(const struct entry *entry, uint32_t turn, const uint64_t *first)
{
    const struct chain *chain = &entry->chain;
    uint32_t count = __atomic_load_n(&chain->count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t placed = __atomic_load_n(&chain->placed[i], __ATOMIC_ACQUIRE);
        uint64_t address = placed << (64 - ADDRESS_BITS) >> (64 - ADDRESS_BITS);
        if (__atomic_load_n(&entry->turn, __ATOMIC_RELAXED) != turn ||
            first[placed >> ADDRESS_BITS] != address)
            return false;
    }
    return true;
}

/* The value of this entry if it holds the chain that is on the stack, as in cup_chain_find(). */
static uint64_t find_value(const struct entry *entry, uint64_t key, const uint64_t *first)
{
    uint32_t turn = __atomic_load_n(&entry->turn, __ATOMIC_ACQUIRE);
    if (turn % 2 || __atomic_load_n(&entry->chain.key, __ATOMIC_ACQUIRE) != key)
        return 0;
    uint64_t value = __atomic_load_n(&entry->chain.value, __ATOMIC_ACQUIRE);
    if (value != CUP_CHAIN_HOPELESS && !is_on_stack(entry, turn, first))
        return 0;
    return __atomic_load_n(&entry->turn, __ATOMIC_RELAXED) == turn ? value : 0;
}

uint64_t cup_chain_find(uint64_t key, const uint64_t *first)
{
    uint64_t found = 0;
    key = whole_key(key, first);
    const struct entry *entry = find_row(key), *end = entry + ROW;
    for (; entry < end && (!found || found == CUP_CHAIN_HOPELESS); entry++) {
        uint64_t value = find_value(entry, key, first);
        found = value ? value : found;
    }
    return found;
}

/* The part of the stack that is searched, in words from the innermost return address outwards. */
static struct {
    const uint64_t *word;
    uint32_t words;
} window;

/* ---- sizes of frames ----------------------------------------------------------------------- */

/* By return address: the number of words from it to the caller's return address. It is the same in
 * every call unless the function allocates memory on its stack (alloca). */
enum { SIZES_BITS = 12, UNKNOWN = 0, VARIES = UINT32_MAX };
static struct {
    uint64_t address;
    uint32_t words;
} sizes[1 << SIZES_BITS];

static uint32_t *find_size(uint64_t address)
{
    size_t at = cup_mix(address, 0) >> (64 - SIZES_BITS);
    if (sizes[at].address != address) {
        sizes[at].address = address;
        sizes[at].words = UNKNOWN;
    }
    return &sizes[at].words;
}

static void learn_size(uint64_t address, uint32_t words)
{
    uint32_t *known = find_size(address);
    *known = *known == UNKNOWN || *known == words ? words : VARIES;
}

/* ---- finding the places ------------------------------------------------------------------ */

/* The addresses may occur on the stack in several ways: the lowest and the highest possible place
 * of each. */
struct places {
    uint32_t lowest[CUP_CHAIN_MOST], highest[CUP_CHAIN_MOST];
};

static bool find_lowest(void *const *returns, uint32_t count, uint32_t *place)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++, at++) {
        while (at < window.words && window.word[at] != (uintptr_t)returns[i])
            at++;
        if (at == window.words)
            return false;
        place[i] = at;
    }
    return place[0] == 0;
}

/* Called only after find_lowest() succeeded: the searches cannot fail. */
static void find_highest(void *const *returns, uint32_t count, uint32_t *place)
{
    uint32_t at = window.words;
    for (uint32_t i = count; i-- > 0;) {
        do
            at--;
        while (window.word[at] != (uintptr_t)returns[i]);
        place[i] = at;
    }
    place[0] = 0;
}

static bool is_certain(const struct places *places, uint32_t which)
{
    return places->lowest[which] == places->highest[which];
}

static void learn_sizes(const struct places *places, void *const *returns, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++)
        if (is_certain(places, i) && is_certain(places, i + 1))
            learn_size((uintptr_t)returns[i], places->lowest[i + 1] - places->lowest[i]);
}

/* Chooses each place: the only possible one, or the one that follows from the frame size.
 * False: unknown. */
static bool choose_places(const struct places *places, void *const *returns, uint32_t count,
                          uint32_t *place)
{
    place[0] = 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t words = *find_size((uintptr_t)returns[i]);
        bool certain = is_certain(places, i + 1);
        if (words == VARIES || (!certain && words == UNKNOWN))
            return false;
        place[i + 1] = certain ? places->lowest[i + 1] : place[i] + words;
        if (place[i + 1] >= window.words || window.word[place[i + 1]] != (uintptr_t)returns[i + 1])
            return false;
    }
    return true;
}

static bool find_places(void *const *returns, uint32_t count, uint32_t *place)
{
    static struct places places;
    if (!find_lowest(returns, count, places.lowest))
        return false;
    find_highest(returns, count, places.highest);
    learn_sizes(&places, returns, count);
    return choose_places(&places, returns, count, place);
}

/* ---- keeping ----------------------------------------------------------------------------- */

static void write_chain(struct entry *entry, const struct chain *chain)
{
    uint32_t turn = entry->turn + 1;
    __atomic_store_n(&entry->turn, turn, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    entry->chain = *chain;
    __atomic_store_n(&entry->turn, turn + 1, __ATOMIC_RELEASE);
}

/* Most chains come once or twice in a job: only one that comes for the 4th, 8th, 16th, ... time is
 * worth a search. */
static bool comes_often(uint64_t chain)
{
    size_t at = chain >> (64 - SEEN_BITS);
    uint32_t times = seen[at].chain == chain ? seen[at].times + 1 : 1;
    seen[at].times = times;
    seen[at].chain = chain;
    return times >= 4 && (times & (times - 1)) == 0;
}

static bool have_room(void *const *returns, uint32_t count)
{
    uintptr_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all |= (uintptr_t)returns[i];
    return count && count <= CUP_CHAIN_MOST && !(all >> ADDRESS_BITS);
}

/* The entry of the row that has VALUE for KEY already (of several hopeless chains one is noted), or
 * else the one that was written least often. */
static struct entry *choose_entry(uint64_t key, uint64_t value)
{
    struct entry *entry = find_row(key), *end = entry + ROW, *chosen = entry;
    for (; entry < end; entry++) {
        if (entry->chain.key == key && entry->chain.value == value)
            return entry;
        if (entry->turn < chosen->turn)
            chosen = entry;
    }
    return chosen;
}

static void keep_chain(uint64_t key, void *const *returns, uint32_t count, uint64_t value)
{
    static struct chain made;
    static uint32_t place[CUP_CHAIN_MOST];
    bool found = have_room(returns, count) && find_places(returns, count, place);
    made.key = key;
    made.value = found ? value : CUP_CHAIN_HOPELESS;
    made.count = found ? count : 0;
    for (uint32_t i = 0; i < made.count; i++)
        made.placed[i] = (uint64_t)place[i] << ADDRESS_BITS | (uintptr_t)returns[i];
    write_chain(choose_entry(key, made.value), &made);
}

/* If another thread holds the lock nothing is kept: the chain will come again. */
void cup_chain_keep(uint64_t key, const uint64_t *first, const uint64_t *end, void *const *returns,
                    uint32_t count, uint64_t value)
{
    key = whole_key(key, first);
    if (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
        return;
    window.word = first;
    window.words = first < end ? (uint32_t)MIN(end - first, WINDOW) : 0;
    if (comes_often(cup_mix(key, value)))
        keep_chain(key, returns, count, value);
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

void cup_chains_forked(void)
{
    if (!lock)
        return;
    lock = 0; /* a thread of the parent had it, and may have been writing an entry */
    struct entry *entry = entries[0], *end = entry + (ROW << ROWS_BITS);
    for (; entry < end; entry++)
        if (entry->turn % 2) {
            entry->turn++;
            entry->chain.key = 0;
        }
}
