package io.github.rpcrdma4j.dissect.draft07;

import io.github.rpcrdma4j.dissect.draft07.Draft07Header.CallExternal;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header.CallInline;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header.CallMiddle;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header.Failure;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header.Grant;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header.Properties;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header.ReplyExternal;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header.ReplyInline;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header.ReplyMiddle;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.v2.wire.WordReader;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkListsCodec;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;

/**
 * Decodes a {@link Draft07Header} (draft-ietf-nfsv4-rpcrdma-version-two-07, Sections 4.2 and 6.3).
 *
 * <pre>
 *   xid | vers = 2 | credits | type |  body, by type
 *                               4      ERROR             code | what it says
 *                               5      GRANT
 *                               6      CONNPROP_MIDDLE   properties
 *                               7      CONNPROP_FINAL    properties
 *                               8      CALL_EXTERNAL     handle | Read list of the call | lists
 *                               9      CALL_MIDDLE       remaining, then payload
 *                              10      CALL_INLINE       handle | lists, then payload
 *                              11      REPLY_EXTERNAL    Write list | 1 Reply chunk
 *                              12      REPLY_MIDDLE      remaining, then payload
 *                              13      REPLY_INLINE      Write list, then payload
 *
 *   code  1 VERS  lowest highest     5 INVAL_CONT              9 WRITE_RESOURCE   index needed
 *         2 BAD_XDR                  6 READ_CHUNKS   max      10 REPLY_RESOURCE   needed
 *         3 BAD_PROPVAL              7 WRITE_CHUNKS  max      11 VERS_MISMATCH
 *         4 INVAL_HTYPE              8 SEGMENTS      max     100 SYSTEM
 *
 *   lists                    Read list | Write list | Reply chunk, as in every version
 * </pre>
 *
 * Any bytes give a {@link Decoded}, never an exception.
 *
 * <p>Tests: {@code Draft07HeadersTest}.
 */
public final class Draft07HeaderDecoder {
    static final int ERROR = 4;
    static final int GRANT = 5;
    static final int CONNPROP_MIDDLE = 6;
    static final int CONNPROP_FINAL = 7;
    static final int CALL_EXTERNAL = 8;
    static final int CALL_MIDDLE = 9;
    static final int CALL_INLINE = 10;
    static final int REPLY_EXTERNAL = 11;
    static final int REPLY_MIDDLE = 12;
    static final int REPLY_INLINE = 13;

    static final int ERR_VERS = 1;
    static final int ERR_BAD_XDR = 2;
    static final int ERR_BAD_PROPVAL = 3;
    static final int ERR_INVAL_HTYPE = 4;
    static final int ERR_INVAL_CONT = 5;
    static final int ERR_READ_CHUNKS = 6;
    static final int ERR_WRITE_CHUNKS = 7;
    static final int ERR_SEGMENTS = 8;
    static final int ERR_WRITE_RESOURCE = 9;
    static final int ERR_REPLY_RESOURCE = 10;
    static final int ERR_VERS_MISMATCH = 11;
    static final int ERR_SYSTEM = 100;

    private static final int VERSION_AT = 4;
    private static final int CREDITS_AT = 8;
    private static final int TYPE_AT = 12;
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private Draft07HeaderDecoder() {}

    /** The result of decoding a message. */
    public sealed interface Decoded {
        /** A header; the payload starts {@code length} bytes into the message. */
        record Ok(Draft07Header header, int length) implements Decoded {}

        /**
         * Another version: the receiver owes RDMA2_ERR_VERS, or later on RDMA2_ERR_VERS_MISMATCH.
         */
        record UnknownVersion(int xid, int version) implements Decoded {}

        /** A header of unknown type: the receiver owes RDMA2_ERR_INVAL_HTYPE. */
        record UnknownType(int xid, int type) implements Decoded {}

        /** A property with an invalid value: the receiver owes RDMA2_ERR_BAD_PROPVAL. */
        record BadProperty(int xid, String why) implements Decoded {}

        /**
         * Another malformed header: the receiver owes RDMA2_ERR_BAD_XDR.
         *
         * @param isReply whether the message is a reply; then the receiver owes nothing
         */
        record Malformed(int xid, boolean isReply, String why) implements Decoded {}

        /** A malformed RDMA2_ERROR: the receiver owes nothing. */
        record MalformedError(int xid, String why) implements Decoded {}

        /** A message shorter than the fixed fields: there is no XID to answer. */
        record TooShort() implements Decoded {}
    }

