package io.github.rpcrdma4j.nfs.client.v4.state;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;

/**
 * What the server knows of a file that is open here, and so how the client uses it next (RFC 8881,
 * Sections 8.4.2 and 8.4.3).
 */
public enum OpenState {
    /** The server knows that it is open. */
    OPEN,
    /** The server has restarted since: the client claims the open of before. */
    BEFORE_RESTART,
    /** Likewise, but nobody knows whether the server has taken a claim. */
    MAYBE_CLAIMED,
    /** The server has forgotten it: the client opens the file once more. */
    FORGOTTEN,
    /** The server does not let the file be opened any more. */
    LOST;

    /** What happens to an open file. */
    public enum Event {
        /** The server has restarted, and lets its clients claim what they had. */
        RESTARTED,
        /** The server does not know the stateid, or has revoked it. */
        REVOKED,
        /** OPEN succeeded. */
        OPENED,
        /** OPEN is to be tried later. */
        DEFERRED,
        /** OPEN ended without an answer. */
        UNANSWERED,
        /** The server takes no claim: it is too late for it, or another client has the file. */
        UNCLAIMED,
        /** OPEN failed for another reason: the file is gone, or the caller may not open it. */
        REFUSED;

        /** Returns what an answer to OPEN means. */
        public static Event ofOpen(Nfs4Status status) {
            return switch (status) {
                case OK -> OPENED;
                case DELAY, GRACE -> DEFERRED;
                case NO_GRACE, RECLAIM_BAD, RECLAIM_CONFLICT -> UNCLAIMED;
                default -> REFUSED;
            };
        }
    }

    /** Returns the state after an event. */
    public OpenState after(Event event) {
        return switch (event) {
            // Only what the server knew when it ended can be claimed.
            case RESTARTED -> this == OPEN || isToClaim() ? BEFORE_RESTART : this;
            case REVOKED -> this == OPEN ? FORGOTTEN : this;
            case OPENED -> OPEN;
            case DEFERRED -> this;
            case UNANSWERED -> this == BEFORE_RESTART ? MAYBE_CLAIMED : this;
            case UNCLAIMED -> isToClaim() ? FORGOTTEN : LOST;
            case REFUSED -> isToClaim() ? FORGOTTEN : LOST;
        };
    }

    /** Returns whether the client claims the open next. */
    public boolean isToClaim() {
        return this == BEFORE_RESTART || this == MAYBE_CLAIMED;
    }
}
