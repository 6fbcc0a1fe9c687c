package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.OpenCall;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;

/**
 * What hosts have opened by SHARE of NLM (XNFS, Version 3W, Chapter 10). A share is an open, whose
 * owner no other open of the host has.
 */
final class HostShares {
    private final Journal journal;
    private final Recovery recovery;
    private final Evictions evictions;
    private final Files files;
    private final Opens opens;

    /** How a host uses a file, and what it denies others: bits of {@link Open}. */
    record Share(int access, int deny) {}

    HostShares(Journal journal, Recovery recovery, Evictions evictions, Files files, Opens opens) {
        this.journal = journal;
        this.recovery = recovery;
        this.evictions = evictions;
        this.files = files;
        this.opens = opens;
    }

    /** Returns whether an open of a host is a share. */
    static boolean isShare(Open open) {
        return !open.owner.equals(Hosts.LOCKS);
    }

    /**
     * A host that may get state shares a file: OK, SHARE_DENIED, RECLAIM_CONFLICT, NOSPC, STALE or
     * DELAY.
     */
    Outcome<Void> share(
            Client client,
            FileKey key,
            OpaqueName owner,
            Share share,
            boolean isReclaim,
            long now) {
        if (files.isGone(key)) {
            return journal.refused(Nfs4Status.STALE);
        }
        int access = share.access();
        int deny = share.deny();
        boolean changes = (access & Open.WRITE) != 0 || (deny & Open.READ) != 0;
        if (opens.recallOthers(key, client, changes, now)) {
            return journal.refused(Nfs4Status.DELAY);
        }
        var own = find(client, key, owner);
        var file = files.find(key);
        if (file != null
                && file.conflicts(access, deny, own)
                && !opens.makeWay(file, access, deny, own, now)) {
            return journal.refused(
                    isReclaim ? Nfs4Status.RECLAIM_CONFLICT : Nfs4Status.SHARE_DENIED);
        }
        if (own != null) {
            // The new one takes its room.
            files.close(own, now);
        } else if (evictions.forState(client, now) != Nfs4Status.OK) {
            return journal.refused(Nfs4Status.NOSPC);
        }
        files.add(client, new OpenCall(key, ofOpen(owner), access, deny, isReclaim));
        if (isReclaim) {
            recovery.reclaimed(client, now);
        }
        return journal.granted(null, client);
    }

    /** A host gives up a share, if it has it. */
    void unshare(Client client, FileKey key, OpaqueName owner, long now) {
        var open = find(client, key, owner);
        if (open != null) {
            files.close(open, now);
        }
    }

    private Open find(Client client, FileKey key, OpaqueName owner) {
        return files.find(key, new StateOwner(client.id, ofOpen(owner)));
    }

    private static OpaqueName ofOpen(OpaqueName owner) {
        byte[] bytes = owner.bytes();
        byte[] marked = new byte[bytes.length + 1];
        marked[0] = '=';
        System.arraycopy(bytes, 0, marked, 1, bytes.length);
        return OpaqueName.of(marked);
    }
}
