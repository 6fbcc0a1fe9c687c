package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.sim.Mutation;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * Goal: a server and a client, with all their threads, survive the messages of a hostile peer over
 * sockets, and keep no memory. Method: as many random messages as fit into a second, by the seed.
 */
public abstract class HostileSockets {
    private static final int MESSAGES = 2000;
    private static final int OF_A_MILLION = 25;
    private static final int PER_CONNECTION = 50;
    private static final int CALLS = 20;
    public static final int RECEIVE_BYTES = 8192;
    public static final int NULL_XID = 0x7777_7777;
    private static final Duration LONG = Duration.ofSeconds(20);
    public static final RpcRdmaOptions OPTIONS =
            RpcRdmaOptions.DEFAULT.toBuilder().credits(8).build();

    private final RdmaProvider provider = new IwarpProvider();
    private int said;

    private final RpcRdmaOptions options;
    private final HeaderFormat format;

    /**
     * @param options the options of our side
     * @param format the transport headers of messages of the hostile side
     */
    public HostileSockets(RpcRdmaOptions options, HeaderFormat format) {
        this.options = options;
        this.format = format;
    }

    /** Returns the messages that a client sends before its calls. */
    public abstract List<byte[]> introduction();

    /** Returns the next messages of a client. */
    public abstract List<byte[]> next(HostileMessageSource source, RandomGenerator random, int xid);

    /** Returns a call of procedure 0 with {@link #NULL_XID}. */
    public abstract byte[] nullCall();

    /** Returns the correct answer of a server to a message; empty if it must not answer. */
    public abstract Optional<Answer> answer(byte[] said);

    private static int messages() {
        return Seeds.rounds(MESSAGES * OF_A_MILLION) / OF_A_MILLION;
    }

    @Test
    public void aServerOutlivesEveryClient() throws Exception {
        RpcRdmaServer served;
        try (var server =
                Connections.listen(
                        provider,
                        ManualPeer.LOOPBACK,
                        List.of(new EchoProgram()),
                        List.of(EchoProgram.BINDING),
                        options)) {
            served = server;
            for (long seed : seeds()) {
                try {
                    call(server, seed);
                } catch (Exception | AssertionError broken) {
                    throw new AssertionError("seed=" + seed, broken);
                }
            }
            try (var client = connect(server)) {
                client.call(EchoProgram.nullCall(), LONG).close();
            }
            // A connection ends at the first call whose chunks cannot be read.
            assertTrue(Seeds.isGiven() || said > messages() / 8, () -> said + " messages");
        }
        assertEquals(0, served.openConnections());
        assertEquals(0, served.openWindows());
        assertEquals(0, served.leasedMemory());
    }

    private static long[] seeds() {
        return Seeds.many(Math.max(1, messages() / PER_CONNECTION)).toArray();
    }

    private RpcRdmaClient connect(RpcRdmaServer server) throws Exception {
        return Connections.connect(
                provider,
                server.address(),
                new Credential.None(),
                List.of(EchoProgram.BINDING),
                OPTIONS);
    }

    private void call(RpcRdmaServer server, long seed) throws Exception {
        var random = new SplittableRandom(seed);
        byte[] data = OPTIONS.privateData().encode();
        byte[] mad = Mutation.of(data, data, random);
        try (var peer =
                ManualPeer.connect(
                        provider, server.address(), mad.length < 500 ? mad : data, RECEIVE_BYTES)) {
            var source =
                    new HostileMessageSource(
                            random,
                            format,
                            access -> peer.offer(HostileMessageSource.regionBytes(), access));
            for (byte[] message : introduction()) {
                peer.send(message);
            }
            boolean up = true;
            for (int i = 0; i < PER_CONNECTION && up; i++) {
                for (byte[] message : next(source, random, i)) {
                    peer.send(message);
                    said++;
                }
                up = answersNull(peer);
            }
        }
    }

    /** Makes a NULL call; returns false if the connection was lost before the reply. */
    private boolean answersNull(ManualPeer peer) throws InterruptedException {
        peer.send(nullCall());
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

    @Test
    public void aClientOutlivesEveryServer() throws Exception {
        for (long seed : seeds()) {
            var random = new SplittableRandom(seed);
            byte[] data = OPTIONS.privateData().encode();
            byte[] mad = Mutation.of(data, data, random);
            try (var listener = provider.listen(ManualPeer.LOOPBACK);
                    var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                var calling = threads.submit(() -> callAll(listener.address()));
                try (var peer =
                        ManualPeer.accept(
                                provider, listener, mad.length < 500 ? mad : data, RECEIVE_BYTES)) {
                    answer(peer, random);
                    calling.get();
                }
            } catch (Exception | AssertionError broken) {
                throw new AssertionError("seed=" + seed, broken);
            }
        }
    }

    /** Makes calls until the connection is lost, or {@link #CALLS} calls are made. */
    private Void callAll(InetSocketAddress server) throws Exception {
        RpcRdmaClient connected;
        try (var client =
                Connections.connect(
                        provider,
                        server,
                        new Credential.None(),
                        List.of(EchoProgram.BINDING),
                        options)) {
            connected = client;
            var memory = Arena.ofAuto().allocate(5000);
            for (int i = 0; i < CALLS; i++) {
                try (var reply = client.call(EchoProgram.fetch(5000, i, memory), LONG)) {
                    reply.results().uint32();
                } catch (XdrException | RpcException.TransportRefused | RpcException.Refused _) {
                    // A hostile server may cause any of these outcomes.
                } catch (RpcException.BadReply | RpcException.Denied _) {
                    // It may cause these outcomes, too.
                }
            }
        } catch (RpcException.ConnectionLost _) {
            // The provider may end the connection by its own rules.
            return null;
        }
        assertEquals(0, connected.openWindows());
        assertEquals(0, connected.leasedMemory());
        return null;
    }

    /** Answers every call correctly, often after damaged answers. */
    private void answer(ManualPeer peer, RandomGenerator random) throws InterruptedException {
        for (var call = peer.receiveUnlessLost();
                call.isPresent();
                call = peer.receiveUnlessLost()) {
            byte[] said = call.get().bytes();
            var answer = answer(said);
            if (answer.isEmpty()) {
                continue;
            }
            for (int i = answer.get().mayBeMad() ? random.nextInt(4) : 0; i > 0; i--) {
                peer.send(Mutation.of(answer.get().right(), said, random));
            }
            peer.send(answer.get().right());
        }
    }

    /**
     * The correct answer of a server.
     *
     * @param mayBeMad whether damaged copies may precede it
     */
    public record Answer(byte[] right, boolean mayBeMad) {}

    public static Optional<Answer> ofVersion1(byte[] call) {
        byte[] right = Golden.bytes("EX-02");
        int xid = ByteBuffer.wrap(call).getInt();
        ByteBuffer.wrap(right).putInt(0, xid).putInt(28, xid);
        return Optional.of(new Answer(right, true));
    }
}
