/**
 * Dissects iWARP traffic: MPA (RFC 5044, 6581), DDP (RFC 5041), RDMAP (RFC 5040), RPC-over-RDMA
 * version 1 with its private data (RFC 5666, 8166, 8167, 8797), drafts of version 2, RPC (RFC 5531)
 * and the names of NFS and MOUNT (RFC 1813, 7530, 8881, 7862). It assigns RDMA operations to the
 * chunks of calls. For each fault it names the violated rule and the reaction that the receiver
 * owes. Pure, and total: any bytes give a dissection. It does not decode MPA markers, data that GSS
 * protects, RPC over plain TCP, and NFS beyond names, version 3 arguments and statuses.
 */
package io.github.rpcrdma4j.dissect;
