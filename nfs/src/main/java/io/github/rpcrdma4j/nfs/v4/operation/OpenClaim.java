package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * Which file OPEN means, and by what right: {@code open_claim4} (RFC 8881, Section 18.16).
 *
 * <pre>
 *   claim(32) | 0 CLAIM_NULL: name
 *             | 1 CLAIM_PREVIOUS: delegate_type(32)
 *             | 2 CLAIM_DELEGATE_CUR: stateid name
 *             | 3 CLAIM_DELEGATE_PREV: name
 *             | 4 CLAIM_FH:
 *             | 5 CLAIM_DELEG_CUR_FH: stateid
 *             | 6 CLAIM_DELEG_PREV_FH:
 * </pre>
 */
public sealed interface OpenClaim {
    /**
     * {@code CLAIM_NULL}: a name in the directory of the current filehandle.
     *
     * @param name as received: see {@link FileNames#status}
     */
    record Name(FileName name) implements OpenClaim {}

    /**
     * {@code CLAIM_PREVIOUS}: the current filehandle, open before the server restarted.
     *
     * @param delegationType {@code open_delegation_type4}: the delegation that the client had
     */
    record Previous(int delegationType) implements OpenClaim {}

    /** {@code CLAIM_DELEGATE_CUR}: a name, by a delegation. */
    record DelegatedName(StateId delegation, FileName name) implements OpenClaim {}

    /** {@code CLAIM_DELEGATE_PREV}: a name, by a delegation before the client restarted. */
    record DelegatedNameBefore(FileName name) implements OpenClaim {}

    /** {@code CLAIM_FH}: the current filehandle. */
    record Handle() implements OpenClaim {}

    /** {@code CLAIM_DELEG_CUR_FH}: the current filehandle, by a delegation. */
    record DelegatedHandle(StateId delegation) implements OpenClaim {}

    /**
     * {@code CLAIM_DELEG_PREV_FH}: the current filehandle, by a delegation before the client
     * restarted.
     */
    record DelegatedHandleBefore() implements OpenClaim {}

    static OpenClaim decode(XdrReader in) throws XdrException {
        int claim = in.uint32();
        return switch (claim) {
            case 0 -> new Name(FileNames.decode(in));
            case 1 -> new Previous(in.uint32());
            case 2 -> new DelegatedName(StateId.decode(in), FileNames.decode(in));
            case 3 -> new DelegatedNameBefore(FileNames.decode(in));
            case 4 -> new Handle();
            case 5 -> new DelegatedHandle(StateId.decode(in));
            case 6 -> new DelegatedHandleBefore();
            default -> throw XdrArrays.unknown("open_claim_type4", claim);
        };
    }

    default void encode(XdrWriter out) {
        switch (this) {
            case Name(var name) -> name.encode(out.uint32(0));
            case Previous(var type) -> out.uint32(1).uint32(type);
            case DelegatedName(var delegation, var name) ->
                    name.encode(delegation.encode(out.uint32(2)));
            case DelegatedNameBefore(var name) -> name.encode(out.uint32(3));
            case Handle() -> out.uint32(4);
            case DelegatedHandle(var delegation) -> delegation.encode(out.uint32(5));
            case DelegatedHandleBefore() -> out.uint32(6);
        }
    }
}
