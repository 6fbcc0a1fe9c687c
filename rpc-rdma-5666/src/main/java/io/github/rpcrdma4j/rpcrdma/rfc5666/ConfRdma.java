package io.github.rpcrdma4j.rpcrdma.rfc5666;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The configuration protocol: the values that the two sides of a connection exchange in its first
 * call (RFC 5666-6.2-1). Its use is optional (RFC 5666-6-2).
 *
 * <pre>
 *   arguments   longest call | longest reply | RDMA Reads     unsigned words
 *   results     longest call | alignment     | RDMA Reads
 * </pre>
 *
 * The lengths are those of whole Sends, which is the stricter of the two readings that the RFC
 * allows.
 */
public final class ConfRdma {
    /** The program number (RFC 5666-12-3). */
    public static final int PROGRAM = 100417;

    /** The version of the program. */
    public static final int VERSION = 1;

    /** The only procedure besides NULL. */
    public static final int PROCEDURE = 1;

    private static final int RESULT_BYTES = 3 * Integer.BYTES;

    private ConfRdma() {}

    /**
     * The values that a client sends.
     *
     * @param longestCall the longest Send with a call that the client wants to make, in bytes
     * @param longestReply the longest Send with a reply that the client accepts, in bytes
     * @param reads the number of RDMA Reads that the client answers at a time; 0: none at all
     */
    public record Arguments(int longestCall, int longestReply, int reads) {
        /** Encodes the arguments. */
        public void encode(XdrWriter out) {
            out.uint32(longestCall).uint32(longestReply).uint32(reads);
        }

        static Arguments decode(XdrReader in) throws XdrException {
            return new Arguments(in.uint32(), in.uint32(), in.uint32());
        }

        /**
         * Returns the connection parameters of a server whose client has sent these values (RFC
         * 5666-6.2-5, 5666-6.2-6).
         *
         * @param sendMax the longest Send that the server makes, in bytes
         */
        ConnectionParameters parameters(ConnectionParameters before, int sendMax) {
            return before.withThresholds(before.callThreshold(), least(longestReply, sendMax))
                    .withReadsMax(least(reads, Integer.MAX_VALUE));
        }
    }

    /**
     * The values that a server returns.
     *
     * @param longestCall the longest Send with a call that the server accepts, in bytes,
     *     independent of the client's wish (RFC 5666-6.2-2)
     * @param align the alignment that the server prefers for data, in bytes; 0 or 1: no preference
     * @param reads the number of RDMA Reads that the server answers at a time; 0: none at all
     */
    public record Results(int longestCall, int align, int reads) {
        void encode(XdrWriter out) {
            out.uint32(longestCall).uint32(align).uint32(reads);
        }

        /**
         * Returns the connection parameters of a client whose server has returned these values (RFC
         * 5666-6.2-3).
         *
         * @param own the values that the client has sent (RFC 5666-6.2-5)
         * @param sendMax the longest Send that the client makes, in bytes
         */
        ConnectionParameters parameters(ConnectionParameters before, Arguments own, int sendMax) {
            return before.withThresholds(least(longestCall, sendMax), own.longestReply)
                    .withReadsMax(least(reads, Integer.MAX_VALUE));
        }

        /**
         * Decodes the results.
         *
         * @throws XdrException if they are malformed
         */
        public static Results decode(XdrReader in) throws XdrException {
            var results = new Results(in.uint32(), in.uint32(), in.uint32());
            in.finish();
            return results;
        }
    }

    /** Returns the smaller of an unsigned word and a number. */
    private static int least(int word, int most) {
        return (int) Math.min(Integer.toUnsignedLong(word), most);
    }

    /** Returns the call that a client makes. */
    public static RpcCall call(Arguments arguments) {
        return new RpcCall(PROGRAM, VERSION, PROCEDURE, arguments::encode, RESULT_BYTES);
    }
}
