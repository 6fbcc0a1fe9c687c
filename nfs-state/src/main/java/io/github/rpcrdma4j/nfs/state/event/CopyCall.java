package io.github.rpcrdma4j.nfs.state.event;

/**
 * The part of a COPY that is to be carried out after its reply (RFC 7862, Section 15.2).
 *
 * @param target the file that is written
 * @param copied how much was copied before, in bytes
 * @param length how much is to be copied in all, in bytes
 */
public record CopyCall(FileKey target, long copied, long length) {}
