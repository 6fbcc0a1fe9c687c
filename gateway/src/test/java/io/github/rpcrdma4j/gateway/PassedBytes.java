package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.binding.NfsBindings;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.gss.GssFlavor;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunkPlacements;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Bytes as the arguments of a call that a gateway passes on, and as its reply. They travel in all
 * forms, and nothing of the unreduced stream may change, except that padding becomes zero.
 *
 * <p>The form of the bytes: index of a binding, procedure, flags, two bytes with the length of the
 * arguments, arguments, and the reply from its {@code reply_stat} on.
 */
public final class PassedBytes {
    private static final int HEADER_BYTES = 5;
    private static final int HAS_GSS = 1;
    private static final int PLACES_RESULTS = 2;
    private static final int HAS_CHUNK = 4;
    private static final int CREDENTIAL_BYTES = 24;
    private static final LoweredLimits ALL_LIMITS_PASS = new LoweredLimits(-1);
    private static final int XID = 0x0a0b0c0d;

    /** {@code reply_stat} and {@code accept_stat} of a success. */
    private static final int ZERO = 0;

    private static final long RESULTS_MAX = GatewayLimits.DEFAULT.resultsMax();
    private static final SegmentPool POOL = new SegmentPool(1 << 20);

    private final CallHeader header;
    private final UpperLayerBinding binding;
    private final byte[] arguments;
    private final byte[] reply;
    private final int flags;

    private PassedBytes(ByteBuffer in) {
        binding = NfsBindings.ALL.get((in.get() & 0xff) % NfsBindings.ALL.size());
        int procedure = in.get() & 0xff;
        flags = in.get();
        arguments = new byte[Math.min(in.getShort() & 0xffff, in.remaining())];
        in.get(arguments);
        reply = new byte[in.remaining()];
        in.get(reply);
        boolean hasGss = (flags & HAS_GSS) != 0 && arguments.length >= CREDENTIAL_BYTES;
        header =
                new CallHeader(
                        XID,
                        CallHeader.RPC_VERSION,
                        binding.program(),
                        binding.version(),
                        procedure,
                        hasGss
                                ? new RawAuth(
                                        GssFlavor.NUMBER,
                                        MemorySegment.ofArray(
                                                Arrays.copyOf(arguments, CREDENTIAL_BYTES)))
                                : RawAuth.NONE,
                        RawAuth.NONE);
    }

    /** Passes a call and its reply on, in all forms; throws AssertionError if bytes change. */
    public static void take(byte[] bytes) {
        if (bytes.length < HEADER_BYTES) {
            return;
        }
        var passed = new PassedBytes(ByteBuffer.wrap(bytes));
        try (var out = new XdrWriter(POOL)) {
            passed.passCall(out);
        }
    }

    private void passCall(XdrWriter out) {
        var planned = plan(reader(arguments));
        planned.writeArguments(out);
        var items = out.bulkItems();
        requireSame(arguments, out, items);
        if (mayReduce() && !items.isEmpty()) {
            // As it arrives with Read chunks.
            var reduced = plan(new XdrReader(out.reducedStream(), new ReadChunkPlacements(items)));
            try (var again = new XdrWriter(POOL)) {
                reduced.writeArguments(again);
                requireSame(arguments, again, items);
                require(items.size() == again.bulkItems().size(), "an item is lost");
            }
        }
        if ((flags & HAS_CHUNK) != 0) {
            passAnyChunk();
        }
        boolean places = (flags & PLACES_RESULTS) != 0;
        passReply(planned, planned.room(RESULTS_MAX, places));
    }

    /** Returns whether the transport would move items of the call apart. */
    private boolean mayReduce() {
        return !GssFlavor.wrapsData(header.credential())
                && binding.eligibility(header.procedure()).arguments() > 0;
    }

    private PlannedCall plan(XdrReader in) {
        try {
            return PlannedCall.of(header, in);
        } catch (XdrException refused) {
            throw new AssertionError("an item of its own is refused", refused);
        }
    }

    /** Passes the call with any word-aligned part of it in a Read chunk, or has it refused. */
    private void passAnyChunk() {
        int words = arguments.length / Integer.BYTES;
        if (words < 2) {
            return;
        }
        int position = Math.floorMod(arguments[0], words) * Integer.BYTES;
        int length = Math.min(reply.length, arguments.length / Integer.BYTES * Integer.BYTES);
        length = Math.min(length - length % Integer.BYTES, words * Integer.BYTES - position);
        byte[] apart = Arrays.copyOfRange(arguments, position, position + length);
        var stream = new ByteArrayOutputStream();
        stream.write(arguments, 0, position);
        stream.write(arguments, position + length, words * Integer.BYTES - position - length);
        var chunk = new BulkItem(position, MemorySegment.ofArray(apart));
        var in =
                new XdrReader(
                        MemorySegment.ofArray(stream.toByteArray()),
                        new ReadChunkPlacements(List.of(chunk)));
        try (var out = new XdrWriter(POOL)) {
            PlannedCall.of(header, in).writeArguments(out);
            requireSame(Arrays.copyOf(arguments, words * Integer.BYTES), out, out.bulkItems());
        } catch (XdrException _) {
            // It held something else than a whole item.
        }
    }

