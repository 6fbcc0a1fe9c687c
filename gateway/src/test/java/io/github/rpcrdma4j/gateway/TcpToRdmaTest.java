package io.github.rpcrdma4j.gateway;

import static io.github.rpcrdma4j.gateway.CompoundFiles.ACL;
import static io.github.rpcrdma4j.gateway.CompoundFiles.CHANGE;
import static io.github.rpcrdma4j.gateway.CompoundFiles.LARGE;
import static io.github.rpcrdma4j.gateway.CompoundFiles.SIZE;
import static io.github.rpcrdma4j.gateway.CompoundFiles.assertData;
import static io.github.rpcrdma4j.gateway.CompoundFiles.compound;
import static io.github.rpcrdma4j.gateway.CompoundFiles.data;
import static io.github.rpcrdma4j.gateway.CompoundFiles.getAttributes;
import static io.github.rpcrdma4j.gateway.CompoundFiles.read;
import static io.github.rpcrdma4j.gateway.CompoundFiles.remove;
import static io.github.rpcrdma4j.gateway.CompoundFiles.unknown;
import static io.github.rpcrdma4j.gateway.CompoundFiles.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a gateway plans the calls of TCP clients to a server on RDMA by the binding of NFS version
 * 4, as its own client would, and nothing of their bytes changes.
 */
class TcpToRdmaTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private final IwarpProvider provider = new IwarpProvider();
    private final CompoundFiles files = new CompoundFiles();
    private RpcRdmaServer server;
    private TcpRpcServer gateway;
    private TcpRpcClient client;

    @BeforeEach
    void connect() throws Exception {
        server = RpcRdmaServer.builder().provider(provider).address(ANY).program(files).start();
        gateway =
                TcpRpcServer.listen(
                        ANY,
                        ReadableGateway.of(
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
        LeasedMemory.requireNone(gateway::leasedMemory);
        LeasedMemory.requireNone(server::leasedMemory);
    }

    private List<MemorySegment> reads(RpcCall call) throws Exception {
        return CompoundFiles.reads(client.call(call, TIMEOUT));
    }

    private long count(Counter counter) {
        return server.statistics().value(counter);
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
        assertEquals(-1, data.mismatch(files.written()));
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
        assertEquals(-1, data.mismatch(files.written()));
        assertEquals(0, count(Counter.READ_CHUNKS));
        assertEquals(0, count(Counter.WRITE_CHUNKS));
    }

    /**
     * @param attribute acl, fs_locations, dacl, sacl or fs_locations_info
     */
    @ParameterizedTest
    @ValueSource(ints = {ACL, 24, 58, 59, 67})
    @Tag("8267-6.2-1")
    @Tag("8267-6.2-2")
    @Tag("8267-6.2-3")
    void attributesWithoutLimitGetALongReply(int attribute) throws Exception {
        reads(compound(1, List.of(getAttributes(attribute))));
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
    void aCallThatChangesSomethingIsNotAskedForAgain() {
        assertThrows(
                RpcException.Refused.class,
                () ->
                        client.call(
                                compound(0, List.of(remove("file"), getAttributes(CHANGE))),
                                TIMEOUT));
        assertEquals(1, count(Counter.CALLS));
    }
}
