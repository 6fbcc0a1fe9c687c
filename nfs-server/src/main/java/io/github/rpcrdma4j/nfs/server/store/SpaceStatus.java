package io.github.rpcrdma4j.nfs.server.store;

/**
 * The room of a file system, in bytes and in files.
 *
 * @param availableBytes what is free for users without privileges
 * @param availableFiles likewise
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
