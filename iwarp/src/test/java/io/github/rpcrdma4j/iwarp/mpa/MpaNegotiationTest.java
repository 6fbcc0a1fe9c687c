package io.github.rpcrdma4j.iwarp.mpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.iwarp.mpa.MpaFrame.Decoded;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation.Conclusion;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation.Objection;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation.Requested;
import java.util.HexFormat;
import java.util.StringJoiner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each table covers one step of the negotiation completely: every input with its result. */
class MpaNegotiationTest {
    private static final byte[] NOTHING = {};

    private static MpaFrame frame(String kind, String hex) {
        byte[] bytes = MpaFrameTest.wire("MPA ID " + kind + " Frame", hex);
        return assertInstanceOf(Decoded.Whole.class, MpaFrame.decode(bytes, bytes.length)).frame();
    }

    /** Returns flags, revision, length and enhanced data as on the wire. */
    private static String wire(MpaFrame frame) {
        byte[] bytes = frame.encode();
        return HexFormat.of().formatHex(bytes, 16, bytes.length);
    }

    private static String accept(String request, Requested requested) {
        var accepted = MpaNegotiation.accept(frame("Req", request), requested, NOTHING);
        var agreed = accepted.agreed();
        return request
                + " -> "
                + wire(accepted.reply())
                + (agreed.crc() ? " crc" : " no crc")
                + " in "
                + agreed.inboundReads()
                + " out "
                + agreed.outboundReads()
                + " "
                + agreed.firstFrame();
    }

    /** Rows: flags and revision, length, A B IRD, C D ORD. The responder wants IRD 8 and ORD 16. */
    @Test
    @Tag("6581-10-1")
    @Tag("6581-10-2")
    @Tag("6581-9.2-6")
    @Tag("6581-9.1-1")
    @Tag("6581-9.1-3")
    @Tag("6581-9.2-1")
    @Tag("6581-9.2-3")
    @Tag("6581-9.1-4")
    void answersEveryKindOfRequest() {
        var table = new StringJoiner("\n");
        for (var request :
                new String[] {
                    "1002000400800000", // Plain, as from Linux.
                    "5002000400800000", // With CRC.
                    "1002000400040080", // Different depths.
                    "1002000400000000", // It accepts no RDMA Reads.
                    "100200043fff3fff", // Largest depths: it does not negotiate.
                    "1002000480108010", // A C: ready-to-receive by an empty Write.
                    "1002000480104010", // A D: by an empty Read.
                    "10020004c0100010", // A B: by an empty Send.
                    "10020004c010c010", // A B C D: by any of these.
                    "1002000480100010", // A: by none of these.
                    "100200044010c010", // Without A, the other flags mean nothing.
                    "00020000", // Revision 2 without enhanced data.
                    "00010000", // Revision 1.
                    "40010000", // Revision 1 with CRC.
                }) {
            table.add(accept(request, new Requested(false, 8, 16)));
        }
        assertEquals(
                """
                1002000400800000 -> 1002000400080010 no crc in 8 out 16 NONE
                5002000400800000 -> 5002000400080010 crc in 8 out 16 NONE
                1002000400040080 -> 1002000400080004 no crc in 8 out 4 NONE
                1002000400000000 -> 1002000400080000 no crc in 8 out 0 NONE
                100200043fff3fff -> 100200043fff3fff no crc in 8 out 16 NONE
                1002000480108010 -> 1002000480088010 no crc in 8 out 16 EMPTY_WRITE
                1002000480104010 -> 1002000480084010 no crc in 8 out 16 EMPTY_READ
                10020004c0100010 -> 10020004c0080010 no crc in 8 out 16 EMPTY_SEND
                10020004c010c010 -> 1002000480088010 no crc in 8 out 16 EMPTY_WRITE
                1002000480100010 -> 1002000480088010 no crc in 8 out 16 EMPTY_WRITE
                100200044010c010 -> 1002000400080010 no crc in 8 out 16 NONE
                00020000 -> 00020000 no crc in 8 out 16 NONE
                00010000 -> 00010000 no crc in 8 out 16 NONE
                40010000 -> 40010000 crc in 8 out 16 NONE""",
                table.toString());
    }

