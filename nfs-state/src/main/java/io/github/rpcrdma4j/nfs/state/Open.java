package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.util.LinkedHashMap;
import java.util.Map;

/** One file, opened by one owner: its share reservation (RFC 8881, Section 9.7). */
final class Open extends State {
    /** {@code OPEN4_SHARE_ACCESS_READ} and {@code OPEN4_SHARE_DENY_READ}. */
    static final int READ = 1;

    /** {@code OPEN4_SHARE_ACCESS_WRITE} and {@code OPEN4_SHARE_DENY_WRITE}. */
    static final int WRITE = 2;

    private static final int BOTH = 3;

    final OpaqueName owner;
    final Map<OpaqueName, Locker> lockers = new LinkedHashMap<>();
    private int access;
    private int deny;

    /** Whether its owner has yet to send OPEN_CONFIRM, in minor version 0. */
    boolean isUnconfirmed;

    /** A bit for each pair of access and deny that the owner has opened the file with. */
    private int opened;

    /** What the last OPEN has replaced; null if that was the first one. */
    private Earlier earlier;

    /** Whether the last change was an OPEN, which can be taken back. */
    private boolean isLastAnOpen;

    /** What an open was before an OPEN made it wider. */
    private record Earlier(int sequence, int access, int deny, int opened) {}

    Open(Client client, OpenFile file, int number, OpaqueName owner) {
        super(client, file, number, owner);
        this.owner = owner;
    }

    static boolean isValid(int access, int deny) {
        return access >= READ && access <= BOTH && deny >= 0 && deny <= BOTH;
    }

    private static int bit(int access, int deny) {
        return 1 << (access << 2 | deny);
    }

    int access() {
        return access;
    }

    int deny() {
        return deny;
    }

    boolean mayRead() {
        return (access & READ) != 0;
    }

    boolean mayWrite() {
        return (access & WRITE) != 0;
    }

    void add(int moreAccess, int moreDeny) {
        earlier = opened == 0 ? null : new Earlier(sequence, access, deny, opened);
        isLastAnOpen = true;
        opened |= bit(moreAccess, moreDeny);
        access |= moreAccess;
        deny |= moreDeny;
    }

    /** Returns whether the last change was the OPEN that made this open. */
    boolean isFresh() {
        return isLastAnOpen && earlier == null;
    }

    /** Takes the last OPEN back, unless it was taken back before or made this open. */
    void takeBack() {
        if (isLastAnOpen && earlier != null) {
            sequence = earlier.sequence;
            access = earlier.access;
            deny = earlier.deny;
            opened = earlier.opened;
        }
        isLastAnOpen = false;
    }

    /**
     * Narrows the reservation to what some of the OPENs together asked for (RFC 8881, Section
     * 18.18.3).
     *
     * @return false if there are no such OPENs
     */
    boolean narrow(int newAccess, int newDeny) {
        int kept = 0;
        int unitedAccess = 0;
        int unitedDeny = 0;
        for (int each = READ; each <= BOTH; each++) {
            for (int denied = 0; denied <= BOTH; denied++) {
                boolean isWithin = (each & ~newAccess) == 0 && (denied & ~newDeny) == 0;
                if (isWithin && (opened & bit(each, denied)) != 0) {
                    kept |= bit(each, denied);
                    unitedAccess |= each;
                    unitedDeny |= denied;
                }
            }
        }
        if (unitedAccess != newAccess || unitedDeny != newDeny) {
            return false;
        }
        isLastAnOpen = false;
        opened = kept;
        access = newAccess;
        deny = newDeny;
        return true;
    }
}
