/* How the library's notes begin that name tasks which are in no figure, or lack something in all of
 * them; a colon and the rest follow. The report finds the notes by these texts, for its first page.
 */
#pragma once

#define CUP_GAP_EXECUTOR                                                                           \
    "tasks that a worker runs in an executor other than a ThreadPoolExecutor are not recorded"
#define CUP_GAP_SERVERS                                                                            \
    "more than 64 Dask servers (schedulers, workers, nannies) exist in this process"
