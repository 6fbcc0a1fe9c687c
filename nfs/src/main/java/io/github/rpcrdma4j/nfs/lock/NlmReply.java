package io.github.rpcrdma4j.nfs.lock;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Optional;

/**
 * The results of a procedure of NLM: {@code nlm_res}, {@code nlm_testres} and {@code nlm_shareres}.
 *
 * <pre>
 *   LOCK, NM_LOCK, CANCEL, UNLOCK, GRANTED:  cookie | status(32)
 *   TEST:                                    cookie | status(32) [ | DENIED: nlm_holder ]
 *   SHARE, UNSHARE:                          cookie | status(32) | sequence(32)
 * </pre>
 */
public sealed interface NlmReply {
    /** Most results. */
    record Plain(OpaqueName cookie, NlmStatus status) implements NlmReply {}

    /**
     * The results of TEST.
     *
     * @param holder what is in the way; there if and only if the status is DENIED
     */
    record Tested(OpaqueName cookie, NlmStatus status, Optional<NlmHolder> holder)
            implements NlmReply {
        public Tested {
            if (holder.isPresent() != (status == NlmStatus.DENIED)) {
                throw new IllegalArgumentException("DENIED has a holder, and no other status");
            }
        }
    }

    /**
     * The results of SHARE and UNSHARE.
     *
     * @param sequence always 0 here; no client is known to use it
     */
    record Shared(OpaqueName cookie, NlmStatus status, int sequence) implements NlmReply {}

    NlmStatus status();

    /**
     * Writes the results.
     *
     * @param version 1, 3 or 4
     */
    default void encode(int version, XdrWriter out) {
        switch (this) {
            case Plain(var cookie, var status) -> cookie.encode(out).uint32(status.number(version));
            case Tested(var cookie, var status, var holder) -> {
                cookie.encode(out).uint32(status.number(version));
                holder.ifPresent(each -> each.encode(version, out));
            }
            case Shared(var cookie, var status, var sequence) ->
                    cookie.encode(out).uint32(status.number(version)).uint32(sequence);
        }
    }

    /**
     * Decodes all results of a procedure.
     *
     * @param version 1, 3 or 4
     * @param procedure one that has results, or the one with {@code _RES} that carries them
     * @throws XdrException if they are malformed, or if bytes remain after them
     */
    static NlmReply decode(int version, NlmProcedure procedure, XdrReader in) throws XdrException {
        var cookie = OpaqueName.decode(in);
        var status = NlmStatus.of(in.uint32());
        NlmReply reply =
                switch (procedure) {
                    case TEST, TEST_RES ->
                            new Tested(
                                    cookie,
                                    status,
                                    status == NlmStatus.DENIED
                                            ? Optional.of(NlmHolder.decode(version, in))
                                            : Optional.empty());
                    case LOCK, NM_LOCK, CANCEL, UNLOCK, GRANTED -> new Plain(cookie, status);
                    case LOCK_RES, CANCEL_RES, UNLOCK_RES, GRANTED_RES -> new Plain(cookie, status);
                    case SHARE, UNSHARE -> new Shared(cookie, status, in.uint32());
                    case NULL, FREE_ALL ->
                            throw new IllegalArgumentException("this procedure has no results");
                    case TEST_MSG, LOCK_MSG, CANCEL_MSG, UNLOCK_MSG, GRANTED_MSG ->
                            throw new IllegalArgumentException("another call has its results");
                };
        in.finish();
        return reply;
    }
}
