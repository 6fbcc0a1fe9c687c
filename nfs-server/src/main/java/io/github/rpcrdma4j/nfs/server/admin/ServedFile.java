package io.github.rpcrdma4j.nfs.server.admin;

import java.util.OptionalLong;

/**
 * A file that is open.
 *
 * @param export the name of its export
 * @param inode its number in the file system; empty if it does not exist any more, or cannot be
 *     read
 */
public record ServedFile(String export, OptionalLong inode) {}
