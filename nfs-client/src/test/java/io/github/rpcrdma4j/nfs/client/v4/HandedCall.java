package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v4.CompoundCall;
import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.ResultsBound;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunkPlacements;
import io.github.rpcrdma4j.rpcrdma.raw.HeaderWords;
import io.github.rpcrdma4j.rpcrdma.raw.RawEnd;
import io.github.rpcrdma4j.rpcrdma.raw.SeenHeader;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * A call that a {@link ServerByHand} has received: what it looks like, and the ways to answer it.
 * The data of its Read chunks is not fetched: it counts as bytes of 0.
 *
 * @param header of the transport
 * @param operations of the COMPOUND; empty for NULL, and for a Long Call, whose message is not here
 */
record HandedCall(ServerByHand server, RawEnd end, SeenHeader header, List<Arguments> operations) {
    private static final int RDMA_ERROR = 4;
    private static final int ERR_VERS = 1;
    private static final int ERR_CHUNK = 2;

    /** Message type REPLY, accepted, with an empty verifier of AUTH_NONE (RFC 5531, Section 9). */
    private static final Words ACCEPTED = Words.of(1, 0, 0, 0);

    static HandedCall of(ServerByHand server, RawEnd end, Words message) throws XdrException {
        var header = SeenHeader.of(message);
        if (header.message().length() == 0) {
            // A Long Call.
            return new HandedCall(server, end, header, List.of());
        }
        var in = reader(header);
        return new HandedCall(
                server,
                end,
                header,
                CallHeader.decode(in).procedure() == Nfs4Binding.COMPOUND
                        ? CompoundArguments.decode(in).operations()
                        : List.of());
    }

    /** Returns whether a message answers a callback. */
    static boolean isReply(Words message) {
        var inside = SeenHeader.of(message).message();
        return inside.length() > 1 && inside.at(1) == 1;
    }

    private static XdrReader reader(SeenHeader header) {
        var fetched = new ArrayList<BulkItem>();
        header.readBytes()
                .forEach(
                        (position, bytes) ->
                                fetched.add(
                                        new BulkItem(
                                                position, MemorySegment.ofArray(new byte[bytes]))));
        return new XdrReader(
                MemorySegment.ofArray(header.message().bytes()), new ReadChunkPlacements(fetched));
    }

    /** Returns whether its message lies in a Position-Zero Read chunk. */
    boolean isLong() {
        return header.message().length() == 0;
    }

    List<Opcode> opcodes() {
        return operations.stream().map(Arguments::opcode).toList();
    }

    /** Returns whether the call has an operation. */
    boolean has(Opcode opcode) {
        return opcodes().contains(opcode);
    }

    /** Returns whether the COMPOUND begins with SEQUENCE, as those of sessions do. */
    private boolean isInSession() {
        return opcodes().getFirst() == Opcode.SEQUENCE;
    }

    /** Returns the arguments of SEQUENCE, with which the COMPOUND begins. */
    SessionArguments.Sequence sequence() {
        return (SessionArguments.Sequence) operations.getFirst();
    }

    /** Returns the most bytes of its results without those in Write chunks, if it has a limit. */
    ResultsBound resultsMax() throws XdrException {
        var in = reader(header);
        CallHeader.decode(in);
        return CompoundCall.walk(CompoundKind.COMPOUND, in).longestReducedResults();
    }

    /** Lets the server carry the call out: it uses up the number of the slot. */
    HandedCall carryOut() {
        if (isInSession()) {
            server.use(sequence());
        }
        return this;
    }

    /** Answers it: SEQUENCE succeeds, if it has one, and these results follow. */
    void answer(Result... results) {
        carryOut();
        var all = new ArrayList<Result>();
        if (isInSession()) {
            all.add(server.sequenceOf(sequence()));
        }
        all.addAll(List.of(results));
        reply(all.getLast().status(), all);
    }

    /** Answers it: SEQUENCE succeeds, if it has one, and the operation behind it fails. */
    void fail(Nfs4Status status) {
        answer(Result.failed(operations.get(isInSession() ? 1 : 0).opcode(), status));
    }

    /** Answers it: SEQUENCE fails, and the slot stays as it is. */
    void failSequence(Nfs4Status status) {
        reply(status, List.of(Result.failed(Opcode.SEQUENCE, status)));
    }

    /** Answers it as the server answers calls that are not for the test. */
    void answerAsServer() {
        server.answer(this);
    }

    void reply(Nfs4Status status, List<Result> results) {
        try (var out = new XdrWriter(new SegmentPool(1 << 16))) {
            new CompoundResult(status, Compounds.NO_TAG, results).encode(out);
            out.inlineBulkItems();
            var bytes = out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
            send(Words.of(AcceptStatus.SUCCESS.ordinal()).and(new Words(bytes)));
        }
    }

    /** Answers NULL. */
    void reply() {
        send(Words.of(AcceptStatus.SUCCESS.ordinal()));
    }

    /** Answers it by a refusal of RPC. */
    void refuse(AcceptStatus status) {
        send(Words.of(status.ordinal()));
    }

    private void send(Words accepted) {
        end.send(
                HeaderWords.msg(header.xid(), ServerByHand.CREDITS)
                        .and(header.allUnused())
                        .word(header.xid())
                        .and(ACCEPTED)
                        .and(accepted));
    }

    /** Answers it by RDMA_ERROR: the server could not process its chunks. */
    void refuseChunks() {
        end.send(Words.of(header.xid(), 1, ServerByHand.CREDITS, RDMA_ERROR, ERR_CHUNK));
    }

    /** Answers it by RDMA_ERROR: the server has other versions of the transport. */
    void refuseVersion() {
        end.send(Words.of(header.xid(), 1, ServerByHand.CREDITS, RDMA_ERROR, ERR_VERS, 2, 2));
    }

    /** Ends its connection. */
    void cut() {
        server.cut(end);
    }
}
