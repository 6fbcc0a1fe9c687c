package io.github.rpcrdma4j.nfs.client.service;

/** A file of a server, and its attributes at the time when they were told. */
public record RemoteFile(FileHandle handle, FileAttributes attributes) {}
