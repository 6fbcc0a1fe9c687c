package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.table.StateIdCipher;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.KeyedHash;

/**
 * Stateids, and what they stand for (RFC 8881, Section 8.2).
 *
 * <pre>
 *   seqid(32) | boot epoch(32) | client index(32) | state number(32)
 * </pre>
 *
 * <p>In minor version 0 a stateid is all that names the client: there, index and number are
 * encrypted together, so that nobody guesses a stateid of others, also not from own ones.
 *
 * <p>A stateid of another client, or of an earlier boot, is BAD_STATEID.
 */
final class StateIds {
    private final int bootEpoch;
    private final StateIdCipher cipher;

    /**
     * @param key secret: encrypts the stateids of minor version 0
     */
    StateIds(int bootEpoch, KeyedHash key) {
        this.bootEpoch = bootEpoch;
        this.cipher = new StateIdCipher(key);
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
        long plain = (long) client.index << 32 | number & 0xffff_ffffL;
        long shown = client.hasOwners() ? cipher.encrypt(plain) : plain;
        return new StateId(sequence, (long) bootEpoch << 32 | shown >>> 32, (int) shown);
    }

    /** Returns whether a stateid is one of a client, of this boot. */
    boolean names(StateId id, Client client) {
        return client != null
                && isOfThisBoot(id)
                && index(id, client.hasOwners()) == client.index
                && !id.isReserved();
    }

    boolean isOfThisBoot(StateId id) {
        return id.upper() >>> 32 == bootEpoch;
    }

    /** Returns the index of the client of minor version 0 that a stateid names. */
    int index(StateId id) {
        return index(id, true);
    }

    private int index(StateId id, boolean isEncrypted) {
        return (int) (plain(id, isEncrypted) >>> 32);
    }

    /** Returns the number of a state, or of a copy, of the client that a stateid names. */
    int number(StateId id, Client client) {
        return (int) plain(id, client.hasOwners());
    }

    private long plain(StateId id, boolean isEncrypted) {
        long shown = id.upper() << 32 | id.lower() & 0xffff_ffffL;
        return isEncrypted ? cipher.decrypt(shown) : shown;
    }

    /** Returns the state of any file: OK, BAD_STATEID, OLD_STATEID, EXPIRED or ADMIN_REVOKED. */
    Found find(Client client, StateId id) {
        return confirmed(findAny(client, id, null));
    }

    private static Found confirmed(Found found) {
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

    /** Returns the state of one file. */
    Found find(Client client, StateId id, FileKey file) {
        return confirmed(findAny(client, id, file));
    }

    /**
     * Returns the state of one file, also if its owner has yet to confirm it. Of another file,
     * nothing is told, not even whether there is such a state.
     *
     * @param file null for any file
     */
    Found findAny(Client client, StateId id, FileKey file) {
        var state = names(id, client) ? client.states.get(number(id, client)) : null;
        if (state == null || file != null && !state.file.key.equals(file)) {
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
}
