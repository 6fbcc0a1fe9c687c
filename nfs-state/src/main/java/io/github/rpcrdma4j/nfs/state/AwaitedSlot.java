package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.Urgency;

/**
 * A call of the server that waits for a slot of a client: less urgent ones get none meanwhile. The
 * driver ends it with {@link CallbackEvents#awaitNoLonger}.
 */
public final class AwaitedSlot {
    /** Null if there is no such client. */
    final Client client;

    final Urgency urgency;
    boolean isEnded;

    AwaitedSlot(Client client, Urgency urgency) {
        this.client = client;
        this.urgency = urgency;
    }
}
