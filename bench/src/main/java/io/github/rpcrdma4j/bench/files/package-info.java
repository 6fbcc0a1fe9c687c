/**
 * Calls of NFS that are about files and their callers, at the servers of several builds in turn.
 * Each server is a process of its build; one client calls them all.
 */
package io.github.rpcrdma4j.bench.files;
