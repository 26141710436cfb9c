#include "analysis/metrics/functions/call_tree.h"

#include <string.h>
#include <unistd.h>

/* ---- modules ------------------------------------------------------------------------------ */

static bool is_this_host(const struct cup_log_header *process)
{
    char host[sizeof process->host] = "";
    return gethostname(host, sizeof host - 1) == 0 && host[0] &&
           strncmp(host, process->host, sizeof host) == 0;
}

uint32_t cup_native_module(struct cup_native_frames *natives, struct cup_text path,
                           struct cup_text build_id, const struct cup_log_header *process)
{
    bool proven = build_id.length == 0 && is_this_host(process) &&
                  cup_module_is_unchanged(path, process->process_start_ns);
    return cup_modules_add(&natives->tree->modules, path, build_id, proven);
}

/* ---- the interpreter ---------------------------------------------------------------------- */

/* Whether a function of the interpreter only calls functions, creates threads or manages memory:
 * names of the C API, and all names with "call". Others are builtins that do work of their own,
 * such as _io_FileIO_read_impl and list_sort; these are shown by name. */
static bool is_machinery(const char *name)
{
    static const char *const begins[] = {"Py",    "_Py",     "slot_",     "wrap_",   "method_",
                                         "type_", "object_", "allocate_", "thread_", "pythread_"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0)
            return true;
    return strstr(name, "call") != NULL;
}

static enum cup_inner inner_of(const struct cup_module *module, const struct cup_native_name *name)
{
    if (!cup_text_is(cup_code_place(module->path, true).package, "python"))
        return CUP_INNER_NOT;
    return !name->named || is_machinery(name->text) ? CUP_INNER_FOLDED : CUP_INNER_NAMED;
}

/* ---- frames ------------------------------------------------------------------------------- */

static uint32_t new_frame(struct cup_call_tree *tree, uint32_t module, uint32_t offset)
{
    struct cup_native_name name;
    if (cup_modules_name(&tree->modules, module, offset, &name) != 0)
        return CUP_NOTHING;
    const struct cup_module *of = &tree->modules.rows[module];
    enum cup_inner inner = inner_of(of, &name);
    const char *shown = inner == CUP_INNER_FOLDED ? "(interpreter)" : name.text;
    uint32_t function = cup_call_add_function(tree, (struct cup_text){shown, strlen(shown)},
                                              of->path, 0, CUP_FRAME_NATIVE);
    if (function == CUP_NOTHING)
        return CUP_NOTHING;
    tree->functions[function].inner = (uint8_t)inner;
    tree->functions[function].named = name.named || inner == CUP_INNER_FOLDED;
    return cup_call_add_frame(tree, function, 0);
}

uint32_t cup_native_frame(struct cup_native_frames *natives, uint32_t module, uint32_t offset)
{
    uint32_t known = cup_pair_map_get(&natives->frames, module, offset);
    if (known)
        return known - 1;
    uint32_t frame = new_frame(natives->tree, module, offset);
    if (frame != CUP_NOTHING && cup_pair_map_set(&natives->frames, module, offset, frame + 1) != 0)
        return CUP_NOTHING;
    return frame;
}

uint32_t cup_native_gap(struct cup_call_tree *tree)
{
    static const char name[] = "(native frames left out)";
    uint32_t function = cup_call_add_function(tree, (struct cup_text){name, sizeof name - 1},
                                              (struct cup_text){0}, 0, CUP_FRAME_NATIVE);
    return function == CUP_NOTHING ? CUP_NOTHING : cup_call_add_frame(tree, function, 0);
}

/* The node "(not known)" below the root: the caller of native frames whose Python caller is not
 * known. */
static uint32_t unknown_caller(struct cup_call_tree *tree)
{
    return cup_call_add_node(tree, 0, CUP_UNKNOWN_FRAME);
}

/* Replaces the node "(frames left out)" by "(native frames left out)": the frames that are missing
 * right before a native frame are native, too. */
static uint32_t node_of_gap(struct cup_call_tree *tree, uint32_t cut)
{
    uint32_t caller = tree->nodes[cut].parent ? tree->nodes[cut].parent : unknown_caller(tree);
    uint32_t gap = caller == CUP_NOTHING ? CUP_NOTHING : cup_native_gap(tree);
    return gap == CUP_NOTHING ? CUP_NOTHING : cup_call_add_node(tree, caller, gap);
}

uint32_t cup_native_add_node(struct cup_call_tree *tree, uint32_t parent, uint32_t frame)
{
    uint8_t inner = tree->functions[tree->frames[frame].function].inner;
    if (parent == 0)
        parent = unknown_caller(tree);
    else if (cup_call_function(tree, parent)->kind == CUP_FRAME_CUT)
        parent = node_of_gap(tree, parent);
    if (parent == CUP_NOTHING)
        return CUP_NOTHING;
    uint8_t caller = cup_call_function(tree, parent)->inner;
    if (inner == CUP_INNER_FOLDED && caller != CUP_INNER_NOT)
        return parent;
    if (inner == CUP_INNER_NAMED && caller == CUP_INNER_FOLDED)
        parent = tree->nodes[parent].parent;
    return cup_call_add_node(tree, parent, frame);
}
