package io.github.rpcrdma4j.nfs.client.service;

/**
 * The space of a file system of a server, in bytes and in numbers of files.
 *
 * @param totalBytes the bytes that it can hold
 * @param freeBytes those that are not used
 * @param availableBytes the free bytes for the caller
 * @param totalFiles the files that it can hold
 * @param freeFiles those that are not used
 * @param availableFiles the free files for the caller
 */
public record SpaceStatus(
        long totalBytes,
        long freeBytes,
        long availableBytes,
        long totalFiles,
        long freeFiles,
        long availableFiles) {}
