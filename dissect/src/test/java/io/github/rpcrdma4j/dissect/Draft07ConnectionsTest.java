package io.github.rpcrdma4j.dissect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.dissect.MessageDissector.Start;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header;
import io.github.rpcrdma4j.dissect.draft07.Draft07HeaderEncoder;
import io.github.rpcrdma4j.dissect.draft07.HeaderError;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests messages and connections of the last draft of version 2. */
class Draft07ConnectionsTest {
    private static final boolean UP = true;
    private static final boolean DOWN = false;
    private static final int XID = 0xa001;

    /** Where the RPC message starts in the examples of a call and its reply. */
    private static final int MESSAGE_AT = 32;

    private static byte[] message(Draft07Header header, byte[] payload) {
        byte[] bytes = new byte[Draft07HeaderEncoder.encodedLength(header) + payload.length];
        int length = Draft07HeaderEncoder.encode(header, MemorySegment.ofArray(bytes));
        System.arraycopy(payload, 0, bytes, length, payload.length);
        return bytes;
    }

    private static byte[] message(Draft07Header header) {
        return message(header, new byte[0]);
    }

    private static byte[] call() {
        byte[] bytes = Examples.bytes("v2/E01");
        return Arrays.copyOfRange(bytes, MESSAGE_AT, bytes.length);
    }

    private static byte[] reply() {
        byte[] bytes = Examples.bytes("v2/E02");
        return Arrays.copyOfRange(bytes, MESSAGE_AT, bytes.length);
    }

    private static byte[] inlineCall() {
        return message(new Draft07Header.CallInline(XID, 17, 0, ChunkLists.EMPTY), call());
    }

    private static byte[] inlineReply() {
        return message(new Draft07Header.ReplyInline(XID, 17, List.of()), reply());
    }

    private static Conversation introduced() {
        return new Conversation().setUp().send(UP, "v2/E32").send(DOWN, "v2/E32");
    }

    private static List<String> wrong(ConnectionReport connection) {
        return connection.frames().stream()
                .flatMap(frame -> frame.findings().stream())
                .map(Finding::what)
                .toList();
    }

    private static String text(byte[] bytes) {
        var frame =
                MessageDissector.dissect(Start.RPCRDMA2, bytes, Version1Document.RFC_8166)
                        .getFirst();
        var lines = new ArrayList<String>();
        TextForm.write(frame, lines::add);
        return String.join("\n", lines);
    }

    @Test
    void showsHeadersAsText() {
        assertEquals(
                """
                RPC-over-RDMA version 2 (draft 07) RDMA2_CONNPROP_FINAL, XID 0x00000001, 16 credits
                  properties: [{"kind":"SendSize","bytes":4096},\
                {"kind":"ReceiveSize","bytes":4096},{"kind":"SegmentSize","bytes":1048576},\
                {"kind":"SegmentCount","max":16},{"kind":"ReverseSupport","support":"general"}]\
                """,
                text(Examples.bytes("v2/E32")));
        assertEquals(
                """
                RPC-over-RDMA version 2 (draft 07) RDMA2_ERR_REPLY_RESOURCE, XID 0x0000c001, 41 credits
                  version: 2
                  error: {"kind":"ReplyResource","needed":70000}\
                """,
                text(Examples.bytes("v2/E36")));
        var chunk = new WriteChunk(List.of(new Segment(5, 64, 16)));
        assertEquals(
                """
                RPC-over-RDMA version 2 (draft 07) RDMA2_CALL_EXTERNAL, XID 0x0000a001, 1 credits
                  invalidated: "0x00000005"
                  Read list: position 0, 0x00000004 at 0x0000000000000008, 40 bytes
                  Reply chunk: 0x00000005 at 0x0000000000000010, 64 bytes\
                """,
                text(
                        message(
                                new Draft07Header.CallExternal(
                                        XID,
                                        1,
                                        5,
                                        List.of(new ReadSegment(0, new Segment(4, 40, 8))),
                                        new ChunkLists(
                                                List.of(), List.of(), Optional.of(chunk))))));
    }

