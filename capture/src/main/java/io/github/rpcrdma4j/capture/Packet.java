package io.github.rpcrdma4j.capture;

import java.nio.ByteBuffer;

/**
 * A captured packet.
 *
 * @param number its number in the file, from 1
 * @param nanos the time of capture, in nanoseconds since 1970; 0 if the file does not say
 * @param linkType the link type of {@code bytes}, a number that pcap and pcapng share
 * @param bytes the captured bytes, big-endian from position to limit; owned by the packet alone,
 *     and never written to
 */
public record Packet(long number, long nanos, int linkType, ByteBuffer bytes) {}
