package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.nfs.binding.NfsBindings;
import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.CompoundReply;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Plan;
import io.github.rpcrdma4j.oncrpc.gss.GssFlavor;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A call as its binding reads it: its arguments, and the memory that its results need. Not
 * thread-safe.
 *
 * <p>Tests: {@code TcpToRdmaTest}, {@code CompoundCallsTest}.
 */
final class PlannedCall {
    /** {@code reply_stat}: the call was accepted (RFC 5531, Section 9). */
    private static final int MSG_ACCEPTED = 0;

    /**
     * The most bytes of a link without a limit: far more than the 4,096 bytes of a path on Linux.
     */
    private static final long LINK_MAX = 1 << 16;

    /** The most bytes of bulk results that one thread alone may receive and pass on. */
    private static final long QUICK_BYTES = 4 << 10;

    /** Lengths, sequence number, and the longest checksum around signed results. */
    private static final long SIGNED_BYTES = 3 * Integer.BYTES + RawAuth.BODY_MAX;

    private final CallHeader header;
    private final Optional<UpperLayerBinding> binding;

    /** The items of the procedure; none if the call is wrapped, or its binding is not known. */
    private final Eligibility eligible;

    private final boolean isWrapped;
    private final Plan plan;
    private final List<MemorySegment> stream;
    private final long start;

    private PlannedCall(
            CallHeader header,
            Optional<UpperLayerBinding> binding,
            Plan plan,
            List<MemorySegment> stream,
            long start) {
        this.header = header;
        this.binding = binding;
        this.isWrapped = GssFlavor.wrapsData(header.credential());
        this.eligible =
                isWrapped
                        ? Eligibility.NONE
                        : binding.map(each -> each.eligibility(header.procedure()))
                                .orElse(Eligibility.NONE);
        this.plan = plan;
        this.stream = stream;
        this.start = start;
    }

    /**
     * Reads a call.
     *
     * @param arguments positioned at the arguments
     * @throws XdrException if a Read chunk holds anything but a whole bulk item (RFC 8166-6.1-2,
     *     8267-6.4.2-3). The chunks of programs without a known binding pass.
     */
    static PlannedCall of(CallHeader header, XdrReader arguments) throws XdrException {
        var stream = new ArrayList<MemorySegment>();
        arguments.peekAll(stream::add);
        long start = arguments.position();
        var binding = NfsBindings.find(header.program(), header.version());
        var plan = binding.map(each -> plan(each, header, arguments)).orElse(Plan.UNREAD);
        var planned = new PlannedCall(header, binding, plan, stream, start);
        if (arguments.hasPlacedData() && (binding.isPresent() || planned.isWrapped)) {
            throw new XdrException("a Read chunk belongs to no item that may be reduced");
        }
        return planned;
    }

    private static Plan plan(UpperLayerBinding binding, CallHeader header, XdrReader arguments) {
        int procedure = header.procedure();
        return switch (GssFlavor.body(header.credential())) {
            case PLAIN -> binding.plan(procedure, arguments);
            case SIGNED -> ofSigned(binding, procedure, arguments);
            case CONTEXT, ENCRYPTED -> Plan.UNREAD;
        };
    }

    /**
     * Returns the plan of signed arguments (RFC 2203, Section 5.3.2.2), none of which may be placed
     * directly.
     */
    private static Plan ofSigned(UpperLayerBinding binding, int procedure, XdrReader arguments) {
        try {
            var signed = arguments.opaque(Integer.MAX_VALUE);
            // The sequence number precedes the arguments.
            var read = binding.plan(procedure, new XdrReader(signed.asSlice(Integer.BYTES)));
            return new Plan(List.of(), read.bulkResults(), read.resultsMax(), false);
        } catch (XdrException | IndexOutOfBoundsException _) {
            return Plan.UNREAD;
        }
    }

    /**
     * The memory that a call offers for its results.
     *
     * @param resultsMax the most bytes of the results without those in targets
     * @param targets the lengths of the targets for bulk results, in bytes
     */
    record Room(long resultsMax, List<Long> targets) {
        /** Returns the bytes of all targets. */
        long targetBytes() {
            return targets.stream().mapToLong(XdrWriter::roundUp).sum();
        }
    }

    /**
     * Returns the memory that the results need (RFC 8267, Section 3).
     *
     * @param most the most bytes to offer
     * @param placesResults whether the transport fills targets
     */
    Room room(long most, boolean placesResults) {
        if (plan.resultsMax().isEmpty()) {
            return new Room(most, List.of());
        }
        long results = plan.resultsMax().getAsLong() + (isWrapped ? SIGNED_BYTES : 0);
        var targets = new ArrayList<Long>();
        for (var item : plan.bulkResults()) {
            // A chunk without bytes would say that the result is wanted inline.
            targets.add(Math.max(item.dataMax().orElse(LINK_MAX), Integer.BYTES));
        }
        var apart = new Room(results, targets);
        if (targets.stream().anyMatch(each -> each > most)
                || results + apart.targetBytes() > most) {
            return new Room(most, List.of());
        }
        boolean mayPlace = placesResults && !isWrapped;
        return !mayPlace || targets.isEmpty() || targets.size() > FewChunks.MAX
                ? new Room(results + apart.targetBytes(), List.of())
                : apart;
    }

