/**
 * The driver of soft-iWARP: verbs over TCP sockets (RFC 5040, RFC 5041, RFC 5044). Sockets are
 * non-blocking; what arrives is read by the thread that polls the completion queue, straight into
 * registered memory, and what is posted is written by the thread that posts, straight from where it
 * lies.
 */
package io.github.rpcrdma4j.iwarp.tcp;
