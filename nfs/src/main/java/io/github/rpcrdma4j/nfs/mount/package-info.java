/**
 * MOUNT version 3 (RFC 1813, Appendix I): from the name of an export to its first file handle. It
 * is served over TCP as well, as RFC 8267, Section 5.1 asks; nothing in it may be placed directly.
 */
package io.github.rpcrdma4j.nfs.mount;
