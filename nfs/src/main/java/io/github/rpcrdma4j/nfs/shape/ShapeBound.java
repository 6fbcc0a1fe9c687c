package io.github.rpcrdma4j.nfs.shape;

import io.github.rpcrdma4j.nfs.shape.Shape.Limit;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The most bytes that an item of some shape takes in a message. Of a union, that is its longest
 * arm.
 *
 * <p>Tests: {@code BindingsTest}, {@code ResultsBoundTest}.
 *
 * @param named the named arguments, unsigned
 * @param unlimited the bytes or elements of an item that has no limit
 * @param withBulk whether the bytes of bulk items count; their length words always do
 */
public record ShapeBound(NamedArguments named, long unlimited, boolean withBulk) {
    /** More bytes than any message has. Sums and products of bounds end here. */
    private static final long UNBOUNDED = Long.MAX_VALUE;

    /** Returns the most bytes, or nothing if they have no limit. */
    public static OptionalLong of(Shape shape, NamedArguments named, boolean withBulk) {
        return known(new ShapeBound(named, UNBOUNDED, withBulk).of(shape));
    }

    private static OptionalLong known(long bytes) {
        return bytes == UNBOUNDED ? OptionalLong.empty() : OptionalLong.of(bytes);
    }

    /** Returns the most bytes of an opaque, without padding, or nothing if it has no limit. */
    public static OptionalLong dataMax(Shape.Opaque item, NamedArguments named) {
        return known(new ShapeBound(named, UNBOUNDED, true).most(item.limit()));
    }

    /** Returns the first bulk item inside a shape. */
    public static Optional<Shape.Opaque> bulkItem(Shape shape) {
        return switch (shape) {
            case Shape.Word _, Shape.Bool _, Shape.Fixed _, Shape.Mask _ -> Optional.empty();
            case Shape.Opaque opaque -> opaque.isBulk() ? Optional.of(opaque) : Optional.empty();
            case Shape.Array(var element, _) -> bulkItem(element);
            case Shape.Chain(var element, _) -> bulkItem(element);
            case Shape.Sequence(var parts) -> bulkItem(parts);
            case Shape.Union union -> {
                var item = bulkItem(union.arms().values());
                yield item.isPresent() || union.otherwise().isEmpty()
                        ? item
                        : bulkItem(union.otherwise().get());
            }
            case Shape.Named(_, var inner) -> bulkItem(inner);
            case Shape.Selected(var union, _) -> bulkItem(union);
            case Shape.Within(_, var body) -> bulkItem(body);
        };
    }

    // Bounds are computed for each call, so these are loops: streams took some 5 KB for a READ.
    private static Optional<Shape.Opaque> bulkItem(Collection<Shape> shapes) {
        for (var shape : shapes) {
            var item = bulkItem(shape);
            if (item.isPresent()) {
                return item;
            }
        }
        return Optional.empty();
    }

    private long of(Shape shape) {
        return switch (shape) {
            case Shape.Word _, Shape.Bool _ -> Integer.BYTES;
            case Shape.Fixed(var bytes) -> XdrWriter.roundUp(bytes);
            case Shape.Opaque(var limit, var isBulk) ->
                    isBulk && !withBulk ? Integer.BYTES : sum(Integer.BYTES, padded(most(limit)));
            case Shape.Array(var element, Limit.Bytes(var name)) ->
                    sum(Integer.BYTES, Math.max(least(element), argument(name)));
            case Shape.Array(var element, var limit) ->
                    sum(Integer.BYTES, product(most(limit), of(element)));
            case Shape.Chain(_, Limit.Bytes(var name)) -> sum(Integer.BYTES, argument(name));
            case Shape.Chain(var element, var limit) ->
                    sum(Integer.BYTES, product(most(limit), sum(Integer.BYTES, of(element))));
            case Shape.Mask _ -> sum(Integer.BYTES, product(unlimited, Integer.BYTES));
            case Shape.Sequence(var parts) -> all(parts);
            case Shape.Union union -> sum(Integer.BYTES, longestArm(union));
            case Shape.Named(_, var inner) -> of(inner);
            case Shape.Selected(var union, var by) ->
                    sum(
                            Integer.BYTES,
                            selected(union, by).map(this::of).orElseGet(() -> longestArm(union)));
            case Shape.Within(var count, var body) -> Math.max(least(body), argument(count));
        };
    }

    /** Returns the bytes of what a sender cannot leave out if a count is too small for it. */
    private long least(Shape shape) {
        return new ShapeBound(named, 0, withBulk).of(shape);
    }

    private Optional<Shape> selected(Shape.Union union, String by) {
        return named.has(by) ? union.arm((int) named.get(by, 0)) : Optional.empty();
    }

    private long longestArm(Shape.Union union) {
        long longest = union.otherwise().isPresent() ? of(union.otherwise().get()) : 0;
        for (var arm : union.arms().values()) {
            longest = Math.max(longest, of(arm));
        }
        return longest;
    }

    private long all(List<Shape> parts) {
        long bytes = 0;
        for (var part : parts) {
            bytes = sum(bytes, of(part));
        }
        return bytes;
    }

    private long most(Limit limit) {
        return switch (limit) {
            case Limit.None() -> unlimited;
            case Limit.Most(var max) -> max;
            case Limit.Assumed(var max) -> max;
            case Limit.Argument(var name) -> argument(name);
            case Limit.Bytes _ -> unlimited;
        };
    }

    private long argument(String name) {
        return named.get(name, UNBOUNDED);
    }

    /** Adds bounds. */
    private static long sum(long a, long b) {
        return a == UNBOUNDED || b == UNBOUNDED ? UNBOUNDED : a + b;
    }

    private static long product(long count, long bytes) {
        if (count == 0 || bytes == 0) {
            return 0;
        }
        return count == UNBOUNDED || bytes == UNBOUNDED ? UNBOUNDED : count * bytes;
    }

    private static long padded(long bytes) {
        return bytes == UNBOUNDED ? UNBOUNDED : XdrWriter.roundUp(bytes);
    }
}
