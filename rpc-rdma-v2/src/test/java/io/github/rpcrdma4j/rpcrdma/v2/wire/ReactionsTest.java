package io.github.rpcrdma4j.rpcrdma.v2.wire;

import static io.github.rpcrdma4j.rpcrdma.v2.wire.Examples.ALL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec.Decoded;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: each message has the reaction that is owed for it. */
class ReactionsTest {
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int XID = 0xa0a0;

    private static MemorySegment message(Version2Header header, int... payload) {
        int length = Version2HeaderCodec.encodedLength(header);
        var message = MemorySegment.ofArray(new byte[length + payload.length * Integer.BYTES]);
        Version2HeaderCodec.encode(header, message);
        for (int i = 0; i < payload.length; i++) {
            message.set(UINT32, length + (long) i * Integer.BYTES, payload[i]);
        }
        return message;
    }

    private static MemorySegment words(int... words) {
        var message = MemorySegment.ofArray(new byte[words.length * Integer.BYTES]);
        for (int i = 0; i < words.length; i++) {
            message.set(UINT32, (long) i * Integer.BYTES, words[i]);
        }
        return message;
    }

    private static String reaction(MemorySegment message) {
        return Received.of(message, ALL).getClass().getSimpleName();
    }

    private static Version2Header msg(Direction direction) {
        return new Version2Header.Msg(XID, 1, direction, ChunkLists.EMPTY);
    }

    private static Version2Header noMsg(Direction direction, ChunkLists chunks) {
        return new Version2Header.NoMsg(XID, 1, direction, chunks);
    }

    private static ChunkLists lists(int position, int length, int replyLength) {
        return new ChunkLists(
                length < 0
                        ? List.of()
                        : List.of(new ReadSegment(position, new Segment(1, length, 0))),
                List.of(),
                replyLength < 0
                        ? Optional.empty()
                        : Optional.of(new WriteChunk(List.of(new Segment(2, replyLength, 0)))));
    }

    @Test
    @Tag("V2-4.2-1")
    @Tag("V2-4.2-2")
    @Tag("V2-4.2.1-1")
    @Tag("V2-4.2.2-2")
    @Tag("V2-4.2.3-2")
    @Tag("V2-4.2.3-3")
    void holdsTheMessageAgainstItsHeader() {
        assertEquals("Call", reaction(message(msg(Direction.CALL), XID, 0)));
        assertEquals("Reply", reaction(message(msg(Direction.REPLY), XID, 1)));
        assertEquals("OweBadHeader", reaction(message(msg(Direction.CALL))));
        assertEquals("OweBadHeader", reaction(message(msg(Direction.CALL), XID + 1, 0)));
        assertEquals("OweBadHeader", reaction(message(msg(Direction.CALL), XID, 1)));
        assertEquals("Discard", reaction(message(msg(Direction.REPLY))));
        assertEquals("Discard", reaction(message(msg(Direction.REPLY), XID + 1, 1)));
        assertEquals("Discard", reaction(message(msg(Direction.REPLY), XID, 0)));
    }

    @Test
    @Tag("V2-4.2.1-4")
    @Tag("RPR-X-5")
    @Tag("RPR-4.1-2")
    @Tag("RPR-4.1-6")
    void findsALongMessageInExactlyOneChunk() {
        var call = new TreeMap<String, String>();
        var reply = new TreeMap<String, String>();
        var all =
                Map.of(
                        "nowhere", lists(0, -1, -1),
                        "read", lists(0, 8, -1),
                        "read and unused", lists(0, 8, 0),
                        "read and reply", lists(0, 8, 8),
                        "reply", lists(0, -1, 8),
                        "unused", lists(0, -1, 0),
                        "empty read", lists(0, 0, -1),
                        "odd read", lists(0, 6, -1),
                        "read behind", lists(4, 8, -1));
        all.forEach(
                (name, chunks) -> {
                    call.put(name, reaction(message(noMsg(Direction.CALL, chunks), 1, 2)));
                    reply.put(name, reaction(message(noMsg(Direction.REPLY, chunks))));
                });
        assertEquals(
                "{empty read=OweBadHeader, nowhere=OweBadHeader, odd read=OweBadHeader,"
                        + " read=Call, read and reply=Call, read and unused=Call,"
                        + " read behind=OweBadHeader, reply=OweBadHeader, unused=OweBadHeader}",
                call.toString());
        assertEquals(
                "{empty read=OweDoneNotice, nowhere=Discard, odd read=OweDoneNotice, read=Reply,"
                        + " read and reply=OweDoneNotice, read and unused=Reply,"
                        + " read behind=OweDoneNotice, reply=Reply, unused=Discard}",
                reply.toString());
        var both = message(noMsg(Direction.REPLY, lists(0, 8, 8)));
        assertInstanceOf(Received.Discard.class, Received.of(both, Set.of()));
    }

