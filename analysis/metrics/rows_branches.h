/* The metrics of the section "branches", one row each; metrics.h says what is in a row. */

#define BASKET_METRIC(name, ...) NAMED_BASKET_METRIC(name, #name, __VA_ARGS__)
#define NAMED_BASKET_METRIC(id, name, label, unit, why_missing, value, ...)                        \
    NAMED_METRIC(id, name, label, unit, value, __VA_ARGS__, .needs = CUP_FEATURE_BASKETS,          \
                 .missing = why_missing)

BASKET_METRIC(baskets, "baskets read", COUNT, NONE, if_any(t, t->branches->all.baskets),
              "P: reads of baskets, repeated ones included: baskets that uproot asked for, or, of "
              "other readers, baskets that lie where a request begins")
BASKET_METRIC(compressed_bytes, "  compressed", BYTES, NONE, if_any(t, t->branches->all.compressed),
              "P: sum of fNbytes, keys included, as uproot counts it")
BASKET_METRIC(uncompressed_bytes, "  uncompressed", BYTES, UNSEEN_ONLY,
              cup_baskets_uncompressed(&t->branches->all),
              "P: sum of fKeylen + fObjlen of the baskets whose keys were seen, as uproot counts "
              "it; without unseen_baskets")
NAMED_BASKET_METRIC(branches_compression_ratio, "compression_ratio", "  ratio", RATIO, UNSEEN_ONLY,
                    cup_baskets_ratio(&t->branches->all),
                    "P: uncompressed_bytes / compressed bytes of the same baskets")
BASKET_METRIC(compressed_payload_bytes, NULL, BYTES, UNSEEN_ONLY,
              cup_baskets_payload(&t->branches->all, true),
              "P: compressed_bytes less the keys, of the baskets whose keys were seen")
BASKET_METRIC(uncompressed_payload_bytes, NULL, BYTES, UNSEEN_ONLY,
              cup_baskets_payload(&t->branches->all, false), "P: uncompressed_bytes less the keys")
BASKET_METRIC(payload_compression_ratio, NULL, RATIO, UNSEEN_ONLY, payload_ratio(t),
              "P: uncompressed_payload_bytes / compressed_payload_bytes")
BASKET_METRIC(branches_read, "different branches", COUNT, NONE, branches_read(t),
              "P: different branches by tree and name, in whatever file")
BASKET_METRIC(files_read, "files with these branches", COUNT, NONE, files_read(t),
              "P: files from which baskets were read")
BASKET_METRIC(distinct_baskets, "different baskets", COUNT, NOT_FOUND,
              if_known(t, less(t->branches->all.baskets, rereads_of(t)->baskets)),
              "P: baskets less reread_baskets")
BASKET_METRIC(distinct_bytes, "  compressed", BYTES, NOT_FOUND, if_known(t, distinct(t)),
              "P: compressed_bytes less reread_bytes")
BASKET_METRIC(reread_baskets, "repeated reads of baskets", COUNT, NOT_FOUND,
              if_known(t, rereads_of(t)->baskets), REPEATED)
BASKET_METRIC(reread_bytes, "  compressed", BYTES, NOT_FOUND, if_known(t, rereads_of(t)->bytes),
              REPEATED, LESS_FOR_SAME_WORK)
BASKET_METRIC(reread_same_task_baskets, "  by the same task", COUNT, NONE,
              if_any(t, t->branches->all.again), "P: exact, as the task's process counted it")
BASKET_METRIC(reread_same_task_bytes, NULL, BYTES, NONE, if_any(t, t->branches->all.again_bytes),
              "P: compressed bytes of reread_same_task_baskets")
BASKET_METRIC(reread_border_baskets, "  at chunk boundaries", COUNT, NOT_FOUND,
              if_known(t, rereads_of(t)->border),
              "P: exact: the last basket of one task is the first of another")
BASKET_METRIC(reread_border_bytes, NULL, BYTES, NOT_FOUND, if_known(t, rereads_of(t)->border_bytes),
              "P: compressed bytes of reread_border_baskets")
BASKET_METRIC(reread_estimated_baskets, "  estimated", COUNT, NOT_FOUND,
              if_known(t, rereads_of(t)->estimated),
              "P: part of reread_baskets: tasks that overlap only in part; the overlap is "
              "estimated from the mean size of their baskets")
BASKET_METRIC(reread_estimated_bytes, NULL, BYTES, NOT_FOUND,
              if_known(t, rereads_of(t)->estimated_bytes),
              "P: compressed bytes of reread_estimated_baskets")
BASKET_METRIC(
    reread_wasted_baskets, "  for results not used", COUNT, NOT_FOUND,
    if_known(t, rereads_of(t)->wasted),
    "P: part of reread_baskets that would not exist without the attempts whose result was not used")
BASKET_METRIC(reread_wasted_bytes, NULL, BYTES, NOT_FOUND, if_known(t, rereads_of(t)->wasted_bytes),
              "P: compressed bytes of reread_wasted_baskets")
