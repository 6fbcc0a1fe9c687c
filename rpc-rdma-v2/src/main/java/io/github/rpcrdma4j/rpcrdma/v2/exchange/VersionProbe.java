package io.github.rpcrdma4j.rpcrdma.v2.exchange;

import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Action.FailCalls;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Action.OpenWindow;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Action.Reconnect;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Action.RememberVersion1;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Action.SendCalls;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Action.SendExchange;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Event.Answered;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Event.Connected;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Event.ConnectionLost;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Event.Introduced;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Event.OptionRefused;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Event.TimedOut;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.Event.VersionRefused;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.State.Closed;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.State.Idle;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.State.Probing;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.State.Version1;
import io.github.rpcrdma4j.rpcrdma.v2.exchange.VersionProbe.State.Version2;
import java.util.List;

/**
 * How a client finds out which version its server speaks, without losing a call (RTR-2-1).
 *
 * <pre>
 *             one message, version 2            any message of version 2 that is no ERR_VERS
 *    Idle ------------------------------> Probing ------------------------------> Version2
 *     | ^                                  |  |
 *     | '--- lost, or silent, and 1 will -'   | ERR_VERS, and 1 will do
 *     |      do: remember, reconnect          v
 *     '---------------------------------> Version1       Closed: nothing in common
 *        version 1 is wanted or known
 * </pre>
 *
 * The first message has 1024 octets at most (V2-5-1), and it is the only one until something that
 * is no error has brought a grant (V2-5-2).
 */
public final class VersionProbe {
    /** The longest first message, in octets: any version takes it (V2-5-1, XCH-4.1-4). */
    public static final int FIRST_MESSAGE_MAX = 1024;

    private static final int VERSION_1 = 1;
    private static final int VERSION_2 = 2;

    private VersionProbe() {}

    /** Which versions will do. */
    public enum Wanted {
        ONLY_1,
        ONLY_2,
        /** The newest that both speak. */
        AUTO
    }

    /** What is known of the characteristics of the server. */
    public enum Knowledge {
        /** Nothing was sent. */
        NONE,
        /** Ours were sent; the server may ignore them (XCH-4.1-2). */
        SENT,
        /** It told its own. */
        KNOWN,
        /** It has no characteristics, so none of the extensions either. */
        UNSUPPORTED
    }

    public sealed interface State {
        /**
         * There is no connection.
         *
         * @param isKnownToSpeak1 whether an earlier one showed that the server does no more
         */
        record Idle(Wanted wanted, boolean introduces, boolean isKnownToSpeak1) implements State {}

        /** One message is out. */
        record Probing(Wanted wanted, boolean introduces) implements State {}

        record Version2(Wanted wanted, boolean introduces, Knowledge knowledge) implements State {}

        record Version1(Wanted wanted, boolean introduces) implements State {}

        /** There is no version in common. */
        record Closed() implements State {}
    }

    public sealed interface Event {
        record Connected() implements Event {}

        /** A message of version 2 that is neither an error nor an INITXCH. */
        record Answered() implements Event {}

        /** An INITXCH of the server. */
        record Introduced() implements Event {}

        /** INVAL_OPTION: it speaks version 2, and knows no characteristics. */
        record OptionRefused() implements Event {}

        /** ERR_VERS, in whatever version. */
        record VersionRefused(int lowest, int highest) implements Event {}

        record ConnectionLost() implements Event {}

        /** Nothing came for as long as one waits for a first answer. */
        record TimedOut() implements Event {}
    }

    public sealed interface Action {
        /** Send INITXCH, alone. */
        record SendExchange() implements Action {}

        /**
         * Send the calls that wait, or were sent and refused, with their XIDs, in this version;
         * one, until the window opens.
         */
        record SendCalls(int version) implements Action {}

        /** More than one message may be outstanding, as far as the grant goes. */
        record OpenWindow() implements Action {}

        /** Note that this server is not worth another try (V2-5.2-3). */
        record RememberVersion1() implements Action {}

        /** Connect anew; the calls stay. */
        record Reconnect() implements Action {}

        /** No version will ever do. */
        record FailCalls() implements Action {}
    }

    /** Where an event leads, and what is to be done on the way, in order. */
    public record Step(State next, List<Action> actions) {
        public Step {
            actions = List.copyOf(actions);
        }
    }