    @Test
    @Tag("V2-3-1")
    @Tag("V2-4.2-4")
    void knowsFourHeadersAndNoOther() {
        for (int proc : new int[] {2, 3, 6, 99, -1}) {
            assertEquals("OweBadHeader", reaction(words(XID, 2, 1, proc)), "" + proc);
            assertEquals("OweBadHeader", reaction(words(XID, 2, 1, proc, 0, 0)), "" + proc);
            assertEquals("Discard", reaction(words(XID, 2, 1, proc, 1, 0)), "" + proc);
        }
        assertEquals("OweBadHeader", reaction(words(XID, 2, 1, 0, 7, 0, 0, 0, XID, 0)));
        assertEquals("OweBadHeader", reaction(words(XID, 2, 1, 0, 0, 2, 0, 0, XID, 0)));
        assertEquals("OweBadHeader", reaction(words(XID, 2, 1, 0, 0, 1)));
    }

    @Test
    @Tag("V2-4.2-5")
    @Tag("XCH-2.1-2")
    void believesNoCountThatTheMessageCannotHold() {
        assertEquals("OweBadHeader", reaction(words(XID, 2, 1, 5, 0, 1, 8, -1, 0)));
        assertEquals("OweBadHeader", reaction(words(XID, 2, 1, 5, 0, 1, -1, 1, 0)));
        assertEquals("OweBadHeader", reaction(words(XID, 2, 1, 5, 0, 2, 12, 1, 1, 1000)));
        assertEquals("OweBadHeader", reaction(words(XID, 2, 1, 5, 0, 5, 8, -1, 0)));
        assertEquals("OweBadHeader", reaction(words(XID, 2, 1, 5, 0, 0xffffff01, 4, -1)));
    }

    @Test
    @Tag("V2-4.2.3-1")
    void answersNoMessageThatIsTooShort() {
        for (int length = 0; length < Version2HeaderCodec.FIXED_BYTES; length++) {
            assertEquals("Discard", reaction(MemorySegment.ofArray(new byte[length])));
        }
    }

    @Test
    @Tag("V2-3.1-1")
    @Tag("V2-3.1-2")
    @Tag("V2-3.3-1")
    @Tag("XCH-4-2")
    @Tag("V2-3.1-3")
    void knowsAnExtensionAsAWholeOrNot() {
        var byExtension =
                Map.of(
                        Extension.CHARACTERISTICS, List.of(1, 2, 3, 4),
                        Extension.TRANSMISSIONS, List.of(5, 6, 7, 8),
                        Extension.READ_CHUNKS, List.of(0xffffff01, 0xffffff02, 0xffffff03));
        byExtension.forEach(
                (extension, types) -> {
                    for (int type : types) {
                        var garbage = words(XID, 2, 1, 5, 0, type, 4, -1);
                        var without = EnumSet.complementOf(EnumSet.of(extension));
                        assertEquals(
                                new Received.OweBadOption(XID, type),
                                Received.of(garbage, without));
                        var answer = words(XID, 2, 1, 5, 1, type, 4, -1);
                        assertInstanceOf(Received.Discard.class, Received.of(answer, without));
                    }
                    var name = types.toString();
                    assertEquals(
                            "OweBadHeader",
                            reaction(words(XID, 2, 1, 5, 0, types.get(0), 0).asSlice(0, 27)),
                            name);
                });
        assertEquals(
                new Received.OweBadOption(XID, 77),
                Received.of(words(XID, 2, 1, 5, 0, 77, 4, -1), ALL));
        // Bytes after the operation, and a truncated operation.
        assertEquals("OweBadHeader", reaction(words(XID, 2, 1, 5, 0, 7, 16, 1, 5, 0, 0)));
        assertEquals("OweBadHeader", reaction(words(XID, 2, 1, 5, 0, 7, 8, 1, 5)));
        assertEquals("Discard", reaction(words(XID, 2, 1, 5, 1, 7, 8, 1, 5)));
        assertEquals("Transmission", reaction(words(XID, 2, 1, 5, 0, 7, 12, 1, 5, 0)));
    }

