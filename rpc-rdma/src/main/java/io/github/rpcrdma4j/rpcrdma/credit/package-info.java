/** Credit accounting of one direction of a connection (RFC 8166, Section 3.3.1). Pure. */
package io.github.rpcrdma4j.rpcrdma.credit;
