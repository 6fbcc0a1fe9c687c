/** The names of programs, procedures and statuses of NFS and of the programs beside it. */
package io.github.rpcrdma4j.nfs.names;
