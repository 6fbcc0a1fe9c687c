/**
 * Records the bytes of iWARP connections as a pcapng file that Wireshark and the dissector read:
 * made-up Ethernet, IP and TCP headers around the transferred bytes. The provider only offers a
 * tap, so that it does not depend on capture files.
 */
package io.github.rpcrdma4j.dissect.trace;
