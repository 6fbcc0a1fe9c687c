package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A reply of RPC, wherever it came.
 *
 * @param stream the message without what was placed in a Write chunk
 * @param placed what was placed in the first Write chunk
 */
record Reply(int xid, byte[] stream, Optional<byte[]> placed) {
    /** What the call gave; every byte of the reply must be accounted for. */
    <A, T> T value(Nfs3Call<A, T> call) throws Mismatch {
        return switch (outcome(call)) {
            case Nfs3Reply.Ok<A, T>(_, var value) -> value;
            case Nfs3Reply.Failed<A, T>(var status, _) ->
                    throw new Mismatch(call.procedure() + " failed: " + status);
        };
    }

    /** Why the call failed, as it has to. */
    <A, T> Status failure(Nfs3Call<A, T> call) throws Mismatch {
        return switch (outcome(call)) {
            case Nfs3Reply.Ok<A, T> _ -> throw new Mismatch(call.procedure() + " succeeded");
            case Nfs3Reply.Failed<A, T>(var status, _) -> status;
        };
    }

    private <A, T> Nfs3Reply<A, T> outcome(Nfs3Call<A, T> call) throws Mismatch {
        var in = new XdrReader(MemorySegment.ofArray(stream), new FirstItem());
        requireSuccess(in);
        try {
            return call.replyForm().decode(in);
        } catch (XdrException malformed) {
            throw new Mismatch(
                    "the results of "
                            + call.procedure()
                            + " make no sense: "
                            + malformed.getMessage());
        }
    }

    /** Requires the reply of NULL. */
    void requireEmpty() throws Mismatch {
        var in = new XdrReader(MemorySegment.ofArray(stream));
        requireSuccess(in);
        Mismatch.requireSame("what is left of the reply to NULL", 0L, in.remaining());
    }

    private void requireSuccess(XdrReader in) throws Mismatch {
        Mismatch.requireSame("the RPC reply", new ReplyHeader.Success(xid), header(in));
    }

    /** The start of the message. */
    ReplyHeader header() throws Mismatch {
        return header(new XdrReader(MemorySegment.ofArray(stream)));
    }

    private static ReplyHeader header(XdrReader in) throws Mismatch {
        try {
            return ReplyHeader.decode(in);
        } catch (XdrException malformed) {
            throw new Mismatch("the RPC reply makes no sense: " + malformed.getMessage());
        }
    }

    /** The only bulk result of a call is in the first Write chunk or in the stream. */
    private final class FirstItem implements Placements {
        private boolean taken = placed.isEmpty();

        @Override
        public MemorySegment take(long position, long count) throws XdrException {
            if (placed.isEmpty()) {
                return null;
            }
            taken = true;
            if (placed.get().length != count) {
                throw new XdrException(
                        "a result of "
                                + count
                                + " bytes has "
                                + placed.get().length
                                + " in its Write chunk");
            }
            return MemorySegment.ofArray(placed.get());
        }

        @Override
        public void skip() {}

        @Override
        public void finish() throws XdrException {
            if (!taken) {
                throw new XdrException("a Write chunk was filled without a result");
            }
        }
    }
}
