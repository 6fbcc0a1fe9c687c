/**
 * MPA: framing on a TCP stream (RFC 5044) and its connection set-up with the enhanced data of RFC
 * 6581, and for the driver memory for frames. Markers are refused, never sent: no peer of today
 * asks for them.
 */
package io.github.rpcrdma4j.iwarp.mpa;
