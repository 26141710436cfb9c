#include "preload/io/repeats.h"

#include "preload/sys/spin.h"

#include <string.h>

/* A request that failed, or the connections of a task to a server. */
struct entry {
    bool used;
    uint32_t task, key; /* KEY: of the request, or the peer */
    uint32_t open;      /* connections that are open */
    uint32_t most;      /* the most that were open at a time */
    uint32_t age;       /* of the table when it was used last */
};

enum { ENTRIES = 512, TRIED = 8 };
struct table {
    uint32_t age;
    uint32_t used;
    struct entry entries[ENTRIES];
};
static struct table requests, connections;
static uint32_t lock;

void cup_repeats_reset(void)
{
    cup_spin_unlock(&lock); /* a thread of the parent may have held it during the fork */
    memset(&requests, 0, sizeof requests);
    memset(&connections, 0, sizeof connections);
}

static size_t choose_entry(uint32_t task, uint32_t key)
{
    return (size_t)((((uint64_t)task << 32 | key) * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

/* The entry of TASK and KEY. If there is none: with MAKE a free one or the oldest, which becomes
 * theirs; else NULL. */
static struct entry *find_entry(struct table *table, uint32_t task, uint32_t key, bool make)
{
    struct entry *place = NULL;
    size_t at = choose_entry(task, key);
    for (size_t i = 0; i < TRIED; i++) {
        struct entry *entry = &table->entries[(at + i) % ENTRIES];
        if (entry->used && entry->task == task && entry->key == key) {
            entry->age = ++table->age;
            return entry;
        }
        if (!place || (place->used && (!entry->used || entry->age < place->age)))
            place = entry;
    }
    if (!make)
        return NULL;
    table->used += !place->used;
    *place = (struct entry){.used = true, .task = task, .key = key, .age = ++table->age};
    return place;
}

static void free_entry(struct table *table, struct entry *entry)
{
    entry->used = false;
    table->used--;
}

bool cup_repeats_request(uint32_t task, uint32_t key, bool failed)
{
    if (!key || (!failed && !__atomic_load_n(&requests.used, __ATOMIC_RELAXED)))
        return false;
    cup_spin_lock(&lock);
    struct entry *entry = find_entry(&requests, task, key, false);
    bool repeats = entry != NULL;
    if (failed && !entry)
        find_entry(&requests, task, key, true);
    else if (!failed && entry)
        free_entry(&requests, entry);
    cup_spin_unlock(&lock);
    return repeats;
}

bool cup_repeats_connection(uint32_t task, uint32_t peer)
{
    cup_spin_lock(&lock);
    struct entry *entry = find_entry(&connections, task, peer, true);
    bool repeats = ++entry->open <= entry->most;
    entry->most = entry->open > entry->most ? entry->open : entry->most;
    cup_spin_unlock(&lock);
    return repeats;
}

void cup_repeats_disconnected(uint32_t task, uint32_t peer)
{
    cup_spin_lock(&lock);
    struct entry *entry = find_entry(&connections, task, peer, false);
    if (entry && entry->open)
        entry->open--;
    cup_spin_unlock(&lock);
}

static void free_entries(struct table *table, uint32_t task)
{
    for (size_t i = 0; i < ENTRIES && table->used; i++)
        if (table->entries[i].used && table->entries[i].task == task)
            free_entry(table, &table->entries[i]);
}

void cup_repeats_task_ended(uint32_t task)
{
    if (!__atomic_load_n(&requests.used, __ATOMIC_RELAXED) &&
        !__atomic_load_n(&connections.used, __ATOMIC_RELAXED))
        return;
    cup_spin_lock(&lock);
    free_entries(&requests, task);
    free_entries(&connections, task);
    cup_spin_unlock(&lock);
}
