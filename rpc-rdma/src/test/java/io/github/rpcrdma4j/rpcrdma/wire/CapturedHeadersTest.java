package io.github.rpcrdma4j.rpcrdma.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.capture.linux.Capture;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver.Message;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver.Seen;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec.Decoded;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: we decode all headers of Linux clients and servers. Method: all Sends of captures. */
class CapturedHeadersTest {
    static List<String> captures() {
        return Capture.NAMES;
    }

    @ParameterizedTest
    @MethodSource("captures")
    void decodesAndEncodesEveryHeaderToTheSameBytes(String name) throws Exception {
        int headers = 0;
        for (var stream : Capture.named(name).streams()) {
            for (byte[] message : sends(stream.bytes())) {
                var ok =
                        assertInstanceOf(
                                Decoded.Ok.class,
                                Version1HeaderCodec.decode(MemorySegment.ofArray(message)));
                var again = new byte[Version1HeaderCodec.encodedLength(ok.header())];
                Version1HeaderCodec.encode(ok.header(), MemorySegment.ofArray(again));
                assertEquals(again.length, ok.length());
                assertArrayEquals(Arrays.copyOf(message, again.length), again);
                headers++;
            }
        }
        assertTrue(headers > 20, name + " has only " + headers);
    }

    /** The active side sends calls, the passive side replies; NFSv4.1 also uses the reverse. */
    @ParameterizedTest
    @MethodSource("captures")
    void takesCallsForCallsAndRepliesForReplies(String name) throws Exception {
        for (var stream : Capture.named(name).streams()) {
            boolean active = !setUp(stream.bytes()).frame().isReply();
            int wanted = 0;
            int reverse = 0;
            for (byte[] bytes : sends(stream.bytes())) {
                var message = MemorySegment.ofArray(bytes);
                var seen = active ? Received.byResponder(message) : Received.byRequester(message);
                switch (seen) {
                    case Received.Call _, Received.Reply _ -> wanted++;
                    case Received.Discard _,
                            Received.OweChunkError _,
                            Received.OweVersionError _,
                            Received.Failure _ ->
                            reverse++;
                }
            }
            assertTrue(wanted > 0, name);
            assertTrue(name.contains("4.1") || reverse == 0, name + ": " + reverse);
        }
    }

    @ParameterizedTest
    @MethodSource("captures")
    void agreesWithThePrivateDataOfLinux(String name) throws Exception {
        for (var stream : Capture.named(name).streams()) {
            var data = PrivateData.find(setUp(stream.bytes()).frame().privateData());
            boolean active = !setUp(stream.bytes()).frame().isReply();
            assertEquals(Optional.of(new PrivateData(active, 4096, 4096)), data);
        }
    }

    /** Goal: damaged messages are decoded to a value. Method: one real header of each kind. */
    @ParameterizedTest
    @MethodSource("captures")
    void survivesEveryTruncationAndCorruptByte(String name) throws Exception {
        var kinds = new HashSet<String>();
        for (var stream : Capture.named(name).streams()) {
            for (byte[] message : sends(stream.bytes())) {
                var header =
                        ((Decoded.Ok) Version1HeaderCodec.decode(MemorySegment.ofArray(message)));
                if (kinds.add(kind(header.header()))) {
                    damage(Arrays.copyOf(message, Math.min(message.length, header.length() + 40)));
                }
            }
        }
        assertTrue(kinds.size() >= 2, kinds::toString);
    }

    private static String kind(Version1Header header) {
        return switch (header) {
            case Version1Header.Msg(_, _, var chunks) -> "MSG " + shape(chunks);
            case Version1Header.NoMsg(_, _, var chunks) -> "NOMSG " + shape(chunks);
            case Version1Header.VersionError _,
                    Version1Header.ChunkError _,
                    Version1Header.Done _ ->
                    header.getClass().getSimpleName();
        };
    }

    private static String shape(ChunkLists chunks) {
        return chunks.readList().size()
                + "/"
                + chunks.writeList().stream().map(chunk -> chunk.segments().size()).toList()
                + "/"
                + chunks.replyChunk().map(chunk -> chunk.segments().size());
    }

    private static void damage(byte[] message) {
        for (int at = 0; at < message.length; at++) {
            var cut = MemorySegment.ofArray(Arrays.copyOf(message, at));
            assertNotNull(Received.byResponder(cut));
            assertNotNull(Received.byRequester(cut));
            byte right = message[at];
            for (int value = 0; value < 256; value++) {
                message[at] = (byte) value;
                assertNotNull(Received.byResponder(MemorySegment.ofArray(message)));
                assertNotNull(Received.byRequester(MemorySegment.ofArray(message)));
            }
            message[at] = right;
        }
    }

    private static MpaFrame.Decoded.Whole setUp(byte[] bytes) {
        return (MpaFrame.Decoded.Whole) MpaFrame.decode(bytes, bytes.length);
    }

    /** Returns the messages of all Sends in one direction of a capture. */
    private static List<byte[]> sends(byte[] bytes) {
        var messages = new ArrayList<byte[]>();
        var observer = new DirectionObserver(true);
        observer.add(ByteBuffer.wrap(bytes));
        for (var seen = observer.next(); seen != null; seen = observer.next()) {
            if (seen instanceof Seen.Segment segment
                    && segment.message().orElse(null) instanceof Message.Send(var message)) {
                messages.add(message);
            }
        }
        return messages;
    }
}
