/* The metrics of a section "example", one row each: docs/contributing/add-a-metric.md. */

METRIC(recorded_tasks, "tasks in the logs", COUNT, cup_count(t->profile->task_count),
       "P: TASK_BEGIN records, unfinished tasks too")