    /** Decodes the header at the start of a message. */
    public static Decoded decode(MemorySegment message) {
        if (message.byteSize() < Version2HeaderCodec.FIXED_BYTES) {
            return new Decoded.TooShort();
        }
        int xid = message.get(UINT32, 0);
        int version = message.get(UINT32, VERSION_AT);
        int credits = message.get(UINT32, CREDITS_AT);
        int type = message.get(UINT32, TYPE_AT);
        var in = new XdrReader(message.asSlice(Version2HeaderCodec.FIXED_BYTES));
        // Errors have one encoding in every version.
        if (type == ERROR) {
            return error(in, xid, version, credits);
        }
        if (version != Draft07Header.VERSION) {
            return new Decoded.UnknownVersion(xid, version);
        }
        try {
            return switch (type) {
                case GRANT -> ok(new Grant(xid, credits), in);
                case CONNPROP_MIDDLE -> properties(in, xid, credits, false);
                case CONNPROP_FINAL -> properties(in, xid, credits, true);
                case CALL_EXTERNAL ->
                        ok(new CallExternal(xid, credits, in.uint32(), call(in), lists(in)), in);
                case CALL_MIDDLE -> ok(new CallMiddle(xid, credits, WordReader.number(in)), in);
                case CALL_INLINE -> ok(new CallInline(xid, credits, in.uint32(), lists(in)), in);
                case REPLY_EXTERNAL ->
                        ok(
                                new ReplyExternal(
                                        xid, credits, ChunkListsCodec.writeList(in), reply(in)),
                                in);
                case REPLY_MIDDLE -> ok(new ReplyMiddle(xid, credits, WordReader.number(in)), in);
                case REPLY_INLINE ->
                        ok(new ReplyInline(xid, credits, ChunkListsCodec.writeList(in)), in);
                default -> new Decoded.UnknownType(xid, type);
            };
        } catch (XdrException malformed) {
            return new Decoded.Malformed(xid, type >= REPLY_EXTERNAL, malformed.getMessage());
        }
    }

    private static Decoded ok(Draft07Header header, XdrReader in) {
        return new Decoded.Ok(header, Version2HeaderCodec.FIXED_BYTES + (int) in.position());
    }

    private static Decoded error(XdrReader in, int xid, int version, int credits) {
        try {
            var error = error(in);
            if (error.isEmpty()) {
                return new Decoded.MalformedError(xid, "unknown error code");
            }
            boolean isOfVersion =
                    error.get() instanceof HeaderError.Version
                            || error.get() instanceof HeaderError.OtherVersion;
            return version == Draft07Header.VERSION || isOfVersion
                    ? ok(new Failure(xid, version, credits, error.get()), in)
                    : new Decoded.MalformedError(xid, "an error of version " + version);
        } catch (XdrException malformed) {
            return new Decoded.MalformedError(xid, malformed.getMessage());
        }
    }

    private static Optional<HeaderError> error(XdrReader in) throws XdrException {
        return switch (in.uint32()) {
            case ERR_VERS -> Optional.of(new HeaderError.Version(in.uint32(), in.uint32()));
            case ERR_BAD_XDR -> Optional.of(new HeaderError.BadXdr());
            case ERR_BAD_PROPVAL -> Optional.of(new HeaderError.BadProperty());
            case ERR_INVAL_HTYPE -> Optional.of(new HeaderError.UnknownType());
            case ERR_INVAL_CONT -> Optional.of(new HeaderError.BadContinuation());
            case ERR_READ_CHUNKS -> Optional.of(new HeaderError.ReadChunks(WordReader.number(in)));
            case ERR_WRITE_CHUNKS ->
                    Optional.of(new HeaderError.WriteChunks(WordReader.number(in)));
            case ERR_SEGMENTS -> Optional.of(new HeaderError.Segments(WordReader.number(in)));
            case ERR_WRITE_RESOURCE ->
                    Optional.of(
                            new HeaderError.WriteResource(
                                    WordReader.number(in), WordReader.number(in)));
            case ERR_REPLY_RESOURCE ->
                    Optional.of(new HeaderError.ReplyResource(WordReader.number(in)));
            case ERR_VERS_MISMATCH -> Optional.of(new HeaderError.OtherVersion());
            case ERR_SYSTEM -> Optional.of(new HeaderError.ReceiverFailed());
            default -> Optional.empty();
        };
    }

    private static Decoded properties(XdrReader in, int xid, int credits, boolean isFinal)
            throws XdrException {
        return switch (PropertyDecoder.decode(in)) {
            case PropertyDecoder.Decoded.Ok(var properties) ->
                    ok(new Properties(xid, credits, isFinal, properties), in);
            case PropertyDecoder.Decoded.BadValue(var why) -> new Decoded.BadProperty(xid, why);
        };
    }

    private static List<ReadSegment> call(XdrReader in) throws XdrException {
        var call = ChunkListsCodec.readList(in);
        if (call.isEmpty() || call.stream().anyMatch(read -> read.position() != 0)) {
            throw new XdrException("an external call without a Call chunk");
        }
        return call;
    }

    private static ChunkLists lists(XdrReader in) throws XdrException {
        var lists = ChunkListsCodec.decode(in);
        int before = 0;
        for (var read : lists.readList()) {
            if (read.position() == 0) {
                throw new XdrException("a Position-Zero Read chunk among the items of a call");
            }
            if (Integer.compareUnsigned(read.position(), before) < 0) {
                throw new XdrException("the positions of the Read list do not increase");
            }
            before = read.position();
        }
        var fault = lists.faultOfReadList();
        if (fault.isPresent()) {
            throw new XdrException(fault.get());
        }
        return lists;
    }

    private static WriteChunk reply(XdrReader in) throws XdrException {
        if (!in.bool()) {
            throw new XdrException("an external reply without a Reply chunk");
        }
        return new WriteChunk(ChunkListsCodec.segments(in));
    }
}
