package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a gateway plans the calls of TCP clients to a server on RDMA by the binding of NFS version
 * 4, as its own client would, and nothing of their bytes changes.
 */
class TcpToRdmaTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int READ = 25;
    private static final int WRITE = 38;
    private static final int GETATTR = 9;
    private static final int UNKNOWN = 999;
    private static final int STATEID_BYTES = 16;
    private static final int NOENT = 2;

    /** Attributes by their numbers. */
    private static final int CHANGE = 3;

    private static final int SIZE = 4;
    private static final int ACL = 12;
    private static final int LARGE = 100_003;

    /**
     * Answers READ with bytes of its offset, WRITE with its count, and GETATTR of anything but the
     * size with more bytes than any attributes of a known size have.
     */
    private static final class Files implements RpcProgram {
        private MemorySegment written = MemorySegment.NULL;

        @Override
        public ProgramId id() {
            return new ProgramId(Nfs4Binding.PROGRAM, Nfs4Binding.VERSION);
        }

        @Override
        public List<UpperLayerBinding> bindings() {
            return List.of(Nfs4Binding.BINDING);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
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
                    in.count(4, 3);
                    int bytes = in.uint32() == 1 << SIZE ? 8 : 60_000;
                    results.uint32(0).uint32(0).opaque(data(9, bytes));
                }
                default -> results.uint32(0).opaque(in.opaque(1 << 20));
            }
        }
    }

    private static MemorySegment data(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return Arena.ofAuto().allocate(length).copyFrom(MemorySegment.ofArray(bytes));
    }

    private final IwarpProvider provider = new IwarpProvider();
    private final Files files = new Files();
    private RpcRdmaServer server;
    private TcpRpcServer gateway;
    private TcpRpcClient client;

    @BeforeEach
    void connect() throws Exception {
        server = RpcRdmaServer.builder().provider(provider).address(ANY).program(files).start();
        gateway =
                TcpRpcServer.listen(
                        ANY,
                        new Gateway(
                                new RdmaUpstream(
                                        server.address(),
                                        () -> RpcRdmaClient.builder().provider(provider)),
                                GatewayLimits.DEFAULT),
                        TcpRpcOptions.DEFAULT);
        client = TcpRpcClient.connect(gateway.address(), new Credential.None(), TIMEOUT);
    }

    @AfterEach
    void everythingIsGivenBack() {
        client.close();
        gateway.close();
        server.close();
        assertEquals(0, gateway.leasedMemory());
        assertEquals(0, server.leasedMemory());
    }

    private static RpcCall compound(int minorVersion, List<Consumer<XdrWriter>> operations) {
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

    private static Consumer<XdrWriter> read(long offset, int length) {
        return out ->
                out.uint32(READ).fixedOpaque(new byte[STATEID_BYTES]).uint64(offset).uint32(length);
    }

    private static Consumer<XdrWriter> write(MemorySegment data) {
        return out ->
                out.uint32(WRITE)
                        .fixedOpaque(new byte[STATEID_BYTES])
                        .uint64(0)
                        .uint32(0)
                        .opaque(data);
    }

    private static Consumer<XdrWriter> getAttributes(int bit) {
        return out -> out.uint32(GETATTR).uint32(1).uint32(1 << bit);
    }

    private static Consumer<XdrWriter> unknown(MemorySegment data) {
        return out -> out.uint32(UNKNOWN).opaque(data);
    }

    /** Returns the data of the READs in a reply; null for one that failed. */
    private List<MemorySegment> reads(RpcCall call) throws Exception {
        try (var reply = client.call(call, TIMEOUT)) {
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
                            reads.add(MemorySegment.ofArray(in.bytes(1 << 20)));
                        } else {
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

    private long count(Counter counter) {
        return server.statistics().value(counter);
    }

    private static void assertData(int seed, int length, MemorySegment actual) {
        assertEquals(-1, data(seed, length).mismatch(actual));
    }

    @Test
    @Tag("8267-6.4.1-2")
    void oneReadFillsItsWriteChunk() throws Exception {
        assertData(1, LARGE, reads(compound(1, List.of(read(1, LARGE)))).getFirst());
        assertEquals(1, count(Counter.WRITE_CHUNKS));
        assertEquals(0, count(Counter.REPLY_CHUNKS));
    }

    @Test
    void aReadThatFailsLeavesItsWriteChunkEmpty() throws Exception {
        assertEquals(null, reads(compound(1, List.of(read(-1, LARGE)))).getFirst());
        assertEquals(0, count(Counter.WRITE_CHUNKS));
        assertEquals(0, count(Counter.REPLY_CHUNKS));
    }

    /** Goal: the gateway does not know how many Write chunks the server accepts. */
    @Test
    @Tag("8267-6.4.2-1")
    void severalReadsTravelInALongReply() throws Exception {
        var reads = reads(compound(1, List.of(read(1, LARGE), read(-1, LARGE), read(2, 70_000))));
        assertData(1, LARGE, reads.get(0));
        assertEquals(null, reads.get(1));
        assertData(2, 70_000, reads.get(2));
        assertEquals(0, count(Counter.WRITE_CHUNKS));
        assertEquals(1, count(Counter.REPLY_CHUNKS));
    }

    @Test
    @Tag("8267-6.4.1-1")
    void shortReadsTravelInline() throws Exception {
        assertData(1, 600, reads(compound(1, List.of(read(1, 600)))).getFirst());
        assertEquals(0, count(Counter.WRITE_CHUNKS));
        assertEquals(0, count(Counter.REPLY_CHUNKS));
    }

    @Test
    void theDataOfAWriteIsAReadChunkAndTheRestIsInline() throws Exception {
        var data = data(3, LARGE);
        var reads = reads(compound(1, List.of(write(data), getAttributes(SIZE), read(4, 50_001))));
        assertData(4, 50_001, reads.getFirst());
        assertEquals(-1, data.mismatch(files.written));
        assertEquals(1, count(Counter.READ_CHUNKS));
        assertEquals(0, count(Counter.LONG_CALLS));
    }

    /** Goal: nothing behind an operation whose shape is unknown is taken for an item. */
    @Test
    @Tag("8267-7-1")
    void anUnknownOperationEndsReduction() throws Exception {
        var data = data(3, LARGE);
        var reads = reads(compound(1, List.of(unknown(data), write(data), read(4, 50_001))));
        assertData(4, 50_001, reads.getFirst());
        assertEquals(-1, data.mismatch(files.written));
        assertEquals(0, count(Counter.READ_CHUNKS));
        assertEquals(0, count(Counter.WRITE_CHUNKS));
    }

    @Test
    @Tag("8267-6.2-1")
    void attributesWithoutLimitGetALongReply() throws Exception {
        reads(compound(1, List.of(getAttributes(ACL))));
        assertEquals(1, count(Counter.REPLY_CHUNKS));
    }

    /** Goal: the call runs again with the most memory, because its attributes were too long. */
    @Test
    @Tag("8267-3.1-2")
    @Tag("8267-6.2.1-1")
    void aReplyThatDoesNotFitIsAskedForAgainInVersion40() throws Exception {
        reads(compound(0, List.of(getAttributes(CHANGE))));
        assertEquals(1, count(Counter.REPLY_CHUNKS));
        assertEquals(2, count(Counter.CALLS));
    }

    /** Goal: the session bounds replies from minor version 1 on, so nothing is tried again. */
    @Test
    @Tag("8267-3.1-3")
    @Tag("8267-3.1-4")
    void aReplyThatDoesNotFitIsNotAskedForAgainInVersion41() {
        var refused =
                assertThrows(
                        RpcException.Refused.class,
                        () -> client.call(compound(1, List.of(getAttributes(CHANGE))), TIMEOUT));
        assertEquals(AcceptStatus.SYSTEM_ERR, refused.status());
        assertEquals(1, count(Counter.CALLS));
    }

    @Test
    @Tag("8267-6.2.1-2")
    void aCallThatChangesSomethingIsNotAskedForAgain() {
        assertThrows(
                RpcException.Refused.class,
                () ->
                        client.call(
                                compound(0, List.of(write(data(1, 10)), getAttributes(CHANGE))),
                                TIMEOUT));
        assertEquals(1, count(Counter.CALLS));
    }
}
