package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;

/**
 * The arguments of CREATE_SESSION (RFC 8881, Section 18.36).
 *
 * @param flags {@code csa_flags}, as sent
 * @param callbackProgram the number of the client's RPC program for calls of the server
 */
public record CreateSessionCall(
        long clientId,
        int sequence,
        int flags,
        ChannelAttributes fore,
        ChannelAttributes back,
        int callbackProgram,
        BackChannelSecurity security) {
    /** {@code CREATE_SESSION4_FLAG_CONN_BACK_CHAN}: the connection serves both channels. */
    public static final int BACK_CHANNEL = 2;

    /** PERSIST, CONN_BACK_CHAN, CONN_RDMA. */
    private static final int ARGUMENTS = 7;

    public boolean hasValidFlags() {
        return (flags & ~ARGUMENTS) == 0;
    }

    public boolean wantsBackChannel() {
        return (flags & BACK_CHANNEL) != 0;
    }
}
