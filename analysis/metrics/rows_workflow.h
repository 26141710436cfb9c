/* The metrics of the section "workflow", one row each; metrics.h says what is in a row. */

#define NO_STAGE                                                                                   \
    "no such stage was seen, or those of several calls of the Runner overlap (--run N chooses "    \
    "one)"

/* A rate in Gbit/s and in MB/s. */
#define RATE_METRICS(name, label, bytes, seconds, ...)                                             \
    METRIC(name##_gbps, label, GBPS, cup_ratio(bytes / gigabit, seconds), __VA_ARGS__)             \
    METRIC(name##_mbs, label, MBS, cup_ratio(bytes / megabyte, seconds), __VA_ARGS__)

METRIC(t_start, "start (UTC)", NONE, cup_value_if(t->run.start_ns, cup_time(t->run.start_ns)),
       "C: first clock call inside the client's Runner call; P: start of the first task, if that "
       "is earlier or no such call was seen")
METRIC(t_stop, "stop (UTC)", NONE, cup_value_if(t->run.stop_ns, cup_time(t->run.stop_ns)),
       "C: last clock call inside the client's Runner call; P: stop of the last task, if that is "
       "later or no such call was seen; if tasks never ended and held their threads, the last sign "
       "of their process, if that is later")
METRIC(wall_time, "wall time", SECONDS, cup_ns_or_null(cup_stretch_ns(t->run)),
       "P: t_stop - t_start", LESS_FOR_SAME_WORK)
METRIC(graph_s, "stage: building the graph", SECONDS, graph_s(t),
       "C and P: from the start of the Runner call to the first task, and from the last metadata "
       "task to the first chunk",
       LESS_FOR_SAME_WORK, .missing = NO_STAGE)
METRIC(preprocess_s, "stage: metadata tasks", SECONDS, stage_s(t, cup_stretch_ns(t->metadata)),
       "P: from the start of the first to the stop of the last metadata task", LESS_FOR_SAME_WORK,
       .missing = NO_STAGE)
METRIC(process_s, "stage: chunks", SECONDS, stage_s(t, cup_stretch_ns(t->chunks)),
       "P: from the start of the first to the stop of the last chunk", LESS_FOR_SAME_WORK,
       .missing = NO_STAGE)
METRIC(tail_s, "  after 90 % of them", SECONDS, stage_s(t, t->tail_ns),
       "P: from the end of 90 % of the chunks to the end of the last; of 20 chunks or more",
       LESS_FOR_SAME_WORK,
       .missing = "fewer than 20 chunks ended, or the run goes on; or " NO_STAGE)
METRIC(merge_s, "stage: merging", SECONDS, merge_s(t),
       "P and C: from the stop of the last chunk to the end of the Runner call, or to the stop of "
       "the last task, if that is later or no such call was seen",
       LESS_FOR_SAME_WORK, .missing = NO_STAGE)
METRIC(total_cpu_time, "inside process(), summed", SECONDS, total_cpu_time(t),
       "C: time between Coffea's own clock calls around process(), added up over the chunks whose "
       "result was used (processtime of Coffea's report); wall time, in spite of the name",
       LESS_FOR_SAME_WORK, .coffea_field = CUP_COFFEA_PROCESS,
       .from_datasets = "C: duration of the datasets in the file of --coffea-report, added up; the "
                        "section coffea has what was seen",
       .from_file =
           "C: processtime in the file of --coffea-report; the library saw no such clock calls")
METRIC(total_thread_cpu_time, "CPU time of tasks", SECONDS,
       cup_value_if(cup_ended_with_cpu(t), cup_ns(cup_all_cpu_ns(t))),
       "P: CPU clocks of the tasks' own threads, and of their helper threads where those are "
       "known; async tasks have no clock of their own",
       LESS_FOR_SAME_WORK)
METRIC(total_helper_cpu_time, "  of helper threads", SECONDS,
       cup_ns(t->counters[CUP_C_HELPER_CPU_NS]), "P: CPU time that other threads used for tasks",
       .needs = CUP_FEATURE_HANDOFF, LESS_FOR_SAME_WORK)
METRIC(total_task_time, "inside tasks, summed", SECONDS, cup_ns(t->all.wall_ns),
       "P: time of the tasks that ended, added up", LESS_FOR_SAME_WORK)
METRIC(num_chunks, "chunks", COUNT, cup_count(t->used_chunks), "P: different chunks that succeeded")
METRIC(num_chunks_coffea, "  as Coffea counts them", COUNT,
       cup_count_or_null(cup_coffea_figure(t, CUP_COFFEA_CHUNKS)), CHUNK_C "chunks",
       .missing = NO_REPORTS, .coffea_field = CUP_COFFEA_CHUNKS,
       .from_file = "C: chunks in the file of --coffea-report; " NO_REPORTS)
METRIC(num_failed_chunks, "failed attempts", COUNT, cup_count(t->failed_chunks),
       "P: attempts at chunks that erred", LESS_IS_BETTER)
METRIC(num_retried_chunks, "retried chunks", COUNT,
       cup_value_if(!t->profile->full_log_tasks, cup_count(t->retried_chunks)),
       "P: chunks with more than one attempt",
       .missing = "of tasks that began when their log was full, the chunk is not known",
       LESS_IS_BETTER)
METRIC(planned_chunks, "planned chunks", COUNT, cup_count_or_null(t->completeness->planned_chunks),
       "C: work items that Coffea's preprocessing made, read in the client's Runner call",
       .missing = "completeness.not_known says why")
METRIC(planned_events, "planned events", COUNT, cup_count_or_null(t->completeness->planned_events),
       "C: entry ranges of those work items", .missing = "completeness.not_known says why")
METRIC(completed_share, "  done", SHARE, cup_real(cup_completeness_share(t->completeness)),
       "P and C: total_events / planned_events; num_chunks / planned_chunks where events are not "
       "known",
       .missing = "completeness.not_known says why", MORE_IS_BETTER)
METRIC(avg_cpu_time_per_chunk, "process() per chunk", SECONDS, avg_cpu_time_per_chunk(t),
       "C: total_cpu_time / number of chunks that have it",
       .missing = "no chunk was timed, or the file of --coffea-report does not say how many chunks "
                  "there were")
METRIC(total_events, "events", COUNT, cup_value_if(cup_events_known(t), cup_count(t->events)),
       "P: entry ranges of the chunks that succeeded, added up", .missing = CUP_EVENTS_MISSING)
METRIC(total_events_coffea, "  as Coffea counts them", COUNT,
       cup_count_or_null(cup_coffea_figure(t, CUP_COFFEA_ENTRIES)), CHUNK_C "entries",
       .missing = NO_REPORTS, .coffea_field = CUP_COFFEA_ENTRIES,
       .from_datasets = "C: entries of the datasets in the file of --coffea-report, added up; the "
                        "section coffea has what was seen",
       .from_file = "C: entries in the file of --coffea-report; " NO_REPORTS)
METRIC(num_columns, "columns", COUNT, cup_coffea_columns(t), CHUNK_C "columns, each counted once",
       .missing = NO_REPORTS)
METRIC(total_bytes_read_coffea, "bytes requested by uproot", BYTES,
       cup_count_or_null(cup_coffea_figure(t, CUP_COFFEA_BYTES)), CHUNK_C "bytesread",
       .missing = NO_REPORTS, .coffea_field = CUP_COFFEA_BYTES,
       .from_datasets =
           "C: num_requested_bytes of the datasets in the file of --coffea-report, added "
           "up; the section coffea has what was seen",
       .from_file = "C: bytesread in the file of --coffea-report; " NO_REPORTS)
METRIC(total_bytes_read, "bytes delivered to tasks", BYTES, cup_count(cup_attributed_bytes(t)),
       "P: data files, mapped files and sockets, read by tasks and their helper threads; without "
       "child processes",
       .needs = CUP_FEATURE_FILES)
METRIC(wire_bytes, "bytes from sockets", BYTES, wire_bytes(t),
       "P: received from sockets in worker processes, without Dask's own; bytes that came by "
       "XRootD are in total_bytes_read as file reads",
       .needs = CUP_FEATURE_FILES, .missing = CUP_OF_ALL_RUNS)
METRIC(read_amplification, "read amplification", RATIO, read_amplification(t),
       "P and C: bytes read by the chunks whose result was used (mapped and received bytes: by all "
       "attempts at chunks) / bytes that Coffea reports for these chunks as seen, even if a file "
       "of --coffea-report has another total",
       .needs = CUP_FEATURE_FILES, .missing = NO_REPORTS, LESS_IS_BETTER)
METRIC(total_bytes_memory_read_dask, "task inputs from memory", BYTES,
       cup_fine_of(t->fine, t->profile, &t->fine->all, CUP_FINE_MEMORY_READ),
       "D: fine.memory_read_bytes", .missing = "fine.memory_read_bytes says why")
METRIC(read_amplification_baskets, "amplification, baskets", RATIO,
       cup_metric_value(CUP_METRIC_branches_read_amplification, t),
       "P: branches.read_amplification: bytes that tasks read from the files whose baskets were "
       "seen / compressed bytes of different baskets",
       .needs = CUP_FEATURE_BASKETS, .missing = "branches.read_amplification says why",
       LESS_IS_BETTER)
METRIC(bytes_read_compressed, "baskets, compressed", BYTES,
       cup_metric_value(CUP_METRIC_compressed_bytes, t),
       "P: branches.compressed_bytes: baskets that were asked for or requested, keys included",
       .needs = CUP_FEATURE_BASKETS, .missing = NO_BASKETS)
METRIC(bytes_read_uncompressed, "baskets, uncompressed", BYTES,
       cup_metric_value(CUP_METRIC_uncompressed_bytes, t),
       "P: branches.uncompressed_bytes: baskets whose keys were seen", .needs = CUP_FEATURE_BASKETS,
       .missing = NO_BASKETS)
METRIC(compression_ratio, "compression ratio", RATIO,
       cup_metric_value(CUP_METRIC_branches_compression_ratio, t),
       "P: uncompressed / compressed bytes of the baskets whose keys were seen",
       .needs = CUP_FEATURE_BASKETS, .missing = NO_BASKETS)
METRIC(overall_rate_gbps, NULL, GBPS,
       cup_ratio((double)cup_attributed_bytes(t) / gigabit, cup_run_s(t)),
       "P: the same number as delivered_rate_gbps", .needs = CUP_FEATURE_FILES)
METRIC(overall_rate_mbs, NULL, MBS,
       cup_ratio((double)cup_attributed_bytes(t) / megabyte, cup_run_s(t)),
       "P: the same number as delivered_rate_mbs", .needs = CUP_FEATURE_FILES)
RATE_METRICS(requested_rate, "rate, requested", requested_bytes(t), cup_run_s(t),
             "C: total_bytes_read_coffea over wall_time",
             .missing = "total_bytes_read_coffea says why", MORE_FOR_SAME_WORK)
RATE_METRICS(requested_rate_process, "  during the chunks", requested_bytes(t), cup_chunks_s(t),
             "C: total_bytes_read_coffea over process_s",
             .missing = "total_bytes_read_coffea says why", MORE_FOR_SAME_WORK)
RATE_METRICS(delivered_rate, "rate, delivered", (double)cup_attributed_bytes(t), cup_run_s(t),
             "P: total_bytes_read over wall_time", .needs = CUP_FEATURE_FILES)
RATE_METRICS(delivered_rate_process, "  during the chunks", (double)cup_attributed_bytes(t),
             cup_chunks_s(t), "P: total_bytes_read over process_s", .needs = CUP_FEATURE_FILES)
METRIC(file_rate_gbps, "rate, file-equivalent", GBPS,
       cup_value_if(t->chunk_file_size,
                    cup_ratio((double)t->chunk_file_size / gigabit, cup_run_s(t))),
       "P: size of the .root files that chunks read, over wall_time", MORE_FOR_SAME_WORK)
METRIC(file_rate_process_gbps, "  during the chunks", GBPS,
       cup_value_if(t->chunk_file_size,
                    cup_ratio((double)t->chunk_file_size / gigabit, cup_chunks_s(t))),
       "P: size of the .root files that chunks read, over process_s", MORE_FOR_SAME_WORK)
METRIC(event_rate_wall_khz, "events per wall time", KHZ, event_rate(t, cup_run_s(t), 1e3),
       "P: total_events / wall_time", .missing = CUP_EVENTS_MISSING, MORE_IS_BETTER)
METRIC(event_rate_agg_khz, "events per process() time", KHZ, process_event_rate(t),
       "P and C: total_events / total_cpu_time",
       .missing = CUP_EVENTS_MISSING "; or the time inside process() is not known of all chunks",
       MORE_IS_BETTER)
METRIC(event_rate_agg_thread_cpu_khz, "events per CPU time", KHZ,
       cup_value_if(cup_ended_with_cpu(t), event_rate(t, (double)cup_all_cpu_ns(t) / 1e9, 1e3)),
       "P: total_events / total_thread_cpu_time",
       .missing = CUP_EVENTS_MISSING "; or only async tasks ended, which have no CPU clock",
       MORE_IS_BETTER)
METRIC(event_rate_core_hz, "events per core", HZ, core_event_rate(t, cup_total_cores(t)),
       "P: total_events / (wall_time * total_cores); threads: #", .missing = NO_CORE_RATE,
       MORE_IS_BETTER)
METRIC(
    event_rate_thread_hz, "events per thread", HZ,
    event_rate(t, cup_metric_number(CUP_METRIC_threads_s, t), 1),
    "P: total_events / time_budget.threads_s: times the threads that the workers had on average, "
    "it is event_rate_wall_khz",
    .missing = CUP_EVENTS_MISSING)
METRIC(event_rate_core_avg_cores_hz, NULL, HZ, core_event_rate(t, cup_run_cores(t)),
       "P: total_events / (wall_time * avg_cores); threads: #", .missing = NO_CORE_RATE)

#undef RATE_METRICS
