package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcReply;

/**
 * Reveals replies that their callers did not close. Until a client is closed, such replies are told
 * only if they use up the memory: to watch each reply would cost each call.
 */
public final class UnclosedReplies {
    private static final FailureLog LOG =
            new FailureLog(System.getLogger(RpcReply.class.getName()));

    private UnclosedReplies() {}

    /**
     * Ends the pool of a closed client. Its open replies can still be read. When one is lost
     * without having been closed, its memory is freed, and a warning is logged.
     *
     * @param pool the memory of that client alone; its calls have ended
     * @param server the server of the client, for a user
     */
    public static void end(SegmentPool pool, String server) {
        int open = pool.leased();
        pool.end(
                () ->
                        LOG.warn(
                                "a client of " + server + " did not close each RpcReply",
                                open + " pieces of memory were in use when it was closed"));
    }

    /**
     * Returns a failure whose message says how much of the memory a client has, if it has at least
     * half of what is in use.
     *
     * @param pool the memory of that client
     */
    public static BudgetExhaustedException explain(
            BudgetExhaustedException none, SegmentPool pool) {
        long own = pool.leasedBytes();
        return own < pool.budget().used() / 2
                ? none
                : none.with(", " + own + " of them by this client: is each RpcReply closed?");
    }
}
