/* CUP_OURS marks a variable that hooks read in every call as internal to the library: code in other
 * files then reads it directly, without loading its address from the global offset table first. */
#pragma once

#define CUP_OURS __attribute__((visibility("hidden")))
