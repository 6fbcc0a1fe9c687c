/**
 * What a client of version 4.0 keeps where later versions have sessions: its lease, and the numbers
 * of its owners (RFC 7530, Section 9). Pure.
 */
package io.github.rpcrdma4j.nfs.client.v4.v40;
