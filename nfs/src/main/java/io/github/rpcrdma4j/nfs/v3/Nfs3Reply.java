package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Optional;

/**
 * What a procedure results in: a value or a status, and either way attributes of the files that it
 * touched.
 *
 * @param <A> the attributes that come with success and failure alike
 * @param <T> the value of success
 */
public sealed interface Nfs3Reply<A, T> {
    A attributes();

    /** It was done. */
    record Ok<A, T>(A attributes, T value) implements Nfs3Reply<A, T> {}

    /** It was not done. */
    record Failed<A, T>(Status status, A attributes) implements Nfs3Reply<A, T> {}

    /** For procedures without attributes or without a value. */
    record Nothing() {
        public static final Nothing NOTHING = new Nothing();
    }

    /** The attributes of RENAME: of the directory it took from and of the one it put to. */
    record TwoWcc(WccData from, WccData to) {}

    /** The attributes of LINK: of the file and of the directory. */
    record FileAndWcc(Optional<FileAttributes> file, WccData directory) {}

    /** Both directions of one part of a reply. */
    interface Codec<P> {
        void encode(XdrWriter out, P part);

        P decode(XdrReader in) throws XdrException;
    }

    /** How the parts of one procedure's reply follow each other on the wire. */
    enum Order {
        /** {@code status | attributes | value}. */
        ATTRIBUTES_FIRST,
        /** {@code status | value | attributes}. */
        VALUE_FIRST
    }

    /**
     * The wire form of a procedure's reply.
     *
     * @param hasBulk whether the value holds a bulk item, which the failure has not
     */
    record Form<A, T>(
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
                        out.noBulk();
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
         * @throws XdrException if it makes no sense
         */
        public Nfs3Reply<A, T> decode(XdrReader in) throws XdrException {
            int status = in.uint32();
            Nfs3Reply<A, T> reply;
            if (status != Status.OK.number()) {
                if (hasBulk) {
                    in.noBulk();
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
