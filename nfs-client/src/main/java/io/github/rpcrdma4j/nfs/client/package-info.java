/**
 * A client for NFS. {@link io.github.rpcrdma4j.nfs.client.NfsFiles} is for a program that uses
 * files by their paths; {@link io.github.rpcrdma4j.nfs.client.NfsMount} takes any names, and gives
 * handles.
 */
package io.github.rpcrdma4j.nfs.client;
