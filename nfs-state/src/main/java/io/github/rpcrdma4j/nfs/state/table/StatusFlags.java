package io.github.rpcrdma4j.nfs.state.table;

/**
 * The bits of {@code sr_status_flags} that this server sets (RFC 8881, Section 18.46.3). It never
 * sets RESTART_RECLAIM_NEEDED: sessions do not survive a restart, so each client learns of it from
 * BADSESSION.
 */
public final class StatusFlags {
    /** No session of the client has a connection for calls of the server. */
    public static final int CB_PATH_DOWN = 0x1;

    /** The lease expired, and the client lost all its state. */
    public static final int EXPIRED_ALL_STATE_REVOKED = 0x8;

    /** The lease expired, and the client lost some state that it has not freed yet. */
    public static final int EXPIRED_SOME_STATE_REVOKED = 0x10;

    /** An administrator took state from the client, which has not freed it yet. */
    public static final int ADMIN_STATE_REVOKED = 0x20;

    /** The client has not returned a delegation in time, and lost it. */
    public static final int RECALLABLE_STATE_REVOKED = 0x40;

    /** This session has no connection for calls of the server. */
    public static final int CB_PATH_DOWN_SESSION = 0x200;

    /** The client refused a CB_SEQUENCE of this session. */
    public static final int BACKCHANNEL_FAULT = 0x400;

    private StatusFlags() {}
}