    private void passReply(PlannedCall planned, PlannedCall.Room room) {
        byte[] message =
                ByteBuffer.allocate(2 * Integer.BYTES + reply.length)
                        .putInt(XID)
                        .putInt(ReplyHeader.REPLY)
                        .put(reply)
                        .array();
        var item = room.targets().isEmpty() ? Optional.<BulkItem>empty() : result(message);
        if (item.isEmpty()) {
            passReply(planned, room, message, reader(message));
            return;
        }
        // As it arrives with its result in the target.
        var apart = item.get();
        int from = (int) apart.position();
        int to = Math.min(message.length, from + (int) apart.paddedLength());
        var stream = new ByteArrayOutputStream();
        stream.write(message, 0, from);
        stream.write(message, to, message.length - to);
        passReply(
                planned,
                room,
                message,
                new XdrReader(
                        MemorySegment.ofArray(stream.toByteArray()), new OneTarget(apart.data())));
    }

    private void passReply(
            PlannedCall planned, PlannedCall.Room room, byte[] message, XdrReader in) {
        try (var out = new XdrWriter(POOL)) {
            in.uint32();
            in.uint32();
            out.uint32(XID).uint32(ReplyHeader.REPLY);
            planned.writeReply(in, room, ALL_LIMITS_PASS, out);
            requireSame(message, out, out.bulkItems());
        } catch (RpcException.BadReply malformed) {
            require(!room.targets().isEmpty(), "a reply without targets is refused");
        } catch (XdrException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Returns the result of a successful reply that may be placed, in memory of its own. */
    private Optional<BulkItem> result(byte[] message) {
        var in = reader(message);
        try {
            in.uint32();
            in.uint32();
            boolean isAccepted = in.uint32() == ZERO;
            in.uint32();
            in.opaque(RawAuth.BODY_MAX);
            if (!isAccepted || in.uint32() != ZERO) {
                return Optional.empty();
            }
        } catch (XdrException _) {
            return Optional.empty();
        }
        return binding.bulkResults(header.procedure(), in).stream()
                .findFirst()
                .map(
                        each ->
                                new BulkItem(
                                        each.position(),
                                        MemorySegment.ofArray(
                                                each.data().toArray(ValueLayout.JAVA_BYTE))));
    }

    /** The target of one result, which the first item of a reply fills. */
    private static final class OneTarget implements Placements {
        private MemorySegment data;

        OneTarget(MemorySegment data) {
            this.data = data;
        }

        @Override
        public MemorySegment take(long position, long count) {
            var taken = data;
            data = null;
            return taken == null || taken.byteSize() != count ? null : taken;
        }

        @Override
        public void skipAbsent() {}

        @Override
        public void finish() throws XdrException {
            if (data != null) {
                throw new XdrException("a target was filled for nothing");
            }
        }
    }

    private static XdrReader reader(byte[] bytes) {
        return new XdrReader(MemorySegment.ofArray(bytes));
    }

    /** Requires that a message has these bytes, and zeros as padding. */
    private static void requireSame(byte[] expected, XdrWriter out, List<BulkItem> items) {
        byte[] wanted = Arrays.copyOf(expected, (int) XdrWriter.roundUp(expected.length));
        for (var item : items) {
            int end = (int) (item.position() + item.data().byteSize());
            Arrays.fill(wanted, end, (int) XdrWriter.roundUp(end), (byte) 0);
        }
        var stream = new ByteArrayOutputStream();
        new XdrReader(out.reducedStream(), new ReadChunkPlacements(out.bulkItems()))
                .peekAll(each -> stream.writeBytes(each.toArray(ValueLayout.JAVA_BYTE)));
        byte[] actual = stream.toByteArray();
        // What ends inside a word may pass as it is, or with padding.
        require(
                actual.length == expected.length || actual.length == wanted.length,
                actual.length + " bytes");
        int mismatch = Arrays.mismatch(Arrays.copyOf(wanted, actual.length), actual);
        require(mismatch < 0, "it differs from byte " + mismatch + " on");
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }
}
