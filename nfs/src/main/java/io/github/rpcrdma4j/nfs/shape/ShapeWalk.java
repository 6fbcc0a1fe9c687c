package io.github.rpcrdma4j.nfs.shape;

import io.github.rpcrdma4j.nfs.shape.Shape.Limit;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.Map;

/**
 * Reads over the items of one message by their shapes. The work is proportional to the length of
 * the message, because each element of an array takes at least one word of it. Not thread-safe.
 *
 * <p>Tests: {@code ProgramVectorsTest}, {@code GoldenCompoundsTest}.
 */
public final class ShapeWalk {
    /**
     * The longest opaque, in bytes. The stream limits opaques inside it; this limit is for bulk
     * items, which lie apart, and far above the longest READ or WRITE of any peer.
     */
    public static final int LENGTH_MAX = 1 << 26;

    /**
     * The most elements of an array without a limit, or of a list: more than a READDIR of 4 MiB.
     */
    private static final int ELEMENTS_MAX = 1 << 20;

    /** What a mask asks for has no limit. */
    private static final int NO_LIMIT = -1;

    /** Receives each bulk item. */
    public interface BulkItems {
        /**
         * Accepts an item.
         *
         * @param position where its data starts in the unreduced stream, in bytes
         * @param data a view of its data
         */
        void accept(long position, MemorySegment data);
    }

    private final XdrReader in;

    /** Receives the bulk items; null if the walk reads over them. */
    private final BulkItems items;

    private final NamedArguments named = new NamedArguments();

    /**
     * Creates a walk that reads over bulk items, whose data need not be there yet.
     *
     * @param in positioned at the first item
     */
    public ShapeWalk(XdrReader in) {
        this(in, null);
    }

    /**
     * @param in positioned at the first item
     * @param items receives the bulk items
     */
    public ShapeWalk(XdrReader in, BulkItems items) {
        this.in = in;
        this.items = items;
    }

    /** Returns the named arguments since they were forgotten, as long as the walk stays here. */
    public NamedArguments named() {
        return named;
    }

    /** Forgets the named arguments, as at the end of an operation. */
    public void forgetNamed() {
        named.clear();
    }

    /**
     * Reads over an item.
     *
     * @return its first word: the value, count or discriminant if it is a word, an array or a
     *     union, the most bytes that a mask asks for, and else 0
     * @throws XdrException if the bytes are not what the shape requires
     */
    public int skip(Shape shape) throws XdrException {
        switch (shape) {
            case Shape.Word _ -> {
                return in.uint32();
            }
            case Shape.Bool _ -> {
                return in.bool() ? 1 : 0;
            }
            case Shape.Fixed(var bytes) -> in.skipFixedOpaque(bytes);
            case Shape.Opaque(var limit, var isBulk) -> {
                int max = Math.min(max(limit), LENGTH_MAX);
                if (isBulk && items == null) {
                    in.skipBulk(max);
                } else if (isBulk) {
                    long position = in.position() + Integer.BYTES;
                    items.accept(position, in.bulk(max));
                } else {
                    in.skipOpaque(max);
                }
            }
            case Shape.Array(var element, var limit) -> {
                int count = in.count(Integer.BYTES, Math.min(max(limit), ELEMENTS_MAX));
                for (int i = 0; i < count; i++) {
                    skip(element);
                }
                return count;
            }
            case Shape.Chain(var element, _) -> {
                for (int count = 0; in.bool(); count++) {
                    if (count == ELEMENTS_MAX) {
                        throw new XdrException("a list is longer than its limit");
                    }
                    skip(element);
                }
            }
            case Shape.Sequence(var parts) -> {
                // Without an iterator, which each part of each call would make anew.
                for (int i = 0; i < parts.size(); i++) {
                    skip(parts.get(i));
                }
            }
            case Shape.Union union -> {
                return skip(union);
            }
            case Shape.Mask(var bytes) -> {
                return skip(bytes);
            }
            case Shape.Named(var name, var inner) -> {
                int value = skip(inner);
                if (!(inner instanceof Shape.Mask) || value != NO_LIMIT) {
                    named.put(name, value);
                }
            }
            case Shape.Selected(var union, _) -> skip(union);
            case Shape.Within(_, var body) -> skip(body);
        }
        return 0;
    }

    private int skip(Shape.Union union) throws XdrException {
        int discriminant = in.uint32();
        skip(arm(union, discriminant));
        return discriminant;
    }

    /** Reads a bitmap. Returns the most bytes that it asks for, or {@link #NO_LIMIT}. */
    private int skip(Map<Integer, Integer> bytes) throws XdrException {
        int words = in.count(Integer.BYTES, ELEMENTS_MAX);
        int sum = 0;
        for (int word = 0; word < words; word++) {
            int bits = in.uint32();
            for (; bits != 0; bits &= bits - 1) {
                int bit = word * Integer.SIZE + Integer.numberOfTrailingZeros(bits);
                int most = bytes.getOrDefault(bit, NO_LIMIT);
                sum = sum == NO_LIMIT || most == NO_LIMIT ? NO_LIMIT : sum + most;
            }
        }
        return sum;
    }

    /**
     * Returns the arm of a union.
     *
     * @throws XdrException if there is none
     */
    public static Shape arm(Shape.Union union, int discriminant) throws XdrException {
        return union.arm(discriminant)
                .orElseThrow(
                        () ->
                                new XdrException(
                                        union.name()
                                                + " has no arm "
                                                + Integer.toUnsignedString(discriminant)));
    }

    /** Returns how much an item may have so that the walk goes on. */
    private static int max(Limit limit) {
        return switch (limit) {
            case Limit.Most(var max) -> max;
            case Limit.None _, Limit.Assumed _, Limit.Argument _, Limit.Bytes _ ->
                    Integer.MAX_VALUE;
        };
    }
}
