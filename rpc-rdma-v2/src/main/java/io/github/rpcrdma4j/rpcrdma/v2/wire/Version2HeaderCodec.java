package io.github.rpcrdma4j.rpcrdma.v2.wire;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.CallWithDoneNotices;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.Continuation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.DoneAck;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.DoneNotice;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.Exchange;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.BadHeader;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.BadOption;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.Msg;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.NoMsg;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.Option;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header.VersionError;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkListsCodec;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The wire form of a {@link Version2Header}.
 *
 * <pre>
 *   xid | vers | credit | proc |  body, by proc
 *                          0      RDMA2_MSG      direction | lists, then payload
 *                          1      RDMA2_NOMSG    direction | lists
 *                          4      RDMA2_ERROR    1 VERS low high | 2 BAD_HEADER | 3 INVAL_OPTION
 *                          5      RDMA2_OPTIONAL direction | type | bytes | operation, then payload
 *
 *   direction     0 call, 1 reply
 *   type          1 INITXCH  2 REQXCH  3 RESPXCH  4 UPDXCH
 *                 5 XMTREQ   6 XMTRESP 7 XMTCONT  8 XMTERR
 *                 ffffff01 RPDONE      count | xid*
 *                 ffffff02 RPACK       number
 *                 ffffff03 RPCALL      count | xid* | direction | lists
 * </pre>
 *
 * There are no other headers (V2-3-1). {@code docs/rpc-rdma-v2.x} has them in XDR (RTR-10-1).
 * Decoding never throws: any bytes have a {@link Decoded}.
 *
 * <p>Tests: {@code GoldenHeadersTest}, {@code XdrFileTest}.
 */
public final class Version2HeaderCodec {
    /** The length of the fields that are at fixed offsets in every version (V2-4.2-3), in bytes. */
    public static final int FIXED_BYTES = 16;

    /** The length of a header whose lists are empty, in bytes. */
    public static final int EMPTY_LISTS_BYTES =
            FIXED_BYTES + Integer.BYTES + ChunkListsCodec.EMPTY_BYTES;

    /** The type of ROPT_XMTREQ. */
    public static final int XMTREQ = 5;

    /** The type of ROPT_XMTRESP. */
    public static final int XMTRESP = 6;

    /** The type of ROPT_XMTCONT. */
    public static final int XMTCONT = 7;

    private static final int MSG = 0;
    private static final int NOMSG = 1;
    private static final int ERROR = 4;
    private static final int OPTIONAL = 5;
    private static final int ERR_VERS = 1;
    private static final int ERR_BAD_HEADER = 2;
    private static final int ERR_INVAL_OPTION = 3;
    private static final int INITXCH = 1;
    private static final int REQXCH = 2;
    private static final int RESPXCH = 3;
    private static final int UPDXCH = 4;
    private static final int XMTERR = 8;
    private static final int RPDONE = 0xffffff01;
    private static final int RPACK = 0xffffff02;
    private static final int RPCALL = 0xffffff03;

    private static final int VERSION_AT = 4;
    private static final int CREDITS_AT = 8;
    private static final int PROC_AT = 12;
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private Version2HeaderCodec() {}

    /** The result of decoding a received message. */
    public sealed interface Decoded {
        /** A header. The data after it starts {@code length} bytes into the message. */
        record Ok(Version2Header header, int length) implements Decoded {}

        /** A message of another version of the protocol. */
        record UnknownVersion(int xid, int version) implements Decoded {}

        /** An unknown optional operation. */
        record UnknownOption(int xid, Direction direction, int type) implements Decoded {}

        /** A message of this version that is malformed. */
        record Malformed(int xid, Direction direction, String why) implements Decoded {}

        /** A malformed RDMA2_ERROR. */
        record MalformedError(int xid, String why) implements Decoded {}

        /** A message without even the fixed fields: there is no call to answer. */
        record TooShort() implements Decoded {}
    }

