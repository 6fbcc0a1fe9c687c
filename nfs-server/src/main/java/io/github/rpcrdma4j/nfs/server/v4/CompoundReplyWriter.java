package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.state.SlotUse;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/**
 * Writes the reply of a COMPOUND within its limits (RFC 8881, Sections 2.10.6.4 and 16.2).
 *
 * <pre>
 *   status(32) | tag&lt;&gt; | count(32) | results
 * </pre>
 *
 * <p>Tests: {@code CompoundRulesTest}, {@code RepeatedCompoundsTest}.
 */
final class CompoundReplyWriter {
    /** More than any operation returns that changes something. */
    private static final int CHANGE_BYTES = 512;

    /** The number and status of an operation, and the end of file and length of a READ. */
    private static final int READ_BYTES = 16;

    private static final int FAILURE_BYTES = 8;

    private final XdrWriter out;
    private final CompoundResult.Header header;
    private Nfs4Status status = Nfs4Status.OK;
    private int count;

    /** Where the results behind SEQUENCE begin, in the reduced and in the unreduced stream. */
    private long keptFrom = -1;

    private long keptFromPosition;
    private boolean isReplayed;

    CompoundReplyWriter(XdrWriter out, OpaqueName tag) {
        this.out = out;
        this.header = new CompoundResult.Header(out, tag);
    }

    /** Writes the status and the number of results. */
    void end(Nfs4Status outcome) {
        status = outcome;
        header.complete(outcome, count);
    }

    /** Writes the result of SEQUENCE for a new call. */
    Nfs4Status begin(Result sequence) {
        sequence.encode(out);
        count++;
        keptFrom = out.reducedLength();
        keptFromPosition = out.position();
        return Nfs4Status.OK;
    }

    /**
     * Writes the whole reply to a repeated call.
     *
     * @param places tells where each operation behind SEQUENCE starts in the call, in turn
     */
    Nfs4Status replay(Result sequence, byte[] kept, LongSupplier places) {
        try {
            var in = new XdrReader(MemorySegment.ofArray(kept));
            var outcome = Nfs4Status.of(in.uint32()).orElseThrow();
            int results = in.uint32();
            sequence.encode(out);
            for (int i = 1; i < results; i++) {
                out.operation(places.getAsLong());
                Result.decode(in).encode(out);
            }
            header.complete(outcome, results);
            isReplayed = true;
            return outcome;
        } catch (XdrException damaged) {
            throw new IllegalStateException("a kept reply is damaged", damaged);
        }
    }

    /** Returns whether this is the reply to a repeated call. */
    boolean isReplayed() {
        return isReplayed;
    }

    /** The next result is that of an operation which starts there in the call, in bytes. */
    void operation(long position) {
        out.operation(position);
    }

    /** Writes the result of an operation that failed. */
    Nfs4Status fail(Opcode opcode, Nfs4Status status) {
        Result.failed(opcode, status).encode(out);
        count++;
        return status;
    }

    /**
     * Checks that the result of a change will fit, before it is carried out.
     *
     * @param limits null if there is no session
     * @throws OperationFailure REP_TOO_BIG, REP_TOO_BIG_TO_CACHE or RESOURCE
     */
    void requireRoom(ReplyLimits limits, Opcode opcode) throws OperationFailure {
        if (limits != null) {
            var tooBig = limits.tooBig(out.position() + (isChange(opcode) ? CHANGE_BYTES : 0));
            if (tooBig.isPresent()) {
                throw new OperationFailure(tooBig.get());
            }
        }
    }

    private static boolean isChange(Opcode opcode) {
        return switch (opcode) {
            case CLOSE, CREATE, LINK, LOCK, LOCKU, OPEN, OPEN_DOWNGRADE, OPEN_CONFIRM -> true;
            case REMOVE, RENAME, SETATTR, WRITE, SETXATTR, REMOVEXATTR -> true;
            case ALLOCATE, DEALLOCATE, COPY, CLONE -> true;
            default -> false;
        };
    }

    /**
     * Writes the result of an operation, or a failure if it does not fit.
     *
     * @param limits null if there is no session
     * @return the status of the operation
     */
    Nfs4Status add(ReplyLimits limits, Opcode opcode, Answer answer)
            throws OperationFailure, Refusal, StoreException {
        long before = out.reducedLength();
        long bulk = answer.bulkBytes();
        if (limits != null && bulk > 0) {
            var tooBig = limits.tooBig(out.position() + READ_BYTES + XdrWriter.roundUp(bulk));
            if (tooBig.isPresent()) {
                answer.discard();
                return fail(opcode, tooBig.get());
            }
        }
        encode(answer, before);
        if (limits != null && bulk == 0 && out.reducedLength() - before > FAILURE_BYTES) {
            var tooBig = limits.tooBig(out.position());
            // A LOCK that is denied changes nothing, and tells an owner of up to 1024 bytes.
            boolean isChanged = isChange(opcode) && answer.status() == Nfs4Status.OK;
            if (tooBig.isPresent() && !isChanged) {
                out.shorten(before);
                return fail(opcode, tooBig.get());
            }
        }
        count++;
        return answer.status();
    }

    private void encode(Answer answer, long before)
            throws OperationFailure, Refusal, StoreException {
        boolean isWritten = false;
        try {
            answer.encode(out);
            isWritten = true;
        } finally {
            if (!isWritten) {
                out.shorten(before);
            }
        }
    }

    /**
     * Returns what a repetition of this call is answered with; null if it is not kept.
     *
     * <pre>
     *   status(32) | count(32) | results behind SEQUENCE
     * </pre>
     */
    byte[] kept(SlotUse use) {
        if (!use.keepsReply() && count > 1) {
            return null;
        }
        var kept = new ByteArrayOutputStream();
        var stream = out.reducedStream();
        kept.writeBytes(
                ByteBuffer.allocate(2 * Integer.BYTES)
                        .putInt(status.number())
                        .putInt(count)
                        .array());
        long from = keptFrom;
        long at = keptFromPosition;
        for (BulkItem item : out.bulkItems()) {
            long to = from + item.position() - at;
            kept.writeBytes(stream.asSlice(from, to - from).toArray(ValueLayout.JAVA_BYTE));
            kept.writeBytes(item.data().toArray(ValueLayout.JAVA_BYTE));
            kept.writeBytes(new byte[(int) (item.paddedLength() - item.data().byteSize())]);
            from = to;
            at = item.position() + item.paddedLength();
        }
        kept.writeBytes(stream.asSlice(from).toArray(ValueLayout.JAVA_BYTE));
        return kept.size() > use.cachedMax() ? null : kept.toByteArray();
    }
}