    /**
     * Returns whether the results may be bulk data. Two threads, one for each connection, move much
     * data faster than one.
     */
    boolean mayReturnMuch() {
        return plan.bulkResults().stream().mapToLong(each -> each.dataMax().orElse(0)).sum()
                > QUICK_BYTES;
    }

    /**
     * Returns whether the call may be made again with a longer Reply chunk. With RPCSEC_GSS the
     * server would drop the second one, whose sequence number it knows.
     */
    boolean mayTryLonger() {
        return plan.mayTryLonger() && header.credential().flavor() != GssFlavor.NUMBER;
    }

    /**
     * Returns the call for the other connection, with a new XID, which makes it a new call (RFC
     * 8267-3.1-2).
     *
     * @param targets the memory for the targets of the room
     */
    RpcCall call(Room room, List<MemorySegment> targets) {
        return new RpcCall(
                header.program(),
                header.version(),
                header.procedure(),
                this::writeArguments,
                room.resultsMax(),
                targets);
    }

    /** Returns a result with the place of its operation, which only the call tells. */
    private BulkItem ofItsOperation(BulkItem result) {
        int ordinal = result.ordinal();
        return ordinal < plan.bulkResults().size()
                ? result.of(plan.bulkResults().get(ordinal).operation())
                : result;
    }

    /** Writes the arguments. Their memory must not change until the transport is done with it. */
    void writeArguments(XdrWriter out) {
        if (eligible.arguments() > 0) {
            EncodedParts.of(stream, start, plan.bulkArguments()).write(out);
        } else {
            writeWhole(stream, out);
        }
    }

    /** Writes a stream of which nothing may be placed directly, without copying it. */
    private static void writeWhole(List<MemorySegment> stream, XdrWriter out) {
        boolean isPadding = false;
        for (var piece : stream) {
            // The writer pads each piece; the reader gives padding as a piece of its own.
            if (piece.byteSize() > 0 && !isPadding) {
                out.fixedBulk(piece);
                isPadding = piece.byteSize() % Integer.BYTES != 0;
            } else if (piece.byteSize() > 0) {
                isPadding = false;
            }
        }
    }

    /**
     * Writes the reply of the server behind its XID and message type. The memory of the results
     * must not change until the transport is done with it.
     *
     * @param results positioned behind the message type
     * @param room the memory that the call offered
     * @param limits lowers those in the results
     * @throws RpcException.BadReply if the results are not where the server says that they are
     */
    void writeReply(XdrReader results, Room room, LoweredLimits limits, XdrWriter out)
            throws RpcException.BadReply {
        var whole = new ArrayList<MemorySegment>();
        results.peekAll(whole::add);
        long from = results.position();
        if (eligible.results() == 0) {
            if (!isWrapped && LoweredLimits.areIn(header) && isSuccess(results)) {
                limits.lowerFsInfo(whole.getFirst().asSlice(results.position() - from));
            }
            writeWhole(whole, out);
            return;
        }
        var items = bulkResults(results, whole, room, limits);
        var parts =
                whole.size() == 1
                        ? EncodedParts.ofReduced(whole.getFirst(), from, items)
                        : EncodedParts.of(whole, from, items);
        parts.write(out);
    }

    /** Reads the header of a reply; returns whether results follow. */
    private static boolean isSuccess(XdrReader in) {
        try {
            return hasResults(in);
        } catch (XdrException _) {
            return false;
        }
    }

    private static boolean hasResults(XdrReader in) throws XdrException {
        if (in.uint32() != MSG_ACCEPTED) {
            return false;
        }
        in.uint32();
        in.opaque(RawAuth.BODY_MAX);
        return AcceptStatus.decode(in) == AcceptStatus.SUCCESS;
    }

    /**
     * Returns the bulk results of a reply.
     *
     * @param whole all of it
     * @param room with targets, every result must be found, because some of its bytes may be in no
     *     other place
     */
    private List<BulkItem> bulkResults(
            XdrReader in, List<MemorySegment> whole, Room room, LoweredLimits limits)
            throws RpcException.BadReply {
        boolean offered = !room.targets().isEmpty();
        long from = in.position();
        try {
            if (!hasResults(in)) {
                return List.of();
            }
            var items =
                    isCompound()
                            ? itemsOfCompound(in, whole, from, limits)
                            : binding.orElseThrow().bulkResults(header.procedure(), in);
            if (offered) {
                in.finish();
            }
            return items.stream().map(this::ofItsOperation).toList();
        } catch (XdrException malformed) {
            if (offered) {
                throw RpcException.BadReply.of(malformed);
            }
            return List.of();
        }
    }

    private boolean isCompound() {
        return header.program() == Nfs4Binding.PROGRAM
                && header.version() == Nfs4Binding.VERSION
                && header.procedure() == Nfs4Binding.COMPOUND;
    }

    /** Returns the bulk items of a COMPOUND, and lowers the limits in it on this walk. */
    private static List<BulkItem> itemsOfCompound(
            XdrReader in, List<MemorySegment> whole, long from, LoweredLimits limits) {
        var reply = CompoundReply.walk(CompoundKind.COMPOUND, in);
        // A client that reads data learns no limits by the same call.
        if (whole.size() == 1) {
            limits.lower(reply, whole.getFirst(), from);
        }
        return reply.bulkItems();
    }
}
