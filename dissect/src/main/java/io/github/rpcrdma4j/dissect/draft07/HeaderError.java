package io.github.rpcrdma4j.dissect.draft07;

/** The error that an RDMA2_ERROR reports about a message (Section 7). */
public sealed interface HeaderError {
    /** RDMA2_ERR_VERS: the receiver does not support its version; it supports these. */
    record Version(int lowest, int highest) implements HeaderError {}

    /** RDMA2_ERR_BAD_XDR: its header is malformed. */
    record BadXdr() implements HeaderError {}

    /** RDMA2_ERR_BAD_PROPVAL: one of its properties has an invalid value. */
    record BadProperty() implements HeaderError {}

    /** RDMA2_ERR_INVAL_HTYPE: its header has an unknown type. */
    record UnknownType() implements HeaderError {}

    /** RDMA2_ERR_INVAL_CONT: it does not continue the message before it. */
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
     * @param chunk the index of the chunk in the Write list, from 0
     * @param needed how many bytes the result has
     */
    record WriteResource(long chunk, long needed) implements HeaderError {}

    /**
     * RDMA2_ERR_REPLY_RESOURCE: the reply of {@code needed} bytes is longer than its Reply chunk.
     */
    record ReplyResource(long needed) implements HeaderError {}

    /** RDMA2_ERR_VERS_MISMATCH: its version is not that of the connection. */
    record OtherVersion() implements HeaderError {}

    /** RDMA2_ERR_SYSTEM: its receiver failed. */
    record ReceiverFailed() implements HeaderError {}
}
