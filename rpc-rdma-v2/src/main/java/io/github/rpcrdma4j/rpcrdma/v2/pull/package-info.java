/**
 * Replies that a requester fetches from its responder (draft-cel-nfsv4-rpcrdma-reliable-reply-02),
 * over version 2: what waits at the responder, what becomes of a reply at the requester, and how
 * the one tells the other that it is done. Pure; time is an argument. What waits at a responder of
 * RFC 5666 waits by the same rules; the rest of that is not here.
 */
package io.github.rpcrdma4j.rpcrdma.v2.pull;
