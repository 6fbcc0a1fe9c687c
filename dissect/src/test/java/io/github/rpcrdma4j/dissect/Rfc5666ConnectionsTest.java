package io.github.rpcrdma4j.dissect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.dissect.ChunkReport.Kind;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests connections whose ends follow RFC 5666, checked by that document and by RFC 8166. */
class Rfc5666ConnectionsTest {
    private static final boolean UP = true;
    private static final boolean DOWN = false;
    private static final int SINK = 0x99;
    private static final int HEADER_BYTES = 28;

    private static List<String> findings(Conversation conversation, Version1Document document) {
        return conversation.connection(document).frames().stream()
                .flatMap(frame -> frame.findings().stream())
                .map(Finding::what)
                .toList();
    }

    /** Returns a call whose result of 4096 bytes is fetched, and then released by a done notice. */
    private static Conversation fetched() {
        var read = HandMade.call(0x0a0b0c0d, 100003, 3, 6).opaque(32).words(0, 0, 4096);
        return new Conversation()
                .setUp()
                .send(UP, read.bytes())
                .send(DOWN, "EX-24")
                .readRequest(UP, new ReadRequest(SINK, 0, 4096, 0xe1, 0x900000))
                .tagged(DOWN, DdpSegment.READ_RESPONSE, true, SINK, 0, 4096)
                .send(UP, "EX-22");
    }

    @Test
    void tiesReadsToTheReplyThatTheyFetch() {
        var connection = fetched().connection(Version1Document.RFC_5666);
        assertEquals(List.of(), findings(fetched(), Version1Document.RFC_5666));
        var call = connection.calls().getFirst();
        var chunk = call.chunks().getFirst();
        assertEquals(Kind.REPLY_READ, chunk.kind());
        assertEquals(44, chunk.position());
        assertEquals(4096, chunk.moved());
        assertEquals(7, call.answer().orElseThrow().at().packet() + 1);
        assertEquals(9, call.done().orElseThrow().packet());
        assertEquals(0, connection.totals().readChunks());
        assertEquals(1, connection.totals().replyReadChunks());
        var lines = new ArrayList<String>();
        TextForm.write(fetched().dissect(Version1Document.RFC_5666), lines::add);
        var chunks = "  0 Read chunks, 0 Write chunks, 0 Reply chunks, 1 Read chunks of replies";
        assertTrue(lines.contains(chunks), () -> String.join("\n", lines));
    }

    @Test
    void isCheckedByRfc8166ByDefault() {
        assertEquals(
                List.of("a reply with a Read list", "shorter than any call"),
                findings(fetched(), Version1Document.RFC_8166));
        var write = new Conversation().setUp().send(UP, "EX-23");
        assertEquals(List.of("unknown procedure 2"), findings(write, Version1Document.RFC_8166));
    }

    @Test
    void reportsReadsAfterDone() {
        var late = fetched().readRequest(UP, new ReadRequest(SINK, 0, 4096, 0xe1, 0x900000));
        assertEquals(
                List.of("an RDMA Read of memory that no open call offers"),
                findings(late, Version1Document.RFC_5666));
    }

    @Test
    void readsALongReplyThatIsFetched() {
        byte[] reply = Examples.bytes("EX-02");
        byte[] rpc = Arrays.copyOfRange(reply, HEADER_BYTES, reply.length);
        byte[] header =
                ByteBuffer.allocate(13 * Integer.BYTES)
                        .put(reply, 0, 12)
                        .putInt(1)
                        .putInt(1)
                        .putInt(0)
                        .putInt(0xe2)
                        .putInt(rpc.length)
                        .putLong(0x5000)
                        .array();
        var conversation =
                new Conversation()
                        .setUp()
                        .send(UP, "EX-01")
                        .send(DOWN, header)
                        .readRequest(UP, new ReadRequest(SINK, 0, rpc.length, 0xe2, 0x5000));
        int control = DdpSegment.control(true, true, DdpSegment.READ_RESPONSE);
        conversation.bytes(DOWN, Conversation.fpdu(new DdpSegment.Tagged(control, SINK, 0), rpc));
        conversation.send(UP, "EX-22");
        assertEquals(List.of(), findings(conversation, Version1Document.RFC_5666));
        var answer =
                conversation
                        .connection(Version1Document.RFC_5666)
                        .calls()
                        .getFirst()
                        .answer()
                        .orElseThrow();
        assertInstanceOf(RpcMessage.Reply.class, answer.message().orElseThrow());
        assertEquals("RDMA_NOMSG", answer.form());
    }

    @Test
    void acceptsRoundedLengths() {
        var read =
                new Conversation()
                        .setUp()
                        .send(UP, "EX-09")
                        .tagged(DOWN, DdpSegment.WRITE, true, 0xa1, 0x100000, 4096)
                        .tagged(DOWN, DdpSegment.WRITE, true, 0xa2, 0x200000, 903)
                        .send(DOWN, "EX-11");
        assertEquals(List.of(), findings(read, Version1Document.RFC_5666));
        assertEquals(
                List.of(
                        "the reply says that 5000 bytes were written, but 4999 were",
                        "Write chunk 0 has 5000 bytes, but the result of NFSv3 READ has 4999"),
                findings(read, Version1Document.RFC_8166));
    }

    @Test
    void readsCallsThatArePadded() {
        var write = new Conversation().setUp().send(UP, "EX-23");
        assertEquals(List.of(), findings(write, Version1Document.RFC_5666));
        var call = write.connection(Version1Document.RFC_5666).calls().getFirst();
        assertEquals("NFSv3 WRITE", call.name());
        assertEquals("RDMA_MSGP", call.form());
        assertTrue(write.connection(Version1Document.RFC_8166).calls().isEmpty());
    }

    @Test
    void reportsADoneWithoutExposedResults() {
        var stray = new Conversation().setUp().send(UP, "EX-22");
        assertEquals(
                List.of("an RDMA_DONE for no reply whose results are being fetched"),
                findings(stray, Version1Document.RFC_5666));
    }
}