    @Test
    @Tag("V2-4.2.2-3")
    @Tag("V2-4.2.3-4")
    @Tag("V2-4.2.3-5")
    @Tag("V2-4.2.3-6")
    @Tag("V2-4.2.1-2")
    @Tag("V2-X-1")
    void answersNoErrorWithAnother() {
        assertEquals("Failure", reaction(Examples.message("E03")));
        assertEquals("Failure", reaction(Examples.message("E04")));
        assertEquals("Failure", reaction(message(new Version2Header.BadHeader(XID, 1), 1, 2, 3)));
        assertEquals("Discard", reaction(words(XID, 2, 1, 4, 99)));
        assertEquals("Discard", reaction(words(XID, 2, 1, 4)));
        assertEquals("Discard", reaction(words(XID, 2, 1, 4, 1, 1)));
        assertEquals("Discard", reaction(words(XID, 1, 1, 4, 2)));
        // A malformed XMTERR, as an answer and as a complaint about an answer.
        assertEquals("Discard", reaction(words(XID, 2, 1, 5, 1, 8, 4, 0)));
    }

    @Test
    @Tag("V2-4.2-3")
    @Tag("V2-5-3")
    @Tag("V2-5.2-1")
    void answersCallsOfOtherVersions() {
        assertEquals(
                new Received.OweVersionError(XID, 1),
                Received.of(words(XID, 1, 1, 0, 0, 0, 0, XID, 0), ALL));
        assertEquals("Discard", reaction(words(XID, 1, 1, 0, 0, 0, 0, XID, 1)));
        assertEquals(
                new Received.OweVersionError(XID, 3),
                Received.of(words(XID, 3, 1, 9, 1, 2, 3), ALL));
        assertEquals(
                new Decoded.UnknownVersion(XID, 3),
                Version2HeaderCodec.decode(words(XID, 3, 1, 9, 1, 2, 3), ALL));
    }

    @Test
    @Tag("V2-4.2.2-4")
    @Tag("V2-4.2.1-3")
    void acceptsOperationsOnlyInTheDirectionOfTheirMessage() {
        var request = Examples.meanings().get("E09");
        var turned =
                new Version2Header.Option(
                        XID, 1, Direction.REPLY, ((Version2Header.Option) request).operation());
        assertEquals("Transmission", reaction(message(request, 1, 2)));
        assertEquals("Discard", reaction(message(turned, 1, 2)));
        var response = (Version2Header.Option) Examples.meanings().get("E10");
        var call = new Version2Header.Option(XID, 1, Direction.CALL, response.operation());
        assertEquals("OweBadHeader", reaction(message(call, 1, 2)));
        assertEquals("Control", reaction(Examples.message("E05")));
        var answer =
                new Version2Header.Option(
                        XID,
                        1,
                        Direction.REPLY,
                        ((Version2Header.Option) Examples.meanings().get("E05")).operation());
        assertEquals("Control", reaction(message(answer)));
        assertEquals("Call", reaction(Examples.message("E27")));
        assertEquals("OweBadHeader", reaction(Examples.message("E27").asSlice(0, 52)));
    }

