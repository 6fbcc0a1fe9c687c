package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.header;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.operation;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies.ReplyChunks;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.TransferPolicy;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ResponseTransmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a call offers exactly what its reply may need. Method: the test plays the server of a
 * client of ours, over iWARP.
 */
class OffersByHandTest {
    private static final int RECEIVE_BYTES = 32 << 10;

    /**
     * The length of a transport header without chunks; below, of the RPC header of a reply; in
     * bytes.
     */
    private static final int HEADER_BYTES = 32;

    private static final int REPLY_BYTES = 24;
    private static final int OWN = 4096;

    /** The private data of a server that would make longer Sends than any client here accepts. */
    private static final byte[] SENDS_MORE =
            RpcRdmaOptions.DEFAULT.toBuilder()
                    .inlineSend(RECEIVE_BYTES)
                    .inlineReceive(RECEIVE_BYTES)
                    .build()
                    .privateData()
                    .encode();

    private static final int ALL = 7;
    private static final Version2 PLAIN =
            Version2.DEFAULT.withSpeaks1(false).withoutTransmissions().withoutFetchedReplies();

    private static ClientUnderTest known(int own, Version2 version2, Characteristic... announced)
            throws Exception {
        var test =
                new ClientUnderTest(
                        RpcRdmaOptions.DEFAULT.toBuilder()
                                .inlineSend(RECEIVE_BYTES)
                                .inlineReceive(own)
                                .build()
                                .withProfile(new Version2Profile(version2)),
                        RECEIVE_BYTES,
                        SENDS_MORE);
        test.introduce(announced);
        test.call(EchoProgram.nullCall());
        return test;
    }

    private static RpcCall call(int resultsMax) {
        return new RpcCall(EchoProgram.PROGRAM, 1, EchoProgram.FAIL, _ -> {}, resultsMax);
    }

    /** Returns the length of the Reply chunk of a call in one Send; -1 for none. */
    private static long replyChunk(ClientUnderTest test, int resultsMax) throws Exception {
        var call =
                assertInstanceOf(
                        Version2Header.Msg.class, header(test.call(call(resultsMax)).getFirst()));
        assertEquals(List.of(), call.chunks().readList());
        return call.chunks().replyChunk().map(chunk -> chunk.size()).orElse(-1L);
    }

    @Test
    @Tag("XCH-3.1-2")
    @Tag("RPR-3.5-1")
    @Tag("RPR-5.3.1-2")
    @Tag("RPR-5.3.1-3")
    @Tag("RTR-5.2-6")
    void aReplyThatMightNotFitBesideItsHeaderHasAReplyChunk() throws Exception {
        for (int own : new int[] {2048, OWN}) {
            try (var test = known(own, PLAIN, new ReceiveSize(RECEIVE_BYTES))) {
                int fits = own - HEADER_BYTES - REPLY_BYTES;
                assertEquals(-1, replyChunk(test, 8));
                assertEquals(-1, replyChunk(test, fits));
                assertEquals(REPLY_BYTES + fits + 4, replyChunk(test, fits + 4));
                assertEquals(REPLY_BYTES + 100_000, replyChunk(test, 100_000));
            }
        }
    }

    @Test
    @Tag("XCH-3.1-2")
    void aCallThatDoesNotFitTheReceivesOfItsServerIsFetched() throws Exception {
        for (int announced : new int[] {2048, 6000}) {
            try (var test = known(OWN, PLAIN, new ReceiveSize(announced))) {
                int beside = test.call(tell(0)).getFirst().bytes().length;
                var longest = test.call(tell(announced - beside)).getFirst();
                assertEquals(announced, longest.bytes().length);
                assertInstanceOf(Version2Header.Msg.class, header(longest));
                var fetched = header(test.call(tell(announced - beside + 4)).getFirst());
                var chunks = assertInstanceOf(Version2Header.NoMsg.class, fetched).chunks();
                assertEquals(0, chunks.readList().getFirst().position());
            }
        }
    }

    private static RpcCall tell(int length) {
        return EchoProgram.tell(MemorySegment.ofArray(EchoProgram.pattern(length, 1)));
    }

