package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Optional;

/**
 * The result of a procedure: a value or a status, in both cases with attributes of the files that
 * it touched.
 *
 * @param <A> the attributes that come with success and failure
 * @param <T> the value that comes with success
 */
public sealed interface Nfs3Reply<A, T> {
    A attributes();

    /** The procedure succeeded. */
    record Ok<A, T>(A attributes, T value) implements Nfs3Reply<A, T> {}

    /** The procedure failed. */
    record Failed<A, T>(Status status, A attributes) implements Nfs3Reply<A, T> {}

    /** Stands for the attributes or the value of a procedure that has none. */
    record Nothing() {
        public static final Nothing NOTHING = new Nothing();
    }

    /** The attributes of RENAME: those of the source directory and of the target directory. */
    record TwoWcc(WccData from, WccData to) {}

    /** The attributes of LINK: those of the file and of the directory. */
    record FileAndWcc(Optional<FileAttributes> file, WccData directory) {}

    /** Encodes and decodes one part of a reply. */
    interface Codec<P> {
        void encode(XdrWriter out, P part);

        P decode(XdrReader in) throws XdrException;
    }

    /** The order of attributes and value in a successful reply. */
    enum Order {
        /** {@code status | attributes | value}. */
        ATTRIBUTES_FIRST,
        /** {@code status | value | attributes}. */
        VALUE_FIRST
    }

    /**
     * The wire format of a procedure's reply.
     *
     * @param hasBulk whether a successful value holds a bulk item; a failure never does
     * @param <A> the attributes that a reply carries on success and on failure
     * @param <T> the value that a reply carries on success
     */
    record ReplyFormat<A, T>(
            Procedure procedure,
            Codec<A> attributes,
            Codec<T> value,
            Order order,
            boolean hasBulk) {
        public void encode(XdrWriter out, Nfs3Reply<A, T> reply) {
            switch (reply) {
                case Failed<A, T>(var status, var files) -> {
                    out.uint32(status.number());
                    if (hasBulk) {
                        out.absentBulk();
                    }
                    attributes.encode(out, files);
                }
                case Ok<A, T>(var files, var result) -> {
                    out.uint32(Status.OK.number());
                    switch (order) {
                        case ATTRIBUTES_FIRST -> {
                            attributes.encode(out, files);
                            value.encode(out, result);
                        }
                        case VALUE_FIRST -> {
                            value.encode(out, result);
                            attributes.encode(out, files);
                        }
                    }
                }
            }
        }

        /**
         * Decodes a whole reply.
         *
         * @throws XdrException if it is malformed, or if bytes remain after it
         */
        public Nfs3Reply<A, T> decode(XdrReader in) throws XdrException {
            int status = in.uint32();
            Nfs3Reply<A, T> reply;
            if (status != Status.OK.number()) {
                if (hasBulk) {
                    in.absentBulk();
                }
                reply = new Failed<>(Status.of(status), attributes.decode(in));
            } else {
                reply =
                        switch (order) {
                            case ATTRIBUTES_FIRST ->
                                    new Ok<>(attributes.decode(in), value.decode(in));
                            case VALUE_FIRST -> {
                                var result = value.decode(in);
                                yield new Ok<>(attributes.decode(in), result);
                            }
                        };
            }
            in.finish();
            return reply;
        }
    }
}
