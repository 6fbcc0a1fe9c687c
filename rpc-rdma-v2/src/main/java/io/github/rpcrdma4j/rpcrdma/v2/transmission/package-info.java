/**
 * How an RPC message travels in several Sends, and how bulk data lies in them so that it needs no
 * copy (draft-dnoveck-nfsv4-rpcrdma-rtrext-00): the layout at the sender, the group and its checks
 * at the receiver, what a request says about its response, and what is cheapest. Pure; {@code
 * docs/version-two.md} has the rules. Posting, credits and memory are for others.
 */
package io.github.rpcrdma4j.rpcrdma.v2.transmission;
