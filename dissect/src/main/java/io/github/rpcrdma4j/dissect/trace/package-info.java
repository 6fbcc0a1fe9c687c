/**
 * Writes down what the connections of the iWARP provider carry, as a pcapng file that Wireshark and
 * the dissector read: made-up Ethernet, IP and TCP around the bytes that went over the wire. It
 * lies here and not in the provider, which only lets itself be watched.
 */
package io.github.rpcrdma4j.dissect.trace;
