package io.github.rpcrdma4j.nfs.v4;

import io.github.rpcrdma4j.nfs.shape.ShapeWalk;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * What a walk finds in the results of a COMPOUND or CB_COMPOUND (RFC 8881, Sections 16.2 and 20.2):
 *
 * <pre>
 *   status | tag | count | number, status, results | ...
 * </pre>
 *
 * @param kind the procedure
 * @param status the status of the COMPOUND, which is that of its last operation; empty if there are
 *     no bytes for it
 * @param tag a view of the tag, valid as long as the message; empty if it is malformed
 * @param count how many operations the reply claims to have, unsigned
 * @param operations the operations up to the end of the walk, and their statuses
 * @param items the bulk items, in order
 * @param end where the walk ended; the minor version of the call is not known, so no operation is
 *     too late
 */
public record CompoundReply(
        CompoundKind kind,
        OptionalInt status,
        MemorySegment tag,
        int count,
        List<AnsweredOperation> operations,
        List<OperationItem> items,
        WalkEnd end) {
    /** Makes the lists immutable. */
    public CompoundReply {
        operations = List.copyOf(operations);
        items = List.copyOf(items);
    }

    /** Returns the bulk items, as a binding gives them to a transport. */
    public List<BulkItem> bulkItems() {
        return items.stream().map(OperationItem::bulkItem).toList();
    }

    /**
     * An operation in a reply.
     *
     * @param index its index in the COMPOUND
     * @param status its status: {@link Nfs4Status} has the known ones
     * @param position where its number starts in the unreduced stream, in bytes
     */
    public record AnsweredOperation(int index, Operation operation, int status, long position) {}

    /**
     * Walks over the results of a call. All bytes lead to a value.
     *
     * @param in positioned at the results. Its placements pair bulk items with Write chunks; the
     *     walk tells them each READ-class operation without an item. Positions are right if it
     *     began at the start of the RPC message. The walk leaves it where it ended.
     */
    public static CompoundReply walk(CompoundKind kind, XdrReader in) {
        return new Walk(kind, in).walk();
    }

    /** A walk in progress. */
    private static final class Walk {
        private final CompoundKind kind;
        private final XdrReader in;
        private final ShapeWalk shapes;
        private final List<AnsweredOperation> operations = new ArrayList<>();
        private final List<OperationItem> items = new ArrayList<>();
        private OptionalInt status = OptionalInt.empty();
        private MemorySegment tag = MemorySegment.NULL;
        private int count;

        /** The index of the current operation. */
        private int index;

        /** The number of READ-class operations before the current one. */
        private int ordinal;

        Walk(CompoundKind kind, XdrReader in) {
            this.kind = kind;
            this.in = in;
            this.shapes =
                    new ShapeWalk(
                            in,
                            (position, data) ->
                                    items.add(new OperationItem(index, ordinal, position, data)));
        }

        CompoundReply walk() {
            WalkEnd end;
            try {
                end = compound();
            } catch (XdrException malformed) {
                end = new WalkEnd.Malformed(index, malformed.getMessage());
            }
            return new CompoundReply(kind, status, tag, count, operations, items, end);
        }

        private WalkEnd compound() throws XdrException {
            status = OptionalInt.of(in.uint32());
            tag = in.opaque(ShapeWalk.LENGTH_MAX);
            count = in.uint32();
            if (Integer.compareUnsigned(count, Operation.COUNT_MAX) > 0) {
                return new WalkEnd.TooManyOperations(count);
            }
            for (; index < count; index++) {
                long position = in.position();
                int number = in.uint32();
                var operation = Operation.of(kind, number);
                if (operation.isEmpty()) {
                    return new WalkEnd.UnknownOperation(index, number);
                }
                results(operation.get(), position);
            }
            return new WalkEnd.Complete();
        }

        private void results(Operation operation, long position) throws XdrException {
            int operationStatus = in.uint32();
            operations.add(new AnsweredOperation(index, operation, operationStatus, position));
            int before = items.size();
            shapes.skip(ShapeWalk.arm(operation.results(), operationStatus));
            if (operation.isReadClass()) {
                if (items.size() == before) {
                    in.absentBulk();
                }
                ordinal++;
            }
        }
    }
}
