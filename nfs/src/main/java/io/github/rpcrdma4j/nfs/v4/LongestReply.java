package io.github.rpcrdma4j.nfs.v4;

import io.github.rpcrdma4j.nfs.shape.NamedArguments;
import io.github.rpcrdma4j.xdr.XdrReader;

/**
 * Adds up the most bytes that the results of one COMPOUND can have, with their bulk items. It keeps
 * nothing else of the call, because a server asks for each call.
 *
 * <p>Tests: {@code ResultsBoundTest}.
 */
final class LongestReply extends CompoundWalk {
    private final long unknown;
    private long bytes;
    private boolean isBounded = true;

    private LongestReply(XdrReader in, long unknown) {
        super(CompoundKind.COMPOUND, in, Bulk.READ_OVER);
        this.unknown = unknown;
    }

    /**
     * Returns the most bytes of the results.
     *
     * @param in positioned at the arguments; the data of bulk items need not be there yet
     * @param unknown the bytes of a bulk item without a limit, and of results without one
     */
    static long of(XdrReader in, long unknown) {
        var reply = new LongestReply(in, unknown);
        boolean isComplete = reply.end().isComplete();
        return isComplete && reply.isBounded ? envelopeMax(reply.tag()) + reply.bytes : unknown;
    }

    @Override
    void operation(int index, Operation operation, long position, NamedArguments named) {
        var most = operation.resultsMax(named, false);
        isBounded &= most.isPresent();
        bytes += most.orElse(0);
        if (operation.isReadClass()) {
            bytes += operation.dataMax(named).orElse(unknown);
        }
    }

    @Override
    void unread(int index, Operation operation, long position) {
        // The end of the walk tells that it is not complete.
    }
}
