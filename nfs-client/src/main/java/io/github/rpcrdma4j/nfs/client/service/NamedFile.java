package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.nfs.FileName;

/** A name in a directory of a server, and the file that has it. */
public record NamedFile(FileName name, FileHandle handle, FileAttributes attributes) {}
