/**
 * MPA: framing on a TCP stream (RFC 5044), and connection set-up with the enhanced data of RFC
 * 6581. For the driver it also pools memory for frames. Connections with markers are refused, as no
 * driver of today asks for them.
 */
package io.github.rpcrdma4j.iwarp.mpa;
