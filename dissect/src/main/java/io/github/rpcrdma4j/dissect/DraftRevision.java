package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Extension;
import io.github.rpcrdma4j.rpcrdma.v2.wire.FirstMessage;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;

/** By which draft a message of version 2 is to be read: they share their version and no more. */
enum DraftRevision {
    /** Those of 2016, which our endpoints speak. */
    FIRST,
    /** The last, of 2022. */
    LAST,
    /** It would be the same by either. */
    EITHER;

    /** What a message of version 2 says of it by itself. */
    static DraftRevision of(byte[] bytes) {
        var message = MemorySegment.ofArray(bytes);
        if (FirstMessage.of(message) == FirstMessage.LATER_DRAFT) {
            return LAST;
        }
        // Only errors have the same place in both; the last draft has more of them.
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
