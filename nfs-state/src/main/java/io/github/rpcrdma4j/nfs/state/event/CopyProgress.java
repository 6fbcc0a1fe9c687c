package io.github.rpcrdma4j.nfs.state.event;

/**
 * An asynchronous copy, for administrators.
 *
 * @param file the file that is written
 * @param bytes how much is copied
 * @param length how much is to be copied in all, in bytes
 * @param isRunning false once it has ended, and its client does not know yet
 */
public record CopyProgress(
        FileKey file, long clientId, long bytes, long length, boolean isRunning) {}
