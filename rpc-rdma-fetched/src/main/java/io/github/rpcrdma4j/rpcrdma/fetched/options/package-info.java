/** What a user sets and counts of replies that requesters fetch; pure. */
package io.github.rpcrdma4j.rpcrdma.fetched.options;
