#include "preload/waits/helper_wait.h"

#include "preload/sys/spin.h"

#include <stddef.h>
#include <string.h>

enum { BOARDS = 256 };

static struct board {
    uint32_t lock;
    uint32_t task;                    /* 0: free */
    uint32_t waiting[CUP_WAIT_COUNT]; /* helpers */
    uint64_t turned;                  /* ticks: `times` are counted up to here */
    struct cup_helper_wait times;     /* since the task began */
    struct cup_helper_wait locked;    /* `times` when the task began to wait for a lock */
} __attribute__((aligned(64))) boards[BOARDS];

/* The task's board, locked; NULL if it has none. */
static struct board *lock_board(uint32_t task)
{
    struct board *board = &boards[task % BOARDS];
    if (!task || __atomic_load_n(&board->task, __ATOMIC_RELAXED) != task)
        return NULL;
    cup_spin_lock(&board->lock);
    if (board->task == task)
        return board;
    cup_spin_unlock(&board->lock);
    return NULL;
}

void cup_helper_wait_begin(uint32_t task)
{
    struct board *board = &boards[task % BOARDS];
    cup_spin_lock(&board->lock);
    if (!board->task) {
        memset(board->waiting, 0, sizeof board->waiting);
        memset(&board->times, 0, sizeof board->times);
        board->turned = 0;
        __atomic_store_n(&board->task, task, __ATOMIC_RELAXED);
    }
    cup_spin_unlock(&board->lock);
}

void cup_helper_wait_end(uint32_t task)
{
    struct board *board = lock_board(task);
    if (!board)
        return;
    __atomic_store_n(&board->task, 0, __ATOMIC_RELAXED);
    cup_spin_unlock(&board->lock);
}

/* Counts the time up to NOW for the first class in which a helper waits. */
static void advance_board(struct board *board, uint64_t now)
{
    if (now <= board->turned) /* another core's counter is a little behind */
        return;
    for (int class = 0; class < CUP_WAIT_COUNT; class ++)
        if (board->waiting[class]) {
            board->times.ticks[class] += now - board->turned;
            break;
        }
    board->turned = now;
}

void cup_helper_wait_lock(uint32_t task, uint64_t now)
{
    struct board *board = lock_board(task);
    if (!board)
        return;
    advance_board(board, now);
    board->locked = board->times;
    cup_spin_unlock(&board->lock);
}

/* Times may have become less in between, where cup_helper_wait_leaves() subtracted a busy part. */
struct cup_helper_wait cup_helper_wait_unlock(uint32_t task, uint64_t now)
{
    struct cup_helper_wait times = {{0}};
    struct board *board = lock_board(task);
    if (!board)
        return times;
    advance_board(board, now);
    for (int class = 0; class < CUP_WAIT_COUNT; class ++)
        if (board->times.ticks[class] > board->locked.ticks[class])
            times.ticks[class] = board->times.ticks[class] - board->locked.ticks[class];
    cup_spin_unlock(&board->lock);
    return times;
}

uint64_t cup_helper_wait_enters(uint32_t task, enum cup_wait_class class, uint64_t now)
{
    struct board *board = lock_board(task);
    if (!board)
        return 0;
    advance_board(board, now);
    board->waiting[class]++;
    uint64_t since = board->times.ticks[class];
    cup_spin_unlock(&board->lock);
    return since;
}

void cup_helper_wait_leaves(uint32_t task, enum cup_wait_class class, uint64_t now, uint64_t since,
                            uint64_t busy)
{
    struct board *board = lock_board(task);
    if (!board)
        return;
    advance_board(board, now);
    if (board->waiting[class])
        board->waiting[class]--;
    uint64_t *ticks = &board->times.ticks[class], counted = *ticks > since ? *ticks - since : 0;
    *ticks -= busy < counted ? busy : counted;
    cup_spin_unlock(&board->lock);
}

void cup_helper_wait_waited(uint32_t task, enum cup_wait_class class, uint64_t ticks)
{
    struct board *board = lock_board(task);
    if (!board)
        return;
    board->times.ticks[class] += ticks;
    cup_spin_unlock(&board->lock);
}

void cup_helper_wait_reset(void)
{
    memset(boards, 0, sizeof boards);
}
