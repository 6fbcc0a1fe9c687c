package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v4.CompoundReply;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Lowers what a server says of its longest READ and WRITE, and of the longest messages of a
 * session, to what passes a gateway. Otherwise a client that believes the server loses its
 * connection for ever. It changes the memory of the reply. A reply that it cannot read stays as it
 * is. NFS version 2 has a fixed limit, which always passes unless the operator says otherwise.
 *
 * @param messageMax the longest message that passes, in bytes, unsigned
 */
record LoweredLimits(long messageMax) {
    /** The most bytes of a message beside its data, if it is a long one. */
    private static final long BESIDE_DATA = 64 << 10;

    private static final int OK = 0;
    private static final int GETATTR = 9;
    private static final int CREATE_SESSION = 43;

    /** The attributes of a file of version 3, in bytes (RFC 1813, Section 2.6). */
    private static final int ATTRIBUTES_3 = 84;

    /** Session, sequence and flags in the results of CREATE_SESSION, in bytes. */
    private static final int BEFORE_CHANNEL = 24;

    private static final AttributeSet LIMITS =
            AttributeSet.of(Attribute.MAXREAD, Attribute.MAXWRITE);

    private static final ValueLayout.OfInt WORD =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final ValueLayout.OfLong HYPER =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Returns the most data of a READ or WRITE, in bytes. */
    long dataMax() {
        return messageMax < 0 ? messageMax : Math.max(messageMax - BESIDE_DATA, messageMax / 2);
    }

    /** Returns whether a call is FSINFO, whose results have limits. */
    static boolean areIn(CallHeader call) {
        return call.program() == Nfs3.PROGRAM
                && call.version() == Nfs3.VERSION
                && call.procedure() == Procedure.FSINFO.number();
    }

    /**
     * Lowers the limits of FSINFO: rtmax, rtpref, wtmax, wtpref and dtpref (RFC 1813, Section
     * 3.3.19).
     *
     * @param results the results, from their status on
     */
    void lowerFsInfo(MemorySegment results) {
        var in = new XdrReader(results);
        try {
            if (in.uint32() != OK) {
                return;
            }
            if (in.bool()) {
                in.fixedOpaque(ATTRIBUTES_3);
            }
            for (boolean isSize : new boolean[] {true, true, false, true, true, false, true}) {
                long at = in.position();
                in.uint32();
                if (isSize) {
                    lowerWord(results, at, dataMax());
                }
            }
        } catch (XdrException _) {
            // The client has to make of it what it can.
        }
    }

    /**
     * Lowers the limits of GETATTR (RFC 8881, Sections 5.8.2.20 and 5.8.2.21) and of CREATE_SESSION
     * (Section 18.36).
     *
     * @param stream the results and what is before them
     * @param start the position of its first byte
     */
    void lower(CompoundReply reply, MemorySegment stream, long start) {
        for (var each : reply.operations()) {
            int number = each.operation().number();
            if (each.status() == OK && (number == GETATTR || number == CREATE_SESSION)) {
                // Behind its number and its status.
                var results = stream.asSlice(each.position() - start + 2 * Integer.BYTES);
                try {
                    if (number == GETATTR) {
                        lowerAttributes(results);
                    } else {
                        lowerChannel(results);
                    }
                } catch (XdrException _) {
                    // The client has to make of it what it can.
                }
            }
        }
    }

    private void lowerAttributes(MemorySegment results) throws XdrException {
        var in = new XdrReader(results);
        var present = AttributeSet.decode(in);
        if (present.and(LIMITS).isEmpty()) {
            return;
        }
        in.uint32();
        var numbers = present.numbers();
        for (int i = numbers.next(0); i >= 0 && i <= Attribute.MAXWRITE.number(); ) {
            var attribute = Attribute.of(i).orElseThrow();
            long at = in.position();
            skip(attribute, in);
            if (LIMITS.has(attribute)) {
                lowerHyper(results, at, dataMax());
            }
            i = numbers.next(i + 1);
        }
    }

    private static void skip(Attribute attribute, XdrReader in) throws XdrException {
        switch (attribute.layout()) {
            case BOOL, WORD -> in.uint32();
            case HYPER -> in.uint64();
            case TIME -> in.fixedOpaque(Long.BYTES + Integer.BYTES);
            case FILE_SYSTEM -> in.fixedOpaque(2 * Long.BYTES);
            case BYTES -> in.opaque(Integer.MAX_VALUE);
            case ATTRIBUTES -> AttributeSet.decode(in);
            case ACES -> {
                for (long left = in.count(4 * Integer.BYTES, Integer.MAX_VALUE); left > 0; left--) {
                    in.fixedOpaque(3 * Integer.BYTES);
                    in.opaque(Integer.MAX_VALUE);
                }
            }
            case LOCATIONS -> {
                skipAll(in);
                for (long left = in.count(2 * Integer.BYTES, Integer.MAX_VALUE); left > 0; left--) {
                    skipAll(in);
                    skipAll(in);
                }
            }
            case OPEN_ARGUMENTS, OTHER ->
                    throw new XdrException(attribute + " comes before no limit");
        }
    }

    /** Skips an array of opaques. */
    private static void skipAll(XdrReader in) throws XdrException {
        for (long left = in.count(Integer.BYTES, Integer.MAX_VALUE); left > 0; left--) {
            in.opaque(Integer.MAX_VALUE);
        }
    }

    /** Lowers the longest request, the longest reply, and the longest one that is kept. */
    private void lowerChannel(MemorySegment results) throws XdrException {
        var in = new XdrReader(results);
        in.fixedOpaque(BEFORE_CHANNEL);
        in.uint32();
        for (int i = 0; i < 3; i++) {
            long at = in.position();
            in.uint32();
            lowerWord(results, at, messageMax);
        }
    }

    private static void lowerWord(MemorySegment results, long at, long most) {
        if (Long.compareUnsigned(Integer.toUnsignedLong(results.get(WORD, at)), most) > 0) {
            results.set(WORD, at, (int) most);
        }
    }

    private static void lowerHyper(MemorySegment results, long at, long most) {
        if (Long.compareUnsigned(results.get(HYPER, at), most) > 0) {
            results.set(HYPER, at, most);
        }
    }
}
