package io.github.rpcrdma4j.nfs.v4;

import io.github.rpcrdma4j.nfs.shape.ArgumentBound;
import io.github.rpcrdma4j.nfs.shape.NamedArguments;
import io.github.rpcrdma4j.nfs.shape.Shape;
import io.github.rpcrdma4j.nfs.shape.ShapeBound;
import io.github.rpcrdma4j.nfs.shape.ShapeWalk;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * An operation of COMPOUND or of CB_COMPOUND, with its shapes. Immutable.
 *
 * <p>Tests: {@code ResultsBoundTest}, {@code CompoundWalkTest}.
 */
public final class Operation {
    /** The newest minor version whose operations are known (RFC 7862). */
    public static final int MINOR_VERSION_MAX = 2;

    /**
     * The most operations of a COMPOUND that a walk takes. Clients send about ten, and servers let
     * a session have some hundreds; a peer cannot make this side keep more records than these.
     */
    static final int COUNT_MAX = 512;

    /**
     * The operations of minor version 0 that change state or files, so that a repetition has
     * another effect or another result. WRITE and COMMIT have the same.
     */
    private static final Set<String> NOT_REPEATABLE =
            Set.of(
                    "CLOSE",
                    "CREATE",
                    "DELEGPURGE",
                    "DELEGRETURN",
                    "LINK",
                    "LOCK",
                    "LOCKU",
                    "OPEN",
                    "OPEN_CONFIRM",
                    "OPEN_DOWNGRADE",
                    "RELEASE_LOCKOWNER",
                    "REMOVE",
                    "RENAME",
                    "SETATTR",
                    "SETCLIENTID",
                    "SETCLIENTID_CONFIRM");

    private final CompoundKind kind;
    private final int number;
    private final String name;
    private final int minorVersion;
    private final Shape arguments;
    private final Shape.Union results;
    private final Optional<Shape.Opaque> bulkResult;

    /** The bounds of the results from the number on: with and without bulk items. */
    private final ArgumentBound resultsMax;

    private final ArgumentBound reducedResultsMax;

    Operation(
            CompoundKind kind,
            int number,
            String name,
            int minorVersion,
            Shape arguments,
            Shape.Union results) {
        this.kind = kind;
        this.number = number;
        this.name = name;
        this.minorVersion = minorVersion;
        this.arguments = arguments;
        this.results = results;
        this.bulkResult = ShapeBound.bulkItem(results);
        var fromNumber = new Shape.Sequence(List.of(new Shape.Word(), results));
        this.resultsMax = new ArgumentBound(fromNumber, true);
        this.reducedResultsMax = new ArgumentBound(fromNumber, false);
    }

    /** Returns the operation of a number, or nothing if the number is not known. */
    public static Optional<Operation> of(CompoundKind kind, int number) {
        return Optional.ofNullable(ShapeTable.operations(kind).get(number));
    }

    /** Returns the operation of a name like that of {@link #name}, or nothing if there is none. */
    public static Optional<Operation> of(CompoundKind kind, String name) {
        return ShapeTable.operations(kind).values().stream()
                .filter(each -> each.name.equals(name))
                .findFirst();
    }

    /** Returns all known operations, in the order of their numbers. */
    public static List<Operation> all(CompoundKind kind) {
        return List.copyOf(ShapeTable.operations(kind).values());
    }

    /** Returns the procedure whose operation this is. */
    public CompoundKind kind() {
        return kind;
    }

    /** Returns its number: {@code nfs_opnum4} or {@code nfs_cb_opnum4}. */
    public int number() {
        return number;
    }

    /** Returns its name, as the RFCs write it without the prefix {@code OP_}: "CB_RECALL". */
    public String name() {
        return name;
    }

    /** Returns the minor version in which it begins. */
    public int minorVersion() {
        return minorVersion;
    }

    /** Returns whether a server of minor version 0 may carry it out twice. */
    boolean isRepeatable() {
        return !NOT_REPEATABLE.contains(name);
    }

    /**
     * Returns whether its results can have a bulk item. The n-th such operation of a COMPOUND has
     * the n-th Write chunk (RFC 8267, Section 6.4.1).
     */
    public boolean isReadClass() {
        return bulkResult.isPresent();
    }

    Shape arguments() {
        return arguments;
    }

    /**
     * Reads over the arguments behind the number.
     *
     * @throws XdrException if they are not what the shape requires
     */
    public void skipArguments(XdrReader in) throws XdrException {
        new ShapeWalk(in).skip(arguments);
    }

    /** Returns the results behind the number of the operation: a union over the status. */
    Shape.Union results() {
        return results;
    }

    /** Returns whether results with a status have values behind it. */
    public boolean hasValues(int status) {
        return !results.arm(status).orElseThrow().equals(Shape.NOTHING);
    }

    /**
     * Returns the most bytes of the results from the number of the operation on.
     *
     * @param named the named arguments of the call
     * @param withBulk whether the bytes of bulk items count
     */
    OptionalLong resultsMax(NamedArguments named, boolean withBulk) {
        return (withBulk ? resultsMax : reducedResultsMax).of(named);
    }

    /** Returns the most bytes of the bulk item in the results, or nothing if it has no limit. */
    OptionalLong dataMax(NamedArguments named) {
        return bulkResult.isPresent()
                ? ShapeBound.dataMax(bulkResult.get(), named)
                : OptionalLong.empty();
    }

    @Override
    public String toString() {
        return name;
    }
}
