/** MOUNT as a program (RFC 1813, Appendix I). */
package io.github.rpcrdma4j.nfs.server.mount;
