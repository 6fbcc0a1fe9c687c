package io.github.rpcrdma4j.dissect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Goal: a reply is judged by the binding of its program, with the n-th Write chunk for the n-th
 * operation that reads (RFC 8267, Section 6.4.1). Method: calls and replies by hand.
 */
class JudgedRepliesTest {
    private static final boolean UP = true;
    private static final boolean DOWN = false;
    private static final int NFS = 100003;
    private static final int COMPOUND = 1;
    private static final int GETATTR = 9;
    private static final int PUTFH = 22;
    private static final int PUTROOTFH = 24;
    private static final int READ = 25;
    private static final int READLINK = 27;
    private static final int UNKNOWN = 99;
    private static final int ILLEGAL = 10044;
    private static final int NOENT = 2;

    private static final String RFC_5666_ONLY = "a reply with a Read list";

    /** Returns READ, READLINK and READ behind a PUTROOTFH. */
    private static HandMade threeReads() {
        var call = HandMade.call(1, NFS, 4, COMPOUND).words(0, 1, 4, PUTROOTFH);
        return read(read(call, 9000).words(READLINK), 5000);
    }

    private static HandMade read(HandMade call, int count) {
        return call.words(READ, 1, 2, 3, 4, 0, 0, count);
    }

    /** Returns a reply with a status and a number of results, the first one of PUTROOTFH. */
    private static HandMade results(int status, int count) {
        return HandMade.reply(1).words(status, 0, count, PUTROOTFH, 0);
    }

    /** Adds the result of READ up to its data. */
    private static HandMade readOk(HandMade reply) {
        return reply.words(READ, 0, 0);
    }

    private static HandMade linkOk(HandMade reply) {
        return reply.words(READLINK, 0);
    }

    private static ConnectionReport connection(HandMade call, HandMade reply) {
        return HandMade.answer(new Conversation().setUp().send(UP, call.bytes()), reply)
                .connection();
    }

    private static List<String> findings(ConnectionReport connection) {
        return connection.frames().stream()
                .flatMap(frame -> frame.findings().stream())
                .map(Finding::what)
                .toList();
    }

    private static Optional<String> rest(ConnectionReport connection) {
        return connection.calls().getFirst().answer().orElseThrow().notJudged();
    }

    /** Returns the faults of a reply that is judged completely. */
    private static List<String> faults(HandMade call, HandMade reply) {
        var connection = connection(call, reply);
        assertEquals(Optional.empty(), rest(connection));
        assertEquals(0, connection.totals().repliesNotJudged());
        return findings(connection);
    }

    /** Returns the faults of a reply, and then why not all of it was judged. */
    private static List<String> faultsAndRest(HandMade call, HandMade reply) {
        var connection = connection(call, reply);
        assertEquals(1, connection.totals().repliesNotJudged());
        var all = new ArrayList<>(findings(connection));
        all.add("rest: " + rest(connection).orElseThrow());
        return all;
    }

    @Test
    void eachResultIsInItsOwnChunk() {
        var call = threeReads().writeChunks(9000, 100, 5000);
        var reply = linkOk(readOk(results(0, 4)).inWriteChunk(8999)).inWriteChunk(7);
        assertEquals(
                List.of(),
                faults(call, readOk(reply).inWriteChunk(5000).writeChunks(8999, 7, 5000)));
    }

    @Test
    void resultsBeyondTheLastChunkAndOfEmptyChunksAreInline() {
        var oneChunk = threeReads().writeChunks(9000);
        var reply = linkOk(readOk(results(0, 4)).inWriteChunk(8999)).opaque(7);
        assertEquals(List.of(), faults(oneChunk, readOk(reply).opaque(50).writeChunks(8999)));

        var emptyFirst = threeReads().emptyWriteChunk().writeChunks(100);
        var inline = linkOk(readOk(results(0, 4)).opaque(8)).inWriteChunk(7);
        readOk(inline).opaque(50).emptyWriteChunk().writeChunks(7);
        assertEquals(List.of(), faults(emptyFirst, inline));

        var noChunk = linkOk(readOk(results(0, 4)).opaque(8)).opaque(7);
        assertEquals(List.of(), faults(threeReads(), readOk(noChunk).opaque(0)));

        // A chunk whose segments have no bytes counts as empty.
        var zero = linkOk(readOk(results(0, 4)).opaque(8)).opaque(7);
        assertEquals(
                List.of(),
                faults(threeReads().writeChunks(0), readOk(zero).opaque(1).writeChunks(0)));
    }

