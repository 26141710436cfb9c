/* Bytes, and the tasks they belong to. */
#include "analysis/metrics/formulas.h"

static struct cup_value bytes_total(T t)
{
    return cup_count(cup_all_bytes(t));
}

static struct cup_value bytes_attributed(T t)
{
    return cup_count(cup_attributed_bytes(t));
}

static struct cup_value attributed_share(T t)
{
    return cup_ratio((double)cup_attributed_bytes(t), (double)cup_all_bytes(t));
}

static struct cup_value read_bytes(T t)
{
    return cup_count(cup_all_method_bytes(t));
}

static struct cup_value read_none_bytes(T t)
{
    return cup_count(cup_method_bytes(t, CUP_METHOD_NONE));
}

static struct cup_value remote_read_bytes(T t)
{
    return cup_class_bytes(t, CUP_C_REMOTE_READ_BYTES);
}

static struct cup_value wire_recv_bytes(T t)
{
    return cup_class_bytes(t, CUP_C_WIRE_RECV_BYTES);
}

static struct cup_value mapped_bytes(T t)
{
    return cup_class_bytes(t, CUP_C_MAPPED_BYTES);
}

static struct cup_value mapped_none_bytes(T t)
{
    return cup_count(t->without_task[CUP_C_MAPPED_BYTES]);
}

static struct cup_value recv_bytes(T t)
{
    return cup_class_bytes(t, CUP_C_RECV_BYTES);
}

static struct cup_value recv_none_bytes(T t)
{
    return cup_count(t->without_task[CUP_C_RECV_BYTES]);
}

static struct cup_value send_bytes(T t)
{
    return cup_class_bytes(t, CUP_C_SEND_BYTES);
}

static struct cup_value send_none_bytes(T t)
{
    return cup_count(t->without_task[CUP_C_SEND_BYTES]);
}

static struct cup_value import_bytes(T t)
{
    return cup_class_bytes(t, CUP_C_IMPORT_BYTES);
}

static struct cup_value pipe_bytes(T t)
{
    return cup_class_bytes(t, CUP_C_PIPE_BYTES);
}

static struct cup_value spill_read_bytes(T t)
{
    return cup_class_bytes(t, CUP_C_SPILL_READ_BYTES);
}

static struct cup_value spill_write_bytes(T t)
{
    return cup_class_bytes(t, CUP_C_SPILL_WRITE_BYTES);
}

static struct cup_value transfer_recv_bytes(T t)
{
    return cup_class_bytes(t, CUP_C_TRANSFER_RECV_BYTES);
}

static struct cup_value transfer_send_bytes(T t)
{
    return cup_class_bytes(t, CUP_C_TRANSFER_SEND_BYTES);
}

static struct cup_value dask_read_bytes(T t)
{
    return cup_class_bytes(t, CUP_C_DASK_READ_BYTES);
}

static struct cup_value child_read_bytes(T t)
{
    return cup_count(t->children[CUP_ANCESTRY_KNOWN].bytes);
}

static struct cup_value child_read_none_bytes(T t)
{
    return cup_count(t->children[CUP_ANCESTRY_UNNAMED].bytes +
                     t->children[CUP_ANCESTRY_LOST].bytes + t->children[CUP_ANCESTRY_LATE].bytes +
                     t->children[CUP_ANCESTRY_SHARED].bytes);
}

static struct cup_value child_late_bytes(T t)
{
    return cup_count(t->children[CUP_ANCESTRY_LATE].bytes);
}

static struct cup_value kernel_read_bytes(T t)
{
    return t->kernel.processes ? cup_count(t->kernel.kernel_bytes) : cup_null();
}

static struct cup_value elsewhere_bytes(T t)
{
    return cup_count(t->elsewhere[CUP_C_READ_NONE_BYTES]);
}

/* ---- the table -------------------------------------------------------------------------- */

#define FILES CUP_FEATURE_FILES
#define MAPPED CUP_FEATURE_MAPPED

