package io.github.rpcrdma4j.dissect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.dissect.MessageDissector.Start;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: a call is judged by the binding of its program. Method: calls by hand. */
class JudgedCallsTest {
    private static final boolean UP = true;
    private static final boolean DOWN = false;
    private static final int NFS = 100003;
    private static final int COMPOUND = 1;
    private static final int CREATE = 6;
    private static final int GETATTR = 9;
    private static final int PUTFH = 22;
    private static final int PUTROOTFH = 24;
    private static final int READ = 25;
    private static final int READLINK = 27;
    private static final int WRITE = 38;
    private static final int CLONE = 71;
    private static final int SETXATTR = 73;
    private static final int UNKNOWN = 99;

    private static RpcMessage message(FrameReport frame) {
        return ((Layer.Rpc) frame.layers().getLast()).message();
    }

    private static FrameReport dissect(HandMade call) {
        return MessageDissector.dissect(Start.RPCRDMA, call.bytes(), Version1Document.RFC_8166)
                .getFirst();
    }

    /** Returns the faults of a call that is judged completely. */
    private static List<String> faults(HandMade call) {
        var frame = dissect(call);
        assertEquals(Optional.empty(), message(frame).notJudged());
        return frame.findings().stream().map(Finding::what).toList();
    }

    /** Returns the faults of a call, and then why not all of it was judged. */
    private static List<String> faultsAndRest(HandMade call) {
        var frame = dissect(call);
        var all = new ArrayList<>(frame.findings().stream().map(Finding::what).toList());
        all.add("rest: " + message(frame).notJudged().orElseThrow());
        return all;
    }

    private static HandMade compound(int minorVersion, int operations) {
        return HandMade.call(1, NFS, 4, COMPOUND).words(0, minorVersion, operations);
    }

    /** Adds WRITE up to its data. */
    private static HandMade write(HandMade call) {
        return call.words(WRITE, 1, 2, 3, 4, 0, 0, 2);
    }

    /** Adds CREATE of a link up to its text. */
    private static HandMade link(HandMade call) {
        return call.words(CREATE, /* NF4LNK */ 5);
    }

    /** Adds a name of one letter and attributes, which end CREATE. */
    private static HandMade named(HandMade call) {
        return call.words(1, 'n' << 24, 0, 0);
    }

    private static HandMade read(HandMade call, int count) {
        return call.words(READ, 1, 2, 3, 4, 0, 0, count);
    }

    @Test
    void dataAndLinksMayBeInReadChunks() {
        var call = write(compound(0, 5).words(PUTROOTFH)).inReadChunk(4093);
        named(link(call).inReadChunk(5)).words(GETATTR, 0);
        write(call).inReadChunk(8);
        assertEquals(List.of(), faults(call));
        // With its padding too.
        assertEquals(List.of(), faults(write(compound(1, 1)).inReadChunk(4093, 4096)));
        assertEquals(List.of(), faults(write(compound(1, 1)).opaque(9)));
    }

    @Test
    void otherItemsMayNotBeReduced() {
        var handle = compound(1, 2).words(PUTFH).inReadChunk(32).words(GETATTR, 0);
        assertEquals(
                List.of("the Read chunk at position 60 reduces an item of PUTFH (operation 0)"),
                faults(handle));
        var value = compound(2, 2).words(PUTROOTFH, SETXATTR, 0, 1, 'x' << 24).inReadChunk(100);
        assertEquals(
                List.of("the Read chunk at position 76 reduces an item of SETXATTR (operation 1)"),
                faults(value));
        var tag = HandMade.call(1, NFS, 4, COMPOUND).inReadChunk(8).words(0, 1, PUTROOTFH);
        assertEquals(
                List.of(
                        "the Read chunk at position 44 reduces an item of the COMPOUND before its"
                                + " operations"),
                faults(tag));
    }

    @Test
    void aReadChunkIsAsLongAsItsItem() {
        var frame = dissect(write(compound(1, 2).words(PUTROOTFH)).inReadChunk(4096, 8000));
        assertEquals(
                "the arguments cannot be read: WRITE (operation 1): a Read chunk is not as long as"
                        + " its item",
                frame.findings().getFirst().what());
        assertTrue(frame.findings().getFirst().rule().startsWith("RFC 8166, Section 3.4.5"));
    }