    @Test
    void anUnusedChunkNeedsNoResult() {
        var call = threeReads().writeChunks(9000, 100, 5000);
        // READ returns nothing, READLINK fails, and the last READ is not reached.
        var reply = readOk(results(NOENT, 3)).opaque(0).words(READLINK, NOENT);
        assertEquals(List.of(), faults(call, reply.writeChunks(0, 0, 0)));
        var empty = readOk(results(NOENT, 3)).opaque(0).words(READLINK, NOENT);
        assertEquals(
                List.of(),
                faults(call, empty.emptyWriteChunk().emptyWriteChunk().emptyWriteChunk()));
    }

    @Test
    void aChunkThatIsNotEmptyIsUsed() {
        var call = threeReads().writeChunks(9000, 100, 5000);
        var reply = linkOk(readOk(results(0, 4)).inWriteChunk(8999)).opaque(7);
        assertEquals(
                List.of(
                        "the result of READLINK (operation 2) is inline, although it has Write"
                                + " chunk 1"),
                faults(call, readOk(reply).inWriteChunk(5000).writeChunks(8999, 0, 5000)));
    }

    @Test
    void aChunkHasTheLengthOfItsResult() {
        var call = threeReads().writeChunks(9000, 100, 5000);
        var reply = linkOk(readOk(results(0, 4)).inWriteChunk(8999)).inWriteChunk(7);
        assertEquals(
                List.of(
                        "Write chunk 0 has 9000 bytes, but the result of READ (operation 1) has 8999"),
                faults(call, readOk(reply).inWriteChunk(5000).writeChunks(9000, 7, 5000)));
    }

    /** Goal: a peer that slides results to earlier chunks is told so. */
    @Test
    void aResultIsNotInTheChunkOfAnother() {
        var call = threeReads().writeChunks(9000, 9000, 9000);
        var reply = linkOk(readOk(results(0, 4)).opaque(0)).inWriteChunk(7);
        assertEquals(
                List.of(
                        "the result of READLINK (operation 2) is in Write chunk 0, but its own is 1",
                        "the result of READ (operation 3) is in Write chunk 1, but its own is 2"),
                faults(call, readOk(reply).inWriteChunk(5000).writeChunks(7, 5000, 0)));
    }

    @Test
    void aChunkWithoutAResultIsNotFilled() {
        var call = threeReads().writeChunks(9000, 100, 5000, 6);
        var reply = readOk(results(NOENT, 3)).inWriteChunk(8).words(READLINK, NOENT);
        assertEquals(
                List.of(
                        "Write chunk 1 was filled, but READLINK (operation 2) has no result for it",
                        "Write chunk 2 was filled, but its operation was not reached",
                        "Write chunk 3 was filled, but there is no operation that reads for it"),
                faults(call, reply.writeChunks(8, 1, 2, 3)));
        var refused = HandMade.call(1, NFS, 4, COMPOUND).words(0, 1, 1, READLINK).writeChunks(5);
        var garbage = HandMade.reply(1);
        byte[] words = garbage.writeChunks(5).bytes();
        words[words.length - 1] = /* GARBAGE_ARGS */ 4;
        var conversation = new Conversation().setUp().send(UP, refused.bytes());
        conversation.tagged(DOWN, DdpSegment.WRITE, true, HandMade.WRITE_HANDLE, 0x10000, 5);
        assertEquals(
                List.of("Write chunk 0 was filled, but the call has no results"),
                findings(conversation.send(DOWN, words).connection()));
    }

