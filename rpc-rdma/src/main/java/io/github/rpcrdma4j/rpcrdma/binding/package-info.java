/**
 * Upper-layer bindings (RFC 8166, Section 6): which data items of a program may be placed directly.
 */
package io.github.rpcrdma4j.rpcrdma.binding;
