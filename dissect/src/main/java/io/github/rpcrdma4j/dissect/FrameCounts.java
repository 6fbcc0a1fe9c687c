package io.github.rpcrdma4j.dissect;

/** Counts what a connection carried. Not thread-safe. */
final class FrameCounts {
    long fpdus;
    long sends;
    long reads;
    long readOctets;
    long writes;
    long writeOctets;
    long terminates;
    long octetsMissing;
    long findings;
}