    @Test
    void showsFieldsByName() {
        var frame =
                MessageDissector.dissect(
                                Start.RPCRDMA2, Examples.bytes("v2/E33"), Version1Document.RFC_8166)
                        .getFirst();
        assertEquals(
                "{layer=rpcrdma2-07, form=RDMA2_CALL_MIDDLE, xid=0x0000c001, credits=18,"
                        + " remaining=100}",
                LayerJson.of(frame.layers().getFirst()).toString());
    }

    @Test
    void followsCallsInOneSend() {
        var connection = introduced().send(UP, inlineCall()).send(DOWN, inlineReply()).connection();
        assertEquals(List.of(), wrong(connection));
        var call = connection.calls().getFirst();
        assertEquals("RDMA2_CALL_INLINE", call.form());
        assertEquals("RDMA2_REPLY_INLINE", call.answer().orElseThrow().form());
    }

    /** The answer alone could be of either draft; the first message of the connection decides. */
    @Test
    void readsErrorsByTheDraftOfTheirConnection() {
        byte[] error = message(new Draft07Header.Failure(XID, 2, 18, new HeaderError.BadXdr()));
        var connection = introduced().send(UP, inlineCall()).send(DOWN, error).connection();
        assertEquals(List.of(), wrong(connection));
        var answer = connection.calls().getFirst().answer().orElseThrow();
        assertEquals("RDMA2_ERR_BAD_XDR", answer.form());
        assertEquals(
                "RPC-over-RDMA version 2 RDMA2_ERR_BAD_HEADER, XID 0x0000a001, 18 credits",
                text(error));
    }

    @Test
    void reassemblesCallsInSeveralSends() {
        var connection =
                introduced()
                        .send(DOWN, "v2/E35")
                        .send(UP, "v2/E33")
                        .send(UP, "v2/E34")
                        .send(DOWN, "v2/E36")
                        .connection();
        assertEquals(List.of(), wrong(connection));
        var call = connection.calls().getFirst();
        assertEquals("NFSv3 MKNOD", call.name());
        assertEquals(252, call.bytes());
        assertEquals("RDMA2_ERR_REPLY_RESOURCE", call.answer().orElseThrow().form());
    }

    @Test
    void reassemblesRepliesInSeveralSends() {
        byte[] reply = reply();
        byte[] first =
                message(
                        new Draft07Header.ReplyMiddle(XID, 17, reply.length - 8),
                        Arrays.copyOf(reply, 8));
        byte[] last =
                message(
                        new Draft07Header.ReplyInline(XID, 18, List.of()),
                        Arrays.copyOfRange(reply, 8, reply.length));
        var connection =
                introduced().send(UP, inlineCall()).send(DOWN, first).send(DOWN, last).connection();
        assertEquals(List.of(), wrong(connection));
        var answer = connection.calls().getFirst().answer().orElseThrow();
        assertEquals(first.length + last.length, answer.bytes());
    }

    @Test
    void reportsHeadersOutOfOrder() {
        assertEquals(
                List.of("RDMA2_GRANT after RDMA2_CALL_MIDDLE"),
                wrong(introduced().send(UP, "v2/E33").send(UP, "v2/E35").connection()));
        assertEquals(
                List.of("more properties after RDMA2_CONNPROP_FINAL"),
                wrong(introduced().send(UP, "v2/E32").connection()));
        assertEquals(
                List.of("the XIDs of header and message differ"),
                wrong(introduced().send(UP, "v2/E34").connection()));
        byte[] other = Examples.bytes("v2/E34");
        assertEquals(
                List.of("96 bytes of payload, where 100 remained"),
                wrong(
                        introduced()
                                .send(UP, "v2/E33")
                                .send(UP, Arrays.copyOf(other, other.length - 4))
                                .connection()));
    }

    /** A server of version 1 answers with an error, and the client continues with version 1. */
    @Test
    void acceptsTheErrorOfAServerOfVersion1() {
        var connection =
                new Conversation()
                        .setUp()
                        .send(UP, "v2/E32")
                        .send(
                                DOWN,
                                message(
                                        new Draft07Header.Failure(
                                                1, 2, 16, new HeaderError.Version(1, 1))))
                        .connection();
        assertEquals(List.of(), wrong(connection));
    }
}
