package io.github.rpcrdma4j.rpcrdma.v2.wire;

import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure.Group;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunkHold;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.RemoteInvalidation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.RequestTransmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ResponseTransmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Reverse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReverseSupport;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Unknown;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.ChangeRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.ChangeResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.InitialExchange;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.Update;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.List;
import java.util.Set;

/**
 * The wire form of characteristics, and of the operations that carry them.
 *
 * <pre>
 *   characteristic   id | bytes | value
 *      1  receive size              bytes
 *      2  remote invalidation       0 or 1
 *      3  reverse support           0 unknown, 1 none, 2 size-limited, 3 general
 *      4  transmissions             mask: 1 requests, 2 responses, 4 continuations
 *      5  receive structure         bytes | count | { count bytes alignment flags }*
 *      6  request transmissions     max
 *      7  response transmissions    max
 *      ffffff01  Read chunks        mask
 *      ffffff02  Read chunk hold    milliseconds
 *
 *   subset           count | word*
 *   INITXCH          count | characteristic* | subset
 *   REQXCH           count | characteristic*
 *   RESPXCH          subset done | subset rejected | subset pending
 *   UPDXCH           characteristic | 0 or 1
 * </pre>
 *
 * A value has the type of its identifier (XCH-2.1-1). Characteristics come in any order
 * (XCH-2.1-5). A value that is too short or malformed makes the whole message malformed
 * (XCH-2.1-3). Bytes after a value do not (XCH-2.1-8), nor does an unknown identifier (XCH-4.1-5).
 *
 * <p>Tests: {@code GoldenHeadersTest}, {@code XdrFileTest}.
 */
final class CharacteristicCodec {
    private static final int RBSIZ = 1;
    private static final int RQREMINV = 2;
    private static final int BRS = 3;
    private static final int RTRSUPP = 4;
    private static final int RBSTRUCT = 5;
    private static final int REQRXLIM = 6;
    private static final int RESPSXLIM = 7;

    /** In the experimental range (XCH-6.3-1). */
    private static final int RPRSUPP = 0xffffff01;

    private static final int RPRHOLD = 0xffffff02;

    private static final int FIRST_OF_TRANSMISSIONS = RTRSUPP;
    private static final int LAST_OF_TRANSMISSIONS = RESPSXLIM;
    private static final int EMPTY_BYTES = 2 * Integer.BYTES;

    private CharacteristicCodec() {}

    static InitialExchange initialExchange(XdrReader in, Set<Extension> known) throws XdrException {
        return new InitialExchange(characteristics(in, known), subset(in));
    }

    static ChangeRequest changeRequest(XdrReader in, Set<Extension> known) throws XdrException {
        return new ChangeRequest(characteristics(in, known));
    }

    static ChangeResponse changeResponse(XdrReader in) throws XdrException {
        return new ChangeResponse(subset(in), subset(in), subset(in));
    }

    static Update update(XdrReader in, Set<Extension> known) throws XdrException {
        return new Update(characteristic(in, known), in.bool());
    }

    private static List<Characteristic> characteristics(XdrReader in, Set<Extension> known)
            throws XdrException {
        return WordReader.array(
                in,
                EMPTY_BYTES,
                OptionLimits.CHARACTERISTICS_MAX,
                element -> characteristic(element, known));
    }

    private static Subset subset(XdrReader in) throws XdrException {
        return new Subset(WordReader.words(in, OptionLimits.SUBSET_WORDS_MAX));
    }

    private static Characteristic characteristic(XdrReader in, Set<Extension> known)
            throws XdrException {
        int id = in.uint32();
        // XCH-2.1-2: the length is checked against the remaining bytes.
        var value = new XdrReader(in.opaque(in.remaining()));
        if (!isKnown(id, known)) {
            return new Unknown(id);
        }
        return switch (id) {
            case RBSIZ -> new ReceiveSize(WordReader.number(value));
            case RQREMINV -> new RemoteInvalidation(value.bool());
            case BRS -> new ReverseSupport(reverse(value));
            case RTRSUPP -> new Transmissions(value.uint32());
            case RBSTRUCT -> new ReceiveStructure(structure(value));
            case REQRXLIM -> new RequestTransmissions(WordReader.number(value));
            case RESPSXLIM -> new ResponseTransmissions(WordReader.number(value));
            case RPRSUPP -> new ReadChunks(value.uint32());
            case RPRHOLD -> new ReadChunkHold(WordReader.number(value));
            default -> new Unknown(id);
        };
    }

    private static boolean isKnown(int id, Set<Extension> known) {
        if (id >= FIRST_OF_TRANSMISSIONS && id <= LAST_OF_TRANSMISSIONS) {
            return known.contains(Extension.TRANSMISSIONS);
        }
        if (id == RPRSUPP || id == RPRHOLD) {
            return known.contains(Extension.READ_CHUNKS);
        }
        return true;
    }

    private static Reverse reverse(XdrReader in) throws XdrException {
        long level = WordReader.number(in);
        if (level >= Reverse.values().length) {
            throw new XdrException("unknown degree of reverse support " + level);
        }
        return Reverse.values()[(int) level];
    }

    private static BufferStructure structure(XdrReader in) throws XdrException {
        return new BufferStructure(
                WordReader.number(in),
                WordReader.array(
                        in,
                        Group.BYTES,
                        OptionLimits.BUFFER_GROUPS_MAX,
                        group ->
                                new Group(
                                        WordReader.number(group),
                                        WordReader.number(group),
                                        WordReader.number(group),
                                        group.uint32())));
    }

    static void put(WordWriter out, Operation.Exchange exchange) {
        switch (exchange) {
            case InitialExchange(var start, var noChange) -> {
                put(out, start);
                out.words(noChange.words());
            }
            case ChangeRequest(var want) -> put(out, want);
            case ChangeResponse(var done, var rejected, var pending) ->
                    out.words(done.words()).words(rejected.words()).words(pending.words());
            case Update(var now, var endsPending) -> {
                put(out, now);
                out.bool(endsPending);
            }
        }
    }

    private static void put(WordWriter out, List<Characteristic> characteristics) {
        out.word(characteristics.size());
        characteristics.forEach(characteristic -> put(out, characteristic));
    }

    private static void put(WordWriter out, Characteristic characteristic) {
        switch (characteristic) {
            case ReceiveSize(var bytes) -> word(out, RBSIZ, bytes);
            case RemoteInvalidation(var isAccepted) -> word(out, RQREMINV, isAccepted ? 1 : 0);
            case ReverseSupport(var support) -> word(out, BRS, support.ordinal());
            case Transmissions(var mask) -> word(out, RTRSUPP, Integer.toUnsignedLong(mask));
            case ReceiveStructure(var structure) ->
                    out.word(RBSTRUCT).opaque(() -> put(out, structure));
            case RequestTransmissions(var max) -> word(out, REQRXLIM, max);
            case ResponseTransmissions(var max) -> word(out, RESPSXLIM, max);
            case ReadChunks(var mask) -> word(out, RPRSUPP, Integer.toUnsignedLong(mask));
            case ReadChunkHold(var milliseconds) -> word(out, RPRHOLD, milliseconds);
            case Unknown(var id) -> out.word(id).word(0);
        }
    }

    private static void word(WordWriter out, int id, long value) {
        out.word(id).word(Integer.BYTES).number(value);
    }

    private static void put(WordWriter out, BufferStructure structure) {
        out.number(structure.length()).word(structure.groups().size());
        for (var group : structure.groups()) {
            out.number(group.count())
                    .number(group.segmentLength())
                    .number(group.alignment())
                    .word(group.flags());
        }
    }
}
