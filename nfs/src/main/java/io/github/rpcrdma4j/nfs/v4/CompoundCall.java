package io.github.rpcrdma4j.nfs.v4;

import io.github.rpcrdma4j.nfs.shape.NamedArguments;
import io.github.rpcrdma4j.nfs.shape.ShapeWalk;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What a walk finds in the arguments of a COMPOUND or CB_COMPOUND (RFC 8881, Sections 16.2 and
 * 20.2):
 *
 * <pre>
 *   tag | minor version | callback_ident, of CB_COMPOUND | count | number, arguments | ...
 * </pre>
 *
 * <p>Tests: {@code CompoundWalkTest}, {@code GoldenCompoundsTest}.
 *
 * @param kind the procedure
 * @param tag a view of the tag, valid as long as the message; empty if it is malformed
 * @param minorVersion the minor version, unsigned
 * @param callbackIdent the {@code callback_ident} of a CB_COMPOUND (RFC 7530, Section 15.2); else 0
 * @param count how many operations the call claims to have, unsigned
 * @param operations the operations up to the end of the walk. Of a malformed or later operation
 *     only the number is right.
 * @param items the bulk items, in order
 * @param reads the READ-class operations, in order: the n-th has the n-th Write chunk (RFC
 *     8267-6.4.1-2)
 * @param callbackPrograms the numbers that SETCLIENTID, CREATE_SESSION and BACKCHANNEL_CTL give to
 *     the program of callbacks, in order
 * @param end where the walk ended
 */
