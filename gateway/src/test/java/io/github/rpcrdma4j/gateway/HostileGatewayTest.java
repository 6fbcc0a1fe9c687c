package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.HeaderFormat;
import io.github.rpcrdma4j.rpcrdma.session.HostileMessageSource;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.sim.Mutation;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * Goal: no message of a client or of a server makes a gateway fail, keep memory, or stop serving
 * others. Method: as many random messages as fit into seconds, by the seed, beside an honest client
 * whose calls must all succeed.
 */
class HostileGatewayTest {
    private static final int MESSAGES = 20_000;
    private static final int PER_CONNECTION = 100;

    /** The messages over RDMA before a reply is awaited: the sending side has a short queue. */
    private static final int PER_PING = 4;

    private static final int RECEIVE_BYTES = 8192;
    private static final int NULL_XID = 0x7777_7777;
    private static final int LAST_FRAGMENT = 1 << 31;
    private static final int PATIENCE_MILLIS = 60_000;
    private static final Duration LONG = Duration.ofMillis(PATIENCE_MILLIS);

    /** How long a client waits for a reply that may never come. */
    private static final Duration SHORT = Duration.ofMillis(250);

    /** How many clients ask a hostile server at a time, because many wait in vain. */
    private static final int ASKING = 32;

    /** The most memory at any time, in bytes: the room for replies, and connections. */
    private static final long MEMORY_MAX = 256L << 20;

    private static final GatewayLimits LIMITS =
            new GatewayLimits(64 << 10, Duration.ofMinutes(5), 64, 8 << 20, 96);

    private final IwarpProvider provider = new IwarpProvider();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final int messages = Seeds.rounds(MESSAGES);
    private int said;
    private final AtomicLong memory = new AtomicLong();

    /** A gateway on both transports, and honest clients of it. */
    private final class Tried implements AutoCloseable {
        final Gateway service;
        final TcpRpcServer tcp;
        final RpcRdmaServer rdma;
        final TcpRpcClient overTcp;
        final RpcRdmaClient overRdma;

        Tried(InetSocketAddress server) throws Exception {
            service = new Gateway(new TcpUpstream(server, LONG, LIMITS), LIMITS);
            tcp = TcpRpcServer.listen(ManualPeer.LOOPBACK, service, LIMITS.tcpOptions());
            rdma =
                    LIMITS.rdmaSettings(RpcRdmaServer.builder())
                            .provider(provider)
                            .address(ManualPeer.LOOPBACK)
                            .calls(service)
                            .start();
            overTcp = TcpRpcClient.connect(tcp.address(), new Credential.None(), LONG);
            overRdma = RpcRdmaClient.builder().provider(provider).connect(rdma.address());
            servesHonestClients();
        }

        void servesHonestClients() throws Exception {
            overTcp.call(nullCall(), LONG).close();
            overRdma.call(nullCall(), LONG).close();
            long used = MemoryBudget.process().used();
            memory.accumulateAndGet(used, Math::max);
            assertTrue(used <= MEMORY_MAX, () -> used + " bytes");
            assertTrue(service.statistics().replyBytes() <= LIMITS.replyBytesMax());
        }

        @Override
        public void close() {
            overTcp.close();
            overRdma.close();
            tcp.close();
            rdma.close();
            LeasedMemory.requireNone(tcp::leasedMemory);
            LeasedMemory.requireNone(rdma::leasedMemory);
            assertEquals(0, rdma.openWindows());
            Eventually.await(LONG, () -> service.statistics().callsPassing() == 0);
            assertEquals(0, service.statistics().replyBytes());
            assertEquals(0, service.statistics().callsWaiting());
            System.out.printf(
                    "%d messages, at most %d KiB of memory, %s%n",
                    said, memory.get() >> 10, service.statistics());
        }
    }

    private static RpcCall nullCall() {
        return new RpcCall(HostileNfs.PROGRAM, 3, 0, _ -> {}, 0);
    }

    private static long[] seeds(int count) {
        return Seeds.many(Math.max(1, count)).toArray();
    }

    /** An action on a connection that a peer may close at any time. */
    private interface Exchange {
        void run() throws Exception;
    }

    private static void withSeed(long seed, Exchange exchange) {
        try {
            exchange.run();
        } catch (Exception | AssertionError broken) {
            throw new AssertionError("seed=" + seed, broken);
        }
    }

    @Test
    void aGatewayOutlivesEveryClientOnTcp() throws Exception {
        outlives(this::callOverTcp, List.of(), 10);
    }

    /** A hostile client that makes some calls on a connection of its own. */
    private interface Client {
        void call(Tried tried, SplittableRandom random) throws Exception;
    }