NAMED_BASKET_METRIC(branches_read_amplification, "read_amplification", "read / different baskets",
                    RATIO, NOT_FOUND, read_amplification(t),
                    "P: bytes that calls read for tasks from the files whose baskets were seen / "
                    "distinct_bytes of these baskets",
                    LESS_IS_BETTER)
BASKET_METRIC(sized_files, "files with trees of known size", COUNT, NO_TREES, sized_files(t),
              "P: part of files_read: files with a tree whose size uproot knew; branches_share and "
              "bytes_share are shares of these")
BASKET_METRIC(tree_branches, "branches of these trees", COUNT, NO_TREES,
              cup_value_if(t->branches->total.tree_branches,
                           cup_count(t->branches->total.tree_branches)),
              "P: branches that hold baskets, of the trees that were read, added up over files, as "
              "uproot knew them")
BASKET_METRIC(branches_share, "  share read", SHARE, NO_TREES,
              cup_ratio((double)t->branches->total.branches_of_trees,
                        (double)t->branches->total.tree_branches),
              "P: branches read, added up over files / tree_branches")
BASKET_METRIC(tree_compressed_bytes, "bytes of these trees", BYTES, NO_TREES,
              cup_value_if(t->branches->total.tree_compressed,
                           cup_count(t->branches->total.tree_compressed)),
              "P: fZipBytes of the trees that were read, added up over files")
BASKET_METRIC(bytes_share, "  share read", SHARE, NO_TREES,
              cup_ratio((double)t->branches->total.read_of_trees,
                        (double)t->branches->total.tree_compressed),
              "P: distinct_bytes of these trees / tree_compressed_bytes")
BASKET_METRIC(incidental_baskets, "baskets read ahead, not used", COUNT, NULL,
              cup_count(t->branches->all.incidental),
              "P: whole baskets that read-ahead delivered and that were not requested; one count "
              "for each task and place")
BASKET_METRIC(incidental_bytes, "  compressed", BYTES, NULL,
              cup_count(t->branches->all.incidental_bytes),
              "P: compressed bytes of incidental_baskets", LESS_FOR_SAME_WORK)
BASKET_METRIC(unseen_baskets, "baskets requested, not seen", COUNT, NONE,
              if_any(t, t->branches->all.unseen),
              "P: baskets that uproot asked for, but whose bytes no hook saw (remote files over "
              "TLS, mapped files)")
BASKET_METRIC(unseen_compressed_bytes, NULL, BYTES, NONE,
              if_any(t, t->branches->all.unseen_compressed),
              "P: part of compressed_bytes: unseen_baskets")
BASKET_METRIC(by_place_baskets, "baskets found by position", COUNT, NONE,
              if_any(t, t->branches->all.by_place),
              "P: of readers that do not name what they request: baskets that begin where a "
              "request begins, or follow such a basket")
BASKET_METRIC(by_place_bytes, NULL, BYTES, NONE, if_any(t, t->branches->all.by_place_compressed),
              "P: part of compressed_bytes: by_place_baskets")
BASKET_METRIC(page_blocks, "blocks of RNTuples", COUNT, NONE, if_any(t, t->branches->pages.baskets),
              "P: part of baskets: compressed blocks of RNTuple pages; they have no names, so "
              "their branch is not known")
BASKET_METRIC(page_bytes, NULL, BYTES, NONE, if_any(t, t->branches->pages.compressed),
              "P: part of compressed_bytes: page_blocks")
BASKET_METRIC(without_task_baskets, "unattributed baskets", COUNT, NONE,
              if_any(t, t->branches->without_task.baskets),
              "P: part of baskets: unattributed reads", .of_all_runs = true)
BASKET_METRIC(without_task_bytes, NULL, BYTES, NONE,
              if_any(t, t->branches->without_task.compressed),
              "P: part of compressed_bytes: without_task_baskets", .of_all_runs = true)
BASKET_METRIC(events_checked, "chunks checked for events", COUNT, NULL,
              cup_count(t->branches->events_checked),
              "P: used chunks whose entry range is known, and which read baskets of their tree "
              "with known numbers of entries")
BASKET_METRIC(events_unsupported, "  that read fewer", COUNT, "no chunk could be checked",
              cup_value_if(t->branches->events_checked, cup_count(t->branches->events_unsupported)),
              "P: part of events_checked: chunks that read no branch with as many entries as their "
              "range has; the processor asked for a part of it, or arrays came from a cache")
BASKET_METRIC(baskets_seen, "keys of baskets seen", COUNT, NULL,
              cup_count(t->profile->health[CUP_H_BASKETS_SEEN]),
              "P: in all reads of all processes, incidental baskets included")
BASKET_METRIC(baskets_dropped, "baskets dropped", COUNT, NULL,
              cup_count(t->profile->health[CUP_H_BASKETS_DROPPED]),
              "P: tables or the log were full, so these baskets are in no figure; those of the "
              "last two seconds of a killed task are in neither")
BASKET_METRIC(
    records_damaged, "damaged records of baskets", COUNT, NULL,
    cup_count(t->profile->damaged_baskets + t->branches->lost_records),
    "P: BASKETS records of which only a part could be read, or which could not be read again")

#undef BASKET_METRIC
#undef NAMED_BASKET_METRIC
