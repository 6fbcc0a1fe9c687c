package io.github.rpcrdma4j.dissect;

/** Counts the frames, operations and bytes of a connection. Not thread-safe. */
final class FrameCounts {
    long fpdus;
    long sends;
    long reads;
    long readBytes;
    long writes;
    long writeBytes;
    long terminates;
    long bytesMissing;
    long findings;
}
