/**
 * Protection domains, memory regions and memory windows for providers that copy the bytes in
 * software. Each queue pair has one table of handles, with the checks that RFC 5040, Section 5.1,
 * and RFC 5042, Section 2.2, require.
 */
package io.github.rpcrdma4j.verbs.software;
