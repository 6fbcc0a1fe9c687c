package io.github.rpcrdma4j.rpcrdma.v2.connection;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.VersionProbe;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2Counter;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.Group;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.Action.Complain;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupErrors;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.PlacedMessage;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponseCheck;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Received;
import io.github.rpcrdma4j.rpcrdma.v2.wire.TransmissionId;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.verbs.Completion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * The receiver of all messages of a version 2 connection. It classifies each, answers those that
 * belong to no call, and passes the others on by direction (RTR-1.4-1, V2-4.2.2-1). Guarded by the
 * lock of the connection.
 *
 * <p>Tests: {@code HeadersByHandTest}, {@code Version2ByHandTest}.
 */
public final class Version2Receiver implements Endpoint.Role, ArrivingGroup.Owner {
    /** The requester of the connection, as the receiver of replies. */
    public interface Replies {
        /** No requester: replies are discarded. */
        Replies NONE =
                new Replies() {
                    @Override
                    public boolean replied(
                            Received.Reply reply, SegmentPool.Lease buffer, Completion completion) {
                        return false;
                    }

                    @Override
                    public OptionalLong sendsOf(int xid) {
                        return OptionalLong.empty();
                    }

                    @Override
                    public void began(int xid, long sends) {}

                    @Override
                    public Optional<Fault> replied(
                            Group group,
                            int granted,
                            PlacedMessage message,
                            List<SegmentPool.Lease> receives) {
                        receives.forEach(SegmentPool.Lease::close);
                        return Optional.empty();
                    }

                    @Override
                    public void failed(Version2Header error) {}

                    @Override
                    public void complained(TransmitError complaint) {}

                    @Override
                    public void sentOneWay() {}

                    @Override
                    public void malformed(int xid) {}

                    @Override
                    public void acknowledged() {}
                };

        /**
         * Processes a reply. Another receive is already posted for the one it used.
         *
         * @return whether the buffer is kept; otherwise the caller gives it back
         */
        boolean replied(Received.Reply reply, SegmentPool.Lease buffer, Completion completion);

        /**
         * Returns how many Sends the response to a call may have; empty if there is no such call.
         */
        OptionalLong sendsOf(int xid);

        /** Records that a response of so many Sends begins (RTR-4.3-7). */
        void began(int xid, long sends);

        /**
         * Processes a response of several Sends, or one with placed items.
         *
         * @param granted the newest grant
         * @param receives the receives of the response; the requester takes them over
         * @return the fault of the response, if it has one
         */
        Optional<Fault> replied(
                Group group, int granted, PlacedMessage message, List<SegmentPool.Lease> receives);

        /**
         * Handles the complaint of a peer that could not accept a request of several Sends, or its
         * placement.
         */
        void complained(TransmitError complaint);

        /** Handles an error for the call of its XID, if there is one. */
        void failed(Version2Header error);

        /** Counts a sent message that takes a credit of calls and has no answer. */
        void sentOneWay();

        /** Handles a malformed reply with a Read chunk (RPR-X-5). */
        void malformed(int xid);

        /** Records that the peer has received the oldest done notice. */
        void acknowledged();
    }

    /** The responder of the connection, as the receiver of calls. */
    public interface Calls {
        /**
         * Processes a call.
         *
         * @param buffer the receive of the call; the responder takes it over, and posts the next
         *     receive
         */
        void called(Received.Call call, SegmentPool.Lease buffer);

        /**
         * Processes a call of several Sends, or one with placed items.
         *
         * @param receives the receives of the call; the responder takes them over, and posts the
         *     next ones
         */
        void called(Group group, PlacedMessage message, List<SegmentPool.Lease> receives);

        /**
         * Releases the Read chunks of replies that the requester has finished with.
         *
         * @param invalidated the handle that its message has invalidated
         */
        void fetched(List<Integer> xids, OptionalInt invalidated);

        /**
         * Handles the complaint of a peer that could not accept a response of several Sends, or its
         * placement.
         */
        void complained(TransmitError complaint);
    }

    /**
     * The receives besides those for calls and replies: for a first exchange, a change, a
     * complaint.
     */
    public static final int SPARE_RECEIVES = 3;

    private final Endpoint endpoint;
    private final Counters counters;
    private final CharacteristicsExchange exchange;
    private final int credits;
    private final Consumer<VersionProbe.Event> versionEvents;
    private final ArrivingGroup groups = new ArrivingGroup(this);
    private int granted;
    private Replies replies = Replies.NONE;
    private Calls calls;

