package io.github.rpcrdma4j.dissect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.dissect.MessageDissector.Start;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests single messages: the worked examples, and damaged versions of them. */
class ExamplesTest {
    private static FrameReport dissect(String name) {
        return dissect(name, Version1Document.RFC_8166);
    }

    private static FrameReport dissect(String name, Version1Document document) {
        return MessageDissector.dissect(Start.RPCRDMA, Examples.bytes(name), document).getFirst();
    }

    private static List<FrameReport> dissect(Start start, byte[] bytes) {
        return MessageDissector.dissect(start, bytes, Version1Document.RFC_8166);
    }

    private static String text(FrameReport frame) {
        var lines = new ArrayList<String>();
        TextForm.write(frame, lines::add);
        return String.join("\n", lines);
    }

    private static String rules(FrameReport frame) {
        return frame.findings().stream()
                .map(each -> each.what() + " | " + each.rule())
                .collect(Collectors.joining("\n  "));
    }

    @Test
    void explainsEveryBadExample() {
        assertEquals(
                """
                BAD-01
                  at a responder: shorter than any call | RFC 8166, Section 4.5: a header has 28 bytes or more
                  at a requester: a bad header: the message ends inside an item | RFC 8166, Section 4.5.2: a header has the form of XDR
                BAD-02
                  at a responder: RPC-over-RDMA of version 2 | RFC 8166, Section 4.2.2: rdma_vers is 1
                  at a requester: of version 2 | RFC 8166, Section 4.2.2: rdma_vers is 1
                BAD-03
                  at a responder: unknown procedure 7 | RFC 8166, Section 4.2.4: rdma_proc is 0, 1 or 4 in version 1
                  at a requester: a bad header: unknown procedure 7 | RFC 8166, Section 4.2.4: rdma_proc is 0, 1 or 4 in version 1
                BAD-04
                  at a responder: an RDMA_NOMSG call without a Position-Zero Read chunk | RFC 8166, Section 4.2.4: one of the lists holds the message
                  at a requester: an RDMA_NOMSG reply without a Reply chunk | RFC 8166, Section 4.2.4: one of the lists holds the message
                BAD-05
                  at a responder: an RDMA_NOMSG call without a Position-Zero Read chunk | RFC 8166, Section 4.2.4: one of the lists holds the message
                BAD-06
                  at a responder: a boolean is neither 0 nor 1 | RFC 4506, Section 4.4: the words that start and end lists are 0 or 1
                  at a requester: a bad header: a boolean is neither 0 nor 1 | RFC 4506, Section 4.4: the words that start and end lists are 0 or 1
                BAD-07
                  a Position is not a multiple of four | RFC 8166, Section 3.4.5: a Position is where an XDR item starts
                BAD-08
                  at a responder: an array is longer than its limit or than the message | RFC 4506, Section 4.13: the elements counted are there
                  at a requester: a bad header: an array is longer than its limit or than the message | RFC 4506, Section 4.13: the elements counted are there
                BAD-09
                  the XIDs of header and message differ | RFC 8166, Section 4.2.1: rdma_xid is the XID of the RPC message
                BAD-10
                  an RDMA_MSG with a Position-Zero Read chunk | RFC 8166, Section 3.5.3: Position zero is for calls by RDMA_NOMSG
                BAD-11
                  at a responder: an RDMA_MSG without a message | RFC 8166, Section 4.2.4: the RPC message follows an RDMA_MSG header
                  at a requester: an RDMA_MSG without a message | RFC 8166, Section 4.2.4: the RPC message follows an RDMA_MSG header
                BAD-12
                  the XIDs of header and message differ | RFC 8166, Section 4.2.1: rdma_xid is the XID of the RPC message
                BAD-13
                  a message both inline and in the Reply chunk | RFC 8166, Section 4.3.3: a reply is inline or in the Reply chunk
                BAD-14
                  at a responder: an RDMA_NOMSG call without a Position-Zero Read chunk | RFC 8166, Section 4.2.4: one of the lists holds the message
                  at a requester: an RDMA_NOMSG reply without a Reply chunk | RFC 8166, Section 4.2.4: one of the lists holds the message
                BAD-15
                  at a responder: shorter than any call | RFC 8166, Section 4.5: a header has 28 bytes or more
                  at a requester: a bad RDMA_ERROR: the message ends inside an item | RFC 8166, Section 4.5.2: a header has the form of XDR
                BAD-16
                  the arguments cannot be read: a Read chunk is not as long as its item | RFC 8166, Section 3.4.5: a Read chunk holds one item, with or without its padding
                """,
                Examples.bad().stream()
                        .map(name -> name + "\n  " + rules(dissect(name)) + "\n")
                        .collect(Collectors.joining()));
    }

