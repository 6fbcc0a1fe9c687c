/** The rules of RFC 5040 and of the verbs interfaces, as tests that all providers pass. */
package io.github.rpcrdma4j.verbs.contract;
