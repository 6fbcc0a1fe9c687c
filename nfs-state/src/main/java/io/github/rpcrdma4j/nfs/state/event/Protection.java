package io.github.rpcrdma4j.nfs.state.event;

import java.util.Set;
import java.util.TreeSet;

/**
 * Which principals may act for a client: {@code state_protect4_a} (RFC 8881, Section 2.10.8.3).
 * SP4_SSV has no value here; the program refuses it.
 *
 * @param isMachine SP4_MACH_CRED; otherwise SP4_NONE, where any principal may
 * @param enforced numbers of the operations that only the machine's principal may send
 * @param allowed numbers of the operations that it may send for any user
 */
public record Protection(boolean isMachine, Set<Integer> enforced, Set<Integer> allowed) {
    /** SP4_NONE. */
    public static final Protection NONE = new Protection(false, Set.of(), Set.of());

    /** BIND_CONN_TO_SESSION, EXCHANGE_ID, CREATE_SESSION, DESTROY_SESSION, DESTROY_CLIENTID. */
    private static final Set<Integer> ENFORCEABLE = Set.of(41, 42, 43, 44, 57);

    /**
     * CLOSE, LOCKU, OPEN_DOWNGRADE, FREE_STATEID, TEST_STATEID. Not WRITE and COMMIT: an open gives
     * its rights to its user only, and Linux would send all of these as the machine.
     */
    private static final Set<Integer> ALLOWABLE = Set.of(4, 14, 21, 45, 55);

    public Protection {
        enforced = Set.copyOf(enforced);
        allowed = Set.copyOf(allowed);
    }

    /** Returns SP4_MACH_CRED as a client asks for it. */
    public static Protection machine(Set<Integer> enforced, Set<Integer> allowed) {
        return new Protection(true, enforced, allowed);
    }

    /**
     * Returns what the server grants. It enforces all that it can, also what the client does not
     * name: these operations change the state of the whole client.
     */
    public Protection granted() {
        if (!isMachine) {
            return NONE;
        }
        var common = new TreeSet<>(allowed);
        common.retainAll(ALLOWABLE);
        return new Protection(true, ENFORCEABLE, common);
    }

    /** Returns whether a sender may act for a client that this principal made. */
    public boolean admits(Sender sender, Principal owner) {
        return !isMachine || sender.isProtected() && sender.principal().equals(owner);
    }
}
