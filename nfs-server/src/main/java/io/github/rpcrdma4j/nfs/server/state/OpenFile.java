package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/** A file with opens: the share reservations of all owners, their locks, and delegations. */
final class OpenFile {
    final FileKey key;

    /** By client and owner. */
    final Map<StateOwner, Open> opens = new LinkedHashMap<>();

    /** Those of this file: one for writing, or any number for reading. */
    final SequencedMap<Client, Delegation> delegations = new LinkedHashMap<>();

    /** The wishes for delegations that the kernel has yet to answer. */
    int delegationAsks;

    final RangeLocks<StateOwner> locks = new RangeLocks<>();
    final Asks asks = new Asks();
    final Waiters waiters = new Waiters();

    /** The ranges, with those that the kernel is asked for. */
    final FileUse ranges = new FileUse();

    /** The client for which the descriptor for locks counts; null if there is none. */
    Client descriptorOf;

    /** For each lock owner the number of opens at which it is known. */
    final Map<StateOwner, Integer> lockers = new HashMap<>();

    /** How many opens have each bit of access and of deny: READ, WRITE. */
    private final int[] access = new int[2];

    private final int[] deny = new int[2];

    /** What the opens of each client are. */
    private final Map<Client, OpenCounts> clients = new HashMap<>();

    /** How many opens deny others something. */
    private int denying;

    /** How many delegations are recalled. */
    int recalledDelegations;

    /**
     * How many opens a client has.
     *
     * @param denying how many of them deny others something
     */
    private record OpenCounts(int opens, int denying) {
        static final OpenCounts NONE = new OpenCounts(0, 0);

        OpenCounts plus(int more, int moreDenying) {
            return new OpenCounts(opens + more, denying + moreDenying);
        }
    }

    OpenFile(FileKey key) {
        this.key = key;
    }

    boolean hasDescriptor() {
        return descriptorOf != null;
    }

    /** Counts the bits of an open in (1), or out (-1). */
    void count(Open open, int change) {
        for (int bit = 0; bit < 2; bit++) {
            access[bit] += (open.access() >> bit & 1) * change;
            deny[bit] += (open.deny() >> bit & 1) * change;
        }
        int more = open.deny() == 0 ? 0 : change;
        denying += more;
        clients.compute(
                open.client,
                (_, before) -> {
                    var after = (before == null ? OpenCounts.NONE : before).plus(change, more);
                    return after.opens == 0 ? null : after;
                });
    }

    /** Returns whether an open excludes a delegation for a client. */
    boolean excludes(DelegationKind kind, Client client) {
        var own = clients.getOrDefault(client, OpenCounts.NONE);
        return switch (kind) {
            case READ -> access[1] > 0 || denying > own.denying;
            case WRITE -> clients.size() > (own.opens > 0 ? 1 : 0);
        };
    }

    /** Returns whether a delegation of another client excludes one of a kind. */
    boolean isDelegatedBeside(DelegationKind kind) {
        // One for writing is the only one.
        return !delegations.isEmpty()
                && (kind == DelegationKind.WRITE
                        || recalledDelegations > 0
                        || delegations.firstEntry().getValue().kind == DelegationKind.WRITE);
    }

    /**
     * Returns whether an open would conflict with the opens of other owners.
     *
     * @param own the owner's open of this file, or null
     */
    boolean conflicts(int wantedAccess, int wantedDeny, Open own) {
        for (int bit = 0; bit < 2; bit++) {
            int ownAccess = own == null ? 0 : own.access() >> bit & 1;
            int ownDeny = own == null ? 0 : own.deny() >> bit & 1;
            if ((wantedAccess >> bit & 1) != 0 && deny[bit] > ownDeny
                    || (wantedDeny >> bit & 1) != 0 && access[bit] > ownAccess) {
                return true;
            }
        }
        return false;
    }
}
