#include "preload/dask/spans.h"

#include "preload/dask/server_samples.h"
#include "preload/log/log.h"

#include <string.h>

enum { TOLD = 1024 };
static uint32_t told[TOLD]; /* ids; two that want the same place are told again and again */
static bool told_any;
static ssize_t scheduler_told[CUP_SAMPLES_SERVERS]; /* how many of its spans */

/* ('phase1', 'sub') as phase1/sub. */
static uint32_t joined(cup_object *name)
{
    char text[256] = "";
    size_t used = 0;
    ssize_t parts =
        name && cup_python_type(name) == cup_py.tuple_type ? cup_py.PySequence_Size(name) : 0;
    for (ssize_t i = 0; i < parts && used + 2 < sizeof text; i++) {
        if (i)
            text[used++] = '/';
        cup_object *part = cup_py.PySequence_GetItem(name, i);
        used += cup_python_text(part, text + used, sizeof text - used);
        cup_python_drop(part);
    }
    return used ? cup_log_string(text, used) : 0;
}

/* The id's string. */
static uint32_t tell(cup_object *id_object, uint32_t name)
{
    uint32_t id = name ? cup_python_string(id_object) : 0;
    if (!id || told[id % TOLD] == id)
        return id;
    struct cup_r_span *record = cup_log_reserve(sizeof *record, 0);
    if (!record)
        return id;
    record->id = id;
    record->name = name;
    cup_log_commit(record, CUP_R_SPAN);
    told[id % TOLD] = id;
    told_any = true;
    return id;
}

/* A task in no span of the user's is in Dask's "default". */
struct cup_span_strings cup_spans_of_task(cup_object *task_state)
{
    cup_object *id = cup_python_attribute(task_state, "span_id");
    struct cup_span_strings span = {0, 0};
    if (id && id != cup_py.none) {
        cup_object *annotations = cup_python_attribute(task_state, "annotations");
        cup_object *annotation = cup_python_item(annotations, "span");
        cup_object *name = cup_python_item(annotation, "name");
        span.name = joined(name);
        cup_python_drop(name);
        cup_python_drop(annotation);
        cup_python_drop(annotations);
        if (!span.name)
            span.name = cup_log_cstring("default");
        span.id = tell(id, span.name);
    }
    cup_python_drop(id);
    return span;
}

/* ---- a scheduler's ----------------------------------------------------------------------- */

enum { AT_ONCE = 64 };

/* Takes references first: what is done with them may run Python code, which may change the dict.
 * Returns how many. */
static int take_new(cup_object *dict, ssize_t known, cup_object *ids[AT_ONCE],
                    cup_object *spans[AT_ONCE])
{
    ssize_t at = 0;
    int count = 0;
    cup_object *id, *span;
    while (count < AT_ONCE && cup_py.PyDict_Next(dict, &at, &id, &span)) {
        if (known-- > 0)
            continue;
        cup_py.Py_IncRef(ids[count] = id);
        cup_py.Py_IncRef(spans[count++] = span);
    }
    return count;
}

static void tell_new(cup_object *dict, ssize_t *known)
{
    cup_object *ids[AT_ONCE], *spans[AT_ONCE];
    if (cup_py.PyDict_Size(dict) <= *known)
        return;
    int count = take_new(dict, *known, ids, spans);
    *known += count;
    for (int i = 0; i < count; i++) {
        cup_object *name = cup_python_attribute(spans[i], "name");
        tell(ids[i], joined(name));
        cup_python_drop(name);
        cup_python_drop(spans[i]);
        cup_python_drop(ids[i]);
    }
}

void cup_spans_of_scheduler(cup_object *scheduler, uint32_t id)
{
    cup_object *extensions = cup_python_attribute(scheduler, "extensions");
    cup_object *extension = cup_python_item(extensions, "spans");
    cup_object *dict = cup_python_attribute(extension, "spans");
    if (dict && cup_python_type(dict) == cup_py.dict_type)
        tell_new(dict, &scheduler_told[id - 1]);
    cup_python_drop(dict);
    cup_python_drop(extension);
    cup_python_drop(extensions);
}

void cup_spans_reset(void)
{
    if (told_any)
        memset(told, 0, sizeof told);
    told_any = false;
    memset(scheduler_told, 0, sizeof scheduler_told);
}
