/**
 * MOUNT versions 1 and 3 (RFC 1094, Appendix A; RFC 1813, Appendix I), which turn the path of an
 * export into its first file handle. They are served over TCP as well, as RFC 8267, Section 5.1
 * asks; none of their items are eligible for direct placement.
 */
package io.github.rpcrdma4j.nfs.mount;
