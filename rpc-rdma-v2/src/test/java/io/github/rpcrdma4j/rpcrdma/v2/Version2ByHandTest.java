package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.header;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.operation;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.option;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.TransferPolicy;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.TransmissionId;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: each end follows version 2 to the byte. Method: the test plays the other end, over iWARP.
 */
class Version2ByHandTest {
    private static final int RECEIVE_BYTES = 32 << 10;
    private static final int XID = 0x0a0b0c0d;

    private static RpcRdmaOptions options(Transmissions transmissions) {
        return RpcRdmaOptions.DEFAULT.withProfile(
                new Version2Profile(
                        Version2.DEFAULT.withSpeaks1(false).withTransmissions(transmissions)));
    }

    private static final Characteristic[] OFFER = {
        new Characteristic.ReceiveSize(12_288),
        new Characteristic.Transmissions(7),
        new Characteristic.ReceiveStructure(
                new BufferStructure(
                        12_288,
                        List.of(
                                new BufferStructure.Group(1, 4096, 0, 0),
                                new BufferStructure.Group(1, 8192, 0, 1)))),
        new Characteristic.RequestTransmissions(4),
        new Characteristic.ResponseTransmissions(4)
    };

    /**
     * Sends a message to a server that has its client's characteristics, and returns the answer.
     */
    private static Version2Header answerTo(byte[] message) throws Exception {
        return header(heardOn(_ -> message, OFFER));
    }

    /** Sends a message of a client with the given characteristics, and returns the answer. */
    private static ManualPeer.ReceivedMessage heardOn(
            Function<ServerUnderTest, byte[]> message, Characteristic... announced)
            throws Exception {
        try (var test = new ServerUnderTest(options(Transmissions.DEFAULT), RECEIVE_BYTES)) {
            test.introduce(announced);
            test.client.send(message.apply(test));
            return test.client.receive();
        }
    }

    @Test
    @Tag("V2-4.2.2-6")
    @Tag("V2-4.2.2-5")
    @Tag("RTR-9.5-3")
    @Tag("V2-5.1-1")
    void complainsAboutAContinuationOfNothing() throws Exception {
        var answer =
                answerTo(
                        option(
                                XID,
                                Direction.CALL,
                                new Operation.Continuation(1, Version2HeaderCodec.XMTREQ, 0)));
        assertEquals(XID, answer.xid());
        assertEquals(Direction.REPLY, ((Version2Header.Option) answer).direction());
        var error = operation(TransmitError.class, answer);
        assertEquals(new Fault.NoGroup(), error.fault());
        assertEquals(new TransmissionId(XID, Direction.CALL, 1), error.bad());
    }

    @Test
    @Tag("V2-4.2.3-2")
    void answersAMessageWithoutItsCallByAnError() throws Exception {
        var header = new Version2Header.Msg(XID, 1, Direction.CALL, ChunkLists.EMPTY);
        var answer = answerTo(ManualConnection.message(header, new byte[4]));
        assertEquals(XID, assertInstanceOf(Version2Header.BadHeader.class, answer).xid());
    }

    @Test
    @Tag("V2-4.2.3-9")
    void answersArgumentsThatMakeNoSenseAsRpcDoes() throws Exception {
        var heard =
                heardOn(
                        test ->
                                ManualConnection.message(
                                        new Version2Header.Msg(
                                                XID, 1, Direction.CALL, ChunkLists.EMPTY),
                                        test.rpc(
                                                XID,
                                                EchoProgram.STORE,
                                                out -> out.uint32(1).uint32(4000))),
                        OFFER);
        assertInstanceOf(Version2Header.Msg.class, header(heard));
        var words = ByteBuffer.wrap(heard.bytes());
        // GARBAGE_ARGS is the last word (RFC 5531, Section 9).
        assertEquals(4, words.getInt(heard.bytes().length - Integer.BYTES));
    }

    private ManualPeer.ReceivedMessage fetched(boolean takesInvalidation) throws Exception {
        return heardOn(
                test -> {
                    var region = test.client.offer(6000, Access.REMOTE_WRITE);
                    var chunk =
                            new WriteChunk(
                                    List.of(new Segment(region.handle(), 6000, region.address())));
                    var lists = new ChunkLists(List.of(), List.of(chunk), Optional.empty());
                    return ManualConnection.message(
                            new Version2Header.Msg(XID, 1, Direction.CALL, lists),
                            test.rpc(XID, EchoProgram.FETCH, out -> out.uint32(6000).uint32(1)));
                },
                new Characteristic.RemoteInvalidation(takesInvalidation));
    }

    @Test
    @Tag("XCH-3.2-1")
    @Tag("XCH-3.2-2")
    @Tag("XCH-3.2-3")
    @Tag("V2-6-1")
    void invalidatesAHandleOfTheCallForARequesterThatAllowsIt() throws Exception {
        var taken = fetched(true);
        var reply = assertInstanceOf(Version2Header.Msg.class, header(taken));
        var segment = reply.chunks().writeList().getFirst().segments().getFirst();
        assertTrue(taken.completion().invalidated());
        assertEquals(segment.handle(), taken.completion().invalidatedHandle());
        assertFalse(fetched(false).completion().invalidated());
    }

    /** Goal: a request of several Sends that was not accepted is sent again without extensions. */
    @Test
    @Tag("RTR-5.4-4")
    @Tag("RTR-4.3-3")
    @Tag("RTR-5.4-1")
    void resendsARequestThatWasNotAccepted() throws Exception {
        var data = Arena.ofShared().allocate(8000);
        EchoProgram.fill(data, 3);
        var options = options(Transmissions.DEFAULT.withTransferPolicy(TransferPolicy.PLACED));
        try (var test = new ClientUnderTest(options, RECEIVE_BYTES)) {
            test.introduce(OFFER);
            var calling = test.start(EchoProgram.store(7, data).withXid(XID));
            assertEquals(1, operation(TransmitRequest.class, test.hear()).moved().size());
            var complaint =
                    new TransmitError(
                            new TransmissionId(XID, Direction.CALL, 0),
                            Optional.empty(),
                            new Fault.OutOfRange(Fault.Measure.OFFSET, 0, 4, 8));
            test.say(XID, complaint);
            var again = assertInstanceOf(Version2Header.Msg.class, test.hear());
            assertEquals(XID, again.xid());
            assertEquals(1, again.chunks().readList().size());
            test.succeed(XID, 8, out -> out.uint32(7).uint64(EchoProgram.sum(data)));
            try (var reply = calling.get()) {
                assertEquals(7, reply.results().uint32());
            }
        }
    }
}
