package io.github.rpcrdma4j.rpcrdma.rfc5666;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.OtherError;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.PaddedMsg;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666HeaderCodec.Decoded;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Received;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.sim.Seeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: additions of RFC 5666 are decoded, and all else is decoded as by RFC 8166. */
class Rfc5666HeadersTest {
    private static final int HEADERS = 3000;
    private static final int SLACK = 8;
    private static final int XID = 0x0a0b0c0d;

    /**
     * The headers of the worked examples that only RFC 5666 defines, by the name of the example.
     */
    private static final Map<String, Rfc5666Header> MEANINGS =
            Map.of(
                    "EX-21", new OtherError(XID, 1, 32, 3),
                    "EX-23", new PaddedMsg(XID, 32, 256, 512, ChunkLists.EMPTY));

    @Test
    @Tag("5666-3.9-1")
    @Tag("5666-4.3-1")
    @Tag("5666-4.3-2")
    void bringsTheExamplesBack() {
        MEANINGS.forEach(
                (name, meaning) -> {
                    int length = meaning.encodedLength();
                    assertEquals(
                            new Decoded.Ok(meaning, length),
                            Rfc5666HeaderCodec.decode(Golden.message(name)),
                            name);
                    byte[] bytes = new byte[length];
                    assertEquals(length, meaning.encode(MemorySegment.ofArray(bytes)));
                    assertArrayEquals(Arrays.copyOf(Golden.bytes(name), length), bytes, name);
                });
    }

    @Test
    void decodesEverythingElseAsRfc8166Does() {
        for (var name : Golden.messages()) {
            if (!MEANINGS.containsKey(name)) {
                var message = Golden.message(name);
                assertEquals(
                        new Decoded.Common(Version1HeaderCodec.decode(message)),
                        Rfc5666HeaderCodec.decode(message),
                        name);
            }
        }
    }

    @Test
    void decodesNoHeaderThatIsCutOff() {
        MEANINGS.forEach(
                (name, meaning) -> {
                    var whole = Golden.message(name);
                    for (int length = 0; length < meaning.encodedLength(); length++) {
                        var cut = Rfc5666HeaderCodec.decode(whole.asSlice(0, length));
                        assertFalse(isOk(cut), name);
                    }
                });
    }

    private static boolean isOk(Decoded decoded) {
        return decoded instanceof Decoded.Ok
                || decoded instanceof Decoded.Common(Version1HeaderCodec.Decoded.Ok _);
    }

    /** Goal: no bytes crash the codec. Method: every byte of every example gets every value. */
    @Test
    void decodesEverySingleByteCorruptionToAValue() {
        for (var name : Golden.messages()) {
            var message = Golden.message(name);
            for (long at = 0; at < Math.min(message.byteSize(), 400); at++) {
                byte right = message.get(ValueLayout.JAVA_BYTE, at);
                for (int value = 0; value < 256; value++) {
                    message.set(ValueLayout.JAVA_BYTE, at, (byte) value);
                    assertNotNull(Rfc5666Received.byResponder(message), name);
                    assertNotNull(Rfc5666Received.byRequester(message), name);
                }
                message.set(ValueLayout.JAVA_BYTE, at, right);
            }
        }
    }

    @Test
    @Tag("5666-2-1")
    void bringsEveryHeaderBackAndNoneThatIsCutOff() {
        Seeds.many(HEADERS)
                .forEach(
                        seed -> {
                            var random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
                            var header = header(random);
                            int length = header.encodedLength();
                            var memory = MemorySegment.ofArray(new byte[length + SLACK]);
                            assertEquals(length, header.encode(memory));
                            assertEquals(
                                    new Decoded.Ok(header, length),
                                    Rfc5666HeaderCodec.decode(memory),
                                    () -> "seed " + seed);
                            var cut = memory.asSlice(0, random.nextInt(length));
                            assertFalse(isOk(Rfc5666HeaderCodec.decode(cut)), () -> "seed " + seed);
                        });
    }

    private static Rfc5666Header header(RandomGenerator random) {
        int xid = random.nextInt();
        int credits = random.nextInt();
        return random.nextBoolean()
                ? new OtherError(xid, random.nextInt(), credits, 3 + random.nextInt(9))
                : new PaddedMsg(
                        xid, credits, random.nextInt() | 1, random.nextInt(), chunks(random));
    }

    private static ChunkLists chunks(RandomGenerator random) {
        var segment = new Segment(random.nextInt(), random.nextInt(), random.nextLong());
        return new ChunkLists(
                random.nextBoolean()
                        ? List.of()
                        : List.of(new ReadSegment(random.nextInt(), segment)),
                random.nextBoolean() ? List.of() : List.of(new WriteChunk(List.of(segment))),
                random.nextBoolean()
                        ? Optional.empty()
                        : Optional.of(new WriteChunk(List.of(segment, segment))));
    }

    /** Goal: RFC 5666 accepts exactly these additional messages. */
    @Test
    @Tag("5666-4.3-2")
    @Tag("5666-4.1-7")
    void acceptsMoreByRfc5666() {
        assertEquals(
                """
                EX-22 | Finished a0b0c0d
                EX-23 | Call 820""",
                difference(
                        message -> what(Received.byResponder(message)),
                        message -> what(Rfc5666Received.byResponder(message), "Call ")));
        assertEquals(
                """
                EX-07 | Reply 0
                EX-08 | Reply 0
                EX-18 | Discard a message both in the Reply chunk and to be read
                EX-21 | Failure OtherError
                EX-23 | Discard a call at a requester
                EX-24 | Reply 44""",
                difference(
                        message -> what(Received.byRequester(message)),
                        message -> what(Rfc5666Received.byRequester(message), "Reply ")));
    }

    private static String difference(
            Function<MemorySegment, String> from, Function<MemorySegment, String> to) {
        var before = List.of(table(from).split("\n"));
        return table(to)
                .lines()
                .filter(row -> !before.contains(row))
                .collect(Collectors.joining("\n"));
    }

    private static String table(Function<MemorySegment, String> role) {
        return Golden.messages().stream()
                .map(name -> name + " | " + role.apply(Golden.message(name)))
                .collect(Collectors.joining("\n"));
    }

    private static String what(Rfc5666Received received, String padded) {
        return switch (received) {
            case Rfc5666Received.Common(var common) -> what(common);
            case Rfc5666Received.Padded(_, var payload) -> padded + payload.byteSize();
            case Rfc5666Received.Finished(var xid) -> "Finished " + Integer.toHexString(xid);
            case Rfc5666Received.Failure(var error) ->
                    "Failure " + error.getClass().getSimpleName();
        };
    }

    private static String what(Received received) {
        return switch (received) {
            case Received.Call(_, _, var payload) -> "Call " + payload.byteSize();
            case Received.Reply(_, _, var payload) -> "Reply " + payload.byteSize();
            case Received.Failure(Version1Header error) ->
                    "Failure " + error.getClass().getSimpleName();
            case Received.OweVersionError(_, var version) -> "ERR_VERS " + version;
            case Received.OweChunkError(_, _, var why) -> "ERR_CHUNK " + why;
            case Received.Discard(var why) -> "Discard " + why;
        };
    }
}
