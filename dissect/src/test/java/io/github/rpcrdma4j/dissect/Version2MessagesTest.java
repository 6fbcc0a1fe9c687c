package io.github.rpcrdma4j.dissect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.dissect.MessageDissector.Start;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests messages of version 2: the worked examples, and a connection. */
class Version2MessagesTest {
    private static final boolean UP = true;
    private static final boolean DOWN = false;

    private static FrameReport dissect(String name) {
        return MessageDissector.dissect(
                        Start.RPCRDMA2, Examples.bytes("v2/" + name), Version1Document.RFC_8166)
                .getFirst();
    }

    private static String text(String name) {
        var lines = new ArrayList<String>();
        TextForm.write(dissect(name), lines::add);
        return String.join("\n", lines);
    }

    private static String form(String name) {
        var frame = dissect(name);
        var form =
                switch (frame.layers().getFirst()) {
                    case Layer.Transport2(var header) -> Version2Decoder.form(header);
                    case Layer.TransportDraft07(var header) ->
                            "of the last draft: " + Draft07Decoder.form(header);
                    default -> "unreadable";
                };
        return name
                + " "
                + form
                + frame.findings().stream()
                        .map(finding -> ", WRONG: " + finding.what())
                        .collect(Collectors.joining());
    }

    @Test
    void knowsEveryExample() {
        // The last examples are of version 1 and of the last draft.
        assertEquals(
                """
                E01 RDMA2_MSG
                E02 RDMA2_MSG
                E03 RDMA2_ERR_VERS
                E04 RDMA2_ERR_INVAL_OPTION
                E05 ROPT_INITXCH
                E06 ROPT_REQXCH
                E07 ROPT_RESPXCH
                E08 ROPT_UPDXCH
                E09 ROPT_XMTREQ
                E10 ROPT_XMTRESP
                E11 ROPT_XMTREQ
                E12a ROPT_XMTREQ
                E12b ROPT_XMTCONT
                E13a ROPT_XMTREQ
                E13b ROPT_XMTCONT
                E13c ROPT_XMTCONT
                E14 ROPT_XMTREQ
                E15 ROPT_XMTRESP
                E16 ROPT_XMTRESP
                E17 ROPT_XMTRESP
                E18 ROPT_XMTREQ
                E19 ROPT_XMTERR
                E20 ROPT_XMTERR
                E21 ROPT_XMTERR
                E22 ROPT_XMTERR
                E23 RDMA2_NOMSG
                E24 RDMA2_NOMSG
                E25 ROPT_RPDONE
                E26 ROPT_RPACK
                E27 ROPT_RPCALL
                E28 ROPT_XMTREQ
                E29 unreadable, WRONG: RPC-over-RDMA of version 1
                E30 unreadable, WRONG: RPC-over-RDMA of version 1
                E31 unreadable, WRONG: an error of version 1
                E32 of the last draft: RDMA2_CONNPROP_FINAL
                E33 of the last draft: RDMA2_CALL_MIDDLE
                E34 of the last draft: RDMA2_CALL_INLINE
                E35 of the last draft: RDMA2_GRANT
                E36 of the last draft: RDMA2_ERR_REPLY_RESOURCE\
                """,
                Examples.ofVersion2().stream()
                        .map(Version2MessagesTest::form)
                        .collect(Collectors.joining("\n")));
    }

    @Test
    void showsAnOperationAsText() {
        assertEquals(
                """
                RPC-over-RDMA version 2 ROPT_UPDXCH, XID 0x0000a091, 16 credits, call
                  kind: "Update"
                  now: {"kind":"ReceiveSize","bytes":16384}
                  endsPending: true\
                """,
                text("E08"));
        assertEquals(
                "{layer=rpcrdma2, form=ROPT_UPDXCH, xid=0x0000a091, credits=16, direction=call,"
                        + " operation={kind=Update, now={kind=ReceiveSize, bytes=16384},"
                        + " endsPending=true}}",
                LayerJson.of(dissect("E08").layers().getFirst()).toString());
    }

    /** Goal: version 2 on a connection causes no finding if both ends use it. */
    @Test
    void followsCallsOfAConnection() {
        var connection =
                new Conversation()
                        .setUp()
                        .send(UP, "v2/E01")
                        .send(DOWN, "v2/E02")
                        .send(UP, "v2/E09")
                        .send(DOWN, "v2/E10")
                        .connection();
        connection.frames().forEach(frame -> assertEquals(List.of(), frame.findings()));
        var call = connection.calls().getFirst();
        assertEquals("RDMA2_MSG", call.form());
        assertEquals("RDMA2_MSG", call.answer().orElseThrow().form());
        var grouped = connection.calls().getLast();
        assertEquals("NFSv3 GETATTR", grouped.name());
        assertEquals("ROPT_XMTRESP", grouped.answer().orElseThrow().form());
    }
}
