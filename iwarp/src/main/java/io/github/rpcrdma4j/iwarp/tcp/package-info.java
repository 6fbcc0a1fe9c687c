/**
 * The driver of soft-iWARP: verbs over TCP sockets (RFC 5040, RFC 5041, RFC 5044). Sockets are
 * non-blocking. The polling thread of the completion queue reads arriving bytes directly into
 * registered memory. The posting thread writes posted work directly from its memory.
 */
package io.github.rpcrdma4j.iwarp.tcp;
