package io.github.rpcrdma4j.dissect.draft07;

import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.CALL_EXTERNAL;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.CALL_INLINE;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.CALL_MIDDLE;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.CONNPROP_FINAL;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.CONNPROP_MIDDLE;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.ERROR;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.ERR_BAD_PROPVAL;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.ERR_BAD_XDR;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.ERR_INVAL_CONT;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.ERR_INVAL_HTYPE;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.ERR_READ_CHUNKS;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.ERR_REPLY_RESOURCE;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.ERR_SEGMENTS;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.ERR_SYSTEM;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.ERR_VERS;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.ERR_VERS_MISMATCH;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.ERR_WRITE_CHUNKS;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.ERR_WRITE_RESOURCE;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.GRANT;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.REPLY_EXTERNAL;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.REPLY_INLINE;
import static io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.REPLY_MIDDLE;
import static io.github.rpcrdma4j.dissect.draft07.PropertyDecoder.BRS;
import static io.github.rpcrdma4j.dissect.draft07.PropertyDecoder.HOSTAUTH;
import static io.github.rpcrdma4j.dissect.draft07.PropertyDecoder.RBSIZ;
import static io.github.rpcrdma4j.dissect.draft07.PropertyDecoder.RCSIZ;
import static io.github.rpcrdma4j.dissect.draft07.PropertyDecoder.RSSIZ;
import static io.github.rpcrdma4j.dissect.draft07.PropertyDecoder.SBSIZ;

import io.github.rpcrdma4j.dissect.draft07.Draft07Header.CallExternal;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header.CallInline;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header.CallMiddle;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header.Failure;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header.Grant;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header.Properties;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header.ReplyExternal;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header.ReplyInline;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header.ReplyMiddle;
import io.github.rpcrdma4j.dissect.draft07.Property.Default;
import io.github.rpcrdma4j.dissect.draft07.Property.HostAuthentication;
import io.github.rpcrdma4j.dissect.draft07.Property.ReceiveSize;
import io.github.rpcrdma4j.dissect.draft07.Property.ReverseSupport;
import io.github.rpcrdma4j.dissect.draft07.Property.SegmentCount;
import io.github.rpcrdma4j.dissect.draft07.Property.SegmentSize;
import io.github.rpcrdma4j.dissect.draft07.Property.SendSize;
import io.github.rpcrdma4j.dissect.draft07.Property.Unknown;
import io.github.rpcrdma4j.rpcrdma.v2.wire.WordWriter;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Encodes the input of {@link Draft07HeaderDecoder} for tests. No endpoint of this project sends
 * it.
 */
public final class Draft07HeaderEncoder {
    private Draft07HeaderEncoder() {}

    /** Returns how many bytes {@link #encode} writes. */
    public static int encodedLength(Draft07Header header) {
        var out = WordWriter.counting();
        put(out, header);
        return out.length();
    }

    /**
     * Writes the header to the start of {@code target}.
     *
     * @return how many bytes were written
     * @throws IndexOutOfBoundsException if they do not fit
     * @throws IllegalArgumentException if a number has more than 32 bits
     */
    public static int encode(Draft07Header header, MemorySegment target) {
        var out = WordWriter.to(target);
        put(out, header);
        return out.length();
    }

    private static void put(WordWriter out, Draft07Header header) {
        switch (header) {
            case Failure(var xid, var version, var credits, var error) -> {
                out.word(xid).word(version).word(credits).word(ERROR);
                put(out, error);
            }
            case Grant _ -> fixed(out, header, GRANT);
            case Properties(_, _, var isFinal, var properties) ->
                    putProperties(
                            fixed(out, header, isFinal ? CONNPROP_FINAL : CONNPROP_MIDDLE),
                            properties);
            case CallExternal(_, _, var invalidated, var call, var chunks) ->
                    fixed(out, header, CALL_EXTERNAL)
                            .word(invalidated)
                            .readList(call)
                            .lists(chunks);
            case CallMiddle(_, _, var remaining) ->
                    fixed(out, header, CALL_MIDDLE).number(remaining);
            case CallInline(_, _, var invalidated, var chunks) ->
                    fixed(out, header, CALL_INLINE).word(invalidated).lists(chunks);
            case ReplyExternal(_, _, var writeList, var replyChunk) ->
                    fixed(out, header, REPLY_EXTERNAL)
                            .writeList(writeList)
                            .bool(true)
                            .segments(replyChunk.segments());
            case ReplyMiddle(_, _, var remaining) ->
                    fixed(out, header, REPLY_MIDDLE).number(remaining);
            case ReplyInline(_, _, var writeList) ->
                    fixed(out, header, REPLY_INLINE).writeList(writeList);
        }
    }

    private static WordWriter fixed(WordWriter out, Draft07Header header, int type) {
        return out.word(header.xid()).word(Draft07Header.VERSION).word(header.credits()).word(type);
    }

    private static void put(WordWriter out, HeaderError error) {
        switch (error) {
            case HeaderError.Version(var lowest, var highest) ->
                    out.word(ERR_VERS).word(lowest).word(highest);
            case HeaderError.BadXdr() -> out.word(ERR_BAD_XDR);
            case HeaderError.BadProperty() -> out.word(ERR_BAD_PROPVAL);
            case HeaderError.UnknownType() -> out.word(ERR_INVAL_HTYPE);
            case HeaderError.BadContinuation() -> out.word(ERR_INVAL_CONT);
            case HeaderError.ReadChunks(var max) -> out.word(ERR_READ_CHUNKS).number(max);
            case HeaderError.WriteChunks(var max) -> out.word(ERR_WRITE_CHUNKS).number(max);
            case HeaderError.Segments(var max) -> out.word(ERR_SEGMENTS).number(max);
            case HeaderError.WriteResource(var chunk, var needed) ->
                    out.word(ERR_WRITE_RESOURCE).number(chunk).number(needed);
            case HeaderError.ReplyResource(var needed) ->
                    out.word(ERR_REPLY_RESOURCE).number(needed);
            case HeaderError.OtherVersion() -> out.word(ERR_VERS_MISMATCH);
            case HeaderError.ReceiverFailed() -> out.word(ERR_SYSTEM);
        }
    }

    private static void putProperties(WordWriter out, List<Property> properties) {
        out.word(properties.size());
        properties.forEach(property -> put(out, property));
    }

    private static void put(WordWriter out, Property property) {
        switch (property) {
            case SendSize(var bytes) -> word(out, SBSIZ, bytes);
            case ReceiveSize(var bytes) -> word(out, RBSIZ, bytes);
            case SegmentSize(var bytes) -> word(out, RSSIZ, bytes);
            case SegmentCount(var max) -> word(out, RCSIZ, max);
            case ReverseSupport(var support) -> word(out, BRS, support.ordinal());
            case HostAuthentication(var message) ->
                    out.word(HOSTAUTH).opaque(() -> out.opaque(message));
            case Default(var id) -> out.word(id).word(0);
            case Unknown(var id) -> out.word(id).word(0);
        }
    }

    private static void word(WordWriter out, int id, long value) {
        out.word(id).word(Integer.BYTES).number(value);
    }
}
