package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.sim.Mutation;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * The messages of a hostile peer: worked examples, and calls of {@link EchoProgram} with handles of
 * registered memory. Most of them are damaged.
 */
public final class HostileMessageSource {
    private static final int ONE_OF_WHOLE = 10;
    public static final int DATA_MAX = 600;
    private static final int LONG_MAX = 9000;
    private static final int FLAVORS = 8;
    private static final int BODY_MAX = 401;
    public static final int CREDITS = 16;

    private final RandomGenerator random;
    private final HeaderFormat format;
    private final List<byte[]> examples;
    private final SegmentPool pool = new SegmentPool(1 << 20);
    private final Function<Access, Offer> memory;
    private final Map<Access, Offer> offers = new EnumMap<>(Access.class);

    /**
     * @param format the transport headers of its messages
     * @param memory exposes {@link #regionBytes} of memory of the hostile side; called only after
     *     that side has connected
     */
    public HostileMessageSource(
            RandomGenerator random, HeaderFormat format, Function<Access, Offer> memory) {
        this.random = random;
        this.format = format;
        this.examples = format.examples().stream().map(Golden::bytes).toList();
        this.memory = memory;
    }

    /** Returns the length of each region, in bytes. */
    public static int regionBytes() {
        return 4 * DATA_MAX;
    }

    /** Returns the next message for a responder. */
    public byte[] next(int xid) {
        byte[] message = random.nextInt(3) == 0 ? example() : call(xid);
        return random.nextInt(ONE_OF_WHOLE) == 0 ? message : damaged(message);
    }

    byte[] example() {
        return examples.get(random.nextInt(examples.size()));
    }

    /** Returns a damaged copy of a message. */
    public byte[] damaged(byte[] message) {
        return Mutation.of(message, example(), random);
    }

    /** Returns the RPC message of a call, bulk data included, without a transport header. */
    public byte[] stream(int xid) {
        int length = random.nextInt(DATA_MAX);
        var data = MemorySegment.ofArray(EchoProgram.pattern(length, xid));
        var call =
                switch (random.nextInt(4)) {
                    case 0 -> EchoProgram.fetch(length, xid, MemorySegment.NULL);
                    case 1 -> EchoProgram.list(random.nextInt(LONG_MAX), xid);
                    case 2 -> EchoProgram.swap(data, MemorySegment.NULL);
                    default -> EchoProgram.tell(data);
                };
        try (var message = new XdrWriter(pool)) {
            encode(message, xid, call);
            var whole =
                    PayloadStream.of(message.reducedStream(), message.bulkItems(), new BitSet());
            var stream = MemorySegment.ofArray(new byte[(int) whole.length()]);
            whole.copyTo(stream);
            return stream.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private byte[] call(int xid) {
        int length = random.nextInt(DATA_MAX);
        var data = MemorySegment.ofArray(EchoProgram.pattern(length, xid));
        return switch (random.nextInt(9)) {
            case 0 -> call(xid, EchoProgram.nullCall());
            case 1 -> call(xid, EchoProgram.store(xid, data));
            case 2 -> call(xid, EchoProgram.fetch(length, xid, MemorySegment.NULL));
            case 3 -> call(xid, EchoProgram.list(length, xid));
            case 4 -> call(xid, EchoProgram.tell(data));
            case 5 -> call(xid, EchoProgram.swap(data, MemorySegment.NULL));
            case 6 -> call(xid, EchoProgram.join(data, data));
            case 7 -> longCall(xid, EchoProgram.tell(data));
            default -> call(xid, new RpcCall(EchoProgram.PROGRAM, 1, EchoProgram.FAIL, _ -> {}, 0));
        };
    }

    private RawAuth credential() {
        if (random.nextBoolean()) {
            return RawAuth.NONE;
        }
        byte[] body = new byte[random.nextInt(BODY_MAX)];
        random.nextBytes(body);
        return new RawAuth(random.nextInt(FLAVORS), MemorySegment.ofArray(body));
    }

    private void encode(XdrWriter message, int xid, RpcCall call) {
        CallHeader.encode(
                message, xid, call.program(), call.version(), call.procedure(), credential());
        call.arguments().accept(message);
    }

    /** Returns a call with its bulk data in Read chunks, and with random chunks for results. */
    private byte[] call(int xid, RpcCall call) {
        try (var message = new XdrWriter(pool)) {
            encode(message, xid, call);
            var reads = new ArrayList<ReadSegment>();
            long at = 0;
            for (var item : message.bulkItems()) {
                int size = (int) item.data().byteSize();
                reads.add(
                        new ReadSegment(
                                (int) item.position(), offer(Access.REMOTE_READ).part(at, size)));
                at += size;
            }
            var writes = new ArrayList<WriteChunk>();
            for (int i = random.nextInt(3); i > 0; i--) {
                writes.add(chunk());
            }
            var reply = random.nextBoolean() ? Optional.of(chunk()) : Optional.<WriteChunk>empty();
            return ManualConnection.message(
                    format.call(xid, CREDITS, new ChunkLists(reads, writes, reply)),
                    message.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private byte[] longCall(int xid, RpcCall call) {
        try (var message = new XdrWriter(pool)) {
            encode(message, xid, call);
            var stream = message.reducedStream();
            var readable = offer(Access.REMOTE_READ);
            var memory = readable.segment();
            long size = Math.min(stream.byteSize(), memory.byteSize());
            MemorySegment.copy(stream, 0, memory, 0, size);
            if (random.nextInt(4) == 0) {
                byte[] damaged = damaged(stream.toArray(ValueLayout.JAVA_BYTE));
                size = Math.min(damaged.length, memory.byteSize());
                MemorySegment.copy(damaged, 0, memory, ValueLayout.JAVA_BYTE, 0, (int) size);
            }
            var reads = List.of(new ReadSegment(0, readable.part(0, (int) size)));
            var chunks = new ChunkLists(reads, List.of(), Optional.of(chunk()));
            return ManualConnection.message(format.longCall(xid, CREDITS, chunks), new byte[0]);
        }
    }

    public WriteChunk chunk() {
        var segments = new ArrayList<Segment>();
        long at = 0;
        for (int i = random.nextInt(3); i > 0; i--) {
            int size = random.nextInt(DATA_MAX);
            segments.add(offer(Access.REMOTE_WRITE).part(at, size));
            at += size;
        }
        return new WriteChunk(segments);
    }

    private Offer offer(Access access) {
        return offers.computeIfAbsent(access, memory);
    }
}
