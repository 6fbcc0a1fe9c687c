package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Extension;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.HeaderCodec;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;

/** What a peer that a test works by hand hears of version 2, with all extensions. */
final class Version2Heard {
    private Version2Heard() {}

    /** The header of a message, which must be one. */
    static Header header(HandPeer.Heard heard) {
        var decoded =
                HeaderCodec.decode(
                        MemorySegment.ofArray(heard.octets()), EnumSet.allOf(Extension.class));
        return assertInstanceOf(HeaderCodec.Decoded.Ok.class, decoded).header();
    }
}