    @Test
    void aReadChunkBelongsToAnItem() {
        var behind = compound(1, 1).words(PUTROOTFH);
        assertEquals(
                List.of("the Read chunk at position 60 belongs to no item that may be reduced"),
                faults(behind.readChunk(behind.position() + 4, 4)));
        var beside = write(compound(1, 2)).opaque(8).words(PUTROOTFH);
        assertEquals(
                List.of("the Read chunk at position 92 reduces an item of WRITE (operation 0)"),
                faults(beside.readChunk(92, 4)));
    }

    @Test
    void allArgumentsAreThere() {
        assertEquals(
                List.of(
                        "the arguments cannot be read: GETATTR (operation 1): the message ends"
                                + " inside an item"),
                faults(compound(1, 2).words(PUTROOTFH, GETATTR)));
        assertEquals(
                List.of(
                        "the arguments cannot be read: the message has 4 bytes after its last"
                                + " item"),
                faults(compound(1, 1).words(PUTROOTFH, 0)));
    }

    @Test
    void aWriteListNeedsAnOperationThatReads() {
        assertEquals(List.of(), faults(read(compound(1, 1), 8192).writeChunks(8192)));
        assertEquals(List.of(), faults(compound(1, 1).words(READLINK).emptyWriteChunk()));
        assertEquals(List.of(), faults(compound(1, 1).words(READLINK).writeChunks(5, 6)));
        assertEquals(
                List.of("2 Write chunks, but no result of NFSv4 COMPOUND may be in one"),
                faults(compound(1, 1).words(PUTROOTFH).emptyWriteChunk().writeChunks(5)));
    }

    @Test
    void anUnknownOperationEndsTheJudgement() {
        assertEquals(
                List.of("rest: operation 99 is not known"),
                faultsAndRest(compound(2, 3).words(PUTROOTFH, UNKNOWN, 1)));
        var reduced = write(compound(2, 3).words(PUTROOTFH, UNKNOWN)).inReadChunk(4);
        assertEquals(
                List.of(
                        "the Read chunk at position 96 is behind operation 99",
                        "rest: operation 99 is not known"),
                faultsAndRest(reduced));
        // What is before it, is judged.
        assertEquals(
                List.of("the Read chunk at position 60 reduces an item of PUTFH (operation 0)"),
                faults(compound(2, 2).words(PUTFH).inReadChunk(8).words(UNKNOWN)));
        assertEquals(
                List.of("rest: operation 99 is not known"),
                faultsAndRest(write(compound(2, 2)).inReadChunk(7).words(UNKNOWN)));
    }

    @Test
    void anUnknownMinorVersionIsNotJudged() {
        assertEquals(
                List.of("rest: minor version 3 is not known"),
                faultsAndRest(compound(3, 1).words(PUTROOTFH)));
        assertEquals(
                List.of(
                        "the Read chunk at position 88 is behind minor version 3",
                        "rest: minor version 3 is not known"),
                faultsAndRest(write(compound(3, 1)).inReadChunk(8)));
        assertEquals(
                List.of("rest: CLONE begins in minor version 2"),
                faultsAndRest(compound(1, 1).words(CLONE)));
        assertEquals(List.of("rest: it has 4294967295 operations"), faultsAndRest(compound(1, -1)));
    }

