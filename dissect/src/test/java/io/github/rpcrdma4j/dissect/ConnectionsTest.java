package io.github.rpcrdma4j.dissect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.capture.TcpSegment;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests faults between messages on whole connections, which are composed frame by frame. */
class ConnectionsTest {
    private static final boolean UP = true;
    private static final boolean DOWN = false;

    /** The XID of the examples. */
    private static final int XID = 0x0a0b0c0d;

    private static List<String> findings(ConnectionReport connection) {
        return connection.frames().stream()
                .flatMap(frame -> frame.findings().stream())
                .map(Finding::what)
                .toList();
    }

    /** Returns a WRITE whose data is in a Read chunk of 4093 bytes at position 96. */
    private static Conversation write() {
        var request = new ReadRequest(0x55, 0, 4093, 0x1111, 0x7f0000001000L);
        return new Conversation()
                .setUp()
                .send(UP, "EX-03")
                .readRequest(DOWN, request)
                .tagged(UP, DdpSegment.READ_RESPONSE, false, 0x55, 0, 4000)
                .tagged(UP, DdpSegment.READ_RESPONSE, true, 0x55, 4000, 93);
    }

    /** Returns a READ of 4999 bytes into a Write chunk of two segments. */
    private static Conversation read() {
        return new Conversation()
                .setUp()
                .send(UP, "EX-09")
                .tagged(DOWN, DdpSegment.WRITE, true, 0xa1, 0x100000, 4096)
                .tagged(DOWN, DdpSegment.WRITE, true, 0xa2, 0x200000, 903)
                .send(DOWN, DdpSegment.SEND_INVALIDATE, 0xa1, Examples.bytes("EX-10"));
    }

    @Test
    void tiesReadsAndWritesToTheirCalls() {
        var write = write().send(DOWN, "EX-02").connection();
        assertEquals(List.of(), findings(write));
        var chunk = write.calls().getFirst().chunks().getFirst();
        assertEquals(4093, chunk.moved());
        assertEquals(2, chunk.transfers().getFirst().frames());
        assertEquals(
                3_000_000,
                write.calls().getFirst().chunks().getFirst().transfers().getFirst().last().nanos()
                        - write.calls().getFirst().called().nanos());
        var read = read().connection();
        assertEquals(List.of(), findings(read));
        var target = read.calls().getFirst().chunks().getFirst();
        assertEquals(4999, target.returned().orElseThrow());
        assertEquals(
                List.of(0, 1),
                target.transfers().stream().map(ChunkReport.Transfer::segment).toList());
        assertEquals(2, read.totals().writes());
    }

    @Test
    void readsACallOutOfItsPositionZeroChunk() {
        byte[] whole = Examples.bytes("EX-01");
        byte[] header = Arrays.copyOf(Examples.bytes("EX-07"), 76);
        // Both segments together are now as long as the message.
        header[31] = 0;
        var conversation = new Conversation().setUp().send(UP, Examples.bytes("EX-07"));
        conversation.readRequest(DOWN, new ReadRequest(9, 0, 4096, 0x77, 0x7f0000001000L));
        int control = DdpSegment.control(true, true, DdpSegment.READ_RESPONSE);
        byte[] first = Arrays.copyOf(Arrays.copyOfRange(whole, 28, whole.length), 4096);
        conversation.bytes(UP, Conversation.fpdu(new DdpSegment.Tagged(control, 9, 0), first));
        conversation.readRequest(DOWN, new ReadRequest(9, 0, 1808, 0x78, 0x7f0000005000L));
        conversation.tagged(UP, DdpSegment.READ_RESPONSE, true, 9, 0, 1808);
        var connection = conversation.connection();
        assertEquals("NFSv3 NULL", connection.calls().getFirst().name());
        var last = connection.frames().getLast().layers().getLast();
        assertTrue(last instanceof Layer.Rpc(RpcMessage.Call _, boolean placed) && placed);
    }

    @Test
    void reportsAccessToMemoryThatNoCallOffers() {
        assertEquals(
                List.of("an RDMA Write of memory that no open call offers"),
                findings(
                        new Conversation()
                                .setUp()
                                .send(UP, "EX-09")
                                .tagged(DOWN, DdpSegment.WRITE, true, 0xa1, 0x100fff, 4096)
                                .connection()));
        assertEquals(
                List.of("an RDMA Read of memory that no open call offers"),
                findings(
                        new Conversation()
                                .setUp()
                                .send(UP, "EX-09")
                                .readRequest(DOWN, new ReadRequest(1, 2, 3, 0xa1, 0x100000))
                                .connection()));
        // An empty Write wakes a peer, and an empty Read is a first frame.
        assertEquals(
                List.of(),
                findings(
                        new Conversation()
                                .setUp()
                                .tagged(UP, DdpSegment.WRITE, true, 1, 0, 0)
                                .readRequest(UP, new ReadRequest(0, 0, 0, 1, 0))
                                .send(UP, new byte[0])
                                .connection()));
    }