    private record On(State state, Event event) {}

    public static Step step(State state, Event event) {
        return switch (new On(state, event)) {
            case On(Idle idle, Connected()) -> begin(idle);
            case On(Probing probing, Answered()) ->
                    // V2-5.1-1: whatever its XID, it is of version 2.
                    to(
                            agreed(probing, probing.introduces() ? Knowledge.SENT : Knowledge.NONE),
                            new OpenWindow(),
                            new SendCalls(VERSION_2));
            case On(Probing probing, Introduced()) ->
                    to(
                            agreed(probing, Knowledge.KNOWN),
                            new OpenWindow(),
                            new SendCalls(VERSION_2));
            // An error brings no grant.
            case On(Probing probing, OptionRefused()) ->
                    to(agreed(probing, Knowledge.UNSUPPORTED), new SendCalls(VERSION_2));
            case On(Probing probing, VersionRefused(var lowest, var highest)) ->
                    refused(probing, lowest, highest);
            case On(Probing probing, ConnectionLost()) -> given(probing);
            case On(Probing probing, TimedOut()) -> given(probing);
            case On(Version2(var wanted, var introduces, _), Introduced()) ->
                    to(new Version2(wanted, introduces, Knowledge.KNOWN), new OpenWindow());
            case On(Version2(var wanted, var introduces, _), OptionRefused()) ->
                    to(new Version2(wanted, introduces, Knowledge.UNSUPPORTED));
            case On(Version2 _, Answered()) -> to(state, new OpenWindow());
            case On(Version2(var wanted, var introduces, _), ConnectionLost()) ->
                    to(new Idle(wanted, introduces, false));
            case On(Version1(var wanted, var introduces), ConnectionLost()) ->
                    to(new Idle(wanted, introduces, wanted == Wanted.AUTO));
            // What is refused then is a single call, and ends that.
            case On(Version2 _, VersionRefused _),
                    On(Version2 _, Connected()),
                    On(Version2 _, TimedOut()),
                    On(Version1 _, Connected()),
                    On(Version1 _, Answered()),
                    On(Version1 _, Introduced()),
                    On(Version1 _, OptionRefused()),
                    On(Version1 _, VersionRefused _),
                    On(Version1 _, TimedOut()),
                    On(Probing _, Connected()),
                    On(Idle _, Answered()),
                    On(Idle _, Introduced()),
                    On(Idle _, OptionRefused()),
                    On(Idle _, VersionRefused _),
                    On(Idle _, ConnectionLost()),
                    On(Idle _, TimedOut()),
                    On(Closed _, _) ->
                    to(state);
        };
    }

    private static Step begin(Idle idle) {
        boolean speaks1 =
                switch (idle.wanted()) {
                    case ONLY_1 -> true;
                    case ONLY_2 -> false;
                    case AUTO -> idle.isKnownToSpeak1();
                };
        if (speaks1) {
            return to(new Version1(idle.wanted(), idle.introduces()), new SendCalls(VERSION_1));
        }
        var probing = new Probing(idle.wanted(), idle.introduces());
        return to(probing, idle.introduces() ? new SendExchange() : new SendCalls(VERSION_2));
    }

    private static Version2 agreed(Probing probing, Knowledge knowledge) {
        return new Version2(probing.wanted(), probing.introduces(), knowledge);
    }

    /** V2-5.2-2: the same calls, in a version of the range. */
    private static Step refused(Probing probing, int lowest, int highest) {
        boolean speaks1 =
                Integer.compareUnsigned(lowest, VERSION_1) <= 0
                        && Integer.compareUnsigned(highest, VERSION_1) >= 0;
        return speaks1 && probing.wanted() == Wanted.AUTO
                ? to(
                        new Version1(probing.wanted(), probing.introduces()),
                        new RememberVersion1(),
                        new SendCalls(VERSION_1))
                : to(new Closed(), new FailCalls());
    }

    /** V2-5.2-3. */
    private static Step given(Probing probing) {
        return probing.wanted() == Wanted.AUTO
                ? to(
                        new Idle(probing.wanted(), probing.introduces(), true),
                        new RememberVersion1(),
                        new Reconnect())
                : to(new Idle(probing.wanted(), probing.introduces(), false), new Reconnect());
    }

    private static Step to(State next, Action... actions) {
        return new Step(next, List.of(actions));
    }
}