    @Test
    void allResultsAreThere() {
        var call = threeReads();
        assertEquals(
                List.of("the results cannot be read: the message ends inside an item"),
                faults(call, readOk(results(0, 4))));
        assertEquals(
                List.of("the results cannot be read: the message has 4 bytes after its last item"),
                faults(call, results(0, 1).words(0)));
        assertEquals(
                List.of("the results cannot be read: the message ends inside an item"),
                faults(call, HandMade.reply(1)));
    }

    @Test
    void resultsAreThoseOfTheOperations() {
        assertEquals(
                List.of("result 1 is that of GETATTR, but the call has READ"),
                faults(threeReads(), results(0, 2).words(GETATTR, 0, 0, 0)));
        var one = HandMade.call(1, NFS, 4, COMPOUND).words(0, 1, 1, PUTROOTFH);
        assertEquals(
                List.of("2 results of 1 operations"), faults(one, results(0, 2).words(PUTFH, 0)));
    }

    @Test
    void aServerMayNotKnowAnOperation() {
        var call = HandMade.call(1, NFS, 4, COMPOUND).words(0, 2, 2, PUTROOTFH, UNKNOWN);
        var reply = results(ILLEGAL, 2).words(ILLEGAL, ILLEGAL);
        assertEquals(List.of(), faults(call, reply));
        assertEquals(
                List.of("rest: operation 99 is not known"),
                faultsAndRest(call, results(0, 2).words(UNKNOWN, 0, 7)));
    }

    @Test
    void nothingBehindAnUnknownOperationIsReduced() {
        var call = HandMade.call(1, NFS, 4, COMPOUND).words(0, 2, 3);
        read(call.words(UNKNOWN), 10).words(READLINK).writeChunks(10, 10);
        var reply = HandMade.reply(1).words(0, 0, 3, UNKNOWN, 0);
        linkOk(readOk(reply).inWriteChunk(10)).opaque(3).writeChunks(10, 0);
        assertEquals(
                List.of(
                        "Write chunk 0 was filled by a result behind operation 99",
                        "rest: operation 99 is not known"),
                faultsAndRest(call, reply));
    }

    @Test
    void anUnknownMinorVersionIsRefused() {
        var call = HandMade.call(1, NFS, 4, COMPOUND).words(0, 3, 1, UNKNOWN);
        assertEquals(List.of(), faults(call, HandMade.reply(1).words(10021, 0, 0)));
    }

    @Test
    void aReplyIsNotJudgedIfItsCallWasNot() {
        var cut = HandMade.call(1, NFS, 4, COMPOUND).words(0, 1, 1, GETATTR);
        var connection = connection(cut, HandMade.reply(1).words(0, 0, 0));
        assertEquals(Optional.of("the arguments of its call cannot be read"), rest(connection));
        assertEquals(
                List.of("rest: its binding is not known"),
                faultsAndRest(
                        HandMade.call(1, 0x20000001, 1, 1).writeChunks(5),
                        HandMade.reply(1).writeChunks(5)));
        assertEquals(
                List.of(
                        "the chunks of the reply are not those that the call offered",
                        "rest: its chunks are not those offered"),
                faultsAndRest(threeReads().writeChunks(5), results(0, 1)));
    }

    @Test
    void theServiceOfKerberosDecides() {
        var signed = HandMade.gssCall(1, NFS, 4, COMPOUND, 0, 2);
        signed.words(20, 7, 0, 1, 1, READLINK, 4, 0x12345678);
        // Length, sequence number, the results, and a checksum of four bytes.
        var inline = HandMade.reply(1).words(32, 7, 0, 0, 1, READLINK, 0, 4, 0x61626364);
        var connection = connection(signed, inline.words(4, 0x12345678));
        assertEquals(List.of(), findings(connection));
        assertEquals(Optional.empty(), rest(connection));
        assertEquals(
                "SUCCESS OK",
                LayerText.outcome(
                        connection.calls().getFirst().answer().orElseThrow().message().get()));

        var secret = HandMade.gssCall(1, NFS, 4, COMPOUND, 0, 3).opaque(64).writeChunks(8);
        assertEquals(
                List.of(
                        "1 Write chunks are offered, although RPCSEC_GSS protects the message",
                        "a Write chunk was filled, although RPCSEC_GSS protects the message",
                        "rest: RPCSEC_GSS encrypts it"),
                faultsAndRest(secret, HandMade.reply(1).opaque(64).writeChunks(8)));

        var plain = HandMade.gssCall(1, NFS, 4, COMPOUND, 0, 1).words(0, 1, 1, READLINK);
        var placed = HandMade.reply(1).words(0, 0, 1, READLINK, 0).inWriteChunk(4);
        assertEquals(List.of(), faults(plain.writeChunks(8), placed.writeChunks(4)));
    }

