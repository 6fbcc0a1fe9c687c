package io.github.rpcrdma4j.rpcrdma.rfc5666;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a server takes the padding out of an RDMA_MSGP (RFC 5666, Section 3.9). Method: the test
 * plays the client, over iWARP.
 */
class PaddedCallByHandTest {
    private static final int RECEIVE_BYTES = 8192;
    private static final int MSGP = 2;
    private static final int ALIGN = 64;
    private static final int THRESHOLD = 100;
    private static final int HEADER_BYTES = 28;
    private static final int PADDED_HEADER_BYTES = HEADER_BYTES + 2 * Integer.BYTES;

    /** The bytes of a TELL before its data: the call, and the length of the data. */
    private static final int BEFORE_DATA = 40 + Integer.BYTES;

    private static final int REPLY_BYTES = 24;

    /** Returns a TELL with padding before its data. */
    private static byte[] message(byte[] data, int padding) {
        byte[] call =
                ManualConnection.call(
                        7, 1, EchoProgram.tell(MemorySegment.ofArray(data)), ChunkLists.EMPTY);
        return ByteBuffer.allocate(call.length + 2 * Integer.BYTES + padding)
                .put(call, 0, 3 * Integer.BYTES)
                .putInt(MSGP)
                .putInt(ALIGN)
                .putInt(THRESHOLD)
                .position(PADDED_HEADER_BYTES)
                .put(call, HEADER_BYTES, BEFORE_DATA)
                .position(PADDED_HEADER_BYTES + BEFORE_DATA + padding)
                .put(data)
                .array();
    }

    /** Method: data of exactly the threshold, and a byte shorter. */
    @ParameterizedTest
    @CsvSource({"100, 48", "99, 0"})
    @Tag("5666-3.9-2")
    void findsPaddingFromExactlyTheThresholdOn(int length, int padding) throws Exception {
        byte[] data = EchoProgram.pattern(length, 3);
        var provider = new IwarpProvider();
        try (var server =
                        Connections.listen(
                                provider,
                                ManualPeer.LOOPBACK,
                                List.of(new EchoProgram()),
                                List.of(EchoProgram.FETCHED),
                                RpcRdmaOptions.DEFAULT.withProfile(
                                        Rfc5666.DEFAULT.withConfigures(false)));
                var peer =
                        ManualPeer.connect(
                                provider, server.address(), new byte[0], RECEIVE_BYTES)) {
            peer.send(message(data, padding));
            var reply = ByteBuffer.wrap(peer.receive().bytes());
            assertEquals(
                    EchoProgram.sum(MemorySegment.ofArray(data)),
                    reply.getLong(HEADER_BYTES + REPLY_BYTES));
        }
    }
}
