package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.connection.Framing;
import io.github.rpcrdma4j.rpcrdma.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.options.FetchedReplies.Lateness;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.options.Version2;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Characteristic;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Direction;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Extension;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Header;
import io.github.rpcrdma4j.rpcrdma.wire.v2.HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Operation;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Subset;
import io.github.rpcrdma4j.sim.Mutation;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.random.RandomGenerator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a server and a client with all their threads outlive what a hostile peer says over sockets,
 * and keep nothing. Method: as many messages as fit into a second, by the seed.
 */
class HostileOverIwarpTest {
    private static final int MESSAGES = 2000;
    private static final int OF_A_MILLION = 25;
    private static final int PER_CONNECTION = 50;
    private static final int CALLS = 20;
    private static final int RECEIVE_BYTES = 8192;
    private static final int NULL_XID = 0x7777_7777;
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final RpcRdmaOptions OPTIONS = RpcRdmaOptions.DEFAULT.withCredits(8);

    /** What is not fetched is not waited for. */
    private static final Version2 VERSION_2 =
            Version2.DEFAULT.withFetchedReplies(
                    FetchedReplies.DEFAULT.withHold(Duration.ofMillis(20), Lateness.INVALIDATES));

    private final RdmaProvider provider = new IwarpProvider();
    private int said;

    private static RpcRdmaOptions options(Framing framing) {
        return switch (framing) {
            case VERSION_1 -> OPTIONS;
            case VERSION_2 -> OPTIONS.withVersion2(VERSION_2);
        };
    }

    private static int messages() {
        return Seeds.rounds(MESSAGES * OF_A_MILLION) / OF_A_MILLION;
    }

    @ParameterizedTest
    @EnumSource
    void aServerOutlivesEveryClient(Framing framing) throws Exception {
        var options = options(framing);
        RpcRdmaServer served;
        try (var server =
                RpcRdmaServer.listen(
                        provider,
                        HandPeer.LOOPBACK,
                        List.of(new EchoProgram()),
                        List.of(EchoProgram.BINDING),
                        options)) {
            served = server;
            for (long seed : seeds()) {
                try {
                    call(server, framing, seed);
                } catch (Exception | AssertionError broken) {
                    throw new AssertionError("seed=" + seed, broken);
                }
            }
            try (var client = connect(server)) {
                client.call(EchoProgram.nullCall(), LONG).close();
            }
            assertTrue(Seeds.isAsked() || said > messages() / 3, () -> said + " messages");
        }
        assertEquals(0, served.openConnections());
        assertEquals(0, served.registeredRegions());
        assertEquals(0, served.leasedMemory());
    }

    private static long[] seeds() {
        return Seeds.many(Math.max(1, messages() / PER_CONNECTION)).toArray();
    }

    private RpcRdmaClient connect(RpcRdmaServer server) throws Exception {
        return RpcRdmaClient.connect(
                provider,
                server.address(),
                new Credential.None(),
                List.of(EchoProgram.BINDING),
                OPTIONS);
    }

    private void call(RpcRdmaServer server, Framing framing, long seed) throws Exception {
        var random = new SplittableRandom(seed);
        byte[] data = OPTIONS.privateData().encode();
        byte[] mad = Mutation.of(data, data, random);
        try (var peer =
                HandPeer.connect(
                        provider, server.address(), mad.length < 500 ? mad : data, RECEIVE_BYTES)) {
            var mischief =
                    new Mischief(
                            random, framing, access -> peer.offer(Mischief.regionBytes(), access));
            if (framing == Framing.VERSION_2) {
                peer.say(introduction(0, Direction.CALL));
            }
            boolean up = true;
            for (int i = 0; i < PER_CONNECTION && up; i++) {
                boolean isGroup = framing == Framing.VERSION_2 && random.nextInt(3) == 0;
                for (byte[] message : isGroup ? mischief.group(i) : List.of(mischief.next(i))) {
                    peer.say(message);
                    said++;
                }
                up = answersNull(peer, framing);
            }
        }
    }

    /** Of who takes messages in several Sends, and fetches none. */
    private static byte[] introduction(int xid, Direction direction) {
        var told =
                new Operation.InitialExchange(
                        List.of(
                                new Characteristic.ReceiveSize(RECEIVE_BYTES),
                                new Characteristic.Transmissions(7),
                                new Characteristic.RequestTransmissions(3),
                                new Characteristic.ResponseTransmissions(3)),
                        Subset.NONE);
        return ByHand.message(new Header.Option(xid, 8, direction, told), new byte[0]);
    }

