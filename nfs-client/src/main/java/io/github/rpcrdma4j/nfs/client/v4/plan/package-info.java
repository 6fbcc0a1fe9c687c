/**
 * COMPOUNDs of a client as values: their operations, and the most bytes of their results (RFC 8267,
 * Section 6). Pure.
 */
package io.github.rpcrdma4j.nfs.client.v4.plan;
