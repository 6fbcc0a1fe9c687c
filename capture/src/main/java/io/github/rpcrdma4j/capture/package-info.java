/**
 * Packet captures: pcap and pcapng files, their packets down to TCP (RFC 791, 8200 and 9293), and
 * the bytes of each TCP stream in order. Pure, except for reading the stream of a file. IP
 * fragments are counted and skipped.
 *
 * <p>It is a module below all others, because two users need it. The tests of the wire codecs read
 * captures, so it cannot be in the dissector, which depends on those codecs. The dissector is part
 * of the product, so it cannot be test code.
 */
package io.github.rpcrdma4j.capture;
