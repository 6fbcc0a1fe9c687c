package io.github.rpcrdma4j.dissect.draft07;

/** What an RDMA2_ERROR says of the message that it answers (Section 7). */
public sealed interface HeaderError {
    /** RDMA2_ERR_VERS: its version is not spoken; these are. */
    record Version(int lowest, int highest) implements HeaderError {}

    /** RDMA2_ERR_BAD_XDR: its header could not be understood. */
    record BadXdr() implements HeaderError {}

    /** RDMA2_ERR_BAD_PROPVAL: one of its properties has no value that could be. */
    record BadProperty() implements HeaderError {}

    /** RDMA2_ERR_INVAL_HTYPE: its header has a type that is not known. */
    record UnknownType() implements HeaderError {}

    /** RDMA2_ERR_INVAL_CONT: it does not follow what it was sent behind. */
    record BadContinuation() implements HeaderError {}

    /** RDMA2_ERR_READ_CHUNKS: it has more Read chunks than {@code max}. */
    record ReadChunks(long max) implements HeaderError {}

    /** RDMA2_ERR_WRITE_CHUNKS: it has more Write chunks than {@code max}. */
    record WriteChunks(long max) implements HeaderError {}

    /** RDMA2_ERR_SEGMENTS: it has more segments than {@code max}. */
    record Segments(long max) implements HeaderError {}

    /**
     * RDMA2_ERR_WRITE_RESOURCE: a result is longer than its Write chunk.
     *
     * @param chunk which one of the list, from 0
     * @param needed bytes
     */
    record WriteResource(long chunk, long needed) implements HeaderError {}

    /** RDMA2_ERR_REPLY_RESOURCE: the reply is longer than its Reply chunk, {@code needed} bytes. */
    record ReplyResource(long needed) implements HeaderError {}

    /** RDMA2_ERR_VERS_MISMATCH: it is not of the version of its connection. */
    record OtherVersion() implements HeaderError {}

    /** RDMA2_ERR_SYSTEM: its receiver failed. */
    record ReceiverFailed() implements HeaderError {}
}
