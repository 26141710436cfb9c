#include "preload/dask/task_outcome.h"

#include "preload/coffea/work_item.h"
#include "preload/dask/exception_text.h"
#include "preload/lifecycle/recording.h"

#include <string.h>

static struct cup_outcome outcome_without_message(enum cup_task_status status)
{
    return (struct cup_outcome){.status = status, .result_bytes = CUP_UNKNOWN64};
}

static struct cup_outcome give_up(const char *why)
{
    cup_recording_note("outcomes of tasks are not known", why);
    return outcome_without_message(CUP_STATUS_UNKNOWN);
}

struct cup_outcome cup_outcome_of_message(cup_object *message)
{
    char operation[32] = "";
    CUP_OWNED cup_object *op = cup_python_item(message, "op");
    CUP_OWNED cup_object *bytes = cup_python_item(message, "nbytes");
    cup_python_text(op, operation, sizeof operation);
    bool finished = strcmp(operation, "task-finished") == 0;
    if (!finished && strcmp(operation, "task-erred") != 0)
        return give_up("this Dask's worker reports them in another form");
    int64_t result_bytes = cup_python_integer(bytes, -1);
    return (struct cup_outcome){finished ? CUP_STATUS_FINISHED : CUP_STATUS_ERRED,
                                result_bytes < 0 ? CUP_UNKNOWN64 : (uint64_t)result_bytes,
                                cup_exception_text(message), true};
}

/* contextlib passes the exception that leaves the with statement, or None. */
static bool leaves_by_exception(const struct cup_frame *exit)
{
    CUP_OWNED cup_object *locals = NULL;
    CUP_OWNED cup_object *value = exit ? cup_frames_local(*exit, "value", &locals) : NULL;
    return value && value != cup_py.none;
}

/* Up to 2024.2 Dask makes its message after the clock call. Then `result` is bound if the task
 * succeeded. In later releases there is no message if the task raised SystemExit. */
static struct cup_outcome read_without_message(struct cup_frame function,
                                               const struct cup_frame *exit, cup_object **locals)
{
    CUP_OWNED cup_object *result = cup_frames_local(function, "result", locals);
    bool raised = leaves_by_exception(exit);
    if (result && !raised) {
        cup_work_item_result(result);
        struct cup_outcome outcome = outcome_without_message(CUP_STATUS_FINISHED);
        if (result == cup_py.none)
            outcome.result_bytes = CUP_BYTES_OF_NONE;
        return outcome;
    }
    if (raised || cup_frames_has_local(function, "result"))
        return outcome_without_message(CUP_STATUS_ERRED);
    return give_up("this Dask's worker keeps its results in other variables");
}

struct cup_outcome cup_outcome_read(struct cup_frame function, const struct cup_frame *exit,
                                    cup_object **locals)
{
    CUP_OWNED cup_object *message = cup_frames_local(function, "msg", locals);
    if (!message)
        return read_without_message(function, exit, locals);
    CUP_OWNED cup_object *result = cup_python_item(message, "result");
    cup_work_item_result(result);
    return cup_outcome_of_message(message);
}
