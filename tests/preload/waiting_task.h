/* A task that runs on the test's own thread; a made-up block counts its waits. */
#pragma once

#include "preload/waits/helper_wait.h"
#include "preload/waits/wait.h"

#include <criterion/criterion.h>
#include <string.h>

enum { TASK = 3 };
static struct cup_block block;

static void set_up(void)
{
    cr_assert_eq(cup_thread_init(), 0);
    cup_clock_calibrate(false);
    *cup_active_word = 1;
    memset(&block, 0, sizeof block);
    block.task = cup_self.task = TASK;
    block.own = CUP_BLOCK_RUNS;
    cup_self.own = &block;
    cup_helper_wait_reset();
    cup_wait_task_begins(TASK, 0);
}

static void tear_down(void)
{
    *cup_active_word = 0;
    cup_self.own = NULL;
}
