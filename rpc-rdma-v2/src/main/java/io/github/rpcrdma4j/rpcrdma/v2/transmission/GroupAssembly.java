package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.Action.Complain;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.Action.Deliver;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.Action.Release;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.Event.Arrived;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.Event.ConnectionLost;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.Event.Intruder;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.Event.Malformed;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.Event.TimedOut;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.State.Idle;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.State.Open;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.State.Skip;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault.Measure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault.Mismatch;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.Continuation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Received;
import io.github.rpcrdma4j.rpcrdma.v2.wire.TransmissionId;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Assembles groups of transmissions at the receiving end of a connection. Only one group is open at
 * a time, because nothing may arrive between its transmissions (RTR-4.2-2, RTR-4.2-3).
 *
 * <pre>
 *            first of several               the last
 *    Idle --------------------> Open(n) -----------------> Idle, Deliver
 *     ^                        / |  ^ \_ next: Open(n+1)
 *     |                       /  |
 *     |   anything else,     /   | anything else: Complain
 *     |   looked at in Idle v    v
 *     `------------------- Skip(xid): its continuations are dropped without a word
 * </pre>
 *
 * {@link #step} is a pure function. Its caller carries out the actions, and bounds how long a group
 * stays open.
 */
public final class GroupAssembly {
    private static final int OPTIONAL = 5;

    private GroupAssembly() {}

    public sealed interface State {
        /** No group is open. */
        record Idle() implements State {}

        /** A group is open; its next transmission has the number {@code sends.size()}. */
        record Open(
                int xid,
                Direction direction,
                int type,
                Operation.Initial initial,
                List<GroupSend> sends)
                implements State {
            public Open {
                sends = List.copyOf(sends);
            }

            long next() {
                return sends.size();
            }

            Optional<TransmissionId> lead() {
                return Optional.of(new TransmissionId(xid, direction, next() - 1));
            }
        }

        /** A group was given up, and the rest of it may still arrive (RTR-X-4). */
        record Skip(int xid, Direction direction) implements State {}
    }

    public sealed interface Event {
        /**
         * A transmission arrives.
         *
         * @param limit the most transmissions of a group of its kind: our own request limit, or
         *     what the call allowed; empty for a response without a call
         */
        record Arrived(Received.Transmission transmission, OptionalLong limit) implements Event {}

        /**
         * A message of another kind arrives. The caller processes the message itself afterwards.
         *
         * @param proc the procedure of its header
         * @param type the type of its operation, if proc is that of operations
         * @param id its identification in a complaint; with number 0
         */
        record Intruder(int proc, int type, TransmissionId id) implements Event {}

        /** A malformed header arrives. The caller answers it. */
        record Malformed() implements Event {}

        /** A group has been open for too long. */
        record TimedOut() implements Event {}

        record ConnectionLost() implements Event {}
    }

    public sealed interface Action {
        /** Deliver a complete group. Its receives are in use until its consumer releases them. */
        record Deliver(Group group) implements Action {}

        /** Send a ROPT_XMTERR. */
        record Complain(TransmissionId bad, Optional<TransmissionId> lead, Fault fault)
                implements Action {
            /** Returns the XID of its header. */
            public int xid() {
                return lead.orElse(bad).xid();
            }

            /**
             * Returns the direction: a complaint about a request is a reply, one about a response
             * is a call (V2-4.2.2-5).
             */
            public Direction direction() {
                return lead.orElse(bad).direction() == Direction.CALL
                        ? Direction.REPLY
                        : Direction.CALL;
            }
        }

        /** Post receives in the place of these. */
        record Release(List<GroupSend> sends) implements Action {
            public Release {
                sends = List.copyOf(sends);
            }
        }
    }

    /** The next state, and the actions in order. */
    public record Step(State next, List<Action> actions) {
        public Step {
            actions = List.copyOf(actions);
        }

        private Step after(Step first) {
            var all = new ArrayList<>(first.actions);
            all.addAll(actions);
            return new Step(next, all);
        }
    }

    private record On(State state, Event event) {}

    public static Step step(State state, Event event) {
        return switch (new On(state, event)) {
            case On(Idle _, Arrived arrived) -> first(state, arrived);
            case On(Skip skip, Arrived arrived) ->
                    isRestOf(skip, arrived.transmission())
                            ? to(skip, new Release(List.of(groupSend(arrived.transmission()))))
                            : first(new Idle(), arrived);
            case On(Open open, Arrived arrived) ->
                    arrived.transmission().operation() instanceof Continuation continuation
                            ? next(open, arrived.transmission(), continuation)
                            : first(new Idle(), arrived).after(intruded(open, arrived));
            case On(Open open, Intruder intruder) -> intruded(open, intruder);
            case On(Open open, Malformed()) -> to(skip(open), new Release(open.sends()));
            case On(Open open, TimedOut()) ->
                    // RTR-X-2.
                    complain(
                            open,
                            new Idle(),
                            open.lead().orElseThrow(),
                            new Fault.Unexpected(
                                    Mismatch.SEQUENCE, open.next(), open.initial().count()));
            case On(Open open, ConnectionLost()) -> to(new Idle(), new Release(open.sends()));
            case On(Skip _, Intruder _), On(Skip _, Malformed()), On(Skip _, ConnectionLost()) ->
                    to(new Idle());
            case On(Skip _, TimedOut()),
                    On(Idle _, Intruder _),
                    On(Idle _, Malformed()),
                    On(Idle _, TimedOut()),
                    On(Idle _, ConnectionLost()) ->
                    to(state);
        };
    }

    private static boolean isRestOf(Skip skip, Received.Transmission transmission) {
        return transmission.operation() instanceof Continuation
                && transmission.header().xid() == skip.xid()
                && transmission.header().direction() == skip.direction();
    }

    /** Processes a transmission that begins a group, or should. */
    private static Step first(State idle, Arrived arrived) {
        var transmission = arrived.transmission();
        return switch (transmission.operation()) {
            // RTR-9.5-3.
            case Continuation _ ->
                    refuse(idle, transmission, Optional.empty(), new Fault.NoGroup());
            case Operation.Initial initial ->
                    arrived.limit().isEmpty()
                            ? unwanted(transmission, initial)
                            : begin(transmission, initial, arrived.limit().getAsLong());
        };
    }

    /** Drops a response to a call that has ended; it is no error. */
    private static Step unwanted(Received.Transmission transmission, Operation.Initial initial) {
        var rest =
                initial.count() > 1
                        ? new Skip(transmission.header().xid(), transmission.header().direction())
                        : new Idle();
        return to(rest, new Release(List.of(groupSend(transmission))));
    }

    private static Step begin(
            Received.Transmission transmission, Operation.Initial initial, long limit) {
        var skip = new Skip(transmission.header().xid(), transmission.header().direction());
        // RTR-X-1, RTR-8.4-1: checked before anything is kept.
        if (initial.count() == 0 || initial.count() > limit) {
            return refuse(
                    skip,
                    transmission,
                    Optional.empty(),
                    new Fault.Unexpected(Mismatch.SEQUENCE, limit, initial.count()));
        }
        var fault = payloadFault(transmission);
        if (fault.isPresent()) {
            return refuse(skip, transmission, Optional.empty(), fault.get());
        }
        var open =
                new Open(
                        transmission.header().xid(),
                        transmission.header().direction(),
                        Version2HeaderCodec.type(initial),
                        initial,
                        List.of());
        return append(open, transmission);
    }

    private static Step next(
            Open open, Received.Transmission transmission, Continuation continuation) {
        if (transmission.header().xid() != open.xid()) {
            // RTR-9.5-5, RTR-9.4-1.
            return refuse(
                    open,
                    transmission,
                    new Fault.Unexpected(
                            Mismatch.XID,
                            Integer.toUnsignedLong(open.xid()),
                            Integer.toUnsignedLong(transmission.header().xid())));
        }
        // RTR-9.4-5: another direction also means another first transmission.
        if (continuation.initialType() != open.type()
                || transmission.header().direction() != open.direction()) {
            return refuse(
                    open,
                    transmission,
                    new Fault.Unexpected(
                            Mismatch.OPTION_TYPE,
                            open.type(),
                            Integer.toUnsignedLong(continuation.initialType())));
        }
        // RTR-9.5-4.
        if (continuation.number() != open.next()) {
            return refuse(
                    open,
                    transmission,
                    new Fault.Unexpected(Mismatch.SEQUENCE, open.next(), continuation.number()));
        }
        var fault = payloadFault(transmission);
        return fault.isPresent()
                ? refuse(open, transmission, fault.get())
                : append(open, transmission);
    }

    /** RTR-9.5-8, RTR-11-2: payload is whole words, inside its transmission. */
    private static Optional<Fault> payloadFault(Received.Transmission transmission) {
        long available = transmission.whole().byteSize() - transmission.headerLength();
        long length = transmission.operation().payloadLength();
        return length > available || length % Integer.BYTES != 0
                ? Optional.of(new Fault.OutOfRange(Measure.PAYLOAD, length, 0, available))
                : Optional.empty();
    }

    private static Step append(Open open, Received.Transmission transmission) {
        var sends = new ArrayList<>(open.sends());
        sends.add(groupSend(transmission));
        return sends.size() == open.initial().count()
                ? to(
                        new Idle(),
                        new Deliver(new Group(open.xid(), open.direction(), open.initial(), sends)))
                : to(new Open(open.xid(), open.direction(), open.type(), open.initial(), sends));
    }

    /** Complains about another operation of this extension within a group (RTR-9.5-2). */
    private static Step intruded(Open open, Arrived arrived) {
        var header = arrived.transmission().header();
        return complain(
                open,
                new Skip(open.xid(), open.direction()),
                new TransmissionId(header.xid(), header.direction(), 0),
                new Fault.Unexpected(
                        Mismatch.OPTION_TYPE,
                        Version2HeaderCodec.XMTCONT,
                        Version2HeaderCodec.type(header.operation())));
    }

    /** RTR-9.5-1, RTR-9.5-2. */
    private static Step intruded(Open open, Intruder intruder) {
        var fault =
                intruder.proc() == OPTIONAL
                        ? new Fault.Unexpected(
                                Mismatch.OPTION_TYPE,
                                Version2HeaderCodec.XMTCONT,
                                Integer.toUnsignedLong(intruder.type()))
                        : new Fault.Unexpected(Mismatch.HEADER_TYPE, OPTIONAL, intruder.proc());
        return complain(open, skip(open), intruder.id(), fault);
    }

    private static Step refuse(Open open, Received.Transmission transmission, Fault fault) {
        var refused = refuse(skip(open), transmission, open.lead(), fault);
        return refused.after(to(open, new Release(open.sends())));
    }

    private static Step refuse(
            State next,
            Received.Transmission transmission,
            Optional<TransmissionId> lead,
            Fault fault) {
        return to(
                next,
                new Release(List.of(groupSend(transmission))),
                new Complain(id(transmission), lead, fault));
    }

    /** RTR-9.5-10: the complaint names the bad transmission, and the last good one. */
    private static Step complain(Open open, State next, TransmissionId bad, Fault fault) {
        return to(next, new Release(open.sends()), new Complain(bad, open.lead(), fault));
    }

    private static TransmissionId id(Received.Transmission transmission) {
        long number =
                transmission.operation() instanceof Continuation continuation
                        ? continuation.number()
                        : 0;
        return new TransmissionId(
                transmission.header().xid(), transmission.header().direction(), number);
    }

    private static Skip skip(Open open) {
        return new Skip(open.xid(), open.direction());
    }

    private static GroupSend groupSend(Received.Transmission transmission) {
        long available = transmission.whole().byteSize() - transmission.headerLength();
        return new GroupSend(
                transmission.whole(),
                transmission.headerLength(),
                Math.min(transmission.operation().payloadLength(), available));
    }

    private static Step to(State next, Action... actions) {
        return new Step(next, List.of(actions));
    }
}
