/**
 * What a server of version 4 says about files that it does not let this client use: other flavors
 * of security, and other places. Pure.
 */
package io.github.rpcrdma4j.nfs.client.v4.refusal;
