package io.github.rpcrdma4j.nfs.server.store;

/**
 * The space of a file system, in bytes and in numbers of files.
 *
 * @param availableBytes the free bytes for users without privileges
 * @param availableFiles the free files for users without privileges
 * @param nameMax the longest name, in bytes
 * @param linksMax the most names that a file can have
 */
public record SpaceStatus(
        long totalBytes,
        long freeBytes,
        long availableBytes,
        long totalFiles,
        long freeFiles,
        long availableFiles,
        int nameMax,
        int linksMax) {}