    private static byte[] nullCall(Framing framing) {
        int header =
                switch (framing) {
                    case VERSION_1 -> 28;
                    case VERSION_2 -> 32;
                };
        byte[] call = Golden.octets(framing == Framing.VERSION_1 ? "EX-01" : "v2/E01");
        ByteBuffer.wrap(call).putInt(0, NULL_XID).putInt(header, NULL_XID);
        return call;
    }

    /** Whether the connection is still there, and in order. */
    private static boolean answersNull(HandPeer peer, Framing framing) throws InterruptedException {
        peer.say(nullCall(framing));
        while (true) {
            var heard = peer.hearUnlessLost();
            if (heard.isEmpty()) {
                return false;
            }
            if (ByteBuffer.wrap(heard.get().octets()).getInt() == NULL_XID) {
                return true;
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClientOutlivesEveryServer(Framing framing) throws Exception {
        for (long seed : seeds()) {
            var random = new SplittableRandom(seed);
            byte[] data = OPTIONS.privateData().encode();
            byte[] mad = Mutation.of(data, data, random);
            try (var listener = provider.listen(HandPeer.LOOPBACK);
                    var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                var calling = threads.submit(() -> callAll(listener.address(), framing));
                try (var peer =
                        HandPeer.accept(
                                provider, listener, mad.length < 500 ? mad : data, RECEIVE_BYTES)) {
                    answer(peer, random);
                    calling.get();
                }
            } catch (Exception | AssertionError broken) {
                throw new AssertionError("seed=" + seed, broken);
            }
        }
    }

    /** Calls until the connection is gone, or enough calls were made. */
    private Void callAll(InetSocketAddress server, Framing framing) throws Exception {
        RpcRdmaClient connected;
        try (var client =
                RpcRdmaClient.connect(
                        provider,
                        server,
                        new Credential.None(),
                        List.of(EchoProgram.BINDING),
                        options(framing))) {
            connected = client;
            var memory = Arena.ofAuto().allocate(5000);
            for (int i = 0; i < CALLS; i++) {
                try (var reply = client.call(EchoProgram.fetch(5000, i, memory), LONG)) {
                    reply.results().uint32();
                } catch (XdrException | RpcException.TransportRefused | RpcException.Refused _) {
                    // As good an answer as any.
                } catch (RpcException.BadReply | RpcException.Denied _) {
                    // The same.
                }
            }
        } catch (RpcException.ConnectionLost _) {
            // The provider has its own rules.
            return null;
        }
        assertEquals(0, connected.registeredRegions());
        assertEquals(0, connected.leasedMemory());
        return null;
    }

    /** Answers every call in the end, and says other things before. */
    private static void answer(HandPeer peer, RandomGenerator random) throws InterruptedException {
        for (var call = peer.hearUnlessLost(); call.isPresent(); call = peer.hearUnlessLost()) {
            byte[] said = call.get().octets();
            var answer = ByteBuffer.wrap(said).getInt(4) == 1 ? ofVersion1(said) : ofVersion2(said);
            if (answer.isEmpty()) {
                continue;
            }
            for (int i = answer.get().mayBeMad() ? random.nextInt(4) : 0; i > 0; i--) {
                peer.say(Mutation.of(answer.get().right(), said, random));
            }
            peer.say(answer.get().right());
        }
    }

    /**
     * What a server owes.
     *
     * @param mayBeMad whether it may come damaged before: who is not answered tries elsewhere
     */
    private record Answer(byte[] right, boolean mayBeMad) {}

    private static Optional<Answer> ofVersion1(byte[] call) {
        byte[] right = Golden.octets("EX-02");
        int xid = ByteBuffer.wrap(call).getInt();
        ByteBuffer.wrap(right).putInt(0, xid).putInt(28, xid);
        return Optional.of(new Answer(right, true));
    }

    private static Optional<Answer> ofVersion2(byte[] call) {
        var decoded =
                HeaderCodec.decode(MemorySegment.ofArray(call), EnumSet.allOf(Extension.class));
        if (!(decoded instanceof HeaderCodec.Decoded.Ok(var header, _))) {
            return Optional.empty();
        }
        byte[] right = Golden.octets("v2/E02");
        ByteBuffer.wrap(right).putInt(0, header.xid()).putInt(32, header.xid());
        var reply = Optional.of(new Answer(right, true));
        return switch (header) {
            case Header.Msg _, Header.NoMsg _ -> reply;
            case Header.Option(var xid, _, _, var operation) ->
                    switch (operation) {
                        case Operation.InitialExchange _ ->
                                Optional.of(new Answer(introduction(xid, Direction.REPLY), false));
                        case Operation.TransmitRequest _, Operation.PiggybackCall _ -> reply;
                        default -> Optional.empty();
                    };
            case Header.VersionError _, Header.BadHeader _, Header.BadOption _ -> Optional.empty();
        };
    }
}
