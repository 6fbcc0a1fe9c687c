/**
 * What a client of NFS version 4 knows of its state at the server, and how it gets lost state back.
 * Pure.
 */
package io.github.rpcrdma4j.nfs.client.v4.state;
