package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The result of an operation: {@code nfs_resop4} (RFC 8881, Section 16.2).
 *
 * <pre>
 *   number(32) | status(32) | values
 * </pre>
 *
 * <p>Most failures have no values, and so have the successes of many operations.
 *
 * <p>Tests: {@code VectorOperationsTest}, {@code OperationRulesTest}.
 */
public sealed interface Result
        permits SessionResult,
                LeaseResult,
                HandleResult,
                StateResult,
                LockResult,
                DataResult,
                CopyResult,
                NameResult,
                AttributeResult,
                XattrResult,
                Result.Done,
                Result.Failed {
    /** Returns the operation. */
    Opcode opcode();

    /** Returns the status. */
    default Nfs4Status status() {
        return Nfs4Status.OK;
    }

    /** Writes the values behind the status. */
    default void encodeBody(XdrWriter out) {}

    /** Writes the number, the status and the values. */
    default void encode(XdrWriter out) {
        encodeBody(out.uint32(opcode().number()).uint32(status().number()));
    }

    /** Returns the success of an operation without values. */
    static Result done(Opcode opcode) {
        return new Done(opcode);
    }

    /**
     * Returns a failure without details.
     *
     * @param status not OK. DENIED needs a {@link LockResult.Denied}, and OFFLOAD_NO_REQS a {@link
     *     CopyResult.Requirements}.
     * @throws IllegalArgumentException if the status is one of these
     */
    static Result failed(Opcode opcode, Nfs4Status status) {
        if (opcode == Opcode.SETCLIENTID && status == Nfs4Status.CLID_INUSE) {
            return LeaseResult.InUse.UNTOLD;
        }
        return opcode == Opcode.SETATTR && status != Nfs4Status.OK
                ? new AttributeResult.SetAttr(status, AttributeSet.NONE)
                : new Failed(opcode, status);
    }

    /**
     * Reads a result. A client does so in the order of the operations.
     *
     * @param in its placements pair bulk items with Write chunks; a READ-class operation without an
     *     item tells them (RFC 8267-6.4.1-2)
     * @throws XdrException if it is malformed, or has values of an operation that no server here
     *     carries out
     */
    static Result decode(XdrReader in) throws XdrException {
        int number = in.uint32();
        var opcode = Opcode.of(number).orElseThrow(() -> XdrArrays.unknown("operation", number));
        var status = decodeStatus(in);
        return status == Nfs4Status.OK ? opcode.decodeSuccess(in) : failure(opcode, status, in);
    }

    /**
     * Reads a result as {@link #decode} does, but takes a status that no RFC defines for
     * SERVERFAULT: a client cannot know more of it.
     *
     * @throws XdrException as {@link #decode}
     */
    static Result decodeGenerously(XdrReader in) throws XdrException {
        int number = in.uint32();
        var opcode = Opcode.of(number).orElseThrow(() -> XdrArrays.unknown("operation", number));
        var status = Nfs4Status.of(in.uint32()).orElse(Nfs4Status.SERVERFAULT);
        return status == Nfs4Status.OK ? opcode.decodeSuccess(in) : failure(opcode, status, in);
    }

    private static Result failure(Opcode opcode, Nfs4Status status, XdrReader in)
            throws XdrException {
        if (!opcode.operation().hasValues(status.number())) {
            if (opcode.operation().isReadClass()) {
                in.absentBulk();
            }
            return new Failed(opcode, status);
        }
        return switch (opcode) {
            case SETATTR -> new AttributeResult.SetAttr(status, AttributeSet.decode(in));
            case LOCK, LOCKT -> LockResult.Denied.decode(opcode, in);
            case SETCLIENTID -> LeaseResult.InUse.decode(in);
            case COPY -> CopyResult.Requirements.decode(in);
            default -> throw new XdrException("the values of " + opcode + " are not known");
        };
    }

    /** Reads a status, and refuses unknown ones. */
    static Nfs4Status decodeStatus(XdrReader in) throws XdrException {
        int status = in.uint32();
        return Nfs4Status.of(status).orElseThrow(() -> XdrArrays.unknown("nfsstat4", status));
    }

    /** The success of an operation without values. */
    record Done(Opcode opcode) implements Result {
        /**
         * @throws IllegalArgumentException if its success comes with values
         */
        public Done {
            if (opcode.operation().hasValues(Nfs4Status.OK.number())) {
                throw new IllegalArgumentException(opcode + " succeeds with values");
            }
        }
    }

    /** A failure that has a status only. */
    record Failed(Opcode opcode, Nfs4Status status) implements Result {
        /**
         * @throws IllegalArgumentException if the status is OK, or comes with values
         */
        public Failed {
            if (status == Nfs4Status.OK || opcode.operation().hasValues(status.number())) {
                throw new IllegalArgumentException(opcode + " does not fail with " + status);
            }
        }

        @Override
        public void encodeBody(XdrWriter out) {
            if (opcode.operation().isReadClass()) {
                // Each READ-class result has its Write chunk, RFC 8267-6.4.1-2.
                out.absentBulk();
            }
        }
    }
}