    @Test
    void theServiceOfKerberosDecides() {
        // The services are none 1, integrity 2 and privacy 3; the procedure DATA is 0, INIT 1.
        var plain = HandMade.gssCall(1, NFS, 4, COMPOUND, 0, 1).words(0, 1, 1);
        assertEquals(List.of(), faults(write(plain).inReadChunk(4096)));
        assertEquals("NFSv4 COMPOUND {WRITE}", fullName(plain));

        // Length, sequence number, and a checksum of four bytes.
        var signed = HandMade.gssCall(1, NFS, 4, COMPOUND, 0, 2);
        signed.words(20, 7, 0, 1, 1, PUTROOTFH, 4, 0x12345678);
        assertEquals(List.of(), faults(signed));
        assertEquals("NFSv4 COMPOUND {PUTROOTFH}", fullName(signed));
        assertEquals(
                List.of(
                        "the Read chunk at position 44 reduces an item, although RPCSEC_GSS"
                                + " protects the message",
                        "1 Write chunks are offered, although RPCSEC_GSS protects the message"),
                faults(signed.readChunk(44, 8).writeChunks(5)));
        var cut = HandMade.gssCall(1, NFS, 4, COMPOUND, 0, 2).words(40, 7, 0, 1, 1);
        assertEquals(
                List.of("the arguments cannot be read: the message ends inside an item"),
                faults(cut));

        var secret = HandMade.gssCall(1, NFS, 4, COMPOUND, 0, 3).opaque(64);
        assertEquals(List.of("rest: RPCSEC_GSS encrypts it"), faultsAndRest(secret));
        assertEquals("NFSv4 COMPOUND", fullName(secret));
        assertEquals(
                List.of(
                        "1 Write chunks are offered, although RPCSEC_GSS protects the message",
                        "rest: RPCSEC_GSS encrypts it"),
                faultsAndRest(secret.writeChunks(5)));

        assertEquals(List.of(), faults(HandMade.gssCall(1, NFS, 4, 0, 1, 1).opaque(500)));
        assertEquals(
                List.of("rest: its RPCSEC_GSS credential cannot be read"),
                faultsAndRest(HandMade.gssCall(1, NFS, 4, COMPOUND, 0, 4).opaque(64)));
    }

    private static String fullName(HandMade call) {
        return ((RpcMessage.Call) message(dissect(call))).fullName();
    }

    @Test
    void theOlderVersionsOfNfsHaveBindingsToo() {
        var write3 = HandMade.call(1, NFS, 3, 7).opaque(32).words(0, 0, 9, 2);
        assertEquals(List.of(), faults(write3.inReadChunk(9)));
        assertEquals(
                List.of("1 Write chunks, but no result of NFSv3 GETATTR may be in one"),
                faults(HandMade.call(1, NFS, 3, 1).opaque(32).writeChunks(4)));
        var read3 = HandMade.call(1, NFS, 3, 6).opaque(32).words(0, 0, 9);
        assertEquals(List.of(), faults(read3.writeChunks(9)));

        var write2 = HandMade.call(1, NFS, 2, 8).words(new int[8]).words(0, 0, 0);
        assertEquals(List.of(), faults(write2.inReadChunk(8192)));
        var link2 = HandMade.call(1, NFS, 2, 13).words(new int[8]).opaque(3).inReadChunk(6);
        assertEquals(List.of(), faults(link2.words(new int[8])));
        assertEquals(
                List.of(
                        "the arguments cannot be read: a Read chunk belongs to no item that may be"
                                + " reduced"),
                faults(HandMade.call(1, NFS, 2, 4).words(new int[8]).inReadChunk(6)));
        assertEquals(
                List.of("the arguments cannot be read: the message ends inside an item"),
                faults(HandMade.call(1, NFS, 2, 8).words(1, 2, 3)));
    }

    @Test
    void programsBesideNfsReduceNothing() {
        for (int program : new int[] {100000, 100005, 100021, 100227}) {
            int version = program == 100000 ? 4 : 3;
            assertEquals(List.of(), faults(HandMade.call(1, program, version, 2).opaque(9)));
            assertEquals(
                    List.of("the Read chunk at position 44 belongs to no item that may be reduced"),
                    faults(HandMade.call(1, program, version, 2).inReadChunk(9)));
        }
        assertEquals(
                List.of("1 Write chunks, but no result of CONF_RDMAv1 CONF_RDMA may be in one"),
                faults(HandMade.call(1, 100417, 1, 1).words(1, 2, 3).writeChunks(5)));
        assertEquals(
                List.of("rest: its binding is not known"),
                faultsAndRest(HandMade.call(1, 0x20000042, 1, 1).inReadChunk(9).writeChunks(5)));
        assertEquals(
                List.of("rest: its binding is not known"),
                faultsAndRest(HandMade.call(1, NFS, 5, 1)));
    }