    @Test
    void theOlderVersionsOfNfsHaveBindingsToo() {
        var read3 = HandMade.call(1, NFS, 3, 6).opaque(32).words(0, 0, 9).writeChunks(9);
        var ok3 = HandMade.reply(1).words(0, /* no attributes */ 0, 7, 1).inWriteChunk(7);
        assertEquals(List.of(), faults(read3, ok3.writeChunks(7)));
        var inline3 = HandMade.reply(1).words(0, 0, 7, 1).opaque(7).writeChunks(0);
        assertEquals(
                List.of("the result of NFSv3 READ is inline, although it has Write chunk 0"),
                faults(read3, inline3));
        var failed3 = HandMade.reply(1).words(NOENT, 1).words(new int[21]);
        assertEquals(List.of(), faults(read3, failed3.writeChunks(0)));
        assertEquals(
                List.of("Write chunk 0 was filled, but NFSv3 READ has no result for it"),
                faults(read3, HandMade.reply(1).words(NOENT, 0).writeChunks(3)));

        var link2 = HandMade.call(1, NFS, 2, 5).words(new int[8]).writeChunks(1024);
        assertEquals(
                List.of(),
                faults(link2, HandMade.reply(1).words(0).inWriteChunk(5).writeChunks(5)));
        var read2 = HandMade.call(1, NFS, 2, 6).words(new int[8]).words(0, 8192, 0);
        var ok2 = HandMade.reply(1).words(0).words(new int[17]).opaque(9);
        assertEquals(List.of(), faults(read2, ok2));
        assertEquals(
                List.of("the results cannot be read: the message ends inside an item"),
                faults(read2, HandMade.reply(1).words(0, 1, 2)));

        var lookup = HandMade.call(1, NFS, 3, 3).opaque(32).opaque(3).writeChunks(7);
        assertEquals(
                List.of(
                        "1 Write chunks, but no result of NFSv3 LOOKUP may be in one",
                        "Write chunk 0 was filled, but NFSv3 LOOKUP has no result for it"),
                faults(lookup, HandMade.reply(1).words(0).writeChunks(7)));
    }

    @Test
    void resultsInReadChunksHaveTheirPositions() {
        var call = HandMade.call(1, NFS, 4, COMPOUND).words(0, 1, 1, READLINK);
        var reply = HandMade.reply(1).words(0, 0, 1, READLINK, 0).inReadChunk(9);
        var conversation = new Conversation().setUp().send(UP, call.bytes());
        conversation.send(DOWN, reply.bytes());
        assertEquals(List.of(), findings(conversation.connection(Version1Document.RFC_5666)));
        assertEquals(List.of(RFC_5666_ONLY), findings(conversation.connection()));
        var other = HandMade.reply(1).words(0, 0, 1, READLINK, 0).inReadChunk(9, 12);
        var wrong = new Conversation().setUp().send(UP, call.bytes()).send(DOWN, other.bytes());
        assertEquals(List.of(), findings(wrong.connection(Version1Document.RFC_5666)));
        var short8 = HandMade.reply(1).words(0, 0, 1, READLINK, 0).inReadChunk(9, 8);
        var less = new Conversation().setUp().send(UP, call.bytes()).send(DOWN, short8.bytes());
        assertEquals(
                List.of("the results cannot be read: a Read chunk is not as long as its item"),
                findings(less.connection(Version1Document.RFC_5666)));
    }

