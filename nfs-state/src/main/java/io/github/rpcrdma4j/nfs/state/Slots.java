package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.SequenceCall;
import io.github.rpcrdma4j.nfs.state.limit.ChannelRules;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;

/** Carries out SEQUENCE, and ends the COMPOUND that it has begun (RFC 8881, Section 18.46). */
final class Slots {
    private final Journal journal;
    private final Sessions sessions;
    private final Leases leases;
    private final SurplusSlots surplus;

    Slots(long leaseNanos, Journal journal, Sessions sessions, Leases leases, Evictions evictions) {
        this.surplus = new SurplusSlots(leaseNanos, journal, sessions, evictions);
        this.journal = journal;
        this.sessions = sessions;
        this.leases = leases;
    }

    /** Has idle sessions give slots back if others find little room. */
    void relieve(long now) {
        surplus.relieve(now);
    }

    Outcome<Sequenced> sequence(SequenceCall call, Sender sender, long now) {
        var session = sessions.find(call.session());
        if (session == null) {
            return journal.refused(Nfs4Status.BADSESSION);
        }
        var judged = judge(session, call, sender);
        if (judged != Nfs4Status.OK) {
            return journal.refused(judged);
        }
        var slot = session.slot(call.slot());
        judged = slot.judge(call, sender);
        if (judged != Nfs4Status.OK) {
            return journal.refused(judged);
        }
        sessions.bindFore(session, sender);
        leases.renew(session.client, now);
        if (slot.isRetry(call)) {
            return journal.ok(slot.replay());
        }
        if (call.cachesReply()
                && Integer.compareUnsigned(session.fore.cachedMax(), ChannelRules.RESPONSE_MIN)
                        < 0) {
            return journal.refused(Nfs4Status.REP_TOO_BIG_TO_CACHE);
        }
        if (session.isAcknowledgedBy(call)) {
            sessions.retireSurplus(session);
        } else if (call.highestSlot() == session.slotCount() - 1) {
            sessions.grow(session);
        }
        session.used = now;
        var results =
                new Sequenced.Results(
                        session.id,
                        call.sequence(),
                        call.slot(),
                        session.slotCount() - 1,
                        session.target() - 1,
                        Sessions.callbackFlags(session) | session.client.revokedFlags());
        slot.start(call, sender, results, session.targetNumber());
        session.running++;
        session.client.running++;
        return journal.ok(new Sequenced.Started(new SlotUse(session, slot, call), results));
    }

    private static Nfs4Status judge(Session session, SequenceCall call, Sender sender) {
        boolean isBound = session.connections.contains(sender.connection());
        if (!isBound && session.client.protection.isMachine()) {
            return Nfs4Status.CONN_NOT_BOUND_TO_SESSION;
        }
        if (Integer.compareUnsigned(call.operations(), session.fore.operations()) > 0) {
            return Nfs4Status.TOO_MANY_OPS;
        }
        if (Integer.compareUnsigned(call.requestBytes(), session.fore.requestMax()) > 0) {
            return Nfs4Status.REQ_TOO_BIG;
        }
        if (Integer.compareUnsigned(call.slot(), session.slotCount()) >= 0) {
            return Nfs4Status.BADSLOT;
        }
        return Integer.compareUnsigned(call.highestSlot(), session.slotCount()) >= 0
                ? Nfs4Status.BAD_HIGH_SLOT
                : Nfs4Status.OK;
    }

    void finish(SlotUse use, byte[] reply, long now) {
        if (use.isFinished) {
            throw new IllegalStateException("this COMPOUND has ended");
        }
        if (reply != null
                && Integer.compareUnsigned(reply.length, use.session.fore.cachedMax()) > 0) {
            throw new IllegalArgumentException("the slot does not keep so many bytes");
        }
        use.isFinished = true;
        use.slot.finish(reply);
        use.session.running--;
        var client = use.client();
        client.running--;
        if (!client.isRemoved) {
            leases.renew(client, now);
        }
    }
}
