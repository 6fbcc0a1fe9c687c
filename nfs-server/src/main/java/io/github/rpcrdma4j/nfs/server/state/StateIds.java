package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;

/**
 * Stateids, and what they stand for (RFC 8881, Section 8.2).
 *
 * <pre>
 *   seqid(32) | boot epoch(32) | client index(32) | state number(32)
 * </pre>
 *
 * <p>A stateid of another client, or of an earlier boot, is BAD_STATEID.
 */
final class StateIds {
    private final int bootEpoch;

    StateIds(int bootEpoch) {
        this.bootEpoch = bootEpoch;
    }

    /** What a stateid stands for, or the error that it is owed. */
    record Found(Nfs4Status status, State state) {
        private static Found not(Nfs4Status status) {
            return new Found(status, null);
        }

        boolean isOk() {
            return status == Nfs4Status.OK;
        }

        Found orNot(boolean isRight) {
            return isOk() && !isRight ? not(Nfs4Status.BAD_STATEID) : this;
        }
    }

    StateId of(State state) {
        return of(state.client, state.sequence, state.number);
    }

    /** Returns the stateid of a copy, which never changes. */
    StateId of(Copy copy) {
        return of(copy.client, 1, copy.index);
    }

    private StateId of(Client client, int sequence, int number) {
        long upper = (long) bootEpoch << 32 | client.index & 0xffff_ffffL;
        return new StateId(sequence, upper, number);
    }

    /** Returns whether a stateid is one of a client, of this boot. */
    boolean names(StateId id, Client client) {
        return client != null
                && isOfThisBoot(id)
                && clientIndex(id) == client.index
                && !id.isReserved();
    }

    /** Returns whether a stateid is of this boot. The index of a client is never 0. */
    boolean isOfThisBoot(StateId id) {
        return id.upper() >>> 32 == bootEpoch && clientIndex(id) != 0;
    }

    static int clientIndex(StateId id) {
        return (int) id.upper();
    }

    /** Returns the state of any file: OK, BAD_STATEID, OLD_STATEID, EXPIRED or ADMIN_REVOKED. */
    Found find(Client client, StateId id) {
        var found = findAny(client, id);
        return found.orNot(!isUnconfirmed(found));
    }

    private static boolean isUnconfirmed(Found found) {
        return found.state instanceof Open open && open.isUnconfirmed;
    }

    /** Returns the open of a file whose owner has yet to confirm it. */
    Found findUnconfirmed(Client client, StateId id, FileKey file) {
        var found = findAny(client, id, file);
        return found.orNot(isUnconfirmed(found));
    }

    private Found findAny(Client client, StateId id) {
        var state = names(id, client) ? client.states.get(id.lower()) : null;
        if (state == null) {
            return Found.not(Nfs4Status.BAD_STATEID);
        }
        if (state.isLost()) {
            return new Found(state.lost, state);
        }
        // Sequences wrap around: half of them are newer than the present one.
        int behind = state.sequence - id.sequence();
        boolean isNewest = id.sequence() == 0 && client.hasSessions;
        if (!isNewest && behind != 0) {
            return Found.not(behind > 0 ? Nfs4Status.OLD_STATEID : Nfs4Status.BAD_STATEID);
        }
        return new Found(Nfs4Status.OK, state);
    }

    /** Returns the state of one file. */
    Found find(Client client, StateId id, FileKey file) {
        return of(file, find(client, id));
    }

    /** Returns the state of one file, also if its owner has yet to confirm it. */
    Found findAny(Client client, StateId id, FileKey file) {
        return of(file, findAny(client, id));
    }

    private static Found of(FileKey file, Found found) {
        return found.orNot(found.state == null || found.state.file.key.equals(file));
    }
}