    /** Returns a connection with a reply in a Reply chunk, of which a part is written. */
    private static ConnectionReport longReply(byte[] message, int written) {
        var call = HandMade.call(1, NFS, 4, COMPOUND).words(0, 1, 1, GETATTR, 0).bytes();
        // The last word of the header, in front of the message, says that there is a Reply chunk.
        var withChunk = ByteBuffer.allocate(call.length + 20).put(call, 0, 24);
        withChunk.putInt(1).putInt(1).putInt(0xc0).putInt(4096).putLong(0x7000);
        withChunk.put(call, 28, call.length - 28);
        var header = ByteBuffer.allocate(12 * Integer.BYTES).putInt(1).putInt(1).putInt(8);
        header.putInt(1).putInt(0).putInt(0);
        header.putInt(1).putInt(1).putInt(0xc0).putInt(message.length).putLong(0x7000);
        var conversation = new Conversation().setUp().send(UP, withChunk.array());
        int control = DdpSegment.control(true, true, DdpSegment.WRITE);
        byte[] part = Arrays.copyOf(message, written);
        conversation.bytes(
                DOWN, Conversation.fpdu(new DdpSegment.Tagged(control, 0xc0, 0x7000), part));
        return conversation.send(DOWN, header.array()).connection();
    }

    @Test
    void aReplyInAReplyChunkIsJudged() {
        byte[] right = HandMade.reply(1).words(0, 0, 1, GETATTR, 0, 0, 0).payload();
        var whole = longReply(right, right.length);
        assertEquals(List.of(), findings(whole));
        assertEquals(Optional.empty(), rest(whole));
        byte[] wrong = HandMade.reply(1).words(0, 0, 1, GETATTR, 0, 0).payload();
        assertEquals(
                List.of("the results cannot be read: the message ends inside an item"),
                findings(longReply(wrong, wrong.length)));
        var part = longReply(right, right.length - 4);
        assertEquals(
                List.of("the reply says that 52 bytes were written, but 48 were"), findings(part));
        assertEquals(Optional.of("only the first 48 of its 52 bytes are there"), rest(part));
        assertEquals(Optional.of("its message was not captured"), rest(longReply(right, 0)));
    }

    @Test
    void aReplyToAnUnknownCallIsNotJudged() {
        var conversation = new Conversation().setUp().send(UP, new byte[0]);
        conversation.send(DOWN, HandMade.reply(1).words(0).bytes());
        var layer = conversation.connection().frames().getLast().layers().getLast();
        assertEquals(
                Optional.of("its call is not known"), ((Layer.Rpc) layer).message().notJudged());
        assertEquals(0, conversation.connection().totals().repliesNotJudged());
    }

    /** Goal: all bytes lead to a report. Method: all prefixes, two bits of each byte. */
    @Test
    void survivesEveryTruncationAndCorruptByte() {
        var conversation = new Conversation().setUp();
        var call = threeReads().writeChunks(9000, 100, 5000);
        var reply = linkOk(readOk(results(0, 4)).inWriteChunk(8)).inWriteChunk(7);
        conversation.send(UP, call.bytes());
        HandMade.answer(conversation, readOk(reply).inWriteChunk(5).writeChunks(8, 7, 5));
        var signed = HandMade.gssCall(2, NFS, 4, COMPOUND, 0, 2);
        signed.words(20, 7, 0, 1, 1, READLINK, 4, 0x12345678);
        conversation.send(UP, signed.bytes());
        var inline = HandMade.reply(2).words(32, 7, 0, 0, 1, READLINK, 0, 4, 0x61626364, 0);
        conversation.send(DOWN, inline.bytes());
        conversation.send(DOWN, HandMade.call(3, 9, 1, COMPOUND).words(0, 1, 0, 1, 10, 5).bytes());
        conversation.send(UP, HandMade.reply(3).words(10053, 0, 1, 10, 10053).bytes());
        byte[] file = conversation.file();
        Damage.each(file, JudgedRepliesTest::survive);
    }

    private static void survive(byte[] file) {
        var dissection = Conversation.dissect(file);
        TextForm.write(dissection, line -> assertFalse(line.isBlank() && line.contains("\n")));
        assertFalse(JsonForm.of(dissection, true).isEmpty());
    }
}
