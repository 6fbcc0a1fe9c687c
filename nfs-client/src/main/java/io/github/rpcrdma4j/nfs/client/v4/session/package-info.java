/**
 * Sessions of a client of NFS version 4.1 and 4.2, without a clock, a thread or a connection:
 * slots, and what each outcome of a call means for them (RFC 8881, Section 2.10).
 */
package io.github.rpcrdma4j.nfs.client.v4.session;
