package io.github.rpcrdma4j.nfs.shape;

import java.util.OptionalLong;

/**
 * The most bytes of an item in the results, by the named arguments of a call. A server asks for
 * each call, and calls of one kind mostly have equal arguments, such as the count of a READ. So the
 * bound of the last argument is kept. Thread-safe.
 *
 * <p>Tests: {@code ProgramVectorsTest}, {@code RandomCompoundsTest}.
 */
public final class ArgumentBound {
    /** The bound of calls with one argument. */
    private record Known(String name, long value, OptionalLong most) {}

    private final Shape results;
    private final boolean withBulk;
    private final OptionalLong withoutArguments;

    /** No lock guards it: any value that was kept is right. */
    private volatile Known last;

    /**
     * @param withBulk whether the bytes of bulk items count; their length words always do
     */
    public ArgumentBound(Shape results, boolean withBulk) {
        this.results = results;
        this.withBulk = withBulk;
        this.withoutArguments = ShapeBound.of(results, NamedArguments.NONE, withBulk);
    }

    /** Returns the most bytes, or nothing if they have no limit. */
    public OptionalLong of(NamedArguments named) {
        if (named.isEmpty()) {
            return withoutArguments;
        }
        if (!named.isOne()) {
            return ShapeBound.of(results, named, withBulk);
        }
        var known = last;
        if (known == null || !named.isOne(known.name(), known.value())) {
            var most = ShapeBound.of(results, named, withBulk);
            known = new Known(named.firstName(), named.firstValue(), most);
            last = known;
        }
        return known.most();
    }
}