    /**
     * Lets hostile clients call one after the other, each before honest ones.
     *
     * @param more programs of the server beside NFS
     * @param share at least one of so many messages has to reach the server
     */
    private void outlives(Client client, List<RpcProgram> more, int share) throws Exception {
        long[] seeds = seeds(messages / PER_CONNECTION);
        var programs = new ArrayList<>(more);
        programs.addFirst(new HostileNfs.Program(seeds[0]));
        try (var server =
                        TcpRpcServer.listen(ManualPeer.LOOPBACK, programs, TcpRpcOptions.DEFAULT);
                var tried = new Tried(server.address())) {
            for (long seed : seeds) {
                withSeed(
                        seed,
                        () -> {
                            client.call(tried, new SplittableRandom(seed));
                            tried.servesHonestClients();
                        });
            }
            assertTrue(server.statistics().calls() > said / share, () -> said + " messages");
        }
    }

    private void callOverTcp(Tried tried, SplittableRandom random) throws Exception {
        var source = new HostileNfs(random);
        try (var socket = new Socket()) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.connect(tried.tcp.address());
            var reader = threads.submit(() -> drain(socket));
            try {
                var out = new BufferedOutputStream(socket.getOutputStream());
                for (int i = 0; i < PER_CONNECTION; i++) {
                    byte[] message =
                            random.nextInt(10) == 0 ? source.reply(i) : source.call(i % 70);
                    sendRecord(out, message, random);
                    said++;
                }
                out.flush();
                if (random.nextBoolean()) {
                    socket.shutdownOutput();
                    reader.get();
                }
            } catch (IOException _) {
                // The gateway closed the connection because of an earlier message.
            }
        }
    }

    private static Void drain(Socket socket) {
        try {
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException _) {
            // The connection is lost.
        }
        return null;
    }

    /** Sends a message in one fragment or two, rarely with a damaged mark. */
    private static void sendRecord(OutputStream out, byte[] message, RandomGenerator random)
            throws IOException {
        int first = random.nextInt(4) == 0 ? random.nextInt(message.length + 1) : message.length;
        var record = ByteBuffer.allocate(message.length + 2 * Integer.BYTES);
        if (first < message.length) {
            record.putInt(first).put(message, 0, first);
            record.putInt(LAST_FRAGMENT | message.length - first);
            record.put(message, first, message.length - first);
        } else {
            int mark = LAST_FRAGMENT | message.length;
            record.putInt(random.nextInt(500) == 0 ? random.nextInt() : mark).put(message);
        }
        out.write(record.array(), 0, record.position());
    }

    @Test
    void aGatewayOutlivesEveryClientOnRdma() throws Exception {
        outlives(this::callOverRdma, List.of(new EchoProgram()), 20);
    }

    private void callOverRdma(Tried tried, SplittableRandom random) throws Exception {
        var nfs = new HostileNfs(random);
        byte[] data = RpcRdmaOptions.DEFAULT.privateData().encode();
        try (var peer = ManualPeer.connect(provider, tried.rdma.address(), data, RECEIVE_BYTES)) {
            var source =
                    new HostileMessageSource(
                            random,
                            HeaderFormat.VERSION_1,
                            access -> peer.offer(HostileMessageSource.regionBytes(), access));
            boolean isUp = true;
            for (int i = 0; i < PER_CONNECTION && isUp; i++) {
                peer.send(random.nextBoolean() ? source.next(i) : sendOf(nfs, i, random));
                said++;
                if (i % PER_PING == 0) {
                    isUp = answersNull(peer);
                }
            }
        } catch (IllegalStateException _) {
            // The gateway closed the connection because of an earlier message.
        }
    }

    /** Returns a message with a call inline, rarely with a damaged header. */
    private static byte[] sendOf(HostileNfs nfs, int xid, RandomGenerator random) {
        byte[] call = nfs.call(xid);
        int header = 7 * Integer.BYTES;
        int length = Math.min(call.length, RpcRdmaOptions.DEFAULT.inlineReceive() - header);
        byte[] message =
                ByteBuffer.allocate(header + length)
                        .putInt(xid)
                        .putInt(1)
                        .putInt(8)
                        .putInt(0)
                        .position(header)
                        .put(call, 0, length)
                        .array();
        return random.nextInt(10) == 0 ? Mutation.of(message, call, random) : message;
    }

    /** Makes a NULL call; returns false if the connection was lost before the reply. */
    private static boolean answersNull(ManualPeer peer) throws InterruptedException {
        peer.send(
                ByteBuffer.allocate(17 * Integer.BYTES)
                        .putInt(NULL_XID)
                        .putInt(1)
                        .putInt(8)
                        .position(7 * Integer.BYTES)
                        .putInt(NULL_XID)
                        .putInt(0)
                        .putInt(2)
                        .putInt(HostileNfs.PROGRAM)
                        .putInt(3)
                        .array());
        while (true) {
            var heard = peer.receiveUnlessLost();
            if (heard.isEmpty()) {
                return false;
            }
            if (ByteBuffer.wrap(heard.get().bytes()).getInt() == NULL_XID) {
                return true;
            }
        }
    }

    /**
     * A server on TCP that answers the calls of procedure 0 correctly. Before it answers others, it
     * sends damaged messages.
     */
    private final class HostileServer implements AutoCloseable {
        final ServerSocket listener = new ServerSocket(0, 100, ManualPeer.LOOPBACK.getAddress());
        final AtomicInteger sent = new AtomicInteger();
        final SplittableRandom seeds;

        HostileServer(long seed) throws IOException {
            seeds = new SplittableRandom(seed);
            threads.submit(
                    () -> {
                        while (true) {
                            var socket = listener.accept();
                            var random = seeds.split();
                            threads.submit(() -> answer(socket, random));
                        }
                    });
        }

        InetSocketAddress address() {
            return (InetSocketAddress) listener.getLocalSocketAddress();
        }

        private Void answer(Socket socket, SplittableRandom random) throws IOException {
            try (socket) {
                var in = new DataInputStream(socket.getInputStream());
                var out = new BufferedOutputStream(socket.getOutputStream());
                var source = new HostileNfs(random);
                while (true) {
                    byte[] call = new byte[in.readInt() & ~LAST_FRAGMENT];
                    in.readFully(call);
                    answer(ByteBuffer.wrap(call), out, source, random);
                    out.flush();
                }
            } catch (IOException lost) {
                return null;
            }
        }

        private void answer(
                ByteBuffer call, OutputStream out, HostileNfs source, SplittableRandom random)
                throws IOException {
            int xid = call.getInt(0);
            boolean isNull = call.getInt(5 * Integer.BYTES) == 0;
            for (int i = isNull ? 0 : random.nextInt(1, 12); i > 0; i--) {
                byte[] message =
                        switch (random.nextInt(8)) {
                            case 0 -> source.call(random.nextInt());
                            case 1 -> source.reply(random.nextInt());
                            default -> source.reply(xid);
                        };
                sendRecord(out, message, random);
                sent.incrementAndGet();
            }
            out.write(
                    ByteBuffer.allocate(7 * Integer.BYTES)
                            .putInt(LAST_FRAGMENT | 6 * Integer.BYTES)
                            .putInt(xid)
                            .putInt(1)
                            .array());
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    @Test
    void aGatewayOutlivesEveryServer() throws Exception {
        long seed = Seeds.one();
        try (var server = new HostileServer(seed);
                var tried = new Tried(server.address())) {
            withSeed(
                    seed,
                    () -> {
                        var asking = new ArrayList<Future<Void>>();
                        for (int i = 0; i < ASKING; i++) {
                            boolean isOverTcp = i % 2 == 0;
                            asking.add(
                                    threads.submit(
                                            () -> {
                                                askAll(tried, server, isOverTcp);
                                                return null;
                                            }));
                        }
                        for (var each : asking) {
                            each.get();
                        }
                    });
            said = server.sent.get();
        }
    }

    private void askAll(Tried tried, HostileServer server, boolean isOverTcp) throws Exception {
        while (server.sent.get() < messages) {
            if (isOverTcp) {
                askOverTcp(tried);
            } else {
                askOverRdma(tried);
            }
            tried.servesHonestClients();
        }
    }

    private static RpcCall read(int i) {
        return new RpcCall(
                HostileNfs.PROGRAM, i % 2 == 0 ? 3 : 4, 1, out -> compound(out, i), 9000);
    }

    private static void compound(XdrWriter out, int number) {
        int putRootFh = 24;
        out.string("").uint32(number % 3).uint32(1).uint32(putRootFh);
    }

    private void askOverTcp(Tried tried) throws Exception {
        try (var client = TcpRpcClient.connect(tried.tcp.address(), new Credential.None(), LONG)) {
            for (int i = 0; i < PER_CONNECTION; i++) {
                ask(client, i);
            }
        } catch (RpcException.ConnectionLost _) {
            // The gateway closed the connection because of a reply.
        }
    }

    private void askOverRdma(Tried tried) throws Exception {
        try (var client =
                RpcRdmaClient.builder().provider(provider).connect(tried.rdma.address())) {
            for (int i = 0; i < PER_CONNECTION; i++) {
                ask(client, i);
            }
        } catch (RpcException.ConnectionLost _) {
            // The gateway closed the connection because of a reply.
        }
    }

    private static void ask(RpcClient client, int i) throws RpcException, InterruptedException {
        try {
            client.call(read(i), SHORT).close();
        } catch (RpcException.ConnectionLost lost) {
            throw lost;
        } catch (RpcException _) {
            // A hostile reply may be anything else, or never come.
        }
    }
}
