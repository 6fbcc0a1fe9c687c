package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A server of a few operations of NFS version 4, and the COMPOUNDs for it. It answers READ with
 * bytes of its offset, WRITE with its count, and GETATTR of anything but the size with more bytes
 * than any attributes of a known size have.
 */
final class CompoundFiles implements RpcProgram {
    private static final int READ = 25;
    private static final int WRITE = 38;
    private static final int GETATTR = 9;
    private static final int REMOVE = 28;
    private static final int UNKNOWN = 999;
    private static final int STATEID_BYTES = 16;
    private static final int NOENT = 2;

    /** Attributes by their numbers. */
    static final int CHANGE = 3;

    static final int SIZE = 4;
    static final int ACL = 12;
    static final int LARGE = 100_003;

    private final AtomicInteger calls = new AtomicInteger();

    /** The calls that may end. */
    final Semaphore mayEnd = new Semaphore(Integer.MAX_VALUE / 2);

    private volatile MemorySegment written = MemorySegment.NULL;

    @Override
    public ProgramId id() {
        return new ProgramId(Nfs4Binding.PROGRAM, Nfs4Binding.VERSION);
    }

    @Override
    public List<UpperLayerBinding> bindings() {
        return List.of(Nfs4Binding.BINDING);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        calls.incrementAndGet();
        mayEnd.acquire();
        var in = request.arguments();
        in.opaque(0);
        in.uint32();
        int count = in.uint32();
        results.uint32(0).uint32(0).uint32(count);
        for (int i = 0; i < count; i++) {
            operation(in.uint32(), in, results);
        }
        in.finish();
        return AcceptStatus.SUCCESS;
    }

    private void operation(int number, XdrReader in, XdrWriter results) throws XdrException {
        results.uint32(number);
        switch (number) {
            case READ -> {
                in.fixedOpaque(STATEID_BYTES);
                long offset = in.uint64();
                int length = in.uint32();
                if (offset < 0) {
                    results.uint32(NOENT).absentBulk();
                } else {
                    results.uint32(0).bool(false).bulk(data((int) offset, length));
                }
            }
            case WRITE -> {
                in.fixedOpaque(STATEID_BYTES);
                in.uint64();
                in.uint32();
                var data = in.bulk(1 << 20);
                written = Arena.ofAuto().allocate(data.byteSize()).copyFrom(data);
                results.uint32(0).uint32((int) data.byteSize()).uint32(2).uint64(7);
            }
            case GETATTR -> {
                int words = in.count(4, 3);
                int bytes = in.uint32() == 1 << SIZE ? 8 : 60_000;
                in.fixedOpaque((words - 1) * Integer.BYTES);
                results.uint32(0).uint32(0).opaque(data(9, bytes));
            }
            default -> results.uint32(0).opaque(in.opaque(1 << 20));
        }
    }

    /** Returns how many calls there were. */
    int calls() {
        return calls.get();
    }

    /** Returns the data of the last WRITE. */
    MemorySegment written() {
        return written;
    }

    static MemorySegment data(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return Arena.ofAuto().allocate(length).copyFrom(MemorySegment.ofArray(bytes));
    }

    static RpcCall compound(int minorVersion, List<Consumer<XdrWriter>> operations) {
        return new RpcCall(
                Nfs4Binding.PROGRAM,
                Nfs4Binding.VERSION,
                Nfs4Binding.COMPOUND,
                out -> {
                    out.uint32(0).uint32(minorVersion).uint32(operations.size());
                    operations.forEach(each -> each.accept(out));
                },
                1 << 21);
    }

    static Consumer<XdrWriter> read(long offset, int length) {
        return out ->
                out.uint32(READ).fixedOpaque(new byte[STATEID_BYTES]).uint64(offset).uint32(length);
    }

    static Consumer<XdrWriter> write(MemorySegment data) {
        return out ->
                out.uint32(WRITE)
                        .fixedOpaque(new byte[STATEID_BYTES])
                        .uint64(0)
                        .uint32(0)
                        .opaque(data);
    }

    static Consumer<XdrWriter> getAttributes(int bit) {
        int words = bit / Integer.SIZE + 1;
        return out -> {
            out.uint32(GETATTR).uint32(words);
            for (int i = 1; i < words; i++) {
                out.uint32(0);
            }
            out.uint32(1 << bit);
        };
    }

    static Consumer<XdrWriter> remove(String name) {
        return out -> out.uint32(REMOVE).string(name);
    }

    static Consumer<XdrWriter> unknown(MemorySegment data) {
        return out -> out.uint32(UNKNOWN).opaque(data);
    }

    /** Returns the data of the READs in a reply; null for one that failed. */
    static List<MemorySegment> reads(RpcReply answer) throws Exception {
        try (var reply = answer) {
            var in = reply.results();
            assertEquals(0, in.uint32());
            in.opaque(0);
            int count = in.uint32();
            var reads = new ArrayList<MemorySegment>();
            for (int i = 0; i < count; i++) {
                int number = in.uint32();
                int status = in.uint32();
                switch (number) {
                    case READ -> {
                        if (status == 0) {
                            in.bool();
                            var data = in.bulk(1 << 20);
                            reads.add(Arena.ofAuto().allocate(data.byteSize()).copyFrom(data));
                        } else {
                            in.absentBulk();
                            reads.add(null);
                        }
                    }
                    case WRITE -> in.fixedOpaque(16);
                    case GETATTR -> {
                        in.uint32();
                        in.opaque(1 << 20);
                    }
                    default -> in.opaque(1 << 20);
                }
            }
            in.finish();
            return reads;
        }
    }

    static void assertData(int seed, int length, MemorySegment actual) {
        assertEquals(-1, data(seed, length).mismatch(actual));
    }
}
