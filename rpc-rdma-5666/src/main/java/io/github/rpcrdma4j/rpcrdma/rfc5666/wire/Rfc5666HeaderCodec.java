package io.github.rpcrdma4j.rpcrdma.rfc5666.wire;

import static io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec.fixed;
import static io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec.put;

import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.OtherError;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.PaddedMsg;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkListsCodec;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;

/**
 * The wire form of a {@link Rfc5666Header} (RFC 5666, Section 4).
 *
 * <pre>
 *   xid | vers | credit | proc |  body, by proc
 *                          2      RDMA_MSGP     align, threshold, then as RDMA_MSG
 *                          4      RDMA_ERROR    any code but 1 and 2, and eight words
 * </pre>
 *
 * Every other message has its RFC 8166 form ({@link Version1HeaderCodec}). Decoding never throws.
 */
public final class Rfc5666HeaderCodec {
    private static final int RDMA_MSGP = 2;
    private static final int RDMA_ERROR = 4;
    private static final int ERR_VERS = 1;
    private static final int ERR_CHUNK = 2;
    private static final int OTHER_ERROR_WORDS = 8;

    private Rfc5666HeaderCodec() {}

    /** The result of decoding a received message. */
    public sealed interface Decoded {
        /** A message that RFC 8166 defines, or one that is malformed by both RFCs. */
        record Common(Version1HeaderCodec.Decoded decoded) implements Decoded {}

        /** A header. The data after it starts {@code length} bytes into the message. */
        record Ok(Rfc5666Header header, int length) implements Decoded {}
    }

    /** Decodes the header at the start of a message. */
    public static Decoded decode(MemorySegment message) {
        var in = new XdrReader(message);
        try {
            int xid = in.uint32();
            int version = in.uint32();
            int credits = in.uint32();
            int proc = in.uint32();
            if (proc == RDMA_MSGP && version == Version1Header.VERSION) {
                return padded(in, xid, credits);
            }
            if (proc == RDMA_ERROR) {
                int code = in.uint32();
                if (code != ERR_VERS && code != ERR_CHUNK) {
                    in.fixedOpaque(OTHER_ERROR_WORDS * Integer.BYTES);
                    return ok(new OtherError(xid, version, credits, code), in);
                }
            }
        } catch (XdrException malformed) {
            // RFC 8166 finds it malformed as well.
        }
        return new Decoded.Common(Version1HeaderCodec.decode(message));
    }

    private static Decoded padded(XdrReader in, int xid, int credits) {
        try {
            int align = in.uint32();
            int threshold = in.uint32();
            if (align == 0) {
                throw new XdrException("an RDMA_MSGP with an alignment of 0");
            }
            var chunks = ChunkListsCodec.decode(in);
            return ok(new PaddedMsg(xid, credits, align, threshold, chunks), in);
        } catch (XdrException malformed) {
            return new Decoded.Common(
                    new Version1HeaderCodec.Decoded.Malformed(
                            xid, Version1Header.VERSION, malformed.getMessage()));
        }
    }

    private static Decoded ok(Rfc5666Header header, XdrReader in) {
        return new Decoded.Ok(header, (int) in.position());
    }

    /** Returns how many bytes {@link #encode} writes. */
    public static int encodedLength(Rfc5666Header header) {
        return switch (header) {
            case PaddedMsg(_, _, _, _, var chunks) ->
                    2 * Integer.BYTES + Version1HeaderCodec.encodedLength(chunks);
            case OtherError _ ->
                    Version1HeaderCodec.CHUNK_ERROR_BYTES + OTHER_ERROR_WORDS * Integer.BYTES;
        };
    }

    /**
     * Writes the header to the start of {@code target}.
     *
     * @return the number of bytes written
     * @throws IndexOutOfBoundsException if the header does not fit
     */
    public static int encode(Rfc5666Header header, MemorySegment target) {
        return switch (header) {
            case PaddedMsg(var xid, var credits, var align, var threshold, var chunks) -> {
                int at = fixed(target, xid, Version1Header.VERSION, credits, RDMA_MSGP);
                at = put(target, put(target, at, align), threshold);
                yield ChunkListsCodec.encode(chunks, target, at);
            }
            case OtherError(var xid, var version, var credits, var code) -> {
                int at = put(target, fixed(target, xid, version, credits, RDMA_ERROR), code);
                int length = OTHER_ERROR_WORDS * Integer.BYTES;
                target.asSlice(at, length).fill((byte) 0);
                yield at + length;
            }
        };
    }
}
