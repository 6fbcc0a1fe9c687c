package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrReader;

/**
 * The results of a call that succeeded. The caller decodes them and closes the reply; views into
 * the results end with it, but what landed in the caller's own memory stays.
 */
public interface RpcReply extends AutoCloseable {
    /**
     * The results. A bulk result that was placed is a view of the caller's target; one that came in
     * the stream is not, and the caller copies it.
     */
    XdrReader results();

    @Override
    void close();
}
