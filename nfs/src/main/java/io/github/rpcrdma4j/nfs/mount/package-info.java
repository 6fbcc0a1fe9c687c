/**
 * MOUNT version 3 (RFC 1813, Appendix I), which turns the path of an export into its first file
 * handle. It is served over TCP as well, as RFC 8267, Section 5.1 asks; none of its items are
 * eligible for direct placement.
 */
package io.github.rpcrdma4j.nfs.mount;
