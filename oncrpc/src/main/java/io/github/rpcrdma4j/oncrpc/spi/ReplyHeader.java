package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Optional;

/**
 * The start of a reply message (RFC 5531, Section 9).
 *
 * <pre>
 *   xid | REPLY 1 | MSG_ACCEPTED 0 | verf: flavor, body | accept_stat | SUCCESS: results
 *                                                                     | PROG_MISMATCH: low, high
 *                 | MSG_DENIED 1   | RPC_MISMATCH 0 | low | high
 *                                  | AUTH_ERROR 1   | auth_stat
 * </pre>
 *
 * <p>Tests: {@code MessageHeaderTest}.
 */
public sealed interface ReplyHeader {
    /** Returns the XID of the call to which this is the reply. */
    int xid();

    /** Returns the status of an accepted call; empty if the server denied the call. */
    default Optional<AcceptStatus> acceptStatus() {
        return switch (this) {
            case Success _ -> Optional.of(AcceptStatus.SUCCESS);
            case Refused(_, _, var status) -> Optional.of(status);
            case ProgramMismatch _ -> Optional.of(AcceptStatus.PROG_MISMATCH);
            case RpcMismatch _, AuthError _ -> Optional.empty();
        };
    }

    /** The call succeeded; its results follow. */
    record Success(int xid, RawAuth verifier) implements ReplyHeader {
        /** Creates a success with an empty verifier. */
        public Success(int xid) {
            this(xid, RawAuth.NONE);
        }
    }

    /**
     * The server accepted the message and refused the call, with any status but SUCCESS and
     * PROG_MISMATCH.
     */
    record Refused(int xid, RawAuth verifier, AcceptStatus status) implements ReplyHeader {
        /** Creates a refusal with an empty verifier. */
        public Refused(int xid, AcceptStatus status) {
            this(xid, RawAuth.NONE, status);
        }

        /**
         * Checks that the status is neither SUCCESS nor PROG_MISMATCH, which have records of their
         * own.
         */
        public Refused {
            if (status == AcceptStatus.SUCCESS || status == AcceptStatus.PROG_MISMATCH) {
                throw new IllegalArgumentException(status + " has a form of its own");
            }
        }
    }

    /** The server does not serve this version of the program. */
    record ProgramMismatch(int xid, RawAuth verifier, int lowest, int highest)
            implements ReplyHeader {
        /** Creates a mismatch with an empty verifier. */
        public ProgramMismatch(int xid, int lowest, int highest) {
            this(xid, RawAuth.NONE, lowest, highest);
        }
    }

    /** The server does not support this version of RPC. */
    record RpcMismatch(int xid, int lowest, int highest) implements ReplyHeader {}

    /**
     * The server rejected the caller.
     *
     * @param status {@code auth_stat}
     */
    record AuthError(int xid, int status) implements ReplyHeader {}

    /** {@code auth_stat}: nothing is wrong. */
    int AUTH_OK = 0;

    /** {@code auth_stat}: the credential is malformed. */
    int AUTH_BADCRED = 1;

    /**
     * {@code auth_stat}: the credential is well-formed, but the server does not know its flavor.
     */
    int AUTH_REJECTEDCRED = 2;

    /** {@code auth_stat}: the verifier is malformed. */
    int AUTH_BADVERF = 3;

    /** {@code auth_stat}: the program requires another flavor. */
    int AUTH_TOOWEAK = 5;

    /** {@code auth_stat}: there is no such context, or the caller does not own it. */
    int RPCSEC_GSS_CREDPROBLEM = 13;

    /** {@code auth_stat}: the context can no longer be used. */
    int RPCSEC_GSS_CTXPROBLEM = 14;

    /** The length of an accepted reply with an empty verifier, up to its results, in bytes. */
    int ACCEPTED_BYTES = 24;

    /** The message type of a reply. */
    int REPLY = 1;

