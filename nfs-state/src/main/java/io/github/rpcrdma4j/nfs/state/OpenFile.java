package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.DelegationKind;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.RangeLocks;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Predicate;

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
    final KernelQuestions questions = new KernelQuestions();
    final Waiters waiters = new Waiters();

    /** What the kernel still has to give up: an {@link Action.ContinueReduction} is on its way. */
    final Deque<Reduction> reductions = new ArrayDeque<>();

    /** The ranges, with those that the kernel is asked for. */
    final FileCounts ranges = new FileCounts();

    /** The client for which the descriptor for locks counts; null if there is none. */
    Client descriptorOf;

    /** For each lock owner the number of opens at which it is known. */
    final Map<StateOwner, Integer> lockers = new HashMap<>();

    /** What all opens are, and what those of each client are. */
    private final Counts all = new Counts();

    private final SequencedMap<Client, Counts> clients = new LinkedHashMap<>();

    /** How many delegations are recalled. */
    int recalledDelegations;

    /**
     * A range of which the kernel may hold more than the table says.
     *
     * @param mayBeWeaker whether it may hold WRITE locks in place of READ locks; otherwise it may
     *     only hold what nobody has locked
     */
    record Reduction(ByteRange range, boolean mayBeWeaker) {}

    /** Counts opens. */
    private static final class Counts {
        private int opens;

        /** How many of them deny others something. */
        private int denying;

        /** How many of them have each bit of access and of deny: READ, WRITE. */
        private final int[] access = new int[2];

        private final int[] deny = new int[2];

        /** Counts an open in (1), or out (-1). */
        void add(Open open, int change) {
            opens += change;
            denying += open.deny() == 0 ? 0 : change;
            for (int bit = 0; bit < 2; bit++) {
                access[bit] += (open.access() >> bit & 1) * change;
                deny[bit] += (open.deny() >> bit & 1) * change;
            }
        }

        /**
         * Returns whether any of them conflicts with a use.
         *
         * @param own one of them that does not count, or null
         */
        boolean conflict(int wantedAccess, int wantedDeny, Open own) {
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

    OpenFile(FileKey key) {
        this.key = key;
    }

    boolean hasDescriptor() {
        return descriptorOf != null;
    }

    /** Counts an open in (1), or out (-1). */
    void count(Open open, int change) {
        all.add(open, change);
        var own = clients.computeIfAbsent(open.client, _ -> new Counts());
        own.add(open, change);
        if (own.opens == 0) {
            clients.remove(open.client);
        }
    }

    /**
     * Returns whether what a client has of the file keeps others from a delegation of it: an open
     * or a delegation for writing.
     */
    boolean isWrittenBy(Client client) {
        var own = clients.get(client);
        var delegation = delegations.get(client);
        return own != null && own.access[1] > 0
                || delegation != null && delegation.kind == DelegationKind.WRITE;
    }

    /** Returns whether a client has the file open or delegated; null has not. */
    boolean isUsedBy(Client client) {
        return clients.containsKey(client) || delegations.containsKey(client);
    }

    /** Returns whether an open excludes a delegation for a client. */
    boolean excludes(DelegationKind kind, Client client) {
        var own = clients.get(client);
        return switch (kind) {
            case READ -> all.access[1] > 0 || all.denying > (own == null ? 0 : own.denying);
            case WRITE -> clients.size() > (own == null ? 0 : 1);
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
        return all.conflict(wantedAccess, wantedDeny, own);
    }

    /**
     * Returns whether any of the clients whose opens conflict with one does not make way. It is the
     * first to be looked at next time: there may be thousands of clients.
     *
     * @param own the owner's open of this file, or null
     */
    boolean isKeptByOthers(int wantedAccess, int wantedDeny, Open own, Predicate<Client> makesWay) {
        for (var each : clients.entrySet()) {
            var client = each.getKey();
            if (isInTheWay(client, each.getValue(), wantedAccess, wantedDeny, own)
                    && !makesWay.test(client)) {
                clients.putFirst(client, each.getValue());
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the clients whose opens conflict with one. A client may have many thousand opens, so
     * these are not looked at.
     *
     * @param own the owner's open of this file, or null
     */
    List<Client> inTheWay(int wantedAccess, int wantedDeny, Open own) {
        var inTheWay = new ArrayList<Client>();
        clients.forEach(
                (client, counts) -> {
                    if (isInTheWay(client, counts, wantedAccess, wantedDeny, own)) {
                        inTheWay.add(client);
                    }
                });
        return inTheWay;
    }

    private static boolean isInTheWay(
            Client client, Counts counts, int wantedAccess, int wantedDeny, Open own) {
        var exempt = own != null && own.client == client ? own : null;
        return counts.conflict(wantedAccess, wantedDeny, exempt);
    }
}
