package io.github.rpcrdma4j.gateway;

import static io.github.rpcrdma4j.gateway.CompoundFiles.CHANGE;
import static io.github.rpcrdma4j.gateway.CompoundFiles.compound;
import static io.github.rpcrdma4j.gateway.CompoundFiles.getAttributes;
import static io.github.rpcrdma4j.gateway.CompoundFiles.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: a call holds no memory before it has room, and waits for both. */
class PassedCallsTest {
    private static final int MIB = 1 << 20;
    private static final int READS = 16;
    private static final long BUDGET = 4L * MIB;
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final GatewayLimits LIMITS =
            new GatewayLimits(MIB + (64 << 10), Duration.ofMinutes(1), 64, BUDGET, 96);

    private final IwarpProvider provider = new IwarpProvider();
    private final CompoundFiles files = new CompoundFiles();
    private final CallRoom room = new CallRoom(LIMITS.callsMax(), LIMITS.replyBytesMax());
    private final SegmentPool pool = new SegmentPool(BUDGET, new MemoryBudget(BUDGET));
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Client> clients = new ArrayList<>();
    private RpcRdmaServer server;
    private int xid;

    /** A client with a connection of its own to the server. */
    private final class Client {
        final InetSocketAddress address;
        final CallRoom.Share share;
        final RpcTransport upstream;
        final PassedCalls calls;

        Client(String host) throws Exception {
            address = new InetSocketAddress(host, 700);
            share = room.share(ClientAddress.of(address));
            upstream =
                    RpcRdmaClient.builder()
                            .provider(provider)
                            .bindings(FewChunks.ALL)
                            .connect(server.address());
            calls =
                    new PassedCalls(
                            upstream,
                            new PassedCalls.Rules(_ -> true, UpstreamXids.SAME, LIMITS),
                            share,
                            _ -> {});
            clients.add(this);
        }

        /** Makes a call, and returns the status of the reply. */
        AcceptStatus call(RpcCall call, int number) throws Exception {
            var header =
                    new CallHeader(
                            number,
                            CallHeader.RPC_VERSION,
                            call.program(),
                            call.version(),
                            call.procedure(),
                            RawAuth.NONE,
                            RawAuth.NONE);
            try (var arguments = new XdrWriter(new SegmentPool(0));
                    var reply = new XdrWriter(new SegmentPool(0))) {
                call.arguments().accept(arguments);
                var in = new XdrReader(arguments.reducedStream());
                assertTrue(
                        calls.dispatch(header, in, address, pool, Optional.empty(), reply),
                        "a reply");
                var out = new XdrReader(reply.reducedStream());
                assertEquals(number, out.uint32());
                out.uint32();
                out.uint32();
                out.uint32();
                out.opaque(RawAuth.BODY_MAX);
                return AcceptStatus.decode(out);
            }
        }

        Callable<AcceptStatus> next(RpcCall call) {
            int number = ++xid;
            return () -> call(call, number);
        }

        /** Starts calls. */
        List<Future<AcceptStatus>> start(RpcCall call, int count) {
            var started = new ArrayList<Future<AcceptStatus>>();
            for (int i = 0; i < count; i++) {
                started.add(threads.submit(next(call)));
            }
            return started;
        }
    }

    @BeforeEach
    void serve() throws Exception {
        server = RpcRdmaServer.builder().provider(provider).address(ANY).program(files).start();
    }

    @AfterEach
    void everythingIsGivenBack() {
        files.mayEnd.release(1000);
        threads.close();
        clients.forEach(each -> each.upstream.close());
        server.close();
        assertEquals(0, room.calls());
        assertEquals(0, room.bytes());
        assertEquals(0, room.clients());
        assertEquals(0, pool.leased());
        LeasedMemory.requireNone(server::leasedMemory);
    }

    private static RpcCall wholeRead() {
        return compound(1, List.of(read(1, MIB)));
    }

    private static void succeed(List<Future<AcceptStatus>> calls) throws Exception {
        for (var each : calls) {
            assertEquals(AcceptStatus.SUCCESS, each.get(DEADLINE.toNanos(), TimeUnit.NANOSECONDS));
        }
    }

    @Test
    void waitingReadsOfAClientHoldNoMemory() throws Exception {
        files.mayEnd.drainPermits();
        var one = new Client("192.0.2.1");
        var ofOne = one.start(wholeRead(), READS);
        Eventually.await(DEADLINE, () -> room.calls() + room.waiting() == READS);
        assertEquals(1, room.calls(), "half of the room has space for one");
        Eventually.await(DEADLINE, () -> files.mayEnd.getQueueLength() == 1);
        assertEquals(1, pool.leased());
        var two = new Client("192.0.2.2");
        var ofTwo = two.start(wholeRead(), 1);
        Eventually.await(DEADLINE, () -> room.calls() == 2);
        files.mayEnd.release(1000);
        succeed(ofTwo);
        succeed(ofOne);
    }

    @Test
    void aCallWaitsForMemoryThatOthersHold() throws Exception {
        var one = new Client("192.0.2.1");
        var others = new ArrayList<SegmentPool.Lease>();
        for (long held = 0; held < BUDGET; held += MIB) {
            others.add(pool.lease(MIB));
        }
        var call = new FutureTask<>(one.next(wholeRead()));
        var thread = Thread.ofPlatform().start(call);
        Eventually.await(
                DEADLINE,
                () -> room.calls() == 1 && thread.getState() == Thread.State.TIMED_WAITING);
        others.forEach(SegmentPool.Lease::close);
        succeed(List.of(call));
    }

    @Test
    void theEndOfTheConnectionEndsTheWaitForMemory() throws Exception {
        var one = new Client("192.0.2.1");
        try (var others = pool.lease(BUDGET)) {
            var call = one.start(wholeRead(), 1);
            Eventually.await(DEADLINE, () -> room.calls() == 1);
            one.share.end();
            assertEquals(
                    AcceptStatus.SYSTEM_ERR,
                    call.getFirst().get(DEADLINE.toNanos(), TimeUnit.NANOSECONDS));
            assertEquals(BUDGET, others.length());
        }
        assertEquals(0, files.calls());
    }

    /** Goal: a call keeps no room for its first try while it waits for that of its second one. */
    @Test
    void callsThatTryAgainDoNotWaitForEachOther() throws Exception {
        var one = new Client("192.0.2.1");
        var two = new Client("192.0.2.2");
        var longer = compound(0, List.of(getAttributes(CHANGE)));
        files.mayEnd.drainPermits();
        var ofOne = one.start(longer, READS);
        var ofTwo = two.start(longer, READS);
        Eventually.await(DEADLINE, () -> room.calls() + room.waiting() == 2 * READS);
        assertTrue(room.calls() >= 2);
        files.mayEnd.release(1000);
        succeed(ofOne);
        succeed(ofTwo);
        assertEquals(4 * READS, files.calls(), "each is made twice");
    }
}
