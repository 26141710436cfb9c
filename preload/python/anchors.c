#include "preload/python/anchors.h"

#include "preload/python/python.h"

static const char *const functions[] = {
#define X(id, function, reads) function,
    CUP_ANCHORS(X)
#undef X
};

const void *cup_anchor_names[CUP_ANCHOR_COUNT]; /* references, never given back */
static cup_object *interpreter;                 /* NULL: nothing is interned yet */

void cup_anchors_intern(void)
{
    for (int i = 0; i < CUP_ANCHOR_COUNT; i++)
        cup_anchor_names[i] = cup_py.PyUnicode_InternFromString(functions[i]);
    __atomic_store_n(&interpreter, cup_py.PyInterpreterState_Get(), __ATOMIC_RELEASE);
}

bool cup_anchors_may_ask(void)
{
    cup_object *verified = __atomic_load_n(&interpreter, __ATOMIC_ACQUIRE);
    return verified && cup_python_has_gil() && cup_py.PyInterpreterState_Get() == verified;
}