    @Test
    void callbacksReduceNothing() {
        // CB_RECALL has a state ID, a boolean and a file handle.
        var recall = HandMade.call(1, 0x40000000, 1, COMPOUND).words(0, 1, 0, 1);
        recall.words(4, 1, 2, 3, 4, 0).inReadChunk(128);
        var connection = new Conversation().setUp().send(UP, HandMade.call(2, NFS, 4, 0).bytes());
        connection.send(DOWN, HandMade.call(3, 0x40000000, 1, 0).bytes());
        var named = new Conversation().setUp();
        named.send(UP, compound(0, 1).words(35, 0, 0, 0, 0x40000000, 0, 0, 1).bytes());
        named.send(DOWN, recall.bytes());
        assertEquals(
                List.of("the Read chunk at position 84 reduces an item of CB_RECALL (operation 0)"),
                findings(named.connection()));
    }

    private static List<String> findings(ConnectionReport connection) {
        return connection.frames().stream()
                .flatMap(frame -> frame.findings().stream())
                .map(Finding::what)
                .toList();
    }

    @Test
    void aWrongHeaderPreventsTheJudgement() {
        assertEquals(
                List.of(
                        "a Position is not a multiple of four",
                        "rest: its transport header is wrong"),
                faultsAndRest(compound(1, 1).words(PUTROOTFH).readChunk(61, 4)));
        assertEquals(
                List.of("rest: a Read chunk exceeds 64 MiB"),
                faultsAndRest(write(compound(1, 1)).inReadChunk(1 << 27)));
    }

    /** Returns a connection with a call in a Position-Zero Read chunk, of which a part is read. */
    private static ConnectionReport longCall(byte[] message, int read) {
        var header = ByteBuffer.allocate(13 * Integer.BYTES);
        header.putInt(1).putInt(1).putInt(32).putInt(1);
        header.putInt(1).putInt(0).putInt(0xe0).putInt(message.length).putLong(0x5000);
        header.putInt(0).putInt(0).putInt(0);
        var conversation = new Conversation().setUp().send(UP, header.array());
        conversation.readRequest(DOWN, new ReadRequest(9, 0, message.length, 0xe0, 0x5000));
        int control = DdpSegment.control(true, read == message.length, DdpSegment.READ_RESPONSE);
        byte[] part = Arrays.copyOf(message, read);
        conversation.bytes(UP, Conversation.fpdu(new DdpSegment.Tagged(control, 9, 0), part));
        return conversation.connection();
    }

    @Test
    void aLongCallIsJudgedOnceItIsRead() {
        byte[] right = compound(1, 1).words(PUTROOTFH).payload();
        var whole = longCall(right, right.length);
        assertEquals(List.of(), findings(whole));
        assertEquals(0, whole.totals().callsNotJudged());
        assertEquals(Optional.empty(), whole.calls().getFirst().notJudged());
        byte[] wrong = compound(1, 2).words(PUTROOTFH, GETATTR).payload();
        assertEquals(
                List.of(
                        "the arguments cannot be read: GETATTR (operation 1): the message ends"
                                + " inside an item"),
                findings(longCall(wrong, wrong.length)));
        var part = longCall(right, right.length - 4);
        assertEquals(1, part.totals().callsNotJudged());
        assertEquals(
                Optional.of("its message was not captured"), part.calls().getFirst().notJudged());
    }

    @Test
    void theReportSaysWhatWasNotJudged() {
        var conversation = new Conversation().setUp();
        conversation.send(UP, compound(2, 1).words(UNKNOWN).bytes());
        conversation.send(DOWN, HandMade.reply(1).words(0, 0, 1, UNKNOWN, 0).bytes());
        var lines = new ArrayList<String>();
        TextForm.write(conversation.dissect(), lines::add);
        assertEquals(
                List.of(
                        "                        not judged: operation 99 is not known",
                        "                        not judged: operation 99 is not known",
                        "                   not judged: operation 99 is not known",
                        "                   not judged: operation 99 is not known",
                        "  not judged by their bindings: 1 calls, 1 replies"),
                lines.stream().filter(line -> line.contains("not judged")).toList());
        var json = JsonForm.of(conversation.dissect(), false).toString();
        assertTrue(json.contains("callsNotJudged=1, repliesNotJudged=1"), json);
        assertTrue(json.contains("notJudged=operation 99 is not known, chunks="), json);
    }
}
