package io.github.rpcrdma4j.nfs.lock;

import java.util.Optional;

/**
 * The procedures of NLM. Those with {@code _MSG} return nothing: the peer is called with {@code
 * _RES} and what the procedure without it would return.
 */
public enum NlmProcedure {
    NULL(0),
    TEST(1),
    LOCK(2),
    CANCEL(3),
    UNLOCK(4),
    GRANTED(5),
    TEST_MSG(6),
    LOCK_MSG(7),
    CANCEL_MSG(8),
    UNLOCK_MSG(9),
    GRANTED_MSG(10),
    TEST_RES(11),
    LOCK_RES(12),
    CANCEL_RES(13),
    UNLOCK_RES(14),
    GRANTED_RES(15),
    SHARE(20),
    UNSHARE(21),
    /** LOCK without a promise that the server learns of a restart of the host. */
    NM_LOCK(22),
    FREE_ALL(23);

    private final int number;

    NlmProcedure(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    /**
     * Returns the procedure of a number, or nothing if the version has none.
     *
     * @param version 1, 3 or 4
     */
    public static Optional<NlmProcedure> of(int version, int number) {
        for (var procedure : values()) {
            if (procedure.number == number) {
                boolean isThere = version != 1 || procedure.compareTo(SHARE) < 0;
                return isThere ? Optional.of(procedure) : Optional.empty();
            }
        }
        return Optional.empty();
    }
}
