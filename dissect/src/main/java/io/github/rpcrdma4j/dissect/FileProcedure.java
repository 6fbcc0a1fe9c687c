package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.Optional;

/**
 * The procedures of NFS versions 2 and 3 whose results may have a bulk item (RFC 8267, Section 4).
 *
 * <pre>
 *   version 2   status | OK: attributes | data                       READ
 *               status | OK: path                                    READLINK
 *   version 3   status | post_op_attr | OK: count | eof | data       READ
 *               status | post_op_attr | OK: path                     READLINK
 * </pre>
 */
enum FileProcedure {
    READ,
    READLINK,
    READ3,
    READLINK3;

    private static final int ATTRIBUTES_BYTES = 68;
    private static final int ATTRIBUTES3_BYTES = 84;

    /** The longest data that is compared with its chunk, in bytes. */
    private static final int DATA_MAX = Nfs3.TRANSFER_MAX;

    /** Returns the procedure of a version of NFS; empty for those without a bulk result. */
    static Optional<FileProcedure> of(int version, int procedure) {
        if (version == Nfs2Binding.VERSION) {
            return procedure == Nfs2Binding.Procedure.READ.number()
                    ? Optional.of(READ)
                    : procedure == Nfs2Binding.Procedure.READLINK.number()
                            ? Optional.of(READLINK)
                            : Optional.empty();
        }
        return procedure == Procedure.READ.number()
                ? Optional.of(READ3)
                : procedure == Procedure.READLINK.number()
                        ? Optional.of(READLINK3)
                        : Optional.empty();
    }

    /** Reads over all results. */
    void readOver(XdrReader in) throws XdrException {
        boolean succeeded = in.uint32() == 0;
        if (this == READ3 || this == READLINK3) {
            if (in.bool()) {
                in.fixedOpaque(ATTRIBUTES3_BYTES);
            }
        }
        if (succeeded) {
            switch (this) {
                case READ -> in.fixedOpaque(ATTRIBUTES_BYTES);
                case READ3 -> {
                    in.uint32();
                    in.bool();
                }
                case READLINK, READLINK3 -> {}
            }
            in.bulk(DATA_MAX);
        } else {
            in.absentBulk();
        }
        in.finish();
    }
}