    /**
     * Goal: messages that are legal by RFC 8166 or RFC 5666 have no findings, with the exceptions
     * below.
     */
    @Test
    void findsNothingWrongWithLegalMessages() {
        var wrong = new TreeSet<String>();
        for (var name : Examples.messages()) {
            if (name.startsWith("EX") && !dissect(name).findings().isEmpty()) {
                wrong.add(name);
            }
        }
        // EX-16 is ambiguous without its connection; RFC 8166 removed the forms of the others.
        assertEquals(new TreeSet<>(List.of("EX-16", "EX-21", "EX-22", "EX-23", "EX-24")), wrong);
        for (var name : List.of("EX-21", "EX-22", "EX-23", "EX-24")) {
            var older = dissect(name, Version1Document.RFC_5666);
            assertEquals(List.of(), older.findings(), name);
        }
    }

    /** Goal: the text of a link is a bulk item, so operations behind it are found. */
    @Test
    void namesTheOperationsBehindALinkThatLiesInAChunk() {
        var frame =
                dissect(
                                Start.RPCRDMA,
                                HexFormat.of()
                                        .parseHex(
                                                // A header with a Read chunk of 5 bytes at
                                                // Position 68, and the header of a COMPOUND.
                                                """
                                                0000000700000001000000200000000000000001
                                                00000044000011110000000500000000000010000000000000000000
                                                00000000
                                                000000070000000000000002000186a30000000400000001
                                                00000000000000000000000000000000
                                                000000000000000000000003
                                                00000018
                                                00000006000000050000000500000001610000000000000000000000
                                                0000000a
                                                """
                                                        .replaceAll("\\s", "")))
                        .getFirst();
        assertTrue(text(frame).contains("NFSv4 COMPOUND {PUTROOTFH CREATE GETFH}"), text(frame));
    }

    @Test
    void showsAMessageAsText() {
        assertEquals(
                """
                RPC-over-RDMA RDMA_MSG, XID 0x0a0b0c0d, 32 credits
                  Read list: position 96, 0x00001111 at 0x0000000000001000, 4090 bytes
                RPC call 0x0a0b0c0d, NFSv3 WRITE, credential AUTH_NONE
                WRONG: the arguments cannot be read: a Read chunk is not as long as its item
                  rule: RFC 8166, Section 3.4.5: a Read chunk holds one item, with or without its padding
                  owed: a responder answers GARBAGE_ARGS (RFC 8166, Section 4.5.2)\
                """,
                text(dissect("BAD-16")));
        assertEquals(
                """
                RPC-over-RDMA RDMA_MSG, XID 0x0a0b0c0d, 32 credits
                RPC reply 0x0a0b0c0d, GARBAGE_ARGS
                  not judged: its call is not known\
                """,
                text(dissect("BAD-16R")));
        assertEquals(
                """
                RPC-over-RDMA ERR_VERS, XID 0x0a0b0c0d, 32 credits
                  version 2 is not supported; supported versions: 1 to 1\
                """,
                text(dissect("EX-19")));
    }