public record CompoundCall(
        CompoundKind kind,
        MemorySegment tag,
        int minorVersion,
        int callbackIdent,
        int count,
        List<CalledOperation> operations,
        List<OperationItem> items,
        List<ReadOperation> reads,
        List<Integer> callbackPrograms,
        WalkEnd end) {
    /** The name in {@link ShapeTable} of an argument that is the program of callbacks. */
    private static final String CALLBACK = "callback";

    /** Makes the lists immutable. */
    public CompoundCall {
        operations = List.copyOf(operations);
        items = List.copyOf(items);
        reads = List.copyOf(reads);
        callbackPrograms = List.copyOf(callbackPrograms);
    }

    /**
     * An operation in a call.
     *
     * @param index its index in the COMPOUND
     * @param position where its number starts in the unreduced stream, in bytes
     * @param resultsMax the most bytes of its results, success or failure, from its number on;
     *     empty if the call shows no limit
     * @param reducedResultsMax the same without the bytes of its bulk item
     */
    public record CalledOperation(
            int index,
            Operation operation,
            long position,
            OptionalLong resultsMax,
            OptionalLong reducedResultsMax) {}

    /**
     * A READ-class operation: READ or READLINK.
     *
     * @param index its index in the COMPOUND
     * @param dataMax the most bytes of its bulk item, without padding; empty for READLINK, whose
     *     link has no limit
     */
    public record ReadOperation(int index, OptionalLong dataMax) {}

    /**
     * Walks over the arguments of a call. All bytes lead to a value.
     *
     * @param in positioned at the arguments of the procedure. Positions are right if it began at
     *     the start of the RPC message. The walk leaves it where it ended.
     */
    public static CompoundCall walk(CompoundKind kind, XdrReader in) {
        return new Records(kind, in).call();
    }

    /** Reads over the arguments of a call as {@link #walk} does, and keeps nothing of them. */
    public static void readOver(CompoundKind kind, XdrReader in) {
        new Unrecorded(kind, in).end();
    }

    /**
     * Returns the minor version of a COMPOUND without a walk over its operations; empty if the
     * message ends before it.
     *
     * @param in positioned at the arguments
     */
    public static OptionalInt minorVersion(XdrReader in) {
        try {
            in.opaque(ShapeWalk.LENGTH_MAX);
            return OptionalInt.of(in.uint32());
        } catch (XdrException _) {
            return OptionalInt.empty();
        }
    }

    /**
     * Returns whether a server may carry out the call twice. That is so from minor version 1 on,
     * where sessions recognize repetitions, and for operations that change nothing the second time,
     * such as WRITE.
     */
    public boolean isRepeatable() {
        return minorVersion != 0
                || !(end instanceof WalkEnd.TooManyOperations)
                        && operations.stream().allMatch(each -> each.operation().isRepeatable());
    }

    /**
     * Returns the most bytes of the results with all bulk items inline: the sum of the longest
     * success or failure of each operation, and the tag, which the reply repeats. The RFCs set no
     * limit for some short items. The sum assumes bitmaps of 3 words, names of 256 bytes in ACEs,
     * parts of network addresses of 64 bytes, and names of implementations of 1024 bytes.
     */
    public ResultsBound longestResults() {
        return longest(true);
    }

    /** Returns the same without the bytes of bulk items. */
    public ResultsBound longestReducedResults() {
        return longest(false);
    }

    private ResultsBound longest(boolean withBulk) {
        long bytes = CompoundWalk.envelopeMax(tag);
        for (var each : operations) {
            var most = withBulk ? each.resultsMax() : each.reducedResultsMax();
            if (most.isEmpty()) {
                return new ResultsBound.Unbounded(each.index(), each.operation().name());
            }
            bytes += most.getAsLong();
        }
        return switch (end) {
            case WalkEnd.Complete _ -> new ResultsBound.Bytes(bytes);
            case WalkEnd.UnknownOperation(var index, var number) ->
                    unbounded(index, "operation", number);
            case WalkEnd.LaterOperation(var index, var operation) ->
                    new ResultsBound.Unbounded(index, operation.name());
            case WalkEnd.UnknownMinorVersion(var version) -> unbounded(0, "minor version", version);
            case WalkEnd.TooManyOperations(var many) -> unbounded(0, "operations:", many);
            case WalkEnd.Malformed(var index, var cause) ->
                    new ResultsBound.Unbounded(index, cause);
        };
    }

    private static ResultsBound unbounded(int index, String what, int number) {
        return new ResultsBound.Unbounded(index, what + " " + Integer.toUnsignedString(number));
    }

    /** A walk that records nothing. */
    private static final class Unrecorded extends CompoundWalk {
        Unrecorded(CompoundKind kind, XdrReader in) {
            super(kind, in, Bulk.READ_OVER);
        }

        @Override
        void operation(int index, Operation operation, long position, NamedArguments named) {}

        @Override
        void unread(int index, Operation operation, long position) {}
    }

    /** A walk that records what it finds. */
    private static final class Records extends CompoundWalk {
        private final List<CalledOperation> operations = new ArrayList<>();
        private final List<OperationItem> items = new ArrayList<>();
        private final List<ReadOperation> reads = new ArrayList<>();
        private final List<Integer> callbackPrograms = new ArrayList<>();

        Records(CompoundKind kind, XdrReader in) {
            super(kind, in, Bulk.TOLD);
        }

        CompoundCall call() {
            var end = end();
            return new CompoundCall(
                    kind(),
                    tag(),
                    minorVersion(),
                    callbackIdent(),
                    count(),
                    operations,
                    items,
                    reads,
                    callbackPrograms,
                    end);
        }

        @Override
        void item(int index, long position, MemorySegment data) {
            items.add(new OperationItem(index, items.size(), position, data));
        }

        @Override
        void unread(int index, Operation operation, long position) {
            operations.add(
                    new CalledOperation(
                            index,
                            operation,
                            position,
                            OptionalLong.empty(),
                            OptionalLong.empty()));
        }

        @Override
        void operation(int index, Operation operation, long position, NamedArguments named) {
            operations.add(
                    new CalledOperation(
                            index,
                            operation,
                            position,
                            operation.resultsMax(named, true),
                            operation.resultsMax(named, false)));
            if (named.has(CALLBACK)) {
                callbackPrograms.add((int) named.get(CALLBACK, 0));
            }
            if (operation.isReadClass()) {
                reads.add(new ReadOperation(index, operation.dataMax(named)));
            }
        }
    }
}
