/**
 * Messages in several Sends, with bulk data that needs no copy
 * (draft-dnoveck-nfsv4-rpcrdma-rtrext-00). The package has the layout at the sender, the group and
 * its checks at the receiver, a request's directions for its response, and the choice of the
 * cheapest method. Pure; {@code docs/version-two.md} has the rules. Posting, credits and memory are
 * in other packages.
 */
package io.github.rpcrdma4j.rpcrdma.v2.transmission;
