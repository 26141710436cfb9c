#include "preload/dask/spans.h"

#include "preload/dask/server_samples.h"
#include "preload/log/log.h"
#include "preload/log/python_strings.h"
#include "preload/sys/id_table.h"

#include <string.h>

enum { SPANS_MOST = 1 << 16 };
static struct cup_id_table recorded;                    /* string ids of spans with a SPAN record */
static ssize_t scheduler_recorded[CUP_SAMPLES_SERVERS]; /* spans of each scheduler, by server - 1 */

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
    struct cup_r_span *record = cup_log_reserve(sizeof *record, 0);
    if (!record)
        return id;
    record->id = id;
    record->name = name;
    cup_log_commit(record, CUP_R_SPAN);
    if (cup_id_room(&recorded, 1, SPANS_MOST))
        cup_id_add(&recorded, id, 0, 1);
    return id;
}

/* Dask puts tasks outside of the user's spans into a span named "default". */
struct cup_span_strings cup_spans_of_task(cup_object *task_state)
{
    cup_object *id = cup_python_attribute(task_state, "span_id");
    struct cup_span_strings span = {0, 0};
    if (id && id != cup_py.none) {
        cup_object *annotations = cup_python_attribute(task_state, "annotations");
        cup_object *annotation = cup_python_item(annotations, "span");
        cup_object *name = cup_python_item(annotation, "name");
        span.name = join_name(name);
        cup_python_drop(name);
        cup_python_drop(annotation);
        cup_python_drop(annotations);
        if (!span.name)
            span.name = cup_log_cstring("default");
        span.id = record_span(id, span.name);
    }
    cup_python_drop(id);
    return span;
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
        cup_py.Py_IncRef(ids[count] = id);
        cup_py.Py_IncRef(spans[count++] = span);
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
        cup_object *name = cup_python_attribute(spans[i], "name");
        record_span(ids[i], join_name(name));
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
        record_new(dict, &scheduler_recorded[id - 1]);
    cup_python_drop(dict);
    cup_python_drop(extension);
    cup_python_drop(extensions);
}

void cup_spans_reset(void)
{
    cup_id_table_reset(&recorded);
    memset(scheduler_recorded, 0, sizeof scheduler_recorded);
}
