/* One of two libraries of the same size, each of which may be loaded at the address that the other
 * one had. */
#include <stdlib.h>

__attribute__((visibility("default"))) long plugin_a(size_t bytes)
{
    void *volatile taken = malloc(bytes);
    free(taken);
    return taken != NULL;
}
