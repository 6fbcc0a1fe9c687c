package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import java.util.ArrayDeque;

/**
 * The responses that a responder has sent as groups, and the requester's complaints about them.
 *
 * <p>A requester accepts a group without an answer. It processes responses in order, though, and
 * complains before it sends another message. So it has accepted each group that is older than the
 * one that it complains about. It has also accepted the oldest of more groups than it may have
 * calls outstanding. Not thread-safe.
 */
public final class ResponseGroups {
    private final GroupErrors errors = new GroupErrors();
    private final int callsMax;

    /** The XIDs of the groups that may not be accepted yet, oldest first. */
    private final ArrayDeque<Integer> sent = new ArrayDeque<>();

    /**
     * @param callsMax the most calls that the requester may have outstanding; at least 1
     */
    public ResponseGroups(int callsMax) {
        this.callsMax = callsMax;
    }

    /** Records a response that is about to be sent as a group. */
    public void sent(int xid) {
        if (sent.size() == callsMax) {
            sent.removeFirst();
            errors.succeeded();
        }
        sent.addLast(xid);
    }

    /** Returns the reaction to a complaint about the response with that XID. */
    public GroupErrors.Reaction complained(int xid) {
        if (!sent.contains(xid)) {
            return errors.on(GroupErrors.Subject.UNKNOWN);
        }
        while (sent.removeFirst() != xid) {
            errors.succeeded();
        }
        return errors.on(GroupErrors.Subject.RESPONSE);
    }

    /** Returns whether groups are still worth sending on this connection. */
    public boolean isWorthTrying() {
        return errors.isWorthTrying();
    }
}
