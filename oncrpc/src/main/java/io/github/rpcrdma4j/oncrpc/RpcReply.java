package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrReader;

/**
 * The results of a successful call. The caller decodes them and closes the reply. Closing ends all
 * views of the results, but bulk results in the caller's own memory stay.
 *
 * <p>A reply that is not closed keeps its memory, even if nothing refers to it, until its client is
 * closed. It can be read after that, too. If it is then lost without having been closed, its memory
 * is freed, and a warning is logged.
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
