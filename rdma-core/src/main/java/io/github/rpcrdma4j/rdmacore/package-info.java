/**
 * RDMA on the adapters of Linux. {@link io.github.rpcrdma4j.rdmacore.RdmaCoreProvider} is the
 * provider, and {@link io.github.rpcrdma4j.rdmacore.Adapter} lists what is installed.
 */
package io.github.rpcrdma4j.rdmacore;
