/**
 * Protection domains, memory regions and memory windows for providers that move the bytes
 * themselves: one table of handles for each queue pair, with the checks that RFC 5040, Section 5.1
 * and RFC 5042, Section 2.2 ask for.
 */
package io.github.rpcrdma4j.verbs.software;
