package io.github.rpcrdma4j.rpcrdma.v2.wire;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault.Measure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault.Mismatch;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.Continuation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.Trailer;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.Target;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkListsCodec;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The wire form of the operations of the round-trip extension.
 *
 * <pre>
 *   XMTREQ    count | item*  ||  count | set*  ||  transmissions | responses | payload [ trailer ]
 *   XMTRESP   count | item*  ||  transmissions | payload
 *   XMTCONT   number | type of the first | payload
 *   XMTERR    id | 0 or 1 id | fault
 *
 *   item      displacement | length | place
 *   place     1 count segment*  |  2 offset count number*  |  5  |  6
 *   set       begin | end | count | { minimum target }*
 *   target    1 count segment*  |  2  |  3 count segment*  |  4 over count segment*
 *   trailer   0 or 1 count segment* | count | xid*
 *   id        xid | direction | number
 *   fault     1, 2, 4, 5 expected current  |  3  |  6, 7, 8 value min max
 * </pre>
 *
 * The possible places depend on where they occur (RTR-6.2-4): 3 and 4 are never results, 5 and 6
 * are never targets. The codec does not reject 5 and 6 in a request: only malformed XDR makes a
 * header malformed (RTR-5.4-3).
 *
 * <p>Tests: {@code GoldenHeadersTest}, {@code XdrFileTest}.
 */
final class TransmissionCodec {
    private static final int EXRW = 1;
    private static final int TBSN = 2;
    private static final int CHOOSE = 3;
    private static final int BYSIZE = 4;
    private static final int TOOSHORT = 5;
    private static final int NOITEM = 6;
    private static final int NO_GROUP = 3;

    private static final int ITEM_BYTES_MIN = 3 * Integer.BYTES;
    private static final int SET_BYTES_MIN = 3 * Integer.BYTES;
    private static final int TARGET_BYTES_MIN = 2 * Integer.BYTES;

    private TransmissionCodec() {}

    static TransmitRequest request(XdrReader in, Set<Extension> known) throws XdrException {
        return new TransmitRequest(
                items(in),
                WordReader.array(
                        in,
                        SET_BYTES_MIN,
                        OptionLimits.RESPONSE_SETS_MAX,
                        TransmissionCodec::responseSet),
                WordReader.number(in),
                WordReader.number(in),
                WordReader.number(in),
                known.contains(Extension.TRAILER) && in.remaining() > 0
                        ? Optional.of(trailer(in))
                        : Optional.empty());
    }

    private static List<PlacementItem> items(XdrReader in) throws XdrException {
        return WordReader.array(
                in,
                ITEM_BYTES_MIN,
                OptionLimits.MOVED_ITEMS_MAX,
                item ->
                        new PlacementItem(
                                WordReader.number(item), WordReader.number(item), location(item)));
    }

    private static Location location(XdrReader in) throws XdrException {
        int type = in.uint32();
        return switch (type) {
            case EXRW -> new Location.Explicit(ChunkListsCodec.segments(in));
            case TBSN ->
                    new Location.Numbered(
                            WordReader.number(in),
                            WordReader.numbers(in, OptionLimits.SEGMENT_NUMBERS_MAX));
            case TOOSHORT -> new Location.TooShort();
            case NOITEM -> new Location.NoItem();
            default -> throw new XdrException("unknown location type " + type);
        };
    }

    private static ResponseSet responseSet(XdrReader in) throws XdrException {
        return new ResponseSet(
                WordReader.number(in),
                WordReader.number(in),
                WordReader.array(
                        in,
                        TARGET_BYTES_MIN,
                        OptionLimits.EXPECTED_RESULTS_MAX,
                        item ->
                                new ResponseSet.ExpectedResult(
                                        WordReader.number(item), target(item))));
    }

    private static Target target(XdrReader in) throws XdrException {
        int type = in.uint32();
        return switch (type) {
            case EXRW -> new Target.Explicit(ChunkListsCodec.segments(in));
            case TBSN -> new Target.Numbered();
            case CHOOSE -> new Target.Choice(ChunkListsCodec.segments(in));
            case BYSIZE -> new Target.BySize(WordReader.number(in), ChunkListsCodec.segments(in));
            default -> throw new XdrException("unknown target type " + type);
        };
    }