    /**
     * @param credits the credits that an error grants
     * @param versionEvents receives what a message says about the version that the peer speaks
     */
    public Version2Receiver(
            Endpoint endpoint,
            Counters counters,
            CharacteristicsExchange exchange,
            int credits,
            Consumer<VersionProbe.Event> versionEvents) {
        this.endpoint = endpoint;
        this.counters = counters;
        this.exchange = exchange;
        this.credits = credits;
        this.versionEvents = versionEvents;
        for (int i = 0; i < SPARE_RECEIVES; i++) {
            endpoint.postReceive();
        }
    }

    /** Returns the characteristics of both sides. */
    public CharacteristicsExchange exchange() {
        return exchange;
    }

    /** Passes later replies to that requester. */
    public void setReplies(Replies requester) {
        replies = requester;
    }

    /** Passes later calls to that responder. */
    public void setCalls(Calls responder) {
        calls = responder;
    }

    /** Sends the first message of a client. */
    public void open() {
        send(exchange.open());
    }

    @Override
    public void received(SegmentPool.Lease buffer, Completion completion) {
        var message = buffer.segment().asSlice(0, completion.length());
        var received = Received.of(message, exchange.known());
        if (!(received instanceof Received.Transmission)) {
            groups.interrupted(received);
        }
        switch (received) {
            case Received.Call call -> called(call, buffer, completion);
            case Received.Reply reply -> {
                endpoint.postReceive();
                versionEvents.accept(VersionProbe.Event.ANSWERED);
                if (!replies.replied(reply, buffer, completion)) {
                    buffer.close();
                }
            }
            case Received.Failure(var error) -> {
                endpoint.postReceive(buffer);
                failed(error);
            }
            case Received.Control(var header) -> controlled(header, buffer, completion);
            case Received.OweVersionError(var xid, var version) -> {
                counters.count(Counter.VERSION_ERRORS);
                owe(
                        new Version2Header.VersionError(
                                xid,
                                version,
                                credits,
                                Version2Header.VERSION,
                                Version2Header.VERSION),
                        buffer);
            }
            case Received.OweBadHeader(var xid, _) -> {
                counters.count(Counter.CHUNK_ERRORS);
                owe(new Version2Header.BadHeader(xid, credits), buffer);
            }
            case Received.OweBadOption(var xid, _) ->
                    owe(new Version2Header.BadOption(xid, credits), buffer);
            case Received.Transmission transmission -> transmitted(transmission, buffer);
            case Received.OweDoneNotice(var xid, _) -> {
                discard(buffer);
                replies.malformed(xid);
            }
            case Received.Discard _ -> discard(buffer);
        }
    }

    private void transmitted(Received.Transmission transmission, SegmentPool.Lease buffer) {
        int xid = transmission.header().xid();
        granted = transmission.header().credits();
        var limit = OptionalLong.of(exchange.requestSendsMax());
        if (transmission.header().direction() == Direction.REPLY) {
            endpoint.postReceive();
            versionEvents.accept(VersionProbe.Event.ANSWERED);
            limit = replies.sendsOf(xid);
            if (transmission.operation() instanceof Operation.TransmitResponse response) {
                replies.began(xid, response.count());
            }
        }
        groups.arrived(transmission, limit, buffer);
    }

    @Override
    public void delivered(Group group, List<SegmentPool.Lease> receives) {
        switch (PlacedMessage.check(group, exchange.ownBuffer())) {
            case PlacedMessage.Checked.Good(var message) ->
                    deliver(group, message, receives)
                            .ifPresent(
                                    fault ->
                                            complain(
                                                    new Complain(
                                                            first(group),
                                                            Optional.empty(),
                                                            fault)));
            case PlacedMessage.Checked.Bad(var fault) -> {
                receives.forEach(receive -> release(group.direction(), receive));
                complain(new Complain(first(group), Optional.empty(), fault));
            }
            case PlacedMessage.Checked.OtherMessage _ -> {
                counters.count(Counter.DISCARDED);
                receives.forEach(receive -> release(group.direction(), receive));
                if (group.direction() == Direction.CALL) {
                    endpoint.messageSends()
                            .queueAnswer(
                                    new Version2Header.BadHeader(group.xid(), credits), () -> {});
                }
            }
        }
    }

    private static TransmissionId first(Group group) {
        return new TransmissionId(group.xid(), group.direction(), 0);
    }

    private Optional<Fault> deliver(
            Group group, PlacedMessage message, List<SegmentPool.Lease> receives) {
        if (!(group.initial() instanceof Operation.TransmitRequest request)) {
            return replies.replied(group, granted, message, receives);
        }
        var fault = ResponseCheck.faultOfDirections(request.directions());
        if (fault.isPresent() || calls == null) {
            receives.forEach(receive -> release(Direction.CALL, receive));
            return fault;
        }
        calls.called(group, message, receives);
        return Optional.empty();
    }

