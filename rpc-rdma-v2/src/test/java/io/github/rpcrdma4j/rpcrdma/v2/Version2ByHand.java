package io.github.rpcrdma4j.rpcrdma.v2;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Extension;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.stream.IntStream;

/** Messages of version 2, with all extensions, for tests that play a peer. */
final class Version2ByHand {
    /** The credits that such a peer requests or grants. */
    static final int CREDITS = 8;

    private Version2ByHand() {}

    /** Returns the header of a message, which must be valid. */
    static Version2Header header(ManualPeer.ReceivedMessage heard) {
        var decoded =
                Version2HeaderCodec.decode(
                        MemorySegment.ofArray(heard.bytes()), EnumSet.allOf(Extension.class));
        return assertInstanceOf(Version2HeaderCodec.Decoded.Ok.class, decoded).header();
    }

    /** Returns the operation of a header, which must be of that kind. */
    static <T extends Operation> T operation(Class<T> kind, Version2Header header) {
        return assertInstanceOf(
                kind, assertInstanceOf(Version2Header.Option.class, header).operation());
    }

    public static byte[] option(int xid, Direction direction, Operation operation) {
        return ManualConnection.message(
                new Version2Header.Option(xid, CREDITS, direction, operation), new byte[0]);
    }

    /** Returns the content of a message after its header. */
    static ByteBuffer payload(ManualPeer.ReceivedMessage heard) {
        int at = header(heard).encodedLength();
        return ByteBuffer.wrap(heard.bytes(), at, heard.bytes().length - at).slice();
    }

    static byte[] words(int... words) {
        var bytes = ByteBuffer.allocate(Integer.BYTES * words.length);
        IntStream.of(words).forEach(bytes::putInt);
        return bytes.array();
    }
}
