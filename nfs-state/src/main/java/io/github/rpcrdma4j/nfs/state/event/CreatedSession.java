package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;

/** The results of CREATE_SESSION; a repeated call has equal ones. */
public record CreatedSession(
        SessionId id, int sequence, int flags, ChannelAttributes fore, ChannelAttributes back) {}
