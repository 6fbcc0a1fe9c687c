/**
 * The wire forms of RPC-over-RDMA version 2, as the drafts of 2016 have it
 * (draft-cel-nfsv4-rpcrdma-version-two-01), of its transport characteristics
 * (draft-dnoveck-nfsv4-rpcrdma-xcharext-00), of the round-trip extension
 * (draft-dnoveck-nfsv4-rpcrdma-rtrext-00), and of our own operations that carry responder-provided
 * Read chunks (draft-cel-nfsv4-rpcrdma-reliable-reply-02). {@code docs/version-two.md} has all
 * layouts and numbers. Records and total codecs; pure. The drafts of version 2 from 2017 on number
 * everything anew and are not here; {@link FirstMessage} tells who speaks one of them.
 */
package io.github.rpcrdma4j.rpcrdma.v2.wire;
