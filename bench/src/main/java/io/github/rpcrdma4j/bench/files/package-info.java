/**
 * Measures NFS calls at the servers of several builds in turn, for various files and callers. Each
 * server is a process of its build; this process is the client of all servers.
 */
package io.github.rpcrdma4j.bench.files;
