package io.github.rpcrdma4j.rpcrdma.rfc5666;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: the configuration protocol asks for the flavors that the programs ask for. Method: the test
 * plays the other end, over iWARP.
 */
class ConfRdmaByHandTest {
    private static final int RECEIVE_BYTES = 8192;
    private static final int CREDITS = 4;
    private static final byte[] SAYS_NOTHING = {};

    /** Where the RPC message begins behind a header without chunks, in words. */
    private static final int MESSAGE = 7;

    private static final int REPLY = 1;
    private static final int DENIED = 1;
    private static final int AUTH_ERROR = 1;
    private static final int AUTH_TOOWEAK = 5;
    private static final int AUTH_SYS = 1;

    private static final RpcCall CONFIGURE =
            new RpcCall(100417, 1, 1, out -> out.uint32(1024).uint32(1024).uint32(8), 12);

    private static final Credential USER = new Credential.Sys(0, "client", 17, 18, List.of());

    private final RdmaProvider provider = new IwarpProvider();

    /** The program with long replies, for callers that say who they are. */
    private record Guarded(EchoProgram program) implements RpcProgram {
        @Override
        public ProgramId id() {
            return program.id();
        }

        @Override
        public ProcedureDescriptor procedure(int version, int procedure) {
            return program.procedure(version, procedure);
        }

        @Override
        public Set<SecurityFlavor> flavors() {
            return Set.of(SecurityFlavor.SYS);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
            return program.call(request, results);
        }
    }

    private static byte[] message(int xid, RpcCall call, RawAuth caller) {
        try (var out = new XdrWriter(new SegmentPool(1 << 16))) {
            CallHeader.encode(out, xid, call.program(), call.version(), call.procedure(), caller);
            call.arguments().accept(out);
            return ManualConnection.message(
                    new Version1Header.Msg(xid, CREDITS, ChunkLists.EMPTY),
                    out.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private static int word(byte[] message, int index) {
        return ByteBuffer.wrap(message).getInt(index * Integer.BYTES);
    }

    @Test
    @Tag("5666-11-9")
    @Tag("5666-12-3")
    void aServerIsNotConfiguredByACallerWhomItsProgramsRefuse() throws Exception {
        var list = EchoProgram.list(50_000, 1);
        var user = RawAuth.of(USER);
        try (var server =
                        Connections.listen(
                                provider,
                                ManualPeer.LOOPBACK,
                                List.of(new Guarded(new EchoProgram())),
                                List.of(EchoProgram.FETCHED),
                                RpcRdmaOptions.DEFAULT.withProfile(Rfc5666.DEFAULT));
                var peer =
                        ManualPeer.connect(
                                provider, server.address(), SAYS_NOTHING, RECEIVE_BYTES)) {
            peer.send(message(1, CONFIGURE, RawAuth.NONE));
            byte[] refused = peer.receive().bytes();
            int[] wanted = {1, REPLY, DENIED, AUTH_ERROR, AUTH_TOOWEAK};
            for (int i = 0; i < wanted.length; i++) {
                assertEquals(wanted[i], word(refused, MESSAGE + i));
            }
            // The server exposes its memory to nobody but clients that have configured it.
            peer.send(message(2, list, user));
            assertInstanceOf(Version1Header.ChunkError.class, peer.receive().header());
            peer.send(message(3, CONFIGURE, user));
            assertEquals(0, word(peer.receive().bytes(), MESSAGE + 5));
            peer.send(message(4, list, user));
            assertInstanceOf(Version1Header.NoMsg.class, peer.receive().header());
        }
    }

    @Test
    @Tag("5666-11-9")
    @Tag("5666-12-3")
    void aClientConfiguresAsTheCallerThatItIs() throws Exception {
        try (var listener = provider.listen(ManualPeer.LOOPBACK);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var connecting =
                    threads.submit(
                            () ->
                                    Connections.connect(
                                            provider,
                                            listener.address(),
                                            USER,
                                            List.of(EchoProgram.FETCHED),
                                            RpcRdmaOptions.DEFAULT.withProfile(Rfc5666.DEFAULT)));
            try (var server = ManualPeer.accept(provider, listener, SAYS_NOTHING, RECEIVE_BYTES)) {
                byte[] call = server.receive().bytes();
                assertEquals(100417, word(call, MESSAGE + 3));
                assertEquals(1, word(call, MESSAGE + 5));
                assertEquals(AUTH_SYS, word(call, MESSAGE + 6));
                var answer = ByteBuffer.allocate(36).putInt(word(call, 0)).putInt(REPLY);
                answer.position(24).putInt(1024).putInt(0).putInt(8);
                server.send(
                        ManualConnection.message(
                                new Version1Header.Msg(word(call, 0), CREDITS, ChunkLists.EMPTY),
                                answer.array()));
                connecting.get().close();
            }
        }
    }
}
