/**
 * The RPC program of NFS version 4, minor versions 0, 1 and 2, which carries out COMPOUNDs on the
 * files of a server (RFC 7530, RFC 8881, RFC 7862). {@code Nfs4Service} makes it with all that it
 * needs. {@code Nfs4Program} receives the calls. {@code Compounds} carries out the operations of a
 * COMPOUND one by one: {@code Operations} passes each to a class for operations of its kind, such
 * as {@code LockOperations} for LOCK, LOCKT and LOCKU. The exports and their files are in {@code
 * io.github.rpcrdma4j.nfs.server.served}; the state of clients, such as sessions, opens, locks and
 * delegations, is behind {@code io.github.rpcrdma4j.nfs.server.driver}.
 */
package io.github.rpcrdma4j.nfs.server.v4;
