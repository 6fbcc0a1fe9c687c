package io.github.rpcrdma4j.nfs.server.admin;

/**
 * A delegation of a file.
 *
 * @param client the number of the client
 * @param isForWriting whether the client may also keep what it writes
 * @param isRecalled whether the server has asked the client to give it back
 */
public record ServedDelegation(
        ServedFile file, long client, boolean isForWriting, boolean isRecalled) {}
