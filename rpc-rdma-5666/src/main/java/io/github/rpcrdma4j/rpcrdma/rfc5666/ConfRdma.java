package io.github.rpcrdma4j.rpcrdma.rfc5666;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The configuration protocol: what the two sides of a connection tell each other by its first call
 * (RFC 5666-6.2-1). It is a choice (RFC 5666-6-2).
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
    /** RFC 5666-12-3. */
    public static final int PROGRAM = 100417;

    /** The version of the program. */
    public static final int VERSION = 1;

    /** The only procedure but for NULL. */
    public static final int PROCEDURE = 1;

    private static final int RESULT_BYTES = 3 * Integer.BYTES;

    private ConfRdma() {}

    /**
     * What a client says.
     *
     * @param longestCall the longest Send with a call that it would like to make, in bytes
     * @param longestReply the longest Send with a reply that it takes
     * @param reads the RDMA Reads that it answers at a time; 0: none at all
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
         * What a server may do after a client has said this (RFC 5666-6.2-5, 5666-6.2-6).
         *
         * @param sendMax the longest Send that the server makes, in bytes
         */
        ConnectionParameters parameters(ConnectionParameters before, int sendMax) {
            return before.withThresholds(before.callThreshold(), least(longestReply, sendMax))
                    .withReadsMax(least(reads, Integer.MAX_VALUE));
        }
    }

    /**
     * What a server says.
     *
     * @param longestCall the longest Send with a call that it takes, whatever was asked for (RFC
     *     5666-6.2-2)
     * @param align what it likes data to be aligned to; 0 or 1: it does not care
     * @param reads the RDMA Reads that it answers at a time; 0: none at all
     */
    public record Results(int longestCall, int align, int reads) {
        void encode(XdrWriter out) {
            out.uint32(longestCall).uint32(align).uint32(reads);
        }

        /**
         * What a client may do after a server has said this (RFC 5666-6.2-3).
         *
         * @param own what the client said (RFC 5666-6.2-5)
         * @param sendMax the longest Send that the client makes, in bytes
         */
        ConnectionParameters parameters(ConnectionParameters before, Arguments own, int sendMax) {
            return before.withThresholds(least(longestCall, sendMax), own.longestReply)
                    .withReadsMax(least(reads, Integer.MAX_VALUE));
        }

        /**
         * Decodes the results.
         *
         * @throws XdrException if they make no sense
         */
        public static Results decode(XdrReader in) throws XdrException {
            var results = new Results(in.uint32(), in.uint32(), in.uint32());
            in.finish();
            return results;
        }
    }

    /** The smaller of an unsigned word and a number. */
    private static int least(int word, int most) {
        return (int) Math.min(Integer.toUnsignedLong(word), most);
    }

    /** The call of a client. */
    public static RpcCall call(Arguments arguments) {
        return new RpcCall(PROGRAM, VERSION, PROCEDURE, arguments::encode, RESULT_BYTES);
    }
}
