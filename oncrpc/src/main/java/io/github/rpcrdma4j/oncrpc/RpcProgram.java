package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A program that a server serves. Thread-safe: several calls run at the same time, of one client or
 * of many.
 */
public interface RpcProgram {
    /** Returns the program number and the served versions. */
    ProgramId id();

    /**
     * Returns the descriptor of a procedure. The server calls this method for each call, so it
     * should return an existing object. By default, procedure 0 is {@link
     * ProcedureDescriptor#NULL}, and all others are {@link ProcedureDescriptor#ORDINARY}: a call
     * that a client repeats is not carried out again.
     *
     * @param version one of the served versions
     * @param procedure any number
     */
    default ProcedureDescriptor procedure(int version, int procedure) {
        return procedure == 0 ? ProcedureDescriptor.NULL : ProcedureDescriptor.ORDINARY;
    }

    /**
     * Returns for how long a call keeps a thread busy. By default, its procedure tells.
     *
     * @param version one of the served versions
     * @param procedure any number
     * @param arguments they stay unread: an implementation reads a {@link XdrReader#peek peek} of
     *     them. They may be malformed.
     */
    default ProcedureDescriptor.Cost cost(int version, int procedure, XdrReader arguments) {
        return procedure(version, procedure).cost();
    }

    /**
     * Returns whether a call may be carried out twice, although its procedure is not repeatable:
     * its arguments tell. The rules of {@link ProcedureDescriptor#repeatable} hold for it. By
     * default, no such call may.
     *
     * @param request this method does not consume its arguments
     */
    default boolean isRepeatable(RpcRequest request) {
        return false;
    }

    /**
     * Returns for whom a call is carried out, if the program knows more than the credential says. A
     * call that is repeated gets the kept reply only if this is equal, as the credential is. By
     * default nothing more is known. It may block, as the call may.
     *
     * @param request this method does not consume its arguments
     */
    default String carriedOutFor(RpcRequest request) {
        return "";
    }

    /**
     * Returns which data items may be placed directly: a binding for each version that has such
     * items.
     */
    default List<UpperLayerBinding> bindings() {
        return List.of();
    }

    /**
     * Returns the flavors that guarded procedures accept. A call of a guarded procedure with
     * another flavor gets AUTH_TOOWEAK (RFC 5531, Section 9).
     */
    default Set<SecurityFlavor> flavors() {
        return EnumSet.allOf(SecurityFlavor.class);
    }

    /**
     * Returns what finds who is at the other end of connections; empty if the program does not need
     * to know. All programs of a server that have one have the same.
     */
    default Optional<PeerIdentifier> identifier() {
        return Optional.empty();
    }

    /**
     * Returns whether a peer may call a procedure, with any flavor. Another peer gets AUTH_TOOWEAK
     * (RFC 5531, Section 9), and the call is not carried out. By default, all peers may. The server
     * calls this method for each call; it must not block.
     *
     * @param peer the address of the caller
     * @param procedure any number
     */
    default boolean admits(InetSocketAddress peer, int procedure) {
        return true;
    }

    /**
     * Carries out one call; it may block.
     *
     * <p>The arguments are views that are valid until this method returns. An implementation
     * decodes all of them, calls {@link io.github.rpcrdma4j.xdr.XdrReader#finish}, and only then
     * acts. It does not copy bulk results into {@code results}. It passes their memory, and an
     * action to run when the transport no longer needs that memory, to {@link
     * XdrWriter#bulk(java.lang.foreign.MemorySegment, Runnable)}.
     *
     * @param results receives the results; they are discarded unless this method returns SUCCESS
     * @return SUCCESS, PROC_UNAVAIL if the version has no such procedure, or SYSTEM_ERR if the
     *     program failed. Every other status is permitted too, and the server replies with it; to
     *     PROG_MISMATCH it adds the served versions.
     * @throws XdrException if the arguments cannot be decoded: the caller gets GARBAGE_ARGS
     * @throws InterruptedException if the server is shutting down: the caller gets no reply
     */
    AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException;
}
