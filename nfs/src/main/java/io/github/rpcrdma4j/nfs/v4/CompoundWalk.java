package io.github.rpcrdma4j.nfs.v4;

import io.github.rpcrdma4j.nfs.shape.NamedArguments;
import io.github.rpcrdma4j.nfs.shape.ShapeWalk;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;

/**
 * Reads over the arguments of one COMPOUND or CB_COMPOUND, whose layout {@link CompoundCall} shows,
 * and tells each operation to its subclass. All bytes lead to a value. Not thread-safe.
 */
abstract class CompoundWalk {
    /** Status, length of the tag, and number of results. */
    private static final int ENVELOPE = 3 * Integer.BYTES;

    private final CompoundKind kind;
    private final XdrReader in;
    private final ShapeWalk shapes;
    private MemorySegment tag = MemorySegment.NULL;
    private int minorVersion;
    private int callbackIdent;
    private int count;

    /** The index of the current operation. */
    private int index;

    /** What a walk does with bulk items. */
    enum Bulk {
        /** It tells each to {@link #item}. */
        TOLD,
        /** It reads over them. Their data need not be there yet. */
        READ_OVER
    }

    /**
     * @param in positioned at the arguments of the procedure; the walk leaves it where it ended
     */
    CompoundWalk(CompoundKind kind, XdrReader in, Bulk bulk) {
        this.kind = kind;
        this.in = in;
        this.shapes =
                switch (bulk) {
                    case TOLD -> new ShapeWalk(in, (position, data) -> item(index, position, data));
                    case READ_OVER -> new ShapeWalk(in);
                };
    }

    /**
     * Accepts a bulk item of an operation. A walk that reads over them needs no override.
     *
     * @param index the index of its operation
     * @param position where its data starts in the unreduced stream, in bytes
     * @param data a view of its data
     */
    void item(int index, long position, MemorySegment data) {}

    /**
     * Accepts an operation whose arguments were read.
     *
     * @param position where its number starts in the unreduced stream, in bytes
     * @param named its named arguments; another operation has them after this call
     */
    abstract void operation(int index, Operation operation, long position, NamedArguments named);

    /** Accepts the last operation of a walk, whose arguments are malformed or of later versions. */
    abstract void unread(int index, Operation operation, long position);

    /** Walks, and returns where that ended. */
    WalkEnd end() {
        try {
            return compound();
        } catch (XdrException malformed) {
            return new WalkEnd.Malformed(index, malformed.getMessage());
        }
    }

    CompoundKind kind() {
        return kind;
    }

    MemorySegment tag() {
        return tag;
    }

    int minorVersion() {
        return minorVersion;
    }

    int callbackIdent() {
        return callbackIdent;
    }

    int count() {
        return count;
    }

    /** Returns the most bytes of the results in front of the first operation. */
    static long envelopeMax(MemorySegment tag) {
        return ENVELOPE + XdrWriter.roundUp(tag.byteSize());
    }

    private WalkEnd compound() throws XdrException {
        tag = in.opaque(ShapeWalk.LENGTH_MAX);
        minorVersion = in.uint32();
        if (kind == CompoundKind.CB_COMPOUND) {
            callbackIdent = in.uint32();
        }
        count = in.uint32();
        if (Integer.compareUnsigned(minorVersion, Operation.MINOR_VERSION_MAX) > 0) {
            return new WalkEnd.UnknownMinorVersion(minorVersion);
        }
        if (Integer.compareUnsigned(count, Operation.COUNT_MAX) > 0) {
            return new WalkEnd.TooManyOperations(count);
        }
        for (; index < count; index++) {
            long position = in.position();
            int number = in.uint32();
            var found = Operation.of(kind, number);
            if (found.isEmpty()) {
                return new WalkEnd.UnknownOperation(index, number);
            }
            var operation = found.get();
            if (operation.minorVersion() > minorVersion) {
                unread(index, operation, position);
                return new WalkEnd.LaterOperation(index, operation);
            }
            arguments(operation, position);
        }
        return new WalkEnd.Complete();
    }

    private void arguments(Operation operation, long position) throws XdrException {
        shapes.forgetNamed();
        try {
            shapes.skip(operation.arguments());
        } catch (XdrException malformed) {
            unread(index, operation, position);
            throw malformed;
        }
        operation(index, operation, position, shapes.named());
    }
}
