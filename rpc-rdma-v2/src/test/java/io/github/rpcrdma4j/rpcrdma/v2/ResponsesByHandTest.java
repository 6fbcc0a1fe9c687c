package io.github.rpcrdma4j.rpcrdma.v2;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.Offer;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.TransferPolicy;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.Trailer;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.Target;
import io.github.rpcrdma4j.rpcrdma.v2.wire.TransmissionId;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a server of version 2 answers by the first offered method that suffices. Method: the test
 * makes every offer for one reply, over iWARP.
 */
class ResponsesByHandTest {
    private static final int RECEIVE_BYTES = 4096;
    private static final int CREDITS = 8;

    /** The data of a reply that takes three Sends, with 28 bytes before the data. */
    private static final int SIZE = 10_000;

    private static final int REPLY_BYTES = 28 + SIZE;
    private static final int OWN_MAX = 3;

    /** The bytes of a request in its first Send. */
    private static final int FIRST = 3000;

    private static final long DATA = 6000;

    private ServerUnderTest test;
    private Offer target;
    private int xid = 1;

    private void begin(boolean canFetch) throws Exception {
        var transmissions = new Transmissions(4, OWN_MAX, 0, 0, TransferPolicy.CHEAPEST);
        var version2 =
                Version2.DEFAULT
                        .withTransmissions(transmissions)
                        .withFetchedReplies(FetchedReplies.DEFAULT);
        test =
                new ServerUnderTest(
                        RpcRdmaOptions.DEFAULT.toBuilder()
                                .credits(CREDITS)
                                .build()
                                .withProfile(new Version2Profile(version2)),
                        RECEIVE_BYTES);
        test.introduce(
                new Characteristic.ReceiveSize(RECEIVE_BYTES),
                new Characteristic.Transmissions(Characteristic.Transmissions.TRAILER | 7),
                new Characteristic.ReadChunks(canFetch ? ReadChunks.FETCHES : 0));
    }

    @AfterEach
    void end() {
        test.close();
    }

    private byte[] list(int size) {
        return test.rpc(xid, EchoProgram.list(size, xid));
    }

    /** Returns a Reply chunk of that length; none for -1. */
    private Optional<List<Segment>> replyChunk(int length) {
        if (length < 0) {
            return Optional.empty();
        }
        var memory = test.client.offer(length, Access.REMOTE_WRITE);
        return Optional.of(List.of(new Segment(memory.handle(), length, memory.address())));
    }

    /** Returns how the reply to an XMTREQ arrives. */
    private String answer(int size, int sendsAllowed, int chunk) throws Exception {
        xid++;
        byte[] payload = list(size);
        var request =
                new TransmitRequest(
                        List.of(),
                        List.of(),
                        1,
                        sendsAllowed,
                        payload.length,
                        Optional.of(new Trailer(replyChunk(chunk), List.of())));
        test.say(xid, request, payload);
        return heard();
    }

    /** Returns how the reply to a request without extensions arrives. */
    private String plainAnswer(int size, int chunk) throws Exception {
        xid++;
        var lists = new ChunkLists(List.of(), List.of(), replyChunk(chunk).map(WriteChunk::new));
        test.say(new Version2Header.Msg(xid, CREDITS, Direction.CALL, lists), list(size));
        return heard();
    }

    /** Returns the reply with a result that has a target, and as much data beside it. */
    private Version2Header repeated(int sendsAllowed, int chunk) throws Exception {
        xid++;
        byte[] data = EchoProgram.pattern((int) DATA, 5);
        target = test.client.offer(DATA, Access.REMOTE_WRITE);
        var segments = List.of(new Segment(target.handle(), (int) DATA, target.address()));
        var unused = List.of(new Segment(0, 0, 0));
        byte[] payload = test.rpc(xid, EchoProgram.REPEAT, out -> out.opaque(data));
        var items =
                List.of(
                        new ResponseSet.ExpectedResult(1, new Target.Explicit(segments)),
                        new ResponseSet.ExpectedResult(1, new Target.Numbered()),
                        new ResponseSet.ExpectedResult(1, new Target.Explicit(unused)));
        var request =
                new TransmitRequest(
                        List.of(),
                        List.of(new ResponseSet(0, 4, items)),
                        2,
                        sendsAllowed,
                        FIRST,
                        Optional.of(new Trailer(replyChunk(chunk), List.of())));
        test.say(xid, request, Arrays.copyOf(payload, FIRST));
        byte[] more = Arrays.copyOfRange(payload, FIRST, payload.length);
        var continuation = new Operation.Continuation(1, Version2HeaderCodec.XMTREQ, more.length);
        test.say(xid, continuation, more);
        var answer = test.hear();
        assertArrayEquals(data, target.segment().toArray(ValueLayout.JAVA_BYTE));
        return answer;
    }

    /** Returns the bytes of a reply that are not in the target. */
    private static long rest(ChunkLists chunks) {
        assertEquals(List.of(DATA, 0L), chunks.writeList().stream().map(WriteChunk::size).toList());
        long length = chunks.replyChunk().map(WriteChunk::size).orElse(0L);
        for (var read : chunks.readList()) {
            assertEquals(0, read.position());
            length += read.target().size();
        }
        return length;
    }

