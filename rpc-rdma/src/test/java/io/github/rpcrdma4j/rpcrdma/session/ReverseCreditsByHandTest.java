package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: the calls of the two directions take no credits and no receives from each other. Method:
 * the test plays the other end, over iWARP.
 */
class ReverseCreditsByHandTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int CREDITS = 4;
    private static final int REVERSE_CREDITS = 3;
    private static final int RECEIVE_BYTES = 4096;
    private static final RpcRdmaOptions OPTIONS =
            RpcRdmaOptions.DEFAULT.toBuilder()
                    .credits(CREDITS)
                    .callBackCredits(REVERSE_CREDITS)
                    .build();

    private final RdmaProvider provider = new IwarpProvider();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch released = new CountDownLatch(1);
    private final BlockingQueue<ReverseDirection> callers = new LinkedBlockingQueue<>();
    private final BlockingQueue<Integer> held = new LinkedBlockingQueue<>();

    /** Holds its calls until the test releases them. Each call shows how to call back. */
    private final class Holder extends OneVersion {
        static final int PROGRAM = 0x2000_0045;
        static final int ENLIST = 1;
        static final int HOLD = 2;

        Holder() {
            super(PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws InterruptedException {
            if (request.procedure() == ENLIST) {
                callers.add(request.reverse().orElseThrow());
            } else {
                held.add(request.procedure());
                released.await();
            }
            return AcceptStatus.SUCCESS;
        }

        static RpcCall call(int procedure) {
            return new RpcCall(PROGRAM, 1, procedure, _ -> {}, 0);
        }
    }

    @AfterEach
    void close() {
        threads.close();
    }

    private static byte[] message(int xid, RpcCall call) {
        return ManualConnection.call(xid, CREDITS, call, ChunkLists.EMPTY);
    }

    private static byte[] reply(int xid, int credits) {
        var accepted = ByteBuffer.allocate(24).putInt(xid).putInt(1).array();
        var header = new Version1Header.Msg(xid, credits, ChunkLists.EMPTY);
        return ManualConnection.message(header, accepted);
    }

    private static boolean isCall(ManualPeer.ReceivedMessage heard) {
        int header = ManualConnection.decode(heard.bytes()).length();
        return ByteBuffer.wrap(heard.bytes()).getInt(header + Integer.BYTES) == 0;
    }

    /**
     * Method: a client whose calls are all in progress, so that each holds a receive of the server,
     * answers all calls of the server.
     */
    @Test
    @Tag("8167-4.1-1")
    @Tag("8167-4.3.2-1")
    void aServerCallsAndHearsAClientThatHasUsedAllItsCredits() throws Exception {
        var name = new Credential.Sys(0, "server", 17, 18, List.of());
        try (var server =
                        Connections.listen(
                                provider,
                                ManualPeer.LOOPBACK,
                                List.of(new Holder()),
                                List.of(),
                                OPTIONS);
                var client =
                        ManualPeer.connect(
                                provider, server.address(), new byte[0], RECEIVE_BYTES)) {
            client.send(message(1, Holder.call(Holder.ENLIST)));
            assertEquals(CREDITS, client.receive().header().credits());
            var back = callers.take().client(name);
            var first = threads.submit(() -> back.call(EchoProgram.nullCall(), TIMEOUT));
            var heard = client.receive();
            // The client grants what the server wants, and as many forward calls are possible.
            assertEquals(REVERSE_CREDITS, heard.header().credits());
            client.send(reply(heard.header().xid(), REVERSE_CREDITS));
            first.get().close();

            for (int xid = 2; xid < 2 + CREDITS; xid++) {
                client.send(message(xid, Holder.call(Holder.HOLD)));
            }
            for (int i = 0; i < CREDITS; i++) {
                held.take();
            }
            var calling = new ArrayList<Future<RpcReply>>();
            var xids = new ArrayList<Integer>();
            for (int i = 0; i < REVERSE_CREDITS; i++) {
                calling.add(threads.submit(() -> back.call(EchoProgram.nullCall(), TIMEOUT)));
                xids.add(client.receive().header().xid());
            }
            xids.forEach(xid -> client.send(reply(xid, REVERSE_CREDITS)));
            for (var each : calling) {
                each.get().close();
            }
            released.countDown();
            for (int i = 0; i < CREDITS; i++) {
                var answer = client.receive();
                assertFalse(isCall(answer));
                assertEquals(CREDITS, answer.header().credits());
            }
        }
    }

    /** Method: the only call that the server granted is outstanding when the server calls. */
    @Test
    @Tag("8167-4.1-1")
    void aClientServesAServerWithoutTakingItsRequestForAGrant() throws Exception {
        try (var listener = provider.listen(ManualPeer.LOOPBACK)) {
            var connecting =
                    threads.submit(
                            () ->
                                    Connections.connect(
                                            provider,
                                            listener.address(),
                                            new Credential.None(),
                                            List.of(),
                                            new RpcDispatcher(List.of(new Holder())),
                                            OPTIONS));
            try (var server = ManualPeer.accept(provider, listener, new byte[0], RECEIVE_BYTES);
                    var client = connecting.get()) {
                var first = threads.submit(() -> client.call(EchoProgram.nullCall(), TIMEOUT));
                var call = server.receive();
                assertEquals(CREDITS, call.header().credits());
                var second = threads.submit(() -> client.call(EchoProgram.nullCall(), TIMEOUT));
                for (int xid = 1; xid <= REVERSE_CREDITS; xid++) {
                    server.send(message(xid, Holder.call(Holder.HOLD)));
                }
                for (int i = 0; i < REVERSE_CREDITS; i++) {
                    held.take();
                }
                released.countDown();
                for (int i = 0; i < REVERSE_CREDITS; i++) {
                    var answer = server.receive();
                    assertFalse(isCall(answer), "the second call has no credit");
                    assertEquals(REVERSE_CREDITS, answer.header().credits());
                }
                server.send(reply(call.header().xid(), 1));
                first.get().close();
                server.send(reply(server.receive().header().xid(), 1));
                second.get().close();
            }
        }
    }
}
