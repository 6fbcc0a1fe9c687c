package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Extension;
import io.github.rpcrdma4j.rpcrdma.v2.wire.FirstMessage;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;

/**
 * The draft by which a message of version 2 is decoded. The drafts share only the version number.
 */
enum DraftRevision {
    /** The drafts of 2016, which this project's endpoints implement. */
    FIRST,
    /** The last draft, of 2022. */
    LAST,
    /** Both drafts decode the message equally. */
    EITHER;

    /** Returns the draft that a message of version 2 shows by itself. */
    static DraftRevision of(byte[] bytes) {
        var message = MemorySegment.ofArray(bytes);
        if (FirstMessage.of(message) == FirstMessage.LATER_DRAFT) {
            return LAST;
        }
        // Only the encoding of errors is common to both drafts; the last draft has more error
        // codes.
        return switch (Version2HeaderCodec.decode(message, EnumSet.noneOf(Extension.class))) {
            case Version2HeaderCodec.Decoded.MalformedError _ ->
                    Draft07HeaderDecoder.decode(message) instanceof Draft07HeaderDecoder.Decoded.Ok
                            ? LAST
                            : EITHER;
            case Version2HeaderCodec.Decoded.Ok(var header, _) ->
                    Version2Decoder.direction(header).isEmpty() ? EITHER : FIRST;
            case Version2HeaderCodec.Decoded.UnknownVersion _,
                    Version2HeaderCodec.Decoded.UnknownOption _,
                    Version2HeaderCodec.Decoded.Malformed _,
                    Version2HeaderCodec.Decoded.TooShort _ ->
                    FIRST;
        };
    }
}
