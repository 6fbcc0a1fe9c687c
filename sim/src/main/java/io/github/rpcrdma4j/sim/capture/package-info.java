/**
 * Captured traffic of Linux peers as byte streams: just enough of pcap, Ethernet, IPv4 and TCP to
 * read the six captures that lie beside this class. They are the golden vectors of the iWARP and
 * RPC-over-RDMA decoders. Left out: IPv6, VLANs, IP fragments, pcapng.
 */
package io.github.rpcrdma4j.sim.capture;
