package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Extension;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.stream.IntStream;

/** What a peer that a test works by hand says and hears of version 2, with all extensions. */
final class Version2ByHand {
    /** What it asks for, or grants. */
    static final int CREDITS = 8;

    private Version2ByHand() {}

    /** The header of a message, which must be one. */
    static Version2Header header(HandPeer.Heard heard) {
        var decoded =
                Version2HeaderCodec.decode(
                        MemorySegment.ofArray(heard.bytes()), EnumSet.allOf(Extension.class));
        return assertInstanceOf(Version2HeaderCodec.Decoded.Ok.class, decoded).header();
    }

    /** The operation of a header, which must be of that kind. */
    static <T extends Operation> T operation(Class<T> kind, Version2Header header) {
        return assertInstanceOf(
                kind, assertInstanceOf(Version2Header.Option.class, header).operation());
    }

    static byte[] option(int xid, Direction direction, Operation operation) {
        return ByHand.message(
                new Version2Header.Option(xid, CREDITS, direction, operation), new byte[0]);
    }

    /** What stands in a message behind its header. */
    static ByteBuffer payload(HandPeer.Heard heard) {
        int at = header(heard).encodedLength();
        return ByteBuffer.wrap(heard.bytes(), at, heard.bytes().length - at).slice();
    }

    static byte[] words(int... words) {
        var bytes = ByteBuffer.allocate(Integer.BYTES * words.length);
        IntStream.of(words).forEach(bytes::putInt);
        return bytes.array();
    }
}
