package io.github.rpcrdma4j.nfs.server.admin;

/**
 * A copy within an export that goes on after the reply to its client.
 *
 * @param file the file that is written
 * @param client the number of the client
 * @param bytes how much is copied
 * @param length how much is to be copied in all, in bytes; it may be less if the source is
 * @param isRunning whether it goes on: its client can cancel it, and it ends with the client. If
 *     not, it has ended, and the client has not answered the call that says so.
 */
public record ServedCopy(
        ServedFile file, long client, long bytes, long length, boolean isRunning) {}
