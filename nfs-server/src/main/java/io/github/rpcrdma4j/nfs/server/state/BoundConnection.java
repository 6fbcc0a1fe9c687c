package io.github.rpcrdma4j.nfs.server.state;

/**
 * The channels of a session that a connection serves now: the result of BIND_CONN_TO_SESSION (RFC
 * 8881, Section 18.34).
 *
 * @param direction {@code channel_dir_from_server4}: 1 fore, 2 back, 3 both
 */
public record BoundConnection(int direction) {
    /** {@code CDFC4_FORE} and {@code CDFS4_FORE}. */
    static final int FORE = 1;

    /** {@code CDFC4_BACK} and {@code CDFS4_BACK}. */
    static final int BACK = 2;

    /** {@code CDFC4_FORE_OR_BOTH} and {@code CDFS4_BOTH}. */
    static final int BOTH = 3;

    /** {@code CDFC4_BACK_OR_BOTH}. */
    static final int BACK_OR_BOTH = 7;
}
