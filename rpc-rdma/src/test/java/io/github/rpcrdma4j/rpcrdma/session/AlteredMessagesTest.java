package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.gss.GssClient;
import io.github.rpcrdma4j.oncrpc.gss.GssServer;
import io.github.rpcrdma4j.oncrpc.gss.GssService;
import io.github.rpcrdma4j.oncrpc.gss.ToyMechanism;
import io.github.rpcrdma4j.oncrpc.spi.CallMessage;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: an attacker on the path gains nothing by repeated or altered messages. Method: messages of
 * a real client, which the test sends over iWARP, twice or with altered bytes.
 */
class AlteredMessagesTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int RECEIVES = 256;
    private static final int RECEIVE_BYTES = 4096;

    /** Offsets of the last bytes of fields of a call, and of a byte in its wrapped arguments. */
    private static final int SEQUENCE_AT = 43;

    private static final int SERVICE_AT = 47;
    private static final int HANDLE_AT = 59;
    private static final int VERIFIER_AT = 83;
    private static final int ARGUMENTS_AT = 100;

    private final RdmaProvider provider = new IwarpProvider();
    private final ToyMechanism mechanism = new ToyMechanism("alice", 1);
    private final GssServer contexts = new GssServer(mechanism);
    private final SegmentPool pool = new SegmentPool(0);
    private final List<GssClient> clients = new ArrayList<>();
    private RpcRdmaServer server;
    private TamperingTransport transport;

    /** Sends calls inline, keeps the last call, and alters a byte of a message on demand. */
    private final class TamperingTransport implements RpcTransport {
        private final ProtectionDomain domain = provider.allocateProtectionDomain();
        private final CompletionQueue queue = provider.createCompletionQueue();
        private final List<MemorySegment> buffers = new ArrayList<>();
        private QueuePair pair;
        private int xid = 1;
        private byte[] lastCall;
        private int tamperedCallByte = -1;
        private int tamperedReplyByte = -1;

        TamperingTransport() throws RdmaException, InterruptedException {
            connect();
        }

        private void connect() throws RdmaException, InterruptedException {
            buffers.clear();
            pair =
                    provider.createQueuePair(
                            new QueuePairOptions(domain, queue, RECEIVES, RECEIVES, 1, 1, 1));
            for (int i = 0; i < RECEIVES; i++) {
                buffers.add(Arena.ofAuto().allocate(RECEIVE_BYTES));
                new ManualMemory(domain, pair).postReceive(i, buffers.get(i));
            }
            pair.connect(server.address(), new byte[0], TIMEOUT);
        }

        @Override
        public RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
                throws RpcException, InterruptedException {
            try (var message = new XdrWriter(pool)) {
                CallMessage.encode(message, call, ++xid, protection, pool);
                var payload = PayloadStream.of(message);
                lastCall = new byte[(int) payload.length()];
                payload.copyTo(MemorySegment.ofArray(lastCall));
            }
            if (tamperedCallByte >= 0) {
                lastCall[tamperedCallByte] ^= 1;
                tamperedCallByte = -1;
            }
            send(lastCall);
            var reply = receive(TIMEOUT);
            if (tamperedReplyByte >= 0) {
                byte oneByte = reply.get(ValueLayout.JAVA_BYTE, tamperedReplyByte);
                reply.set(ValueLayout.JAVA_BYTE, tamperedReplyByte, (byte) (oneByte ^ 1));
            }
            var results = ReplyHeader.requireSuccess(new XdrReader(reply), call, xid, protection);
            return new RpcReply() {
                @Override
                public XdrReader results() {
                    return results;
                }

                @Override
                public void close() {}
            };
        }

        void send(byte[] call) {
            var header = new Version1Header.Msg(xid, 1, ChunkLists.EMPTY);
            long headerBytes = Version1HeaderCodec.encodedLength(header);
            var message = Arena.ofAuto().allocate(headerBytes + call.length);
            Version1HeaderCodec.encode(header, message);
            message.asSlice(headerBytes).copyFrom(MemorySegment.ofArray(call));
            var bytes = message.toArray(ValueLayout.JAVA_BYTE);
            var sent = new ManualMemory(domain, pair).send(0, bytes, OptionalInt.empty());
            pair.post(List.of(sent));
        }

        /** Returns the payload of the next reply, or null if none arrives in time. */
        MemorySegment receive(Duration timeout) throws InterruptedException {
            var completions = new ArrayList<Completion>();
            long deadline = System.nanoTime() + timeout.toNanos();
            while (System.nanoTime() < deadline) {
                queue.poll(completions, TimeUnit.MILLISECONDS.toNanos(5));
                for (var completion : completions) {
                    assertTrue(completion.succeeded(), () -> pair.failure().toString());
                    if (completion.operation() == Completion.Operation.RECEIVE) {
                        return buffers.get((int) completion.workRequestId())
                                .asSlice(0, completion.length())
                                .asSlice(Version1HeaderCodec.encodedLength(ChunkLists.EMPTY));
                    }
                }
                completions.clear();
            }
            return null;
        }

        /** Waits until the server has closed the connection without an answer, then reconnects. */
        void awaitEnd() throws RdmaException, InterruptedException {
            var completions = new ArrayList<Completion>();
            long deadline = System.nanoTime() + TIMEOUT.toNanos();
            while (pair.state() != QueuePair.State.ERROR) {
                assertTrue(System.nanoTime() < deadline, "the connection lives");
                queue.poll(completions, TimeUnit.MILLISECONDS.toNanos(5));
            }
            queue.poll(completions, 0);
            assertTrue(
                    completions.stream()
                            .noneMatch(
                                    each ->
                                            each.operation() == Completion.Operation.RECEIVE
                                                    && each.succeeded()));
            pair.close();
            connect();
        }

        /** Does nothing: several clients share this transport until the end of the test. */
        @Override
        public void close() {}

        void end() {
            pair.close();
            domain.close();
            queue.close();
        }
    }

    @BeforeEach
    void connect() throws Exception {
        server =
                Connections.listen(
                        provider,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        new RpcDispatcher(List.of(new EchoProgram()), List.of(contexts)),
                        List.of(EchoProgram.BINDING),
                        RpcRdmaOptions.DEFAULT);
        transport = new TamperingTransport();
    }

    @AfterEach
    void checkNothingLeaks() {
        clients.forEach(GssClient::close);
        transport.end();
        server.close();
        contexts.close();
        assertEquals(0, server.leasedMemory());
        assertEquals(0, mechanism.open());
        assertEquals(0, pool.leased());
    }

    private GssClient client(GssService service) {
        var client = new GssClient(transport, mechanism, service);
        clients.add(client);
        return client;
    }

    private static void callTell(GssClient client) throws Exception {
        var data = MemorySegment.ofArray(EchoProgram.pattern(100, 9));
        try (var reply = client.call(EchoProgram.tell(data), TIMEOUT)) {
            assertEquals(EchoProgram.sum(data), reply.results().uint64());
            reply.results().finish();
        }
    }

    @Test
    void answersNoMessageTwice() throws Exception {
        for (var service : GssService.values()) {
            var client = client(service);
            callTell(client);
            var replayed = transport.lastCall;
            transport.send(replayed);
            // The server closes it, because the credit of a discarded call would never come back.
            transport.awaitEnd();
            callTell(client);
        }
        assertEquals(3, server.statistics().value(Counter.DISCARDED));
    }

    @Test
    void carriesOutNoMessageThatWasAltered() throws Exception {
        for (var service : List.of(GssService.INTEGRITY, GssService.PRIVACY)) {
            var client = client(service);
            callTell(client);
            for (int at : new int[] {SEQUENCE_AT, SERVICE_AT, HANDLE_AT, VERIFIER_AT}) {
                transport.tamperedCallByte = at;
                // The server denies the altered call; the client repeats it with a new context.
                callTell(client);
                assertEquals(-1, transport.tamperedCallByte, "byte " + at);
            }
            for (int at : new int[] {ARGUMENTS_AT, ARGUMENTS_AT + 70}) {
                transport.tamperedCallByte = at;
                var failure = assertThrows(RpcException.Refused.class, () -> callTell(client));
                assertEquals(AcceptStatus.GARBAGE_ARGS, failure.status());
            }
        }
    }

    @Test
    void believesNoReplyThatWasAltered() throws Exception {
        for (var service : GssService.values()) {
            var client = client(service);
            callTell(client);
            int verifierAt = 20;
            int dataAt = service == GssService.NONE ? verifierAt : 50;
            for (int at : new int[] {verifierAt, verifierAt + 15, dataAt}) {
                transport.tamperedReplyByte = at;
                assertThrows(RpcException.BadReply.class, () -> callTell(client), "byte " + at);
            }
            transport.tamperedReplyByte = -1;
            callTell(client);
        }
    }
}
