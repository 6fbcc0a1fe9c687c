package io.github.rpcrdma4j.oncrpc.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: calls over UDP are answered, each in one datagram, and are of no use to a forger. */
class UdpRpcServerTest {
    private static final int PROGRAM = 400_100;
    private static final int ECHO = 1;
    private static final int FLOOD = 2;
    private static final int FAIL = 3;

    private final SegmentPool pool = new SegmentPool(1 << 16);
    private final DatagramSocket socket;
    private UdpRpcServer server;

    UdpRpcServerTest() throws IOException {
        socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        socket.setSoTimeout(60_000);
    }

    private static final class Program implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
            int value = request.arguments().uint32();
            request.arguments().finish();
            switch (request.procedure()) {
                case ECHO -> results.uint32(value);
                case FLOOD -> results.opaque(new byte[1000]);
                default -> throw new IllegalStateException("as the test wants");
            }
            return AcceptStatus.SUCCESS;
        }
    }

    @BeforeEach
    void listen() throws IOException {
        server =
                UdpRpcServer.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        List.of(new Program()));
    }

    @AfterEach
    void close() {
        server.close();
        socket.close();
        assertEquals(0, pool.leased());
    }

    private void send(byte[] bytes) throws IOException {
        socket.send(new DatagramPacket(bytes, bytes.length, server.address()));
    }

    private void call(int xid, int procedure, int value) throws IOException {
        try (var call = new XdrWriter(pool)) {
            CallHeader.encode(call, xid, PROGRAM, 1, procedure, RawAuth.of(new Credential.None()));
            call.uint32(value);
            var pieces = PayloadStream.of(call);
            byte[] bytes = new byte[(int) pieces.length()];
            pieces.copyTo(MemorySegment.ofArray(bytes));
            send(bytes);
        }
    }

    private XdrReader reply() throws IOException {
        var packet = new DatagramPacket(new byte[2048], 2048);
        socket.receive(packet);
        return new XdrReader(
                MemorySegment.ofArray(Arrays.copyOf(packet.getData(), packet.getLength())));
    }

    @Test
    void answersCalls() throws Exception {
        call(7, ECHO, 42);
        var reply = reply();
        assertEquals(new ReplyHeader.Success(7), ReplyHeader.decode(reply));
        assertEquals(42, reply.uint32());
        reply.finish();
    }

    @Test
    void neverSendsMuchMoreThanItWasSent() throws Exception {
        call(1, FLOOD, 0);
        call(2, ECHO, 5);
        assertEquals(new ReplyHeader.Success(2), ReplyHeader.decode(reply()));
    }

    @Test
    void goesOnAfterWhatIsNoCall() throws Exception {
        send(new byte[0]);
        send(new byte[3]);
        byte[] longOne = new byte[9000];
        Arrays.fill(longOne, (byte) -1);
        send(longOne);
        call(1, FAIL, 0);
        reply();
        call(2, ECHO, 5);
        assertEquals(new ReplyHeader.Success(2), ReplyHeader.decode(reply()));
    }

    @Test
    void saysWhereItCannotListen() {
        assertThrows(IOException.class, () -> UdpRpcServer.listen(server.address(), List.of()));
    }
}