    @Override
    public void complain(Complain complaint) {
        counters.count(Version2Counter.GROUP_ERRORS);
        send(
                new Version2Header.Option(
                        complaint.xid(),
                        credits,
                        complaint.direction(),
                        new TransmitError(complaint.bad(), complaint.lead(), complaint.fault())));
    }

    /** Gives back a receive. For that of a reply another one is already posted. */
    @Override
    public void release(Direction direction, SegmentPool.Lease receive) {
        switch (direction) {
            case CALL -> endpoint.postReceive(receive);
            case REPLY -> receive.close();
        }
    }

    /**
     * Gives up a group of Sends that has stopped arriving.
     *
     * @param now the time, in nanoseconds of any origin
     * @param nanos how long the peer may pause, in nanoseconds
     */
    public void expire(long now, long nanos) {
        groups.expire(now, nanos);
    }

    private void called(Received.Call call, SegmentPool.Lease buffer, Completion completion) {
        if (calls == null) {
            discard(buffer);
            return;
        }
        // RPR-4.1.4-6.
        if (!call.doneXids().isEmpty()) {
            calls.fetched(call.doneXids(), invalidated(completion));
        }
        if (endpoint.isClosed()) {
            buffer.close();
        } else {
            calls.called(call, buffer);
        }
    }

    private static OptionalInt invalidated(Completion completion) {
        return completion.invalidated()
                ? OptionalInt.of(completion.invalidatedHandle())
                : OptionalInt.empty();
    }

    private void discard(SegmentPool.Lease buffer) {
        endpoint.postReceive(buffer);
        counters.count(Counter.DISCARDED);
    }

    private void owe(TransportHeader error, SegmentPool.Lease buffer) {
        buffer.close();
        endpoint.messageSends().queueAnswer(error, endpoint::postReceive);
    }

    private void failed(Version2Header error) {
        switch (error) {
            case Version2Header.VersionError(_, _, _, var lowest, var highest) ->
                    versionEvents.accept(VersionProbe.Event.refused(lowest, highest));
            case Version2Header.BadOption(var xid, _) -> {
                if (exchange.isOpeningXid(xid)) {
                    versionEvents.accept(VersionProbe.Event.ANSWERED);
                }
            }
            case Version2Header.BadHeader _,
                    Version2Header.Msg _,
                    Version2Header.NoMsg _,
                    Version2Header.Option _ -> {}
        }
        replies.failed(error);
    }

    private void controlled(
            Version2Header.Option header, SegmentPool.Lease buffer, Completion completion) {
        if (header.operation() instanceof Operation.DoneNotice done) {
            // Another receive is posted once the answer is sent.
            owe(doneNotice(header.xid(), done, completion), buffer);
            return;
        }
        endpoint.postReceive(buffer);
        switch (header.operation()) {
            case Operation.Exchange received -> {
                for (var message : exchange.on(header, received)) {
                    send(message);
                }
                if (received instanceof Operation.InitialExchange) {
                    versionEvents.accept(VersionProbe.Event.ANSWERED);
                }
            }
            case TransmitError complaint -> complained(complaint);
            case Operation.DoneAck _ -> replies.acknowledged();
            case Operation.DoneNotice _,
                    Operation.CallWithDoneNotices _,
                    Operation.Transmission _ ->
                    counters.count(Counter.DISCARDED);
        }
    }

    /**
     * Releases replies that the peer has finished with.
     *
     * @return the answer (RPR-5.2.3-2)
     */
    private TransportHeader doneNotice(int xid, Operation.DoneNotice done, Completion completion) {
        var xids = new ArrayList<>(List.of(xid));
        xids.addAll(done.more());
        if (calls != null) {
            calls.fetched(xids, invalidated(completion));
        }
        var answer = new Operation.DoneAck(xids.size());
        return new Version2Header.Option(xid, credits, Direction.REPLY, answer);
    }

    private void complained(TransmitError complaint) {
        counters.count(Version2Counter.GROUP_ERRORS);
        switch (GroupErrors.subject(complaint).direction()) {
            case CALL -> replies.complained(complaint);
            case REPLY -> {
                if (calls != null) {
                    calls.complained(complaint);
                }
            }
        }
    }

    /** Announces the receive size that the peer asked for, once all receives have it. */
    public void drained() {
        exchange.drained().forEach(this::send);
    }

    private void send(Version2Header.Option header) {
        endpoint.messageSends()
                .queueAnswer(
                        header,
                        () -> {
                            if (header.direction() == Direction.CALL) {
                                replies.sentOneWay();
                            }
                        });
    }

    @Override
    public void lost(String reason) {
        groups.lost();
        versionEvents.accept(VersionProbe.Event.NO_ANSWER);
    }
}
