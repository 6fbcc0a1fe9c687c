package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: if a given-up call of one caller ended the connection, all callers of the client get that
 * reason.
 */
class GivenUpCallsOverIwarpTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int LENGTH = 10_000;
    private static final int RECEIVE_BYTES = 4096;
    private static final byte[] SAYS_LITTLE = new PrivateData(false, 4096, 4096).encode();

    private final RdmaProvider provider = new IwarpProvider();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private Listener listener;
    private ManualPeer server;
    private RpcRdmaClient client;

    @BeforeEach
    void connect() throws Exception {
        listener = provider.listen(ManualPeer.LOOPBACK);
        var connecting =
                threads.submit(
                        () ->
                                Connections.connect(
                                        provider,
                                        listener.address(),
                                        new Credential.None(),
                                        List.of(EchoProgram.BINDING),
                                        RpcRdmaOptions.DEFAULT.toBuilder()
                                                .inlineSend(4096)
                                                .inlineReceive(4096)
                                                .build()));
        server = ManualPeer.accept(provider, listener, SAYS_LITTLE, RECEIVE_BYTES);
        client = connecting.get();
        var first = threads.submit(() -> client.call(EchoProgram.nullCall(), LONG));
        answer(server.receive().bytes());
        first.get().close();
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
        listener.close();
        threads.close();
        assertEquals(0, client.leasedMemory());
    }

    private void answer(byte[] call) {
        int xid = MemorySegment.ofArray(call).asByteBuffer().getInt();
        var reply = ByteBuffer.allocate(24).putInt(xid).putInt(1).array();
        server.send(
                ManualConnection.message(new Version1Header.Msg(xid, 8, ChunkLists.EMPTY), reply));
    }

    private ChunkLists hearChunks() throws InterruptedException {
        var heard = MemorySegment.ofArray(server.receive().bytes());
        var ok = (Version1HeaderCodec.Decoded.Ok) Version1HeaderCodec.decode(heard);
        return ((Version1Header.Msg) ok.header()).chunks();
    }

    private Future<RpcException> another() throws InterruptedException {
        var failing =
                threads.submit(
                        () ->
                                assertThrows(
                                        RpcException.class,
                                        () -> client.call(EchoProgram.nullCall(), LONG)));
        server.receive();
        return failing;
    }

    private void assertGivenUp(String message, Future<RpcException> caller)
            throws InterruptedException, ExecutionException {
        var told = assertInstanceOf(RpcException.CallGivenUp.class, caller.get());
        assertEquals(message, told.getMessage());
        var next =
                assertThrows(
                        RpcException.CallGivenUp.class,
                        () -> client.call(EchoProgram.nullCall(), LONG));
        assertEquals(message, next.getMessage());
    }

    private RpcCall fetch() {
        return EchoProgram.fetch(LENGTH, 1, Arena.ofAuto().allocate(LENGTH));
    }

    @Test
    void reportsALateCallWhenItsResultsArrive() throws Exception {
        var late =
                assertThrows(
                        RpcException.TimedOut.class,
                        () -> client.call(fetch(), Duration.ofMillis(50)));
        var peer = HostPort.text(listener.address());
        assertEquals("no reply from " + peer + " within 50 ms", late.getMessage());
        var target = hearChunks().writeList().getFirst().segments().getFirst();
        var other = another();
        server.write(new byte[LENGTH], target);
        assertGivenUp(
                "this side gave up a call (no reply from "
                        + peer
                        + " within 50 ms), and the peer wrote to the memory of that"
                        + " call afterwards, which ended the connection",
                other);
    }

    @Test
    void reportsACallOfAnInterruptedThread() throws Exception {
        var caller =
                Thread.ofVirtual()
                        .start(
                                () ->
                                        assertThrows(
                                                InterruptedException.class,
                                                () -> client.call(fetch(), LONG)));
        var target = hearChunks().writeList().getFirst().segments().getFirst();
        caller.interrupt();
        caller.join();
        var other = another();
        server.write(new byte[LENGTH], target);
        assertGivenUp(
                "this side gave up a call (its thread was interrupted), and the peer wrote to the"
                        + " memory of that call afterwards, which ended the connection",
                other);
    }

    /** Method: a pipeline closes while the server still reads, as after a failed file copy. */
    @Test
    void reportsACallOfAClosedPipeline() throws Exception {
        var pipeline = client.pipeline();
        pipeline.submit(
                EchoProgram.store(1, Arena.ofAuto().allocate(LENGTH)),
                LONG,
                new CallOutcome() {
                    @Override
                    public void succeeded(XdrReader results) {}

                    @Override
                    public void failed(RpcException reason) {}
                });
        pipeline.poll(Duration.ZERO);
        var source = hearChunks().readList().getFirst().target();
        pipeline.close();
        var other = another();
        server.read(source);
        assertGivenUp(
                "this side gave up a call (its pipeline was closed), and the peer read from the"
                        + " memory of that call afterwards, which ended the connection",
                other);
    }
}
