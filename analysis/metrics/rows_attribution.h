/* The metrics of the section "attribution", one row each; metrics.h says what is in a row. */

#define BYTES_METRIC(name, label, value, source)                                                   \
    METRIC(name, label, BYTES, value, "P: " source, .needs = CUP_FEATURE_FILES)
#define RUN_METRIC(name, label, value, source)                                                     \
    METRIC(name, label, BYTES, cup_count(value), "P: " source, .needs = CUP_FEATURE_FILES,         \
           .of_all_runs = true)
/* A counter of the tasks and of worker processes outside of tasks. */
#define CLASS_METRIC(name, label, counter, source)                                                 \
    METRIC(name, label, BYTES, cup_class_bytes(t, counter), "P: " source,                          \
           .needs = CUP_FEATURE_FILES, .missing = CUP_OF_ALL_RUNS)

RUN_METRIC(bytes_total, "data read in workers", cup_all_bytes(t),
           "data files, servers, mapped files and sockets, in the processes that ran tasks")
BYTES_METRIC(bytes_attributed, "  attributed to tasks", cup_count(cup_attributed_bytes(t)),
             "part of bytes_total that is attributed to a task")
METRIC(share_attributed, "  share attributed", SHARE,
       cup_ratio((double)cup_attributed_bytes(t), (double)cup_all_bytes(t)),
       "P: bytes_attributed / bytes_total", .needs = CUP_FEATURE_FILES, .of_all_runs = true,
       MORE_IS_BETTER)
RUN_METRIC(read_bytes, "  from data files and servers", cup_all_method_bytes(t),
           "what calls delivered from regular files and from servers, by all attribution methods")
RUN_METRIC(read_none_bytes, NULL, cup_method_bytes(t, CUP_METHOD_NONE),
           "part of read_bytes that is unattributed")
CLASS_METRIC(remote_read_bytes, "    by XRootD's client", CUP_C_REMOTE_READ_BYTES,
             "part of read_bytes that XRootD's client delivered")
METRIC(server_read_bytes, "    by sockets: HTTP, S3", BYTES,
       cup_class_bytes(t, CUP_C_SERVER_READ_BYTES),
       "P: part of read_bytes, and of recv_bytes, that came through TCP connections, without "
       "Dask's own and those of XRootD's client",
       .needs = CUP_FEATURE_FILES | CUP_FEATURE_SERVERS, .missing = CUP_OF_ALL_RUNS)
METRIC(mapped_bytes, "  from mapped files", BYTES, cup_class_bytes(t, CUP_C_MAPPED_BYTES),
       "P: pages of mapped files that became present: mostly an upper bound",
       .needs = CUP_FEATURE_MAPPED, .missing = CUP_OF_ALL_RUNS)
METRIC(mapped_none_bytes, NULL, BYTES, cup_count(t->without_task[CUP_C_MAPPED_BYTES]),
       "P: part of mapped_bytes that is unattributed", .needs = CUP_FEATURE_MAPPED,
       .of_all_runs = true)
CLASS_METRIC(recv_bytes, "  from sockets, servers included", CUP_C_RECV_BYTES,
             "received from sockets, without Dask's own")
RUN_METRIC(recv_none_bytes, NULL, t->without_task[CUP_C_RECV_BYTES],
           "part of recv_bytes that is unattributed")
CLASS_METRIC(send_bytes, "excluded: sent to sockets", CUP_C_SEND_BYTES,
             "sent to sockets, without Dask's own")
RUN_METRIC(send_none_bytes, NULL, t->without_task[CUP_C_SEND_BYTES],
           "part of send_bytes that is unattributed")
CLASS_METRIC(
    wire_recv_bytes, "excluded: XRootD's sockets", CUP_C_WIRE_RECV_BYTES,
    "received by the sockets of XRootD's client: the bytes of remote_read_bytes, and its protocol")
CLASS_METRIC(import_bytes, "excluded: imports", CUP_C_IMPORT_BYTES,
             ".py, .pyc, .so and package metadata")
CLASS_METRIC(pipe_bytes, "excluded: pipes and terminals", CUP_C_PIPE_BYTES,
             "what pipes and terminals delivered")
CLASS_METRIC(spill_read_bytes, "excluded: spilling, read", CUP_C_SPILL_READ_BYTES,
             "files below a worker's own directory")
CLASS_METRIC(spill_write_bytes, "excluded: spilling, written", CUP_C_SPILL_WRITE_BYTES,
             "files below a worker's own directory")
CLASS_METRIC(dask_transfer_recv_bytes, "excluded: Dask's own, received", CUP_C_TRANSFER_RECV_BYTES,
             "sockets of Dask itself; by_worker has each worker's")
CLASS_METRIC(dask_transfer_send_bytes, "excluded: Dask's own, sent", CUP_C_TRANSFER_SEND_BYTES,
             "sockets of Dask itself; by_worker has each worker's")
CLASS_METRIC(dask_read_bytes, "excluded: Dask's own, files", CUP_C_DASK_READ_BYTES,
             "data files read by Dask's own threads: deserialisation, event loop")
BYTES_METRIC(child_read_bytes, "excluded: children of tasks",
             cup_count(t->children[CUP_ANCESTRY_KNOWN].bytes),
             "data files read by processes that descend from a task")
BYTES_METRIC(child_read_none_bytes, "excluded: children, no task", child_read_none_bytes(t),
             "data files read by such processes whose task is not known, or had ended before their "
             "last read")
BYTES_METRIC(
    child_read_late_bytes, NULL, cup_count(t->children[CUP_ANCESTRY_LATE].bytes),
    "part of child_read_none_bytes that was read after the task had ended: perhaps for others")
BYTES_METRIC(other_process_bytes, "excluded: other processes",
             cup_count(t->elsewhere[CUP_C_READ_NONE_BYTES] - t->elsewhere[CUP_C_SERVER_READ_BYTES]),
             "data files read by clients, schedulers and nannies, and by processes that ran no "
             "task (readers)")
METRIC(kernel_read_bytes, NULL, BYTES,
       cup_value_if(t->kernel->processes, cup_count(t->kernel->kernel_bytes)),
       "P: /proc/self/io of all processes that ended normally; kernel_check compares it")

#undef BYTES_METRIC
#undef RUN_METRIC
#undef CLASS_METRIC
