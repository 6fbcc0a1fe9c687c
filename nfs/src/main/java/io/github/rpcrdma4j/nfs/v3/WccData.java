package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Optional;

/**
 * The attributes of a file before and after an operation: {@code wcc_data} (RFC 1813, Section 2.6).
 *
 * @param before empty if it is not known with certainty
 * @param after empty if it is not known
 */
public record WccData(Optional<Before> before, Optional<FileAttributes> after) {
    /** Nothing is known. */
    public static final WccData UNKNOWN = new WccData(Optional.empty(), Optional.empty());

    /** The attributes before the operation: {@code wcc_attr}. */
    public record Before(long size, Timestamp modified, Timestamp changed) {
        public static Before of(FileAttributes attributes) {
            return new Before(attributes.size(), attributes.modified(), attributes.changed());
        }
    }

    static WccData decode(XdrReader in) throws XdrException {
        Optional<Before> before =
                in.bool()
                        ? Optional.of(
                                new Before(in.uint64(), Timestamp.decode(in), Timestamp.decode(in)))
                        : Optional.empty();
        return new WccData(before, FileAttributes.decodeOptional(in));
    }

    void encode(XdrWriter out) {
        out.bool(before.isPresent());
        if (before.isPresent()) {
            out.uint64(before.get().size());
            before.get().modified().encode(out);
            before.get().changed().encode(out);
        }
        FileAttributes.encodeOptional(out, after);
    }
}
