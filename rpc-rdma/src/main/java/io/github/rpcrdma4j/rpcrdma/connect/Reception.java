package io.github.rpcrdma4j.rpcrdma.connect;

import io.github.rpcrdma4j.rpcrdma.Counter;
import io.github.rpcrdma4j.rpcrdma.Statistics;
import io.github.rpcrdma4j.rpcrdma.exchange.VersionProbe;
import io.github.rpcrdma4j.rpcrdma.wire.Frame;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Extension;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Header;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Operation;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Received;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * All that arrives on a connection of version 2: says what each message is, answers what is for no
 * call, and hands on the rest by its direction (RTR-1.4-1, V2-4.2.2-1). Guarded by the lock of the
 * connection.
 */
public final class Reception implements Endpoint.Role {
    /**
     * Receives beside those for calls and replies: for an introduction, a change and a complaint.
     */
    public static final int SPARE_RECEIVES = 3;

    /** Who makes calls. */
    public interface Replies {
        /** Nobody does. */
        Replies NONE =
                new Replies() {
                    @Override
                    public boolean replied(
                            Received.Reply reply, SegmentPool.Lease buffer, Completion completion) {
                        return false;
                    }

                    @Override
                    public void failed(Header error) {}

                    @Override
                    public void sentOneWay() {}
                };

        /**
         * A reply came; a receive was posted in its place.
         *
         * @return whether the buffer is kept; otherwise it goes back
         */
        boolean replied(Received.Reply reply, SegmentPool.Lease buffer, Completion completion);

        /** An error came for the call of its XID, if there is one. */
        void failed(Header error);

        /** A message was sent that takes a credit of calls, and that nobody answers. */
        void sentOneWay();
    }

    /** Who answers calls. */
    @FunctionalInterface
    public interface Calls {
        /**
         * A call came.
         *
         * @param buffer what it came in; from now on its own, and so is the receive to be posted
         */
        void called(Received.Call call, SegmentPool.Lease buffer);
    }

    private final Endpoint endpoint;
    private final SegmentPool pool;
    private final Statistics statistics;
    private final Exchanges exchanges;
    private final int credits;
    private final Set<Extension> known;
    private final Consumer<VersionProbe.Event> heard;
    private Replies replies = Replies.NONE;
    private Calls calls;

    /**
     * @param credits what an error grants
     * @param known the extensions that are spoken
     * @param heard told what a message means for the version, and for what the peer knows
     */
    public Reception(
            Endpoint endpoint,
            SegmentPool pool,
            Statistics statistics,
            Exchanges exchanges,
            int credits,
            Set<Extension> known,
            Consumer<VersionProbe.Event> heard) {
        this.endpoint = endpoint;
        this.pool = pool;
        this.statistics = statistics;
        this.exchanges = exchanges;
        this.credits = credits;
        this.known = Set.copyOf(known);
        this.heard = heard;
        for (int i = 0; i < SPARE_RECEIVES; i++) {
            endpoint.postReceive();
        }
    }

    /** What the two sides have told each other. */
    public Exchanges exchanges() {
        return exchanges;
    }

    /** Replies are for that requester from now on. */
    public void handTo(Replies requester) {
        replies = requester;
    }

    /** Calls are for that responder from now on. */
    public void handTo(Calls responder) {
        calls = responder;
    }

    /** Sends the first message of a client. */
    public void open() {
        send(exchanges.open());
    }

    @Override
    public void received(SegmentPool.Lease buffer, Completion completion) {
        var message = buffer.segment().asSlice(0, completion.length());
        switch (Received.of(message, known)) {
            case Received.Call call -> called(call, buffer);
            case Received.Reply reply -> {
                endpoint.postReceive();
                heard.accept(new VersionProbe.Event.Answered());
                if (!replies.replied(reply, buffer, completion)) {
                    buffer.close();
                }
            }
            case Received.Failure(var error) -> {
                endpoint.postReceive(buffer);
                failed(error);
            }
            case Received.Control(var header) -> {
                endpoint.postReceive(buffer);
                controlled(header);
            }
            case Received.OweVersionError(var xid, var version) -> {
                statistics.count(Counter.VERSION_ERRORS);
                owe(
                        new Header.VersionError(
                                xid, version, credits, Header.VERSION, Header.VERSION),
                        buffer);
            }
            case Received.OweBadHeader(var xid, _) -> {
                statistics.count(Counter.CHUNK_ERRORS);
                owe(new Header.BadHeader(xid, credits), buffer);
            }
            case Received.OweBadOption(var xid, _) ->
                    owe(new Header.BadOption(xid, credits), buffer);
            case Received.Transmission _, Received.OwePullDone _, Received.Discard _ ->
                    discard(buffer);
        }
    }

    private void called(Received.Call call, SegmentPool.Lease buffer) {
        if (calls == null) {
            discard(buffer);
        } else {
            calls.called(call, buffer);
        }
    }

    private void discard(SegmentPool.Lease buffer) {
        endpoint.postReceive(buffer);
        statistics.count(Counter.DISCARDED);
    }

    private void owe(Frame error, SegmentPool.Lease buffer) {
        buffer.close();
        endpoint.owe(error);
    }

    private void failed(Header error) {
        switch (error) {
            case Header.VersionError(_, _, _, var lowest, var highest) ->
                    heard.accept(new VersionProbe.Event.VersionRefused(lowest, highest));
            case Header.BadOption(var xid, _) -> {
                if (exchanges.opened(xid)) {
                    heard.accept(new VersionProbe.Event.OptionRefused());
                }
            }
            case Header.BadHeader _, Header.Msg _, Header.NoMsg _, Header.Option _ -> {}
        }
        replies.failed(error);
    }

    private void controlled(Header.Option header) {
        switch (header.operation()) {
            case Operation.Exchange exchange -> {
                for (var message : exchanges.on(header, exchange)) {
                    send(message);
                }
                if (exchange instanceof Operation.InitialExchange) {
                    heard.accept(new VersionProbe.Event.Introduced());
                }
            }
            case Operation.TransmitError _,
                    Operation.PullDone _,
                    Operation.PullAck _,
                    Operation.PiggybackCall _,
                    Operation.Transmission _ ->
                    statistics.count(Counter.DISCARDED);
        }
    }

    /** The receives have the size now that the peer asked for. */
    public void drained() {
        exchanges.drained().forEach(this::send);
    }

    private void send(Header.Option header) {
        var buffer = pool.lease(header.encodedLength());
        header.encode(buffer.segment());
        endpoint.post(
                List.of(new WorkRequest.Send(0, List.of(buffer.segment()))), _ -> buffer.close());
        switch (header.direction()) {
            case CALL -> replies.sentOneWay();
            case REPLY -> {}
        }
    }

    @Override
    public void lost(String reason) {
        heard.accept(new VersionProbe.Event.ConnectionLost());
    }
}