    @Test
    void reportsAReplyWithWrongLengths() {
        assertEquals(
                List.of("the reply says that 4999 bytes were written, but 4096 were"),
                findings(
                        new Conversation()
                                .setUp()
                                .send(UP, "EX-09")
                                .tagged(DOWN, DdpSegment.WRITE, true, 0xa1, 0x100000, 4096)
                                .send(DOWN, "EX-10")
                                .connection()));
        assertEquals(
                List.of("the chunks of the reply are not those that the call offered"),
                findings(
                        new Conversation()
                                .setUp()
                                .send(UP, "EX-12")
                                .send(DOWN, "EX-10")
                                .connection()));
    }

    @Test
    void reportsWrongInvalidations() {
        assertEquals(
                List.of("the handle 0x00000bad that it invalidates is not one of the call"),
                findings(
                        new Conversation()
                                .setUp()
                                .send(UP, "EX-01")
                                .send(DOWN, DdpSegment.SEND_INVALIDATE, 0xbad, bytes("EX-02"))
                                .connection()));
        assertEquals(
                List.of("it invalidates a handle of a peer that did not offer that"),
                findings(
                        new Conversation()
                                .setUp(true, false)
                                .send(UP, DdpSegment.SEND_INVALIDATE, 0xbad, bytes("EX-01"))
                                .connection()));
    }

    /**
     * Goal: remote invalidation needs the support of both sides, and each connection without it has
     * one finding. Method: two replies that invalidate the handle of their call.
     */
    @ParameterizedTest
    @CsvSource({
        "true, true, ''",
        "true, false, 'it invalidates a handle, and its own side did not offer remote invalidation'",
        "false, true, it invalidates a handle of a peer that did not offer that",
        "false, false, it invalidates a handle of a peer that did not offer that"
    })
    void invalidatesOnlyIfBothSidesOfferIt(boolean initiator, boolean responder, String finding) {
        var conversation = new Conversation().setUp(initiator, responder);
        for (int i = 0; i < 2; i++) {
            conversation
                    .send(UP, "EX-09")
                    .tagged(DOWN, DdpSegment.WRITE, true, 0xa1, 0x100000, 4096)
                    .send(DOWN, DdpSegment.SEND_INVALIDATE, 0xa1, bytes("EX-10"));
        }
        assertEquals(
                finding.isEmpty() ? List.of() : List.of(finding),
                findings(conversation.connection()).stream()
                        .filter(each -> each.startsWith("it invalidates"))
                        .toList());
    }

    private static byte[] bytes(String example) {
        return Examples.bytes(example);
    }

    @Test
    void reportsStrayAnswersAndCallsBeyondTheCredits() {
        assertEquals(
                List.of("RDMA_MSG answers no open call"),
                findings(
                        new Conversation()
                                .setUp()
                                .send(UP, new byte[0])
                                .send(DOWN, "EX-02")
                                .connection()));
        var conversation = new Conversation().setUp().send(UP, "EX-01").send(DOWN, reply(XID, 1));
        conversation.send(UP, call(1)).send(UP, call(2));
        assertEquals(
                List.of("2 calls are open, with 1 credits granted"),
                findings(conversation.connection()));
    }

    @Test
    void acceptsAGrantOfAnyNumberOfCredits() {
        var conversation = new Conversation().setUp().send(UP, "EX-01").send(DOWN, reply(XID, 1));
        conversation.send(UP, call(1));
        conversation.send(DOWN, withCredits(reply(1, 1), Integer.MIN_VALUE));
        conversation.send(UP, call(2)).send(UP, call(3));
        assertEquals(List.of(), findings(conversation.connection()));
    }

    @Test
    void printsCreditsAsUnsignedNumbers() {
        var conversation = new Conversation().setUp();
        conversation.send(UP, withCredits(bytes("EX-01"), -2));
        conversation.send(DOWN, withCredits(bytes("EX-02"), -1));
        var lines = new ArrayList<String>();
        TextForm.write(conversation.dissect(), lines::add);
        var text = String.join("\n", lines);
        assertTrue(text.contains("asks for 4294967294 credits"), text);
        assertTrue(text.contains("grants 4294967295 credits"), text);
    }

    private static byte[] withCredits(byte[] message, int credits) {
        ByteBuffer.wrap(message).putInt(2 * Integer.BYTES, credits);
        return message;
    }

    private static byte[] withXid(byte[] message, int xid) {
        message[3] = (byte) xid;
        message[31] = (byte) xid;
        return message;
    }

    private static byte[] call(int xid) {
        return withXid(bytes("EX-01"), xid);
    }

    private static byte[] reply(int xid, int credits) {
        byte[] message = withXid(bytes("EX-02"), xid);
        message[11] = (byte) credits;
        return message;
    }

    @Test
    void forgetsTheOldestOfTooManyOpenCalls() {
        var conversation = new Conversation().setUp();
        int calls = (1 << 14) + 1;
        for (int i = 0; i < calls; i++) {
            byte[] message = bytes("EX-01");
            for (int at : new int[] {0, 28}) {
                message[at] = (byte) (i >>> 8);
                message[at + 1] = (byte) i;
            }
            conversation.send(UP, message);
        }
        byte[] first = bytes("EX-02");
        first[0] = first[1] = first[28] = first[29] = 0;
        var connection = conversation.send(DOWN, first).connection();
        assertEquals(calls, connection.totals().unanswered());
        assertEquals(List.of("RDMA_MSG answers no open call"), findings(connection));
    }

