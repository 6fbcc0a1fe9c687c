package io.github.rpcrdma4j.nfs.lock;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The arguments of a procedure of NLM, but not the results that those with {@code _RES} carry: see
 * {@link NlmReply}.
 *
 * <pre>
 *   TEST, GRANTED:   cookie | exclusive(32) | nlm_lock
 *   LOCK, NM_LOCK:   cookie | block(32) | exclusive(32) | nlm_lock | reclaim(32) | state(32)
 *   CANCEL:          cookie | block(32) | exclusive(32) | nlm_lock
 *   UNLOCK:          cookie | nlm_lock
 *   SHARE, UNSHARE:  cookie | nlm_share | reclaim(32)
 *   FREE_ALL:        name, at most 1024 | state(32)
 * </pre>
 *
 * The cookie is opaque, at most 1024 bytes. Procedures with {@code _MSG} have the arguments of
 * those without.
 */
public sealed interface NlmCall {
    /**
     * Asks whether a lock could be granted.
     *
     * @param cookie comes back in the results
     */
    record Test(OpaqueName cookie, boolean isExclusive, NlmLock lock) implements NlmCall {}

    /**
     * Asks for a lock.
     *
     * @param isWaiting whether the caller wants to be called when it is granted later
     * @param isReclaim whether the host had the lock before the server restarted
     * @param state the number of the start of the host
     */
    record Lock(
            OpaqueName cookie,
            boolean isWaiting,
            boolean isExclusive,
            NlmLock lock,
            boolean isReclaim,
            int state)
            implements NlmCall {}

    /** Ends the wait for a lock. */
    record Cancel(OpaqueName cookie, boolean isWaiting, boolean isExclusive, NlmLock lock)
            implements NlmCall {}

    /** Gives up a range. */
    record Unlock(OpaqueName cookie, NlmLock lock) implements NlmCall {}

    /** Tells a host that a lock is granted that it waited for. */
    record Granted(OpaqueName cookie, boolean isExclusive, NlmLock lock) implements NlmCall {}

    /** Uses a file, and denies others to use it. */
    record Share(OpaqueName cookie, NlmShare share, boolean isReclaim) implements NlmCall {}

    /** Ends such a use. */
    record Unshare(OpaqueName cookie, NlmShare share, boolean isReclaim) implements NlmCall {}

    /** Tells that a host has restarted, which nothing monitors. */
    record FreeAll(OpaqueName host, int state) implements NlmCall {}

    /**
     * Writes the arguments.
     *
     * @param version 1, 3 or 4
     */
    default void encode(int version, XdrWriter out) {
        switch (this) {
            case Test(var cookie, var isExclusive, var lock) ->
                    lock.encode(version, cookie.encode(out).bool(isExclusive));
            case Lock call -> {
                call.cookie.encode(out).bool(call.isWaiting).bool(call.isExclusive);
                call.lock.encode(version, out);
                out.bool(call.isReclaim).uint32(call.state);
            }
            case Cancel(var cookie, var isWaiting, var isExclusive, var lock) ->
                    lock.encode(version, cookie.encode(out).bool(isWaiting).bool(isExclusive));
            case Unlock(var cookie, var lock) -> lock.encode(version, cookie.encode(out));
            case Granted(var cookie, var isExclusive, var lock) ->
                    lock.encode(version, cookie.encode(out).bool(isExclusive));
            case Share(var cookie, var share, var isReclaim) -> {
                share.encode(cookie.encode(out));
                out.bool(isReclaim);
            }
            case Unshare(var cookie, var share, var isReclaim) -> {
                share.encode(cookie.encode(out));
                out.bool(isReclaim);
            }
            case FreeAll(var host, var state) -> host.encode(out).uint32(state);
        }
    }

    /**
     * Decodes all arguments of a procedure.
     *
     * @param version 1, 3 or 4
     * @param procedure any but NULL and those with {@code _RES}
     * @throws XdrException if they are malformed, or if bytes remain after them
     */
    static NlmCall decode(int version, NlmProcedure procedure, XdrReader in) throws XdrException {
        NlmCall call =
                switch (procedure) {
                    case TEST, TEST_MSG ->
                            new Test(OpaqueName.decode(in), in.bool(), NlmLock.decode(version, in));
                    case LOCK, LOCK_MSG, NM_LOCK ->
                            new Lock(
                                    OpaqueName.decode(in),
                                    in.bool(),
                                    in.bool(),
                                    NlmLock.decode(version, in),
                                    in.bool(),
                                    in.uint32());
                    case CANCEL, CANCEL_MSG ->
                            new Cancel(
                                    OpaqueName.decode(in),
                                    in.bool(),
                                    in.bool(),
                                    NlmLock.decode(version, in));
                    case UNLOCK, UNLOCK_MSG ->
                            new Unlock(OpaqueName.decode(in), NlmLock.decode(version, in));
                    case GRANTED, GRANTED_MSG ->
                            new Granted(
                                    OpaqueName.decode(in), in.bool(), NlmLock.decode(version, in));
                    case SHARE -> new Share(OpaqueName.decode(in), NlmShare.decode(in), in.bool());
                    case UNSHARE ->
                            new Unshare(OpaqueName.decode(in), NlmShare.decode(in), in.bool());
                    case FREE_ALL -> new FreeAll(OpaqueName.decode(in), in.uint32());
                    case NULL, TEST_RES, LOCK_RES, CANCEL_RES, UNLOCK_RES, GRANTED_RES ->
                            throw new IllegalArgumentException("no arguments of a call");
                };
        in.finish();
        return call;
    }
}
