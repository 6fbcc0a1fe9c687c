package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * An RPC reply, from a Send or from a Reply chunk.
 *
 * @param stream the message without the data in Write chunks
 * @param inChunks the data in each Write chunk; empty for an unused one
 */
record Reply(int xid, byte[] stream, List<byte[]> inChunks) {
    Reply {
        inChunks = List.copyOf(inChunks);
    }

    /** Returns the data in the first Write chunk. */
    Optional<byte[]> placed() {
        return inChunks.stream().limit(1).filter(data -> data.length > 0).findFirst();
    }

    /** Returns the results of the call. Every byte of the reply has to belong to them. */
    <A, T> T value(Nfs3Call<A, T> call) throws Mismatch {
        return switch (outcome(call)) {
            case Nfs3Reply.Ok<A, T>(_, var value) -> value;
            case Nfs3Reply.Failed<A, T>(var status, _) ->
                    throw new Mismatch(call.procedure() + " failed: " + status);
        };
    }

    /** Returns the status of a call that has to fail. */
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
            return call.replyFormat().decode(in);
        } catch (XdrException malformed) {
            throw new Mismatch(
                    "the results of "
                            + call.procedure()
                            + " are malformed: "
                            + malformed.getMessage());
        }
    }

    /** Requires a successful reply without results, as NULL has. */
    void requireEmpty() throws Mismatch {
        var in = new XdrReader(MemorySegment.ofArray(stream));
        requireSuccess(in);
        Mismatch.requireSame("what is left of the reply to NULL", 0L, in.remaining());
    }

    void requireSuccess(XdrReader in) throws Mismatch {
        Mismatch.requireSame("the RPC reply", new ReplyHeader.Success(xid), header(in));
    }

    /** Returns the RPC header of the reply. */
    ReplyHeader header() throws Mismatch {
        return header(new XdrReader(MemorySegment.ofArray(stream)));
    }

    private static ReplyHeader header(XdrReader in) throws Mismatch {
        try {
            return ReplyHeader.decode(in);
        } catch (XdrException malformed) {
            throw new Mismatch("the RPC reply is malformed: " + malformed.getMessage());
        }
    }

    /** The source of the only bulk result of a call: the first Write chunk, or else the stream. */
    private final class FirstItem implements Placements {
        private final Optional<byte[]> placed = placed();
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
        public void skipAbsent() {}

        @Override
        public void finish() throws XdrException {
            if (!taken) {
                throw new XdrException("a Write chunk was filled without a result");
            }
        }
    }
}
