package io.github.rpcrdma4j.nfs.v4.attribute;

import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The arguments of OPEN that a server takes: {@code open_arguments4} (RFC 9754, Section 3).
 *
 * <pre>
 *   share_access | share_deny | share_access_want | open_claim | create_mode: a bitmap each
 * </pre>
 *
 * @param access the values of {@code share_access}: 1 for READ, 2 for WRITE, 3 for both
 * @param deny the values of {@code share_deny}: 0 to 3
 * @param wants the numbers of {@code open_args_share_access_want4}
 * @param claims the numbers of {@code open_claim_type4}
 * @param createModes the numbers of {@code createmode4}
 */
public record OpenSupport(
        Bitmap access, Bitmap deny, Bitmap wants, Bitmap claims, Bitmap createModes) {
    static OpenSupport decode(XdrReader in) throws XdrException {
        return new OpenSupport(
                Bitmap.decode(in),
                Bitmap.decode(in),
                Bitmap.decode(in),
                Bitmap.decode(in),
                Bitmap.decode(in));
    }

    void encode(XdrWriter out) {
        access.encode(out);
        deny.encode(out);
        wants.encode(out);
        claims.encode(out);
        createModes.encode(out);
    }
}
