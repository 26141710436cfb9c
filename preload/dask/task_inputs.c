#include "preload/dask/task_inputs.h"

#include "preload/log/log.h"

/* The sizes of more inputs are not read (the total is then unknown): that would delay the task. */
enum { MOST_READ = 256, KEY_LONGEST = 4096 };

/* TaskState.nbytes of each input is an int if the result is in memory. A task's set of inputs does
 * not change while it runs; if it does after all, the iterator fails and the size is unknown. */
struct inputs {
    ssize_t count;
    uint64_t bytes;  /* in total; CUP_UNKNOWN64: unknown */
    cup_object *one; /* the TaskState of one of them; a reference is held */
};

static void add_input(struct inputs *inputs, cup_object *input)
{
    int64_t bytes = cup_python_integer_at(input, "nbytes", -1);
    if (bytes < 0)
        inputs->bytes = CUP_UNKNOWN64;
    else if (inputs->bytes != CUP_UNKNOWN64)
        inputs->bytes += (uint64_t)bytes;
    if (!inputs->one)
        inputs->one = cup_python_hold(input);
}

static struct inputs read_inputs(cup_object *set, ssize_t count)
{
    struct inputs inputs = {.count = count};
    ssize_t most = count <= MOST_READ ? count : 1, seen = 0;
    CUP_OWNED cup_object *iterator = cup_py.PyObject_GetIter(set);
    cup_object *input;
    while (iterator && seen < most && (input = cup_py.PyIter_Next(iterator)) != NULL) {
        add_input(&inputs, input);
        cup_python_drop(input);
        seen++;
    }
    cup_py.PyErr_Clear();
    if (seen < count)
        inputs.bytes = CUP_UNKNOWN64;
    return inputs;
}

static void write_inputs(const struct inputs *inputs, uint32_t task)
{
    char key_text[KEY_LONGEST];
    CUP_OWNED cup_object *key = cup_python_attribute(inputs->one, "key");
    size_t bytes = cup_python_text(key, key_text, sizeof key_text);
    const struct cup_r_inputs record = {.task = task,
                                        .count = (uint32_t)inputs->count,
                                        .bytes = inputs->bytes,
                                        .key_bytes = (uint32_t)bytes};
    if (bytes)
        cup_log_write(CUP_R_INPUTS, &record, key_text, bytes);
}

void cup_inputs_of_task(cup_object *state, uint32_t task)
{
    CUP_OWNED cup_object *set = cup_python_attribute(state, "dependencies");
    ssize_t count = set ? cup_py.PyObject_Size(set) : 0;
    if (count < 0)
        cup_py.PyErr_Clear();
    if (count <= 0)
        return;
    struct inputs inputs = read_inputs(set, count);
    if (inputs.one)
        write_inputs(&inputs, task);
    cup_python_drop(inputs.one);
}