    private static Trailer trailer(XdrReader in) throws XdrException {
        return new Trailer(
                in.bool() ? Optional.of(ChunkListsCodec.segments(in)) : Optional.empty(),
                WordReader.words(in, OptionLimits.DONE_XIDS_MAX));
    }

    static TransmitResponse response(XdrReader in) throws XdrException {
        return new TransmitResponse(items(in), WordReader.number(in), WordReader.number(in));
    }

    static Continuation continuation(XdrReader in) throws XdrException {
        return new Continuation(WordReader.number(in), in.uint32(), WordReader.number(in));
    }

    static TransmitError error(XdrReader in) throws XdrException {
        return new TransmitError(
                id(in), in.bool() ? Optional.of(id(in)) : Optional.empty(), fault(in));
    }

    private static TransmissionId id(XdrReader in) throws XdrException {
        return new TransmissionId(in.uint32(), WordReader.direction(in), WordReader.number(in));
    }

    private static Fault fault(XdrReader in) throws XdrException {
        int code = in.uint32();
        if (code == NO_GROUP) {
            return new Fault.NoGroup();
        }
        for (var mismatch : Mismatch.values()) {
            if (mismatch.code == code) {
                return new Fault.Unexpected(mismatch, WordReader.number(in), WordReader.number(in));
            }
        }
        for (var measure : Measure.values()) {
            if (measure.code == code) {
                return new Fault.OutOfRange(
                        measure,
                        WordReader.number(in),
                        WordReader.number(in),
                        WordReader.number(in));
            }
        }
        throw new XdrException("unknown fault code " + code);
    }

    static void put(WordWriter out, TransmitRequest request) {
        putItems(out, request.moved());
        out.word(request.directions().size());
        request.directions().forEach(set -> put(out, set));
        out.number(request.count()).number(request.responseCount());
        out.number(request.payloadLength());
        request.trailer().ifPresent(trailer -> put(out, trailer));
    }

    static void put(WordWriter out, Operation.TransmitResponse response) {
        putItems(out, response.moved());
        out.number(response.count()).number(response.payloadLength());
    }

    static void put(WordWriter out, Continuation continuation) {
        out.number(continuation.number())
                .word(continuation.initialType())
                .number(continuation.payloadLength());
    }

    static void put(WordWriter out, TransmitError error) {
        put(out, error.bad());
        out.bool(error.lead().isPresent());
        error.lead().ifPresent(lead -> put(out, lead));
        switch (error.fault()) {
            case Fault.Unexpected(var what, var expected, var current) ->
                    out.word(what.code).number(expected).number(current);
            case Fault.NoGroup() -> out.word(NO_GROUP);
            case Fault.OutOfRange(var what, var value, var min, var max) ->
                    out.word(what.code).number(value).number(min).number(max);
        }
    }

    private static void putItems(WordWriter out, List<PlacementItem> items) {
        out.word(items.size());
        for (var item : items) {
            out.number(item.displacement()).number(item.length());
            switch (item.location()) {
                case Location.Explicit(var segments) -> out.word(EXRW).segments(segments);
                case Location.Numbered(var offset, var numbers) ->
                        out.word(TBSN).number(offset).numbers(numbers);
                case Location.TooShort() -> out.word(TOOSHORT);
                case Location.NoItem() -> out.word(NOITEM);
            }
        }
    }

    private static void put(WordWriter out, ResponseSet set) {
        out.number(set.begin()).number(set.end()).word(set.results().size());
        for (var expected : set.results()) {
            out.number(expected.minimum());
            switch (expected.target()) {
                case Target.Explicit(var segments) -> out.word(EXRW).segments(segments);
                case Target.Numbered() -> out.word(TBSN);
                case Target.Choice(var segments) -> out.word(CHOOSE).segments(segments);
                case Target.BySize(var over, var segments) ->
                        out.word(BYSIZE).number(over).segments(segments);
            }
        }
    }

    private static void put(WordWriter out, Trailer trailer) {
        out.bool(trailer.replyChunk().isPresent());
        trailer.replyChunk().ifPresent(out::segments);
        out.words(trailer.doneXids());
    }

    private static void put(WordWriter out, TransmissionId id) {
        out.word(id.xid()).word(id.direction().ordinal()).number(id.number());
    }
}