    /** Goal: every error text has a rule. Method: all error texts that damage causes. */
    @Test
    void knowsTheRuleBehindEveryJudgement() {
        var unknown = new TreeSet<String>();
        var known = new TreeSet<String>();
        for (var name : Examples.messages()) {
            byte[] bytes = Examples.bytes(name);
            for (int at = 0; at < Math.min(bytes.length, 200); at++) {
                judge(Arrays.copyOf(bytes, at), known, unknown);
                byte right = bytes[at];
                for (int bit = 0; bit < 8; bit++) {
                    bytes[at] = (byte) (right ^ 1 << bit);
                    judge(bytes, known, unknown);
                }
                bytes[at] = right;
            }
        }
        assertEquals(new TreeSet<String>(), unknown);
        assertTrue(known.size() > 20, known::toString);
    }

    private static void judge(byte[] bytes, TreeSet<String> known, TreeSet<String> unknown) {
        var message = MemorySegment.ofArray(bytes);
        for (var received : List.of(Received.byResponder(message), Received.byRequester(message))) {
            var why =
                    switch (received) {
                        case Received.Discard(var words) -> words;
                        case Received.OweChunkError(_, _, var words) -> words;
                        case Received.OweVersionError _,
                                Received.Call _,
                                Received.Reply _,
                                Received.Failure _ ->
                                null;
                    };
            if (why != null) {
                (Rules.header(why, Version1Document.RFC_8166).isPresent() ? known : unknown)
                        .add(why);
            }
        }
    }

    @Test
    void survivesEveryTruncationAndCorruptByte() {
        for (var name : Examples.messages()) {
            byte[] bytes = Examples.bytes(name);
            for (int at = 0; at < Math.min(bytes.length, 300); at++) {
                survive(Arrays.copyOf(bytes, at));
                byte right = bytes[at];
                for (int bit = 0; bit < 8; bit++) {
                    bytes[at] = (byte) (right ^ 1 << bit);
                    survive(bytes);
                }
                bytes[at] = right;
            }
        }
    }

    private static void survive(byte[] bytes) {
        for (var start : Start.values()) {
            var frames = dissect(start, bytes);
            frames.forEach(frame -> assertNotNull(text(frame)));
            assertNotNull(JsonForm.of(frames));
        }
    }

    @Test
    void dissectsSetUpFrames() {
        byte[] bytes = Examples.bytes("EX-31");
        var frame = Conversation.frame(false, 16, 1, bytes);
        assertEquals(
                """
                MPA request of revision 2, markers no, CRC yes
                IRD 16, ORD 1, peer to peer no
                RPC-over-RDMA private data: remote invalidation yes, sends up to 4096, receives up to 65536 bytes\
                """,
                text(dissect(Start.MPA, frame.encode()).getFirst()));
        byte[] markers = frame.encode();
        markers[16] |= (byte) 0x80;
        assertTrue(
                text(dissect(Start.MPA, markers).getFirst())
                        .contains("WRONG: it asks for markers"));
        assertEquals(
                "WRONG: it does not start with an MPA key",
                text(dissect(Start.MPA, new byte[40]).getFirst())
                        .lines()
                        .findFirst()
                        .orElseThrow());
    }

    @Test
    void dissectsFramesWithTheirContents() {
        var header = new DdpSegment.Untagged(DdpSegment.control(false, true, 3), 0, 0, 7, 0);
        byte[] fpdu = Conversation.fpdu(header, Examples.bytes("EX-01"));
        var frames = dissect(Start.FPDU, fpdu);
        assertEquals(1, frames.size());
        assertEquals(
                """
                MPA FPDU of 86 bytes, CRC right
                DDP untagged, queue 0, message 7, offset 0, 68 bytes, last
                RDMAP Send
                RPC-over-RDMA RDMA_MSG, XID 0x0a0b0c0d, 32 credits
                RPC call 0x0a0b0c0d, NFSv3 NULL, credential AUTH_NONE\
                """,
                text(frames.getFirst()));
        var cut = dissect(Start.FPDU, Arrays.copyOf(fpdu, fpdu.length - 1));
        assertEquals("91 bytes skipped: no whole frame", text(cut.getFirst()));
        assertFalse(frames.getFirst().layers().isEmpty());
    }
}
