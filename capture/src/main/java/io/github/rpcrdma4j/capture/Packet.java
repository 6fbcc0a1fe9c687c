package io.github.rpcrdma4j.capture;

import java.nio.ByteBuffer;

/**
 * A packet as it was captured.
 *
 * @param number its place in the file, from 1
 * @param nanos when, in nanoseconds since 1970; 0 if the file does not say
 * @param linkType what {@code bytes} starts with, a number that pcap and pcapng share
 * @param bytes what was captured, big-endian from position to limit; owned by the packet alone, and
 *     never written to
 */
public record Packet(long number, long nanos, int linkType, ByteBuffer bytes) {}
