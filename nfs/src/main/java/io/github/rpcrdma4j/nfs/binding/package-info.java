/** The bindings of NFS and of the programs beside it, in one list (RFC 8267). */
package io.github.rpcrdma4j.nfs.binding;
