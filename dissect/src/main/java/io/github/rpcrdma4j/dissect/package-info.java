/**
 * Takes iWARP traffic apart: MPA (RFC 5044, 6581), DDP (RFC 5041), RDMAP (RFC 5040), RPC-over-RDMA
 * version 1 with its private data (RFC 8166, 8167, 8797), RPC (RFC 5531) and the names of NFS and
 * MOUNT (RFC 1813, 7530, 8881, 7862). It ties the chunks of each call to the RDMA operations that
 * moved them, and says of what is wrong which rule it breaks and what its receiver owes. Pure, and
 * total: any bytes give a dissection. Left out: markers of MPA, what GSS protects, NFS beyond
 * names, arguments of version 3 and statuses, and RPC over plain TCP.
 */
package io.github.rpcrdma4j.dissect;