    @Test
    void keepsBothDirectionsApart() {
        var connection =
                new Conversation()
                        .setUp()
                        .send(UP, "EX-01")
                        .send(DOWN, "EX-25")
                        .send(UP, "EX-26")
                        .send(DOWN, "EX-02")
                        .connection();
        assertEquals(List.of(), findings(connection));
        assertEquals(
                List.of(false, true),
                connection.calls().stream().map(CallReport::reverse).toList());
        assertEquals(2, connection.totals().replies());
    }

    @Test
    void showsErrorsOfTheTransport() {
        var connection =
                new Conversation().setUp().send(UP, "EX-01").send(DOWN, "EX-20").connection();
        assertEquals("ERR_CHUNK", connection.calls().getFirst().answer().orElseThrow().form());
        assertEquals(1, connection.totals().errors());
        assertEquals(List.of(), findings(connection));
    }

    @Test
    void reportsDamageAndGoesOn() {
        byte[] damaged =
                Conversation.fpdu(
                        new DdpSegment.Untagged(
                                DdpSegment.control(false, true, DdpSegment.SEND), 0, 0, 1, 0),
                        bytes("EX-01"));
        damaged[60] ^= 1;
        var connection =
                new Conversation().setUp().bytes(UP, damaged).send(UP, "EX-01").connection();
        assertEquals(List.of("a CRC did not match"), findings(connection).subList(0, 1));
        assertEquals(1, connection.totals().calls());
    }

    @Test
    void reportsAResponderThatSendsFirst() {
        var connection = new Conversation().setUp().send(DOWN, "EX-25").connection();
        assertEquals(
                List.of("the responder sent a frame before the initiator did"),
                findings(connection));
    }

    @Test
    void goesOnAfterAGap() {
        var connection =
                write().missing(DOWN, 100)
                        .send(DOWN, "EX-02")
                        .send(UP, call(9))
                        .send(DOWN, reply(9, 5))
                        .connection();
        assertEquals(100, connection.totals().bytesMissing());
        assertEquals(2, connection.totals().calls());
        assertEquals(2, connection.totals().replies());
        assertEquals(List.of(), findings(connection));
    }

    @Test
    void startsInTheMiddleOfAConnection() {
        var conversation = new Conversation();
        conversation.bytes(UP, new byte[] {0, 0, 0, 1, 2, 3});
        conversation.send(UP, "EX-01").send(DOWN, "EX-02");
        var connection = conversation.connection();
        assertFalse(connection.whole());
        assertEquals(1, connection.totals().replies());
        assertEquals(6, connection.totals().bytesMissing());
    }

    @Test
    void skipsOtherConnections() {
        var other = new Conversation().handshake();
        other.bytes(DOWN, "SSH-2.0-OpenSSH_9.2\r\n".getBytes(StandardCharsets.US_ASCII));
        other.bytes(UP, new byte[2000]);
        var dissection = other.dissect();
        assertEquals(List.of(), dissection.connections());
        assertEquals(1, dissection.otherConnections());
    }

    @Test
    void showsHowAConnectionEnds() {
        var frames =
                new Conversation()
                        .setUp()
                        .segment(UP, TcpSegment.FIN | TcpSegment.ACK, new byte[0])
                        .segment(DOWN, TcpSegment.RST, new byte[0])
                        .connection()
                        .frames();
        assertEquals(List.of(new Layer.Closed(true)), frames.getLast().layers());
        assertEquals(List.of(new Layer.Closed(false)), frames.get(frames.size() - 2).layers());
    }

    /** Goal: the dissector survives any file. Method: all prefixes, two bits of each byte. */
    @Test
    void survivesEveryTruncationAndCorruptByte() {
        byte[] file =
                new Conversation()
                        .setUp()
                        .send(UP, "EX-15")
                        .tagged(DOWN, DdpSegment.WRITE, true, 0xc1, 0x400000, 44)
                        .send(DOWN, DdpSegment.SEND_INVALIDATE, 0xc1, bytes("EX-16"))
                        .send(DOWN, "EX-25")
                        .send(UP, "EX-26")
                        .send(UP, "EX-03")
                        .readRequest(DOWN, new ReadRequest(0x55, 0, 40, 0x1111, 0x7f0000001000L))
                        .tagged(UP, DdpSegment.READ_RESPONSE, true, 0x55, 0, 40)
                        .send(DOWN, "EX-20")
                        .segment(UP, TcpSegment.FIN | TcpSegment.ACK, new byte[0])
                        .file();
        Damage.each(file, ConnectionsTest::survive);
    }

    private static void survive(byte[] file) {
        var dissection = Conversation.dissect(file);
        TextForm.write(dissection, line -> assertNotNull(line));
        assertNotNull(JsonForm.of(dissection, true));
    }
}
