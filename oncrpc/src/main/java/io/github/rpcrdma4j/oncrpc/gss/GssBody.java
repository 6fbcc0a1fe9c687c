package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Wraps and unwraps arguments or results (RFC 2203, Sections 5.3.2 and 5.3.3.4).
 *
 * <pre>
 *   data:       seq_num | arguments or results
 *   NONE:       arguments or results
 *   INTEGRITY:  length, data | length, MIC of the data
 *   PRIVACY:    length, data encrypted
 * </pre>
 */
final class GssBody {
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private GssBody() {}

    /** Returns a sequence number in the form that the verifier of a reply signs. */
    static byte[] bytes(int sequence) {
        byte[] bytes = new byte[Integer.BYTES];
        MemorySegment.ofArray(bytes).set(UINT32, 0, sequence);
        return bytes;
    }

    /** Returns the longest that {@code dataMax} bytes can be on the wire, in bytes. */
    static long wrappedMax(GssService service, GssContext context, long dataMax) {
        long length = Integer.BYTES + XdrWriter.roundUp(dataMax);
        return switch (service) {
            case NONE -> dataMax;
            case INTEGRITY -> 2 * Integer.BYTES + length + XdrWriter.roundUp(context.micMax());
            case PRIVACY -> Integer.BYTES + XdrWriter.roundUp(length + context.wrapOverheadMax());
        };
    }

    /**
     * Wraps with INTEGRITY or PRIVACY.
     *
     * @param content the arguments or results; this method copies them
     */
    static void wrap(
            GssService service, GssContext context, int sequence, XdrWriter content, XdrWriter out)
            throws GssException {
        var pieces = PayloadStream.of(content);
        byte[] data = new byte[Math.toIntExact(Integer.BYTES + pieces.length())];
        var memory = MemorySegment.ofArray(data);
        memory.set(UINT32, 0, sequence);
        pieces.copyTo(memory.asSlice(Integer.BYTES));
        switch (service) {
            case NONE -> throw new AssertionError("nothing is wrapped");
            case INTEGRITY -> {
                byte[] mic = context.mic(data);
                out.opaque(memory).opaque(mic);
            }
            case PRIVACY -> out.opaque(context.wrap(data));
        }
    }

    /**
     * Unwraps INTEGRITY or PRIVACY.
     *
     * @param in positioned at the wrapped data, which ends its message
     * @return a reader at the arguments or results
     * @throws XdrException if the data is malformed, or has another sequence number
     * @throws GssException if the other end did not send the data
     */
    static XdrReader unwrap(GssService service, GssContext context, int sequence, XdrReader in)
            throws XdrException, GssException {
        var data =
                switch (service) {
                    case NONE -> throw new AssertionError("nothing is wrapped");
                    case INTEGRITY -> {
                        var signed = in.opaque(Integer.MAX_VALUE);
                        byte[] mic = in.bytes(Integer.MAX_VALUE);
                        in.finish();
                        context.verify(signed.toArray(ValueLayout.JAVA_BYTE), mic);
                        yield new XdrReader(signed);
                    }
                    case PRIVACY -> {
                        byte[] encrypted = in.bytes(Integer.MAX_VALUE);
                        in.finish();
                        yield new XdrReader(MemorySegment.ofArray(context.unwrap(encrypted)));
                    }
                };
        if (data.uint32() != sequence) {
            throw new XdrException("the data is of another message");
        }
        return data;
    }
}
