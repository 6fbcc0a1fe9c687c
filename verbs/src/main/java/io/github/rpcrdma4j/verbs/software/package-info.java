/**
 * Protection domains and memory regions for providers that move the octets themselves: one table of
 * handles with the checks that RFC 5040, Section 5.1 and RFC 5042, Section 2.2 ask for.
 */
package io.github.rpcrdma4j.verbs.software;
