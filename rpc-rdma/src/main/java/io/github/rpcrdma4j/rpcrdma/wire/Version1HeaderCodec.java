package io.github.rpcrdma4j.rpcrdma.wire;

import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.ChunkError;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.Done;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.Msg;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.NoMsg;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.VersionError;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The codec of a {@link Version1Header} (RFC 8166, Section 4). The wire form is XDR, with the
 * fields in the order of the RFC (RFC 8166-4-1, 5666-4.3-1).
 *
 * <pre>
 *   xid | vers | credit | proc |  body, by proc
 *                          0      RDMA_MSG      Read list, Write list, Reply chunk, then payload
 *                          1      RDMA_NOMSG    Read list, Write list, Reply chunk
 *                          3      RDMA_DONE     nothing
 *                          4      RDMA_ERROR    1 ERR_VERS low high  |  2 ERR_CHUNK
 * </pre>
 *
 * {@link ChunkListsCodec} has the lists. Decoding never throws: any bytes give a {@link Decoded}.
 *
 * <p>Tests: {@code GoldenHeadersTest}, {@code CapturedHeadersTest}.
 */
public final class Version1HeaderCodec {
    /**
     * The length of the fixed part, which is equal in every version of the protocol (RFC
     * 5666-4.1-4), in bytes.
     */
    public static final int FIXED_BYTES = 16;

    /** The length of a header with three empty lists, in bytes. */
    public static final int EMPTY_LISTS_BYTES = 28;

    /** The length of an RDMA_ERROR with ERR_CHUNK, in bytes. */
    public static final int CHUNK_ERROR_BYTES = 20;

    private static final int RDMA_MSG = 0;
    private static final int RDMA_NOMSG = 1;
    private static final int RDMA_DONE = 3;
    private static final int RDMA_ERROR = 4;
    private static final int ERR_VERS = 1;
    private static final int ERR_CHUNK = 2;

    static final int VERSION_AT = 4;
    static final int CREDITS_AT = 8;
    static final int PROC_AT = 12;
    static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private Version1HeaderCodec() {}

    /** The result of decoding a received message. */
    public sealed interface Decoded {
        /** A valid header of {@code length} bytes. */
        record Ok(Version1Header header, int length) implements Decoded {}

        /** A header of another version of the protocol. */
        record UnknownVersion(int xid, int version) implements Decoded {}

        /** A header of this version with an invalid rest. */
        record Malformed(int xid, int version, String why) implements Decoded {}

        /** An invalid RDMA_ERROR. */
        record MalformedError(int xid, String why) implements Decoded {}

        /** A message shorter than the fixed part, so that there is no call to answer. */
        record TooShort() implements Decoded {}
    }

    /** Decodes the header at the start of a message. */
    public static Decoded decode(MemorySegment message) {
        if (message.byteSize() < FIXED_BYTES) {
            return new Decoded.TooShort();
        }
        int xid = message.get(UINT32, 0);
        int version = message.get(UINT32, VERSION_AT);
        int credits = message.get(UINT32, CREDITS_AT);
        int proc = message.get(UINT32, PROC_AT);
        var in = new XdrReader(message.asSlice(FIXED_BYTES));
        // RDMA_ERROR has one form in every version (RFC 8166-7-1).
        if (proc == RDMA_ERROR) {
            return error(in, xid, version, credits);
        }
        if (version != Version1Header.VERSION) {
            return new Decoded.UnknownVersion(xid, version);
        }
        try {
            return switch (proc) {
                case RDMA_MSG -> ok(new Msg(xid, credits, ChunkListsCodec.decode(in)), in);
                case RDMA_NOMSG -> ok(new NoMsg(xid, credits, ChunkListsCodec.decode(in)), in);
                case RDMA_DONE -> ok(new Done(xid, credits), in);
                // Unknown procedures include RDMA_MSGP (RFC 8166-4.6.1-2, 8166-4.6.1-3).
                default -> new Decoded.Malformed(xid, version, "unknown procedure " + proc);
            };
        } catch (XdrException malformed) {
            return new Decoded.Malformed(xid, version, malformed.getMessage());
        }
    }

    private static Decoded.Ok ok(Version1Header header, XdrReader in) {
        return new Decoded.Ok(header, FIXED_BYTES + (int) in.position());
    }

    private static Decoded error(XdrReader in, int xid, int version, int credits) {
        try {
            int code = in.uint32();
            return switch (code) {
                case ERR_VERS ->
                        ok(new VersionError(xid, version, credits, in.uint32(), in.uint32()), in);
                case ERR_CHUNK -> ok(new ChunkError(xid, version, credits), in);
                default -> new Decoded.MalformedError(xid, "unknown error code " + code);
            };
        } catch (XdrException malformed) {
            return new Decoded.MalformedError(xid, malformed.getMessage());
        }
    }

    /** Returns how many bytes {@link #encode} writes. */
    public static int encodedLength(Version1Header header) {
        return switch (header) {
            case Msg(_, _, var chunks) -> encodedLength(chunks);
            case NoMsg(_, _, var chunks) -> encodedLength(chunks);
            case VersionError _ -> CHUNK_ERROR_BYTES + 2 * Integer.BYTES;
            case ChunkError _ -> CHUNK_ERROR_BYTES;
            case Done _ -> FIXED_BYTES;
        };
    }

    /** Returns the length of a header with these lists, in bytes. */
    public static int encodedLength(ChunkLists chunks) {
        return FIXED_BYTES + ChunkListsCodec.encodedLength(chunks);
    }

    /**
     * Writes the header to the start of {@code target}.
     *
     * @return how many bytes were written
     * @throws IndexOutOfBoundsException if the header does not fit; the caller checks the inline
     *     threshold before
     */
    public static int encode(Version1Header header, MemorySegment target) {
        return switch (header) {
            case Msg(var xid, var credits, var chunks) ->
                    ChunkListsCodec.encode(
                            chunks,
                            target,
                            fixed(target, xid, Version1Header.VERSION, credits, RDMA_MSG));
            case NoMsg(var xid, var credits, var chunks) ->
                    ChunkListsCodec.encode(
                            chunks,
                            target,
                            fixed(target, xid, Version1Header.VERSION, credits, RDMA_NOMSG));
            case VersionError(var xid, var version, var credits, var lowest, var highest) -> {
                int at = fixed(target, xid, version, credits, RDMA_ERROR);
                at = put(target, at, ERR_VERS);
                at = put(target, at, lowest);
                yield put(target, at, highest);
            }
            case ChunkError(var xid, var version, var credits) ->
                    put(target, fixed(target, xid, version, credits, RDMA_ERROR), ERR_CHUNK);
            case Done(var xid, var credits) ->
                    fixed(target, xid, Version1Header.VERSION, credits, RDMA_DONE);
        };
    }

    /**
     * Writes the fixed part, which is equal in every version.
     *
     * @return the offset after it
     */
    public static int fixed(MemorySegment target, int xid, int version, int credits, int proc) {
        put(target, 0, xid);
        put(target, VERSION_AT, version);
        put(target, CREDITS_AT, credits);
        return put(target, PROC_AT, proc);
    }

    /**
     * Writes a word.
     *
     * @return the offset after it
     */
    public static int put(MemorySegment target, int at, int word) {
        target.set(UINT32, at, word);
        return at + Integer.BYTES;
    }
}
