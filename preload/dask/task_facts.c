#include "preload/dask/task_facts.h"

#include "preload/dask/server_slot.h"
#include "preload/log/log.h"
#include "preload/log/python_strings.h"
#include "preload/log/secrets.h"
#include "preload/sys/id_table.h"

#include <string.h>

enum { SPANS_MOST = 1 << 16 };
static struct cup_id_table recorded;            /* string ids of spans with a SPAN record */
static ssize_t scheduler_recorded[CUP_SERVERS]; /* spans of each scheduler, by its slot */

/* ('phase1', 'sub') becomes "phase1/sub". Returns the string's id in the log; 0: NAME is no
 * tuple. */
static uint32_t join_name(cup_object *name)
{
    bool is_tuple = name && cup_python_type(name) == cup_py.tuple_type;
    return is_tuple ? cup_log_python_joined(name, 0, cup_py.PySequence_Size(name)) : 0;
}

/* Writes a SPAN record, once for each span (again for each use when the table is full). Returns the
 * id of the string of ID_OBJECT; 0: the span has no name. */
static uint32_t record_span(cup_object *id_object, uint32_t name)
{
    uint32_t id = name ? cup_log_python_text(id_object) : 0;
    if (!id || cup_id_find(&recorded, id, 0))
        return id;
    const struct cup_r_span record = {.id = id, .name = name};
    if (cup_log_write(CUP_R_SPAN, &record, NULL, 0) && cup_id_room(&recorded, 1, SPANS_MOST))
        cup_id_add(&recorded, id, 0, 1);
    return id;
}

/* Dask puts tasks outside of the user's spans into a span named "default". */
void cup_spans_of_task(cup_object *task_state, uint32_t *name, uint32_t *id)
{
    CUP_OWNED cup_object *span = cup_python_attribute(task_state, "span_id");
    if (!span || span == cup_py.none)
        return;
    CUP_OWNED cup_object *annotations = cup_python_attribute(task_state, "annotations");
    CUP_OWNED cup_object *annotation = cup_python_item(annotations, "span");
    CUP_OWNED cup_object *tuple = cup_python_item(annotation, "name");
    *name = join_name(tuple);
    if (!*name)
        *name = cup_log_cstring("default");
    *id = record_span(span, *name);
}

/* ---- spans of a scheduler ----------------------------------------------------------------- */

enum { AT_ONCE = 64 };

/* Takes references to the ids and spans after the first KNOWN ones: reading them may run Python
 * code, which may change the dict while it is iterated. Returns how many there are. */
static int collect_new(cup_object *dict, ssize_t known, cup_object *ids[AT_ONCE],
                       cup_object *spans[AT_ONCE])
{
    ssize_t at = 0;
    int count = 0;
    cup_object *id, *span;
    while (count < AT_ONCE && cup_py.PyDict_Next(dict, &at, &id, &span)) {
        if (known-- > 0)
            continue;
        ids[count] = cup_python_hold(id);
        spans[count++] = cup_python_hold(span);
    }
    return count;
}

static void record_new(cup_object *dict, ssize_t *known)
{
    cup_object *ids[AT_ONCE], *spans[AT_ONCE];
    if (cup_py.PyDict_Size(dict) <= *known)
        return;
    int count = collect_new(dict, *known, ids, spans);
    *known += count;
    for (int i = 0; i < count; i++) {
        CUP_OWNED cup_object *name = cup_python_attribute(spans[i], "name");
        record_span(ids[i], join_name(name));
        cup_python_drop(spans[i]);
        cup_python_drop(ids[i]);
    }
}

void cup_spans_of_scheduler(cup_object *scheduler, uint32_t id)
{
    CUP_OWNED cup_object *extensions = cup_python_attribute(scheduler, "extensions");
    CUP_OWNED cup_object *extension = cup_python_item(extensions, "spans");
    CUP_OWNED cup_object *dict = cup_python_attribute(extension, "spans");
    if (dict && cup_python_type(dict) == cup_py.dict_type)
        record_new(dict, &scheduler_recorded[cup_server_slot(id)]);
}

void cup_spans_evict(uint32_t id)
{
    scheduler_recorded[cup_server_slot(id)] = 0;
}

void cup_spans_reset(void)
{
    cup_id_table_reset(&recorded);
    memset(scheduler_recorded, 0, sizeof scheduler_recorded);
}

/* ---- inputs of a task --------------------------------------------------------------------- */

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
    size_t bytes = cup_secrets_leave_out(key_text, cup_python_text(key, key_text, sizeof key_text));
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