    @Test
    @Tag("XCH-2.1-3")
    @Tag("XCH-2.1-4")
    @Tag("XCH-2.1-5")
    @Tag("XCH-2.1-8")
    @Tag("XCH-4.1-5")
    void skipsCharacteristicsItDoesNotKnowAndRefusesValuesThatAreWrong() {
        // REQXCH of 4711 with 8 bytes, of 3, and of 1 with a byte too many.
        assertEquals(
                new Received.Control(
                        new Version2Header.Option(
                                XID,
                                1,
                                Direction.CALL,
                                new Operation.ChangeRequest(
                                        List.of(
                                                new Characteristic.Unknown(4711),
                                                new Characteristic.ReverseSupport(
                                                        Characteristic.Reverse.NONE),
                                                new Characteristic.ReceiveSize(8192))))),
                Received.of(
                        words(
                                XID,
                                2,
                                1,
                                5,
                                0,
                                2,
                                48,
                                3,
                                4711,
                                8,
                                1,
                                2,
                                3,
                                4,
                                1,
                                1,
                                5,
                                8192,
                                0x7f000000),
                        ALL));
        assertEquals("OweBadHeader", reaction(words(XID, 2, 1, 5, 0, 2, 16, 1, 2, 4, 2)));
        assertEquals("OweBadHeader", reaction(words(XID, 2, 1, 5, 0, 2, 16, 1, 3, 4, 9)));
        assertEquals("OweBadHeader", reaction(words(XID, 2, 1, 5, 0, 2, 16, 1, 1, 3, 9)));
        assertEquals("OweBadHeader", reaction(words(XID, 2, 1, 5, 0, 2, 12, 1, 1, 0)));
    }

    private static MemorySegment request(int[]... parts) {
        var info = Arrays.stream(parts).flatMapToInt(Arrays::stream).toArray();
        var head = new int[] {XID, 2, 1, 5, 0, 5, info.length * Integer.BYTES};
        return words(IntStream.concat(Arrays.stream(head), Arrays.stream(info)).toArray());
    }

    /** Method: each type with the fields that it has, as a place and as a target. */
    @Test
    @Tag("RTR-6.2-4")
    void knowsWhichTypesArePossibleForItemsAndForTargets() {
        int[] tail = {1, 1, 8};
        var items = new ArrayList<String>();
        var targets = new ArrayList<String>();
        for (int type = 0; type <= 7; type++) {
            int[] place = new int[List.of(0, 1, 2, 1, 2, 0, 0, 0).get(type)];
            int[] target = new int[List.of(0, 1, 0, 1, 2, 0, 0, 0).get(type)];
            items.add(reaction(request(new int[] {1, 80, 5, type}, place, new int[1], tail)));
            targets.add(reaction(request(new int[] {0, 1, 0, 8, 1, 0, type}, target, tail)));
        }
        var bad = "OweBadHeader";
        var good = "Transmission";
        assertEquals(List.of(bad, good, good, bad, bad, good, good, bad), items);
        assertEquals(List.of(bad, good, good, good, good, bad, bad, bad), targets);
    }

    @Test
    @Tag("RTR-9.2-5")
    @Tag("RTR-5.4-3")
    void readsTheTrailerOnlyBetweenPeersThatKnowIt() {
        assertEquals("Transmission", reaction(Examples.message("E28")));
        var without = EnumSet.complementOf(EnumSet.of(Extension.TRAILER));
        assertInstanceOf(
                Received.OweBadHeader.class, Received.of(Examples.message("E28"), without));
        assertEquals("Transmission", reaction(Examples.message("E09")));
    }

    @Test
    @Tag("XCH-2.1-6")
    void countsElementsFromTheLowestBit() {
        var subset = Subset.of(0, 33, 63);
        assertEquals(List.of(1, 0x80000002), subset.words());
        assertEquals(true, subset.contains(33));
        assertEquals(false, subset.contains(32));
        assertEquals(false, subset.contains(200));
        assertEquals(Subset.NONE, Subset.of());
    }
}