    @Test
    @Tag("RPR-4.1-1")
    @Tag("RPR-4.1-4")
    @Tag("RTR-4.3-6")
    @Tag("V2-4.2.2-2")
    void putsResultsIntoTheirTargetsInALongReplyToo() throws Exception {
        begin(true);
        long rest = 24 + 4 + 4 + DATA;
        var inReplyChunk = assertInstanceOf(Version2Header.NoMsg.class, repeated(0, (int) rest));
        assertEquals(rest, rest(inReplyChunk.chunks()));
        assertEquals(Direction.REPLY, inReplyChunk.direction());
        var fetched = assertInstanceOf(Version2Header.NoMsg.class, repeated(0, -1));
        assertEquals(1, fetched.chunks().readList().size());
        assertEquals(Direction.REPLY, fetched.direction());
        assertEquals(rest, rest(fetched.chunks()));
        var group = assertInstanceOf(Version2Header.Option.class, repeated(3, -1));
        assertInstanceOf(TransmitResponse.class, group.operation());
    }

    private String heard() throws Exception {
        var first = test.hear();
        assertEquals(xid, first.xid());
        return switch (first) {
            case Version2Header.Msg _ -> "message";
            case Version2Header.NoMsg(_, _, _, var chunks) when !chunks.readList().isEmpty() -> {
                // The notice makes room for the next reply.
                var done = new Operation.DoneNotice(List.of());
                test.say(xid, done);
                test.hear();
                yield "Read chunk";
            }
            case Version2Header.NoMsg(_, _, _, var chunks) -> {
                assertEquals(REPLY_BYTES, chunks.replyChunk().orElseThrow().size());
                yield "Reply chunk";
            }
            case Version2Header.BadHeader _ -> "error";
            case Version2Header.Option(_, _, _, TransmitResponse response) -> {
                for (long i = 1; i < response.count(); i++) {
                    assertEquals(xid, test.hear().xid());
                }
                yield response.count() + " Sends";
            }
            case Version2Header.Option _,
                    Version2Header.BadOption _,
                    Version2Header.VersionError _ ->
                    throw new AssertionError(first);
        };
    }

    private List<String> answers() throws Exception {
        var answers = new ArrayList<String>();
        for (int chunk : new int[] {REPLY_BYTES, REPLY_BYTES - 4, -1}) {
            answers.add(answer(SIZE, 3, chunk) + ", " + answer(SIZE, 2, chunk));
        }
        return answers;
    }

    @Test
    @Tag("RTR-4.3-6")
    @Tag("XCH-3.1-3")
    @Tag("RPR-3.1-1")
    @Tag("RPR-4.1.1-1")
    @Tag("RPR-5.3.2-1")
    @Tag("RPR-6-1")
    void usesTheFirstOfferThatSuffices() throws Exception {
        begin(true);
        assertEquals(
                List.of("3 Sends, Reply chunk", "3 Sends, Read chunk", "3 Sends, Read chunk"),
                answers());
        assertEquals("message", answer(100, 3, REPLY_BYTES));
    }

    @Test
    @Tag("RPR-4.1.1-2")
    @Tag("RPR-6-2")
    @Tag("RPR-X-1")
    void endsInAnErrorWhereNoOfferSuffices() throws Exception {
        begin(false);
        assertEquals(
                List.of("3 Sends, Reply chunk", "3 Sends, error", "3 Sends, error"), answers());
    }

    /** Complains about the latest response, which was a group. */
    private void complain() throws Exception {
        var bad = new TransmissionId(xid, Direction.REPLY, 0);
        test.say(xid, new TransmitError(bad, Optional.empty(), new Fault.NoGroup()));
        var error = assertInstanceOf(Version2Header.BadHeader.class, test.hear());
        assertEquals(xid, error.xid());
    }

    private void complainTwice() throws Exception {
        for (int i = 0; i < 2; i++) {
            assertEquals("3 Sends", answer(SIZE, 3, REPLY_BYTES));
            complain();
        }
    }

    /** The Reply chunk could take each of these responses. */
    @Test
    @Tag("RTR-X-3")
    @Tag("RTR-5.4-1")
    void stopsGroupsAfterThreeComplaintsInARow() throws Exception {
        begin(false);
        complainTwice();
        assertEquals("3 Sends", answer(SIZE, 3, REPLY_BYTES));
        complainTwice();
        assertEquals("3 Sends", answer(SIZE, 3, REPLY_BYTES));
        complain();
        assertEquals("Reply chunk", answer(SIZE, 3, REPLY_BYTES));
        // No other form is possible.
        assertEquals("3 Sends", answer(SIZE, 3, -1));
    }

    @Test
    @Tag("RTR-5.2-3")
    @Tag("RTR-8.5-1")
    void makesNoMoreSendsThanTheRequestAndItsOwnLimitAllow() throws Exception {
        begin(true);
        assertEquals("message", plainAnswer(100, -1));
        assertEquals("Reply chunk", plainAnswer(SIZE, REPLY_BYTES));
        assertEquals("Read chunk", plainAnswer(SIZE, -1));
        assertEquals("3 Sends", answer(SIZE, 8, -1));
        assertEquals("Read chunk", answer(SIZE + RECEIVE_BYTES, 8, -1));
    }
}
