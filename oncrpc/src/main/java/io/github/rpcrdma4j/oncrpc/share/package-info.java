/**
 * How the hosts that call a server share what it has few of: no host, and no place in a network of
 * hosts, gets so much that another one gets nothing. Pure.
 */
package io.github.rpcrdma4j.oncrpc.share;