    /** A reply that may be short is fetched if it is long, if the options say so. */
    @Test
    @Tag("RPR-5.3.1-2")
    @Tag("RPR-5.3.1-3")
    void aReplyThatCanBeFetchedNeedsNoReplyChunk() throws Exception {
        for (var offers : List.of(ReplyChunks.ALWAYS, ReplyChunks.NEVER)) {
            var fetching = PLAIN.withFetchedReplies(FetchedReplies.DEFAULT.withReplyChunks(offers));
            try (var test = known(OWN, fetching, new ReadChunks(ReadChunks.EXPOSES))) {
                boolean isOffered = offers == ReplyChunks.ALWAYS;
                assertEquals(isOffered ? REPLY_BYTES + 100_000 : -1, replyChunk(test, 100_000));
                assertEquals(-1, replyChunk(test, 8));
            }
            // This server exposes no replies.
            try (var test = known(OWN, fetching, new ReadChunks(ReadChunks.FETCHES))) {
                assertEquals(REPLY_BYTES + 100_000, replyChunk(test, 100_000));
            }
        }
    }

    private static ClientUnderTest continued(int transmissions) throws Exception {
        var version2 =
                PLAIN.withTransmissions(new Transmissions(8, 8, 0, 0, TransferPolicy.CHEAPEST));
        return known(
                OWN,
                version2,
                new ReceiveSize(RECEIVE_BYTES),
                new Characteristic.Transmissions(transmissions),
                new ResponseTransmissions(3));
    }

    private static TransmitRequest request(ClientUnderTest test, int resultsMax) throws Exception {
        return operation(TransmitRequest.class, header(test.call(call(resultsMax)).getFirst()));
    }

    @Test
    @Tag("RTR-4.3-5")
    @Tag("RTR-5.2-4")
    @Tag("RTR-5.2-5")
    @Tag("RTR-5.2-6")
    @Tag("RTR-9.2-5")
    void aReplyThatMayContinueNeedsNoReplyChunk() throws Exception {
        try (var test = continued(ALL | Characteristic.Transmissions.TRAILER)) {
            var two = request(test, 5000);
            assertEquals(2, two.responseMax());
            assertEquals(List.of(), two.trailer().stream().toList());
            assertEquals(3, request(test, 3 * (OWN - 100)).responseMax());
            // The reply takes more Sends than the server makes.
            var longer = request(test, 100_000);
            assertEquals(3, longer.responseMax());
            var chunk = longer.trailer().orElseThrow().replyChunk().orElseThrow();
            assertEquals(REPLY_BYTES + 100_000, chunk.getFirst().size());
            // A call whose response takes one Send allows only one.
            assertEquals(-1, replyChunk(test, 1000));
        }
    }

    @Test
    @Tag("RTR-9.2-5")
    void aServerThatKnowsNoTrailerIsSentNone() throws Exception {
        try (var test = continued(ALL)) {
            var two = request(test, 5000);
            assertEquals(2, two.responseMax());
            assertEquals(List.of(), two.trailer().stream().toList());
            assertEquals(REPLY_BYTES + 100_000, replyChunk(test, 100_000));
        }
    }

    /** Method: a reply invalidates one of two handles, and the server uses the other. */
    @Test
    @Tag("XCH-3.2-4")
    void aHandleThatTheReplyDidNotInvalidateIsInvalidatedToo() throws Exception {
        int length = 40_000;
        var data = MemorySegment.ofArray(EchoProgram.pattern(length, 1));
        try (var arena = Arena.ofShared();
                var test = known(OWN, PLAIN, new ReceiveSize(RECEIVE_BYTES))) {
            var calling = test.start(EchoProgram.swap(data, arena.allocate(length)));
            var call = assertInstanceOf(Version2Header.Msg.class, test.hear());
            var source = call.chunks().readList().getFirst().target();
            var target = call.chunks().writeList().getFirst();
            test.server.write(EchoProgram.pattern(length, 2), target.segments().getFirst());
            var lists = new ChunkLists(List.of(), List.of(target), Optional.empty());
            test.server.send(
                    ManualConnection.message(
                            new Version2Header.Msg(call.xid(), 8, Direction.REPLY, lists),
                            test.success(call.xid(), out -> out.uint32(length))),
                    OptionalInt.of(target.segments().getFirst().handle()));
            calling.get().close();
            assertEquals(0, test.client().openWindows());
            test.server.read(source);
            var next = test.start(EchoProgram.nullCall());
            assertThrows(ExecutionException.class, next::get);
        }
    }
}
