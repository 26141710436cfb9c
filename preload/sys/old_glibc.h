/* glibc 2.34 moved functions from libdl and libpthread into libc and gave them a new symbol
 * version. The lines below bind them to their old version, so that a library built today also loads
 * with glibc 2.17. Before 2.34 some are in libdl, which the Makefile links; the pthread functions
 * are in libpthread, which a program may not load, so they are weak. The Makefile includes this
 * file in every source file. */
#pragma once

#if defined(__x86_64__) && defined(__ELF__)
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
__asm__(".symver dlerror, dlerror@GLIBC_2.2.5");
__asm__(".symver dlopen, dlopen@GLIBC_2.2.5");
__asm__(".symver dladdr, dladdr@GLIBC_2.2.5");
__asm__(".symver pthread_key_create, pthread_key_create@GLIBC_2.2.5");
__asm__(".symver pthread_setspecific, pthread_setspecific@GLIBC_2.2.5");
__asm__(".symver pthread_getspecific, pthread_getspecific@GLIBC_2.2.5");
__asm__(".weak pthread_getspecific");
__asm__(".weak pthread_key_create");
__asm__(".weak pthread_setspecific");
#endif