    @Test
    @Tag("5044-7.1.1-2")
    @Tag("5044-4.4-2")
    void usesCrcsIfEitherSideAsks() {
        for (boolean here : new boolean[] {false, true}) {
            for (boolean there : new boolean[] {false, true}) {
                var requested = new Requested(here, 1, 1);
                var request = frame("Req", there ? "5002000400010001" : "1002000400010001");
                var accepted = MpaNegotiation.accept(request, requested, NOTHING);
                assertEquals(here || there, accepted.agreed().crc());
                assertEquals(here || there, accepted.reply().crc());
                var reply = frame("Rep", there ? "5002000400010001" : "1002000400010001");
                var connected =
                        assertInstanceOf(
                                Conclusion.Connected.class,
                                MpaNegotiation.conclude(requested, reply));
                assertEquals(here || there, connected.agreed().crc());
                assertEquals(here, MpaNegotiation.request(requested, NOTHING).crc());
            }
        }
    }

    private static String object(MpaFrame request) {
        var objection = MpaNegotiation.objection(request).orElse(null);
        return switch (objection) {
            case null -> "none";
            case Objection.Drop(var why) -> why;
            case Objection.Refuse(var refusal) -> wire(refusal);
        };
    }

    @Test
    @Tag("5044-7.1.1-5")
    @Tag("5044-7.1.2-3")
    @Tag("5044-7.1.2-8")
    @Tag("6581-6-2")
    void objectsToWhatItCannotServe() {
        assertEquals("none", object(frame("Req", "1002000400800000")));
        assertEquals("none", object(frame("Req", "00010000")));
        assertEquals("3002000400000000", object(frame("Req", "9002000400800000")));
        assertEquals("20010000", object(frame("Req", "80010000")));
        assertEquals("it asks for MPA revision 3", object(frame("Req", "1003000400800000")));
        assertEquals("it asks for MPA revision 0", object(frame("Req", "00000000")));
        var reply = "it sent an MPA reply instead of a request";
        assertEquals(reply, object(frame("Rep", "1002000400800000")));
        assertEquals(reply, object(frame("Req", "2001 0000")));
    }

    private static String conclude(String kind, String reply) {
        return switch (MpaNegotiation.conclude(new Requested(false, 8, 16), frame(kind, reply))) {
            case Conclusion.Connected(var agreed, _) ->
                    "in " + agreed.inboundReads() + " out " + agreed.outboundReads();
            case Conclusion.Rejected(var data) -> "rejected, " + data.length + " bytes";
            case Conclusion.Violation(var why) -> why;
        };
    }

    @Test
    @Tag("5044-7.1.1-5")
    @Tag("6581-9.1-2")
    @Tag("6581-9.1-4")
    @Tag("6581-10-4")
    @Tag("5044-7.1.2-8")
    void concludesFromEveryKindOfReply() {
        assertEquals("in 8 out 16", conclude("Rep", "1002000400800008"));
        assertEquals("in 8 out 4", conclude("Rep", "1002000400040008"));
        assertEquals("in 8 out 0", conclude("Rep", "1002000400000000"));
        assertEquals("in 8 out 16", conclude("Rep", "100200043fff3fff"));
        assertEquals("in 8 out 16", conclude("Rep", "00010000"));
        assertEquals("rejected, 0 bytes", conclude("Rep", "20010000"));
        assertEquals("rejected, 2 bytes", conclude("Rep", "3002000600000000abcd"));
        assertEquals("rejected, 0 bytes", conclude("Rep", "a0070000"));
        assertEquals("it answered with MPA revision 3", conclude("Rep", "1003000400000000"));
        assertEquals("it answered with MPA revision 0", conclude("Rep", "00000000"));
        assertEquals(
                "it demands markers, which are not offered", conclude("Rep", "9002000400000000"));
        assertEquals(
                "it sent an MPA request instead of a reply", conclude("Req", "1002000400000000"));
    }
}