    /**
     * Decodes the header at the start of a message.
     *
     * @param known the extensions in use; operations of other extensions are unknown
     */
    public static Decoded decode(MemorySegment message, Set<Extension> known) {
        if (message.byteSize() < FIXED_BYTES) {
            return new Decoded.TooShort();
        }
        int xid = message.get(UINT32, 0);
        int version = message.get(UINT32, VERSION_AT);
        int credits = message.get(UINT32, CREDITS_AT);
        int proc = message.get(UINT32, PROC_AT);
        var in = new XdrReader(message.asSlice(FIXED_BYTES));
        // Errors have one form at one place in every version, and are always answers (V2-4.2.2-3).
        if (proc == ERROR) {
            return error(in, xid, version, credits);
        }
        if (version != Version2Header.VERSION) {
            return new Decoded.UnknownVersion(xid, version);
        }
        var direction = Direction.CALL;
        try {
            direction = WordReader.direction(in);
            return switch (proc) {
                case MSG -> ok(new Msg(xid, credits, direction, ChunkListsCodec.decode(in)), in);
                case NOMSG ->
                        ok(new NoMsg(xid, credits, direction, ChunkListsCodec.decode(in)), in);
                case OPTIONAL -> option(in, xid, credits, direction, known);
                // V2-3-1, V2-4.2-4.
                default -> throw new XdrException("unknown procedure " + proc);
            };
        } catch (XdrException malformed) {
            // A message without a readable direction counts as a call.
            return new Decoded.Malformed(xid, direction, malformed.getMessage());
        }
    }

    private static Decoded.Ok ok(Version2Header header, XdrReader in) {
        return new Decoded.Ok(header, FIXED_BYTES + (int) in.position());
    }

    private static Decoded error(XdrReader in, int xid, int version, int credits) {
        try {
            int code = in.uint32();
            if (code == ERR_VERS) {
                return ok(new VersionError(xid, version, credits, in.uint32(), in.uint32()), in);
            }
            if (version != Version2Header.VERSION) {
                return new Decoded.MalformedError(xid, "an error of version " + version);
            }
            return switch (code) {
                case ERR_BAD_HEADER -> ok(new BadHeader(xid, credits), in);
                case ERR_INVAL_OPTION -> ok(new BadOption(xid, credits), in);
                default -> new Decoded.MalformedError(xid, "unknown error code " + code);
            };
        } catch (XdrException malformed) {
            return new Decoded.MalformedError(xid, malformed.getMessage());
        }
    }

    private static Decoded option(
            XdrReader in, int xid, int credits, Direction direction, Set<Extension> known)
            throws XdrException {
        int type = in.uint32();
        // V2-3.1-2: the operation defines this content.
        var info = new XdrReader(in.opaque(in.remaining()));
        var operation = operation(info, type, known);
        if (operation.isEmpty()) {
            return new Decoded.UnknownOption(xid, direction, type);
        }
        // V2-3.1-3.
        info.finish();
        return ok(new Option(xid, credits, direction, operation.get()), in);
    }

    private static Optional<Operation> operation(XdrReader in, int type, Set<Extension> known)
            throws XdrException {
        if (!extension(type).map(known::contains).orElse(false)) {
            return Optional.empty();
        }
        return Optional.of(
                switch (type) {
                    case INITXCH -> CharacteristicCodec.initialExchange(in, known);
                    case REQXCH -> CharacteristicCodec.changeRequest(in, known);
                    case RESPXCH -> CharacteristicCodec.changeResponse(in);
                    case UPDXCH -> CharacteristicCodec.update(in, known);
                    case XMTREQ -> TransmissionCodec.request(in, known);
                    case XMTRESP -> TransmissionCodec.response(in);
                    case XMTCONT -> TransmissionCodec.continuation(in);
                    case XMTERR -> TransmissionCodec.error(in);
                    case RPDONE -> new DoneNotice(doneXids(in));
                    case RPACK -> new DoneAck(WordReader.number(in));
                    case RPCALL -> new CallWithDoneNotices(doneXids(in), callLists(in));
                    default -> throw new AssertionError("an extension without operation " + type);
                });
    }

    /** Returns the extension to which an operation belongs. */
    private static Optional<Extension> extension(int type) {
        return switch (type) {
            case INITXCH, REQXCH, RESPXCH, UPDXCH -> Optional.of(Extension.CHARACTERISTICS);
            // RTR-5.4-1: a peer that supports one of these can complain.
            case XMTREQ, XMTRESP, XMTCONT, XMTERR -> Optional.of(Extension.TRANSMISSIONS);
            case RPDONE, RPACK, RPCALL -> Optional.of(Extension.READ_CHUNKS);
            default -> Optional.empty();
        };
    }

