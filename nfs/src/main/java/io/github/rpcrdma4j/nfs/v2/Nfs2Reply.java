package io.github.rpcrdma4j.nfs.v2;

import io.github.rpcrdma4j.nfs.v2.Nfs2Binding.Procedure;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The result of a procedure: a value or a status.
 *
 * <pre>status(32) [ | OK: value ]</pre>
 *
 * @param <T> the value that comes with success
 */
public sealed interface Nfs2Reply<T> {
    /** The procedure succeeded. */
    record Ok<T>(T value) implements Nfs2Reply<T> {}

    /** The procedure failed. */
    record Failed<T>(Status status) implements Nfs2Reply<T> {}

    /** Stands for the value of a procedure that has none. */
    record Nothing() {
        public static final Nothing NOTHING = new Nothing();
    }

    /** Writes a value. */
    interface Encoding<T> {
        void encode(XdrWriter out, T value);
    }

    /** Reads a value. */
    interface Decoding<T> {
        T decode(XdrReader in) throws XdrException;
    }

    /**
     * The wire format of a procedure's reply.
     *
     * @param hasBulk whether a successful value holds a bulk item; a failure never does
     * @param <T> the value that a reply carries on success
     */
    record ReplyFormat<T>(
            Procedure procedure, Encoding<T> encoding, Decoding<T> decoding, boolean hasBulk) {
        /** Writes a reply. */
        public void encode(XdrWriter out, Nfs2Reply<T> reply) {
            switch (reply) {
                case Ok<T>(var value) -> encoding.encode(out.uint32(Status.OK.number()), value);
                case Failed<T>(var status) -> {
                    out.uint32(status.number());
                    if (hasBulk) {
                        out.absentBulk();
                    }
                }
            }
        }

        /**
         * Reads a whole reply.
         *
         * @throws XdrException if it is malformed, or if bytes remain after it
         */
        public Nfs2Reply<T> decode(XdrReader in) throws XdrException {
            int status = in.uint32();
            Nfs2Reply<T> reply;
            if (status == Status.OK.number()) {
                reply = new Ok<>(decoding.decode(in));
            } else {
                if (hasBulk) {
                    in.absentBulk();
                }
                reply = new Failed<>(Status.of(status));
            }
            in.finish();
            return reply;
        }
    }
}
