/**
 * NLM and NSM as programs: locks of hosts beside NFS versions 2 and 3, and what becomes of them
 * when a host or this server restarts (XNFS, Version 3W, Chapters 10 and 11).
 */
package io.github.rpcrdma4j.nfs.server.lock;
