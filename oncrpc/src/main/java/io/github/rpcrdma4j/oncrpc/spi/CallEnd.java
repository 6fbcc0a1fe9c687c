package io.github.rpcrdma4j.oncrpc.spi;

/**
 * Receives the end of a call that {@link CallHandler#begin} began: once, on any thread. It does not
 * wait long.
 */
public interface CallEnd {
    /**
     * The call has ended.
     *
     * @param isAnswered whether the writer holds a reply; if not, the peer gets none
     */
    void ended(boolean isAnswered);
}
