/**
 * Packet captures: pcap and pcapng files, the packets in them down to TCP (RFC 791, 8200 and 9293),
 * and the bytes of each TCP stream in order. Pure but for the stream that a file is read from. Left
 * out: IP fragments, which are counted and passed over.
 *
 * <p>A module of its own, below all others: the tests of the wire codecs read captured traffic, so
 * it cannot lie in the dissector, which knows those codecs; and the dissector is a part of the
 * product, so it cannot lie on the test bench.
 */
package io.github.rpcrdma4j.capture;
