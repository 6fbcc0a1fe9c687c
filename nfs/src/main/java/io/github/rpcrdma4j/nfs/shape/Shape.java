package io.github.rpcrdma4j.nfs.shape;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How an item is laid out in XDR (RFC 4506). {@link ShapeNotation} writes shapes as text. */
public sealed interface Shape {
    /** No bytes. */
    Shape NOTHING = new Sequence(List.of());

    /** 32 bits. */
    record Word() implements Shape {}

    /** 32 bits, 0 or 1. */
    record Bool() implements Shape {}

    /** A fixed number of bytes, without padding. */
    record Fixed(int bytes) implements Shape {}

    /**
     * A length word and that many bytes, padded.
     *
     * @param isBulk whether it is a bulk item: it may lie in a chunk (RFC 8267-6.1-1)
     */
    record Opaque(Limit limit, boolean isBulk) implements Shape {}

    /** A count word and that many elements. */
    record Array(Shape element, Limit limit) implements Shape {}

    /**
     * A linked list: elements, each after a word of 1, and then a word of 0.
     *
     * @param limit the most bytes of all elements with their words of 1
     */
    record Chain(Shape element, Limit limit) implements Shape {}

    /**
     * A bitmap in the arguments that asks for items of the results. As a named argument it stands
     * for the most bytes of these items.
     *
     * @param bytes the most bytes of the item of a bit; a bit without an entry has no limit
     */
    record Mask(Map<Integer, Integer> bytes) implements Shape {}

    /** Parts in order. */
    record Sequence(List<Shape> parts) implements Shape {}

    /**
     * A discriminant and the arm that it selects.
     *
     * @param otherwise the arm of all other discriminants; without it, they are malformed
     */
    record Union(String name, Map<Integer, Shape> arms, Optional<Shape> otherwise)
            implements Shape {
        /** Returns the arm of a discriminant. */
        public Optional<Shape> arm(int discriminant) {
            return Optional.ofNullable(arms.get(discriminant)).or(() -> otherwise);
        }
    }

    /** An argument to which the results refer by name: a word, a count or a discriminant. */
    record Named(String name, Shape shape) implements Shape {}

    /** A union in the results whose discriminant equals a named argument. */
    record Selected(Union union, String by) implements Shape {}

    /** A part of the results that takes at most as many bytes as a named argument says. */
    record Within(String count, Shape body) implements Shape {}

    /** The most bytes of an opaque, or the most elements of an array. */
    sealed interface Limit {
        /** The RFC sets no limit. */
        record None() implements Limit {}

        /** The limit of the RFC. */
        record Most(int max) implements Limit {}

        /** The RFC sets no limit, and bounds of replies assume this one. Walks accept more. */
        record Assumed(int max) implements Limit {}

        /** A named argument is the limit. Walks of results do not know it, and accept more. */
        record Argument(String name) implements Limit {}

        /**
         * All elements of an array together take at most as many bytes as a named argument says.
         */
        record Bytes(String name) implements Limit {}
    }
}
