/* The metrics of the section "attribution", one row each; metrics.h says what is in a row. */

METRIC(BYTES_TOTAL, "bytes_total", "data read in workers", BYTES, cup_count(cup_all_bytes(t)),
       "P: data files, mapped files and sockets, in the processes that ran tasks",
       .needs = CUP_FEATURE_FILES)
METRIC(BYTES_ATTRIBUTED, "bytes_attributed", "  attributed to tasks", BYTES,
       cup_count(cup_attributed_bytes(t)), "P: part of bytes_total that is attributed to a task",
       .needs = CUP_FEATURE_FILES)
METRIC(SHARE_ATTRIBUTED, "share_attributed", "  share attributed", SHARE,
       cup_ratio((double)cup_attributed_bytes(t), (double)cup_all_bytes(t)),
       "P: bytes_attributed / bytes_total", .needs = CUP_FEATURE_FILES,
       .direction = {CUP_BETTER_HIGHER})
METRIC(READ_BYTES, "read_bytes", "  from data files", BYTES, cup_count(cup_all_method_bytes(t)),
       "P: what calls delivered from regular files, by all attribution methods",
       .needs = CUP_FEATURE_FILES)
METRIC(READ_NONE_BYTES, "read_none_bytes", NULL, BYTES,
       cup_count(cup_method_bytes(t, CUP_METHOD_NONE)),
       "P: part of read_bytes that is unattributed", .needs = CUP_FEATURE_FILES)
METRIC(REMOTE_READ_BYTES, "remote_read_bytes", "    by XRootD's client", BYTES,
       cup_class_bytes(t, CUP_C_REMOTE_READ_BYTES),
       "P: part of read_bytes that XRootD's client delivered", .needs = CUP_FEATURE_FILES)
METRIC(MAPPED_BYTES, "mapped_bytes", "  from mapped files", BYTES,
       cup_class_bytes(t, CUP_C_MAPPED_BYTES),
       "P: pages of mapped files that became present: an upper bound", .needs = CUP_FEATURE_MAPPED)
METRIC(MAPPED_NONE_BYTES, "mapped_none_bytes", NULL, BYTES,
       cup_count(t->without_task[CUP_C_MAPPED_BYTES]),
       "P: part of mapped_bytes that is unattributed", .needs = CUP_FEATURE_MAPPED)
METRIC(RECV_BYTES, "recv_bytes", "  from sockets", BYTES, cup_class_bytes(t, CUP_C_RECV_BYTES),
       "P: received from sockets, without Dask's own", .needs = CUP_FEATURE_FILES)
METRIC(RECV_NONE_BYTES, "recv_none_bytes", NULL, BYTES,
       cup_count(t->without_task[CUP_C_RECV_BYTES]), "P: part of recv_bytes that is unattributed",
       .needs = CUP_FEATURE_FILES)
METRIC(SEND_BYTES, "send_bytes", "excluded: sent to sockets", BYTES,
       cup_class_bytes(t, CUP_C_SEND_BYTES), "P: sent to sockets, without Dask's own",
       .needs = CUP_FEATURE_FILES)
METRIC(SEND_NONE_BYTES, "send_none_bytes", NULL, BYTES,
       cup_count(t->without_task[CUP_C_SEND_BYTES]), "P: part of send_bytes that is unattributed",
       .needs = CUP_FEATURE_FILES)
METRIC(WIRE_RECV_BYTES, "wire_recv_bytes", "excluded: XRootD's sockets", BYTES,
       cup_class_bytes(t, CUP_C_WIRE_RECV_BYTES),
       "P: received by the sockets of XRootD's client: the bytes of remote_read_bytes, and its "
       "protocol",
       .needs = CUP_FEATURE_FILES)
METRIC(IMPORT_BYTES, "import_bytes", "excluded: imports", BYTES,
       cup_class_bytes(t, CUP_C_IMPORT_BYTES), "P: .py, .pyc, .so and package metadata",
       .needs = CUP_FEATURE_FILES)
METRIC(PIPE_BYTES, "pipe_bytes", "excluded: pipes and terminals", BYTES,
       cup_class_bytes(t, CUP_C_PIPE_BYTES), "P: what pipes and terminals delivered",
       .needs = CUP_FEATURE_FILES)
METRIC(SPILL_READ_BYTES, "spill_read_bytes", "excluded: spilling, read", BYTES,
       cup_class_bytes(t, CUP_C_SPILL_READ_BYTES), "P: files below a worker's own directory",
       .needs = CUP_FEATURE_FILES)
METRIC(SPILL_WRITE_BYTES, "spill_write_bytes", "excluded: spilling, written", BYTES,
       cup_class_bytes(t, CUP_C_SPILL_WRITE_BYTES), "P: files below a worker's own directory",
       .needs = CUP_FEATURE_FILES)
METRIC(DASK_TRANSFER_RECV_BYTES, "dask_transfer_recv_bytes", "excluded: Dask's own, received",
       BYTES, cup_class_bytes(t, CUP_C_TRANSFER_RECV_BYTES),
       "P: sockets of Dask itself; by_worker has each worker's", .needs = CUP_FEATURE_FILES)
METRIC(DASK_TRANSFER_SEND_BYTES, "dask_transfer_send_bytes", "excluded: Dask's own, sent", BYTES,
       cup_class_bytes(t, CUP_C_TRANSFER_SEND_BYTES),
       "P: sockets of Dask itself; by_worker has each worker's", .needs = CUP_FEATURE_FILES)
METRIC(DASK_READ_BYTES, "dask_read_bytes", "excluded: Dask's own, files", BYTES,
       cup_class_bytes(t, CUP_C_DASK_READ_BYTES),
       "P: data files read by Dask's own threads: deserialisation, event loop",
       .needs = CUP_FEATURE_FILES)
METRIC(CHILD_READ_BYTES, "child_read_bytes", "excluded: children of tasks", BYTES,
       cup_count(t->children[CUP_ANCESTRY_KNOWN].bytes),
       "P: data files read by processes that descend from a task", .needs = CUP_FEATURE_FILES)
METRIC(CHILD_READ_NONE_BYTES, "child_read_none_bytes", "excluded: children, no task", BYTES,
       child_read_none_bytes(t),
       "P: data files read by such processes whose task is not known, or had ended before their "
       "last read",
       .needs = CUP_FEATURE_FILES)
METRIC(
    CHILD_READ_LATE_BYTES, "child_read_late_bytes", NULL, BYTES,
    cup_count(t->children[CUP_ANCESTRY_LATE].bytes),
    "P: part of child_read_none_bytes that was read after the task had ended: perhaps for others",
    .needs = CUP_FEATURE_FILES)
METRIC(OTHER_PROCESS_BYTES, "other_process_bytes", "excluded: other processes", BYTES,
       cup_count(t->elsewhere[CUP_C_READ_NONE_BYTES]),
       "P: data files read by clients, schedulers and nannies", .needs = CUP_FEATURE_FILES)
METRIC(KERNEL_READ_BYTES, "kernel_read_bytes", NULL, BYTES,
       t->kernel->processes ? cup_count(t->kernel->kernel_bytes) : cup_null(),
       "P: /proc/self/io of all processes that ended normally; kernel_check compares it")
