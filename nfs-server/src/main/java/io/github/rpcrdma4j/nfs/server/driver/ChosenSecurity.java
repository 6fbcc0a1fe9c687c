package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.state.event.BackChannelSecurity;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackSecurity;

/**
 * How the server calls a client back.
 *
 * @param choice the first of the client's choices that this server has
 * @param minorVersion that of the COMPOUND which chose it: Linux knows its session by no other
 */
public record ChosenSecurity(CallbackSecurity choice, int minorVersion, int recallMax)
        implements BackChannelSecurity {
    public ChosenSecurity(CallbackSecurity choice, int minorVersion) {
        this(choice, minorVersion, SessionCallbacks.recallMax(choice, minorVersion));
    }
}
