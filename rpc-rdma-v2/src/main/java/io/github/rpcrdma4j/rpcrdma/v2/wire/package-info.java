/**
 * The wire forms of RPC-over-RDMA version 2 and its extensions, by the drafts of 2016. They are the
 * base (draft-cel-nfsv4-rpcrdma-version-two-01), transport characteristics
 * (draft-dnoveck-nfsv4-rpcrdma-xcharext-00), the round-trip extension
 * (draft-dnoveck-nfsv4-rpcrdma-rtrext-00), and our own operations for responder-provided Read
 * chunks (draft-cel-nfsv4-rpcrdma-reliable-reply-02). {@code docs/version-two.md} has all layouts
 * and numbers. Records and codecs that never throw when they decode; pure. The drafts of version 2
 * from 2017 on use other numbers and are not supported; {@link FirstMessage} detects a peer that
 * speaks a later draft.
 */
package io.github.rpcrdma4j.rpcrdma.v2.wire;
