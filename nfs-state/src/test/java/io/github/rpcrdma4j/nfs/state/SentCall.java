package io.github.rpcrdma4j.nfs.state;

/**
 * A call of a {@link RandomClient}, for repetitions.
 *
 * @param reply what the server keeps; null if nothing
 */
record SentCall(int slot, int sequence, long checksum, boolean isKept, byte[] reply) {}