/* clang-format off */
static const struct cup_metric metrics[] = {
    {"bytes_total", "data read in workers", CUP_UNIT_BYTES, bytes_total, "P: data files, mapped files and sockets, in the processes that ran tasks", FILES, NULL},
    {"bytes_attributed", "of it, with a task", CUP_UNIT_BYTES, bytes_attributed, "P: likewise, what has a task", FILES, NULL},
    {"share_attributed", "  share", CUP_UNIT_SHARE, attributed_share, "P: bytes_attributed / bytes_total", FILES, NULL},
    {"read_bytes", "of it, data files", CUP_UNIT_BYTES, read_bytes, "P: what calls delivered from regular files, by all ways", FILES, NULL},
    {"read_none_bytes", NULL, CUP_UNIT_BYTES, read_none_bytes, "P: of it, without a task", FILES, NULL},
    {"remote_read_bytes", "  through XRootD's client", CUP_UNIT_BYTES, remote_read_bytes, "P: of read_bytes, what XRootD's client handed out", FILES, NULL},
    {"mapped_bytes", "of it, mapped files", CUP_UNIT_BYTES, mapped_bytes, "P: pages of mapped files made present: an upper bound", MAPPED, NULL},
    {"mapped_none_bytes", NULL, CUP_UNIT_BYTES, mapped_none_bytes, "P: of it, without a task", MAPPED, NULL},
    {"recv_bytes", "of it, from sockets", CUP_UNIT_BYTES, recv_bytes, "P: what sockets delivered, Dask's own apart", FILES, NULL},
    {"recv_none_bytes", NULL, CUP_UNIT_BYTES, recv_none_bytes, "P: of it, without a task", FILES, NULL},
    {"send_bytes", "besides: sent to sockets", CUP_UNIT_BYTES, send_bytes, "P: what sockets accepted, Dask's own apart", FILES, NULL},
    {"send_none_bytes", NULL, CUP_UNIT_BYTES, send_none_bytes, "P: of it, without a task", FILES, NULL},
    {"wire_recv_bytes", "besides: on XRootD's wires", CUP_UNIT_BYTES, wire_recv_bytes, "P: what its client's sockets delivered: the bytes of remote_read_bytes, and what goes with them", FILES, NULL},
    {"import_bytes", "besides: imports", CUP_UNIT_BYTES, import_bytes, "P: .py, .pyc, .so and package metadata", FILES, NULL},
    {"pipe_bytes", "besides: pipes, terminals", CUP_UNIT_BYTES, pipe_bytes, "P: what pipes and terminals delivered", FILES, NULL},
    {"spill_read_bytes", "besides: spilling, read", CUP_UNIT_BYTES, spill_read_bytes, "P: files below a worker's own directory", FILES, NULL},
    {"spill_write_bytes", "besides: spilling, written", CUP_UNIT_BYTES, spill_write_bytes, "P: likewise", FILES, NULL},
    {"dask_transfer_recv_bytes", "besides: Dask's own, received", CUP_UNIT_BYTES, transfer_recv_bytes, "P: sockets of Dask itself; by_worker has it for each", FILES, NULL},
    {"dask_transfer_send_bytes", "besides: Dask's own, sent", CUP_UNIT_BYTES, transfer_send_bytes, "P: likewise", FILES, NULL},
    {"dask_read_bytes", "besides: Dask's own, files", CUP_UNIT_BYTES, dask_read_bytes, "P: data files read by Dask's own threads: deserialising, its event loop", FILES, NULL},
    {"child_read_bytes", "besides: children of tasks", CUP_UNIT_BYTES, child_read_bytes, "P: data files read by processes that descend from a task", FILES, NULL},
    {"child_read_none_bytes", "besides: children, no task", CUP_UNIT_BYTES, child_read_none_bytes, "P: likewise, where no task is known, or it had ended before they last read", FILES, NULL},
    {"child_read_late_bytes", NULL, CUP_UNIT_BYTES, child_late_bytes, "P: of child_read_none_bytes, read after the task had ended: perhaps for others", FILES, NULL},
    {"other_process_bytes", "besides: other processes", CUP_UNIT_BYTES, elsewhere_bytes, "P: data files read by clients, schedulers and nannies", FILES, NULL},
    {"kernel_read_bytes", NULL, CUP_UNIT_BYTES, kernel_read_bytes, "P: /proc/self/io of all processes that ended in good order; kernel_check compares it", 0, NULL},
};
/* clang-format on */

const struct cup_metric_section cup_attribution_metrics = {"attribution", metrics,
                                                           sizeof metrics / sizeof *metrics};
