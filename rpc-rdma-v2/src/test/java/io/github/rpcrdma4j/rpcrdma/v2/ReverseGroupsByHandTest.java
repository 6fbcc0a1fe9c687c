package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.operation;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: groups work in the reverse direction too. Method: the test plays the server of a client of
 * ours, over iWARP, and calls it back.
 */
class ReverseGroupsByHandTest {
    private static final int RECEIVE_BYTES = 4096;
    private static final int CREDITS = 8;
    private static final int REVERSE_CREDITS = 2;

    /** The data of a reply that takes three Sends. */
    private static final int SIZE = 10_000;

    private static byte[] rpc(int xid, RpcCall call) {
        try (var out = new XdrWriter(new SegmentPool(0))) {
            CallHeader.encode(out, xid, EchoProgram.PROGRAM, 1, call.procedure(), RawAuth.NONE);
            call.arguments().accept(out);
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** Every granted credit has a receive, and there are fewer in the reverse direction. */
    @Test
    @Tag("V2-3.2-1")
    void aResponseOfAClientGrantsTheReverseCredits() throws Exception {
        var options =
                RpcRdmaOptions.DEFAULT.toBuilder()
                        .credits(CREDITS)
                        .callBackCredits(REVERSE_CREDITS)
                        .build()
                        .withProfile(new Version2Profile(Version2.DEFAULT));
        var served = new RpcDispatcher(List.of(new EchoProgram()));
        try (var test = new ClientUnderTest(served, options, RECEIVE_BYTES)) {
            test.introduce(
                    new Characteristic.ReceiveSize(RECEIVE_BYTES),
                    new Characteristic.Transmissions(7));
            test.call(EchoProgram.nullCall());
            byte[] payload = rpc(7, EchoProgram.list(SIZE, 7));
            var request =
                    new TransmitRequest(
                            List.of(), List.of(), 1, 3, payload.length, Optional.empty());
            test.say(new Version2Header.Option(7, 1, Direction.CALL, request), payload);
            var sends = List.of(test.hear(), test.hear(), test.hear());
            assertEquals(3, operation(TransmitResponse.class, sends.getFirst()).count());
            for (var send : sends) {
                assertEquals(REVERSE_CREDITS, send.credits());
            }
        }
    }

    /** Method: a response of one Send, where three were reserved, between calls of the server. */
    @Test
    @Tag("RTR-4.3-8")
    void callsOfAServerArriveInReceivesThatWereReservedForAResponse() throws Exception {
        var cheapest = Version2.TransferPolicy.CHEAPEST;
        var version2 =
                Version2.DEFAULT
                        .withTransmissions(new Version2.Transmissions(8, 8, 0, 0, cheapest))
                        .withoutFetchedReplies();
        var options =
                RpcRdmaOptions.DEFAULT.toBuilder()
                        .credits(CREDITS)
                        .callBackCredits(REVERSE_CREDITS)
                        .inlineReceive(RECEIVE_BYTES)
                        .build()
                        .withProfile(new Version2Profile(version2));
        var served = new RpcDispatcher(List.of(new EchoProgram()));
        try (var test = new ClientUnderTest(served, options, RECEIVE_BYTES)) {
            test.introduce(
                    new Characteristic.ReceiveSize(RECEIVE_BYTES),
                    new Characteristic.Transmissions(7),
                    new Characteristic.ResponseTransmissions(8));
            test.call(EchoProgram.nullCall());
            var calling = test.start(EchoProgram.list(SIZE, 1));
            var request = test.hear();
            long reserved = operation(TransmitRequest.class, request).responseMax();
            assertTrue(reserved >= 3, "reserved: " + reserved);
            isServed(test, 100);
            test.succeed(request.xid(), CREDITS, out -> out.opaque(new byte[8]));
            calling.get().close();
            for (int xid = 101; xid < 120; xid += REVERSE_CREDITS) {
                isServed(test, xid, xid + 1);
            }
        }
    }

    /** Makes calls of the server at once, and requires their replies. */
    private static void isServed(ClientUnderTest test, int... xids) throws Exception {
        for (int xid : xids) {
            byte[] payload = rpc(xid, EchoProgram.nullCall());
            var header = new Version2Header.Msg(xid, 1, Direction.CALL, ChunkLists.EMPTY);
            test.say(header, payload);
        }
        for (int xid : xids) {
            var reply = assertInstanceOf(Version2Header.Msg.class, test.hear());
            assertEquals(Direction.REPLY, reply.direction());
            assertEquals(xid, reply.xid());
        }
    }
}
