package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrReader;

/**
 * The results of a successful call. The caller decodes them and closes the reply. Closing ends all
 * views of the results, but bulk results in the caller's own memory stay.
 */
public interface RpcReply extends AutoCloseable {
    /**
     * Returns the results. A bulk result that was placed is a view of the caller's target. A bulk
     * result that travelled in the stream is not, so the caller copies it.
     */
    XdrReader results();

    @Override
    void close();
}
