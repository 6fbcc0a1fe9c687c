package io.github.rpcrdma4j.rpcrdma.v2.connection;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.Group;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.Action;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.Event;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.State;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupSend;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Received;
import io.github.rpcrdma4j.rpcrdma.v2.wire.TransmissionId;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The group of Sends that is arriving on a connection, with the receives that it has used so far
 * (RTR-4.2-2). Guarded by the lock of the connection.
 *
 * <p>Tests: {@code ArrivingGroupByHandTest}.
 */
final class ArrivingGroup {
    /** The owner, which acts on the results. */
    interface Owner {
        /**
         * Processes a complete group.
         *
         * @param receives the receives of the group, in order; the owner takes them over
         */
        void delivered(Group group, List<SegmentPool.Lease> receives);

        /** Sends a ROPT_XMTERR. */
        void complain(Action.Complain complaint);

        /** Takes back a receive that is not needed. */
        void release(Direction direction, SegmentPool.Lease receive);
    }

    private final Owner owner;
    private final Map<MemorySegment, SegmentPool.Lease> receives = new IdentityHashMap<>();
    private State state = new State.Idle();
    private boolean timed;
    private long since;

    ArrivingGroup(Owner owner) {
        this.owner = owner;
    }

    /** Returns whether a group is arriving. */
    boolean isOpen() {
        return state instanceof State.Open;
    }

    /**
     * Processes a transmission.
     *
     * @param limit the most transmissions of a group of its kind; empty for a response without a
     *     call
     */
    void arrived(
            Received.Transmission transmission, OptionalLong limit, SegmentPool.Lease receive) {
        receives.put(transmission.whole(), receive);
        timed = false;
        act(
                GroupAssembly.step(state, new Event.Arrived(transmission, limit)),
                transmission.header().direction());
    }

    /** Records a message of another kind. The caller processes the message itself afterwards. */
    void interrupted(Received other) {
        switch (state) {
            case State.Idle() -> {}
            case State.Open(_, var direction, _, _, _) -> act(step(other), direction);
            case State.Skip(_, var direction) -> act(step(other), direction);
        }
    }

    private GroupAssembly.Step step(Received other) {
        return GroupAssembly.step(
                state, intruder(other).<Event>map(all -> all).orElseGet(Event.Malformed::new));
    }

    private static Optional<Event.Intruder> intruder(Received other) {
        return switch (other) {
            case Received.Call(var header, _, _, _) -> Optional.of(intruder(header));
            case Received.Reply(var header, _, _) -> Optional.of(intruder(header));
            case Received.Control(var header) -> Optional.of(intruder(header));
            case Received.Failure(var error) -> Optional.of(intruder(error));
            case Received.Transmission _,
                    Received.OweVersionError _,
                    Received.OweBadHeader _,
                    Received.OweBadOption _,
                    Received.OweDoneNotice _,
                    Received.Discard _ ->
                    Optional.empty();
        };
    }

    private static Event.Intruder intruder(Version2Header header) {
        var direction = Direction.REPLY;
        int type = 0;
        switch (header) {
            case Version2Header.Msg msg -> direction = msg.direction();
            case Version2Header.NoMsg noMsg -> direction = noMsg.direction();
            case Version2Header.Option option -> {
                direction = option.direction();
                type = Version2HeaderCodec.type(option.operation());
            }
            case Version2Header.VersionError _,
                    Version2Header.BadHeader _,
                    Version2Header.BadOption _ -> {}
        }
        return new Event.Intruder(
                Version2HeaderCodec.proc(header),
                type,
                new TransmissionId(header.xid(), direction, 0));
    }

    /**
     * Gives up a group that has been arriving for too long. The time counts from the first call
     * after its latest transmission.
     *
     * @param now the time, in nanoseconds of any origin
     * @param nanos how long a group may pause, in nanoseconds
     */
    void expire(long now, long nanos) {
        if (!(state instanceof State.Open open)) {
            return;
        }
        if (!timed) {
            timed = true;
            since = now;
        } else if (now - since >= nanos) {
            act(GroupAssembly.step(state, new Event.TimedOut()), open.direction());
        }
    }

    /** Releases the group after the connection is lost. */
    void lost() {
        if (state instanceof State.Open open) {
            act(GroupAssembly.step(state, new Event.ConnectionLost()), open.direction());
        }
    }

    private void act(GroupAssembly.Step step, Direction direction) {
        state = step.next();
        for (var action : step.actions()) {
            switch (action) {
                case Action.Deliver(var group) -> owner.delivered(group, take(group.sends()));
                case Action.Complain complaint -> owner.complain(complaint);
                case Action.Release(var sends) ->
                        take(sends).forEach(receive -> owner.release(direction, receive));
            }
        }
    }

    private List<SegmentPool.Lease> take(List<GroupSend> sends) {
        var taken = new ArrayList<SegmentPool.Lease>(sends.size());
        for (var send : sends) {
            taken.add(receives.remove(send.whole()));
        }
        return taken;
    }
}
