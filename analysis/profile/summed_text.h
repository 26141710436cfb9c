/* Why a figure that needs each task is not known. */
#pragma once

#define CUP_SUMMED "tasks are summed up by prefix (`cupping merge --per-prefix`, or a full log)"
