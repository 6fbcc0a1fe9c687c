/**
 * The C libraries: layouts of their structures, their functions, and foreign memory.
 *
 * <p>Pointers are numbers here. The functions that are inline in C go through the table of
 * operations in a device's context. Its layout is that of libibverbs.so.1 since version 1.1, which
 * all releases of rdma-core have kept; {@link
 * io.github.rpcrdma4j.rdmacore.library.Verbs#requireKnownContext} checks it.
 */
package io.github.rpcrdma4j.rdmacore.library;