    /**
     * Decodes the header. After a {@link Success} the reader stands at the results.
     *
     * @throws XdrException if the message is not a reply, or is malformed
     */
    static ReplyHeader decode(XdrReader in) throws XdrException {
        int xid = in.uint32();
        if (in.uint32() != REPLY) {
            throw new XdrException("not a reply");
        }
        if (in.bool()) {
            return in.bool()
                    ? new AuthError(xid, in.uint32())
                    : new RpcMismatch(xid, in.uint32(), in.uint32());
        }
        var verifier = RawAuth.decode(in);
        if (verifier == RawAuth.MALFORMED) {
            throw new XdrException("the verifier is longer than it may be");
        }
        var status = AcceptStatus.decode(in);
        return switch (status) {
            case SUCCESS -> new Success(xid, verifier);
            case PROG_MISMATCH -> new ProgramMismatch(xid, verifier, in.uint32(), in.uint32());
            case PROG_UNAVAIL, PROC_UNAVAIL, GARBAGE_ARGS, SYSTEM_ERR ->
                    new Refused(xid, verifier, status);
        };
    }

    /** Writes the header. After a {@link Success} the caller writes the results. */
    default void encode(XdrWriter out) {
        switch (this) {
            case Success(var xid, var verifier) -> encodeSuccess(out, xid, verifier);
            case Refused(var xid, var verifier, var status) -> accepted(out, xid, verifier, status);
            case ProgramMismatch(var xid, var verifier, var lowest, var highest) -> {
                accepted(out, xid, verifier, AcceptStatus.PROG_MISMATCH);
                out.uint32(lowest).uint32(highest);
            }
            case RpcMismatch(var xid, var lowest, var highest) ->
                    denied(out, xid).bool(false).uint32(lowest).uint32(highest);
            case AuthError(var xid, var status) -> denied(out, xid).bool(true).uint32(status);
        }
    }

    /** Writes the header of a successful reply like {@link #encode}, without creating an object. */
    static void encodeSuccess(XdrWriter out, int xid, RawAuth verifier) {
        accepted(out, xid, verifier, AcceptStatus.SUCCESS);
    }

    private static void accepted(XdrWriter out, int xid, RawAuth verifier, AcceptStatus status) {
        out.uint32(xid).uint32(REPLY).bool(false);
        verifier.encode(out);
        status.encode(out);
    }

    private static XdrWriter denied(XdrWriter out, int xid) {
        return out.uint32(xid).uint32(REPLY).bool(true);
    }

    /**
     * Decodes and checks the header of a reply to {@code call}.
     *
     * @param in positioned at the start of the message
     * @param protection the protection of the call
     * @return a reader at the unwrapped results
     * @throws RpcException if there are no results
     */
    static XdrReader requireSuccess(XdrReader in, RpcCall call, int xid, CallProtection protection)
            throws RpcException {
        ReplyHeader header;
        try {
            header = decode(in);
        } catch (XdrException malformed) {
            throw new RpcException.BadReply(
                    "the server's reply to "
                            + name(call)
                            + " is malformed: "
                            + malformed.getMessage());
        }
        if (header.xid() != xid) {
            throw new RpcException.BadReply(
                    "the server's reply to " + name(call) + " answers another call");
        }
        switch (header) {
            case Success(_, var verifier) -> {
                protection.check(verifier);
                return protection.unwrap(in);
            }
            case Refused(_, var verifier, var status) -> {
                protection.check(verifier);
                throw new RpcException.Refused(
                        "the server refused " + name(call) + ": " + status, status);
            }
            case ProgramMismatch(_, var verifier, var lowest, var highest) -> {
                protection.check(verifier);
                throw new RpcException.Refused(
                        "the server refused "
                                + name(call)
                                + ": it serves "
                                + ProgramId.versions(lowest, highest),
                        AcceptStatus.PROG_MISMATCH);
            }
            case RpcMismatch(_, var lowest, var highest) ->
                    throw new RpcException.Denied(
                            "the server denied "
                                    + name(call)
                                    + ": it supports RPC "
                                    + ProgramId.versions(lowest, highest)
                                    + ", not 2");
            case AuthError(_, var status) ->
                    throw new RpcException.Denied(
                            "the server denied "
                                    + name(call)
                                    + (status == AUTH_TOOWEAK
                                            ? ": it requires stronger security"
                                            : ": it does not accept the credential")
                                    + " (auth_stat "
                                    + Integer.toUnsignedString(status)
                                    + ")",
                            status);
        }
    }

    private static String name(RpcCall call) {
        return ProgramId.name(call.program(), call.version(), call.procedure());
    }
}
