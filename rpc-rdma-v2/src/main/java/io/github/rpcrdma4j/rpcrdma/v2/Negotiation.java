package io.github.rpcrdma4j.rpcrdma.v2;

import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Action;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Event;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.State;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Wanted;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;

/**
 * A client's search for the version that its server speaks, on one connection. No call is made
 * before it has ended, so none is lost (RTR-2-1). Guarded by the lock of the connection.
 */
final class Negotiation {
    /** What came of it. */
    enum Result {
        /** Nothing yet. */
        OPEN,
        VERSION_1,
        VERSION_2,
        /** The server is to be spoken to in version 1, on a new connection. */
        VERSION_1_ANEW,
        /** There is no version in common. */
        NONE
    }

    private State state;
    private Result result = Result.OPEN;

    Negotiation(Version2 version2) {
        var wanted = version2.speaks1() ? Wanted.AUTO : Wanted.ONLY_2;
        state = new State.Idle(wanted, true, false);
        // The first message is about to be sent.
        state = VersionProbe.step(state, new Event.Connected()).next();
    }

    /** Something happened. */
    void on(Event event) {
        var step = VersionProbe.step(state, event);
        state = step.next();
        if (result == Result.OPEN) {
            for (var action : step.actions()) {
                result = result(action, result);
            }
        }
    }

    private Result result(Action action, Result before) {
        return switch (action) {
            case Action.SendCalls(var version) ->
                    version == 1 ? Result.VERSION_1 : Result.VERSION_2;
            case Action.RememberVersion1() -> Result.VERSION_1_ANEW;
            case Action.FailCalls() -> Result.NONE;
            case Action.Reconnect() -> before == Result.VERSION_1_ANEW ? before : Result.NONE;
            case Action.OpenWindow(), Action.SendExchange() -> before;
        };
    }

    /** What has come of it so far. */
    Result result() {
        return result;
    }
}
