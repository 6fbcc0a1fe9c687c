package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.List;
import java.util.Optional;

/**
 * The arguments of a CB_COMPOUND: {@code CB_COMPOUND4args} (RFC 8881, Section 20). A server encodes
 * them.
 *
 * <pre>
 *   tag | minor version(32) | callback_ident(32) | count(32) | callbacks
 * </pre>
 *
 * @param ident what a client of minor version 0 has given with SETCLIENTID (RFC 7530, Section
 *     16.33); 0 for others
 */
public record CallbackCompound(
        OpaqueName tag, int minorVersion, int ident, List<CallbackArguments> callbacks) {
    public CallbackCompound {
        callbacks = List.copyOf(callbacks);
    }

    /**
     * Reads a whole message.
     *
     * @throws XdrException if it is malformed, or if bytes remain after it
     */
    public static CallbackCompound decode(XdrReader in) throws XdrException {
        var tag = OpaqueName.decode(in);
        int minorVersion = in.uint32();
        int ident = in.uint32();
        var callbacks = XdrArrays.list(in, Integer.BYTES, CallbackArguments::decode);
        in.finish();
        return new CallbackCompound(tag, minorVersion, ident, callbacks);
    }

    public void encode(XdrWriter out) {
        tag.encode(out).uint32(minorVersion).uint32(ident);
        XdrArrays.encode(out, callbacks, CallbackArguments::encode);
    }

    /**
     * The result of a CB_COMPOUND: {@code CB_COMPOUND4res}.
     *
     * <pre>
     *   status(32) | tag | count(32) | results
     * </pre>
     *
     * @param status that of the last result, or why none was carried out
     */
    public record Outcome(Nfs4Status status, OpaqueName tag, List<CallbackResult> results) {
        public Outcome {
            results = List.copyOf(results);
        }

        /**
         * Reads a whole message.
         *
         * @throws XdrException if it is malformed, or if bytes remain after it
         */
        public static Outcome decode(XdrReader in) throws XdrException {
            var status = Result.decodeStatus(in);
            var tag = OpaqueName.decode(in);
            var results = XdrArrays.list(in, 2 * Integer.BYTES, CallbackResult::decode);
            in.finish();
            return new Outcome(status, tag, results);
        }

        /** Returns the last result, if there is one. */
        public Optional<CallbackResult> last() {
            return results.isEmpty() ? Optional.empty() : Optional.of(results.getLast());
        }

        public void encode(XdrWriter out) {
            tag.encode(out.uint32(status.number()));
            XdrArrays.encode(out, results, CallbackResult::encode);
        }
    }
}