    private static List<Integer> doneXids(XdrReader in) throws XdrException {
        return WordReader.words(in, OptionLimits.DONE_XIDS_MAX);
    }

    private static ChunkLists callLists(XdrReader in) throws XdrException {
        if (WordReader.direction(in) != Direction.CALL) {
            throw new XdrException("an RPCALL with the direction of a reply");
        }
        return ChunkListsCodec.decode(in);
    }

    /** Returns how many bytes {@link #encode} writes. */
    public static int encodedLength(Version2Header header) {
        var out = WordWriter.counting();
        put(out, header);
        return out.length();
    }

    /**
     * Writes the header to the start of {@code target}.
     *
     * @return the number of bytes written
     * @throws IndexOutOfBoundsException if the header does not fit
     * @throws IllegalArgumentException if a number has more than 32 bits
     */
    public static int encode(Version2Header header, MemorySegment target) {
        var out = WordWriter.to(target);
        put(out, header);
        return out.length();
    }

    private static void put(WordWriter out, Version2Header header) {
        switch (header) {
            case Msg(var xid, var credits, var direction, var chunks) ->
                    fixed(out, xid, Version2Header.VERSION, credits, MSG)
                            .word(direction.ordinal())
                            .lists(chunks);
            case NoMsg(var xid, var credits, var direction, var chunks) ->
                    fixed(out, xid, Version2Header.VERSION, credits, NOMSG)
                            .word(direction.ordinal())
                            .lists(chunks);
            case VersionError(var xid, var version, var credits, var lowest, var highest) ->
                    fixed(out, xid, version, credits, ERROR)
                            .word(ERR_VERS)
                            .word(lowest)
                            .word(highest);
            case BadHeader(var xid, var credits) ->
                    fixed(out, xid, Version2Header.VERSION, credits, ERROR).word(ERR_BAD_HEADER);
            case BadOption(var xid, var credits) ->
                    fixed(out, xid, Version2Header.VERSION, credits, ERROR).word(ERR_INVAL_OPTION);
            case Option(var xid, var credits, var direction, var operation) ->
                    fixed(out, xid, Version2Header.VERSION, credits, OPTIONAL)
                            .word(direction.ordinal())
                            .word(type(operation))
                            .opaque(() -> put(out, operation));
        }
    }

    private static WordWriter fixed(WordWriter out, int xid, int version, int credits, int proc) {
        return out.word(xid).word(version).word(credits).word(proc);
    }

    /** Returns the procedure of a header: {@code rdma_proc}. */
    public static int proc(Version2Header header) {
        return switch (header) {
            case Msg _ -> MSG;
            case NoMsg _ -> NOMSG;
            case VersionError _, BadHeader _, BadOption _ -> ERROR;
            case Option _ -> OPTIONAL;
        };
    }

    /** Returns the type of an operation: {@code rdma_opttype}. */
    public static int type(Operation operation) {
        return switch (operation) {
            case Operation.InitialExchange _ -> INITXCH;
            case Operation.ChangeRequest _ -> REQXCH;
            case Operation.ChangeResponse _ -> RESPXCH;
            case Operation.Update _ -> UPDXCH;
            case TransmitRequest _ -> XMTREQ;
            case TransmitResponse _ -> XMTRESP;
            case Continuation _ -> XMTCONT;
            case TransmitError _ -> XMTERR;
            case DoneNotice _ -> RPDONE;
            case DoneAck _ -> RPACK;
            case CallWithDoneNotices _ -> RPCALL;
        };
    }

    private static void put(WordWriter out, Operation operation) {
        switch (operation) {
            case Exchange exchange -> CharacteristicCodec.put(out, exchange);
            case TransmitRequest request -> TransmissionCodec.put(out, request);
            case TransmitResponse response -> TransmissionCodec.put(out, response);
            case Continuation continuation -> TransmissionCodec.put(out, continuation);
            case TransmitError error -> TransmissionCodec.put(out, error);
            case DoneNotice(var more) -> out.words(more);
            case DoneAck(var count) -> out.number(count);
            case CallWithDoneNotices(var doneXids, var chunks) ->
                    out.words(doneXids).word(Direction.CALL.ordinal()).lists(chunks);
        }
    }
}
