package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.capture.Endpoint;
import io.github.rpcrdma4j.capture.Packet;
import io.github.rpcrdma4j.dissect.ChunkReport.Instant;
import io.github.rpcrdma4j.dissect.SendDecoder.Sender;
import io.github.rpcrdma4j.dissect.SendDecoder.Sent;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment.Tagged;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment.Untagged;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver.Crc;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver.Message;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver.Seen;
import io.github.rpcrdma4j.iwarp.observe.FrameReader;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Dissects one TCP connection as its bytes arrive. Not thread-safe.
 *
 * <p>Tests: {@code ConnectionsTest}, {@code CapturesTest}.
 */
final class ConnectionDissector {
    /** The most frames that a report lists; all are counted. */
    private static final int FRAMES_MAX = 1 << 18;

    /** One direction of the connection. */
    private static final class Half {
        private final DirectionObserver observer = new DirectionObserver(true);
        private boolean started;

        /** Whether the start of the next frame is unknown. */
        private boolean lost;

        private MpaFrame setUp;
        private Optional<PrivateData> privateData = Optional.empty();
        private boolean hasSent;

        /** Whether a finding was reported about remote invalidation by this side. */
        private boolean invalidationFound;

        private final GroupReader groups = new GroupReader();
        private final ContinuedReader continued = new ContinuedReader();

        /** Returns whether this side was seen to state no support for remote invalidation. */
        private boolean refusesInvalidation() {
            return setUp != null && !privateData.map(PrivateData::remoteInvalidation).orElse(false);
        }
    }

    private final int number;
    private final Endpoint client;
    private final Endpoint server;
    private final boolean listsFrames;
    private final Version1Document document;
    private final Half up = new Half();
    private final Half down = new Half();
    private final OfferedMemory initiators = new OfferedMemory();
    private final OfferedMemory responders = new OfferedMemory();
    private final CallTracker forward;
    private final CallTracker backward;
    private final FrameCounts counts = new FrameCounts();
    private final List<FrameReport> frames = new ArrayList<>();
    private long framesLeftOut;
    private boolean whole;
    private boolean inOrder = true;
    private boolean foreign;
    private boolean hasFrames;

    /** The draft of version 2 that both sides use, from the first message that shows it. */
    private DraftRevision draft = DraftRevision.EITHER;

    /** Whether the TCP client is the iWARP initiator, as it should be. */
    private boolean clientInitiates = true;

    ConnectionDissector(
            int number,
            Endpoint client,
            Endpoint server,
            boolean whole,
            boolean listsFrames,
            Version1Document document) {
        this.number = number;
        this.client = client;
        this.server = server;
        this.whole = whole;
        this.listsFrames = listsFrames;
        this.document = document;
        var callbacks = new CallbackPrograms();
        forward = new CallTracker(false, document, callbacks, initiators, responders);
        backward = new CallTracker(true, document, callbacks, responders, initiators);
    }

    /** Returns whether any frame of the connection was iWARP. */
    boolean isIwarp() {
        return !foreign && hasFrames;
    }

    void data(boolean fromClient, Packet packet, ByteBuffer bytes) {
        if (foreign) {
            return;
        }
        var half = half(fromClient);
        if (!half.started) {
            half.started = true;
            half.lost = !whole && !isSetUp(bytes);
        }
        if (half.lost) {
            if (!FrameReader.isLikelyStart(bytes)) {
                missing(fromClient, packet, bytes.remaining(), "between frames");
                return;
            }
            half.lost = false;
            half.observer.resume();
        }
        half.observer.add(bytes);
        for (var seen = half.observer.next(); seen != null; seen = half.observer.next()) {
            take(fromClient, half, packet, seen);
            if (half.lost || foreign) {
                return;
            }
        }
    }

    private static boolean isSetUp(ByteBuffer bytes) {
        byte[] start = new byte[bytes.remaining()];
        bytes.get(bytes.position(), start);
        return !(MpaFrame.decode(start, start.length) instanceof MpaFrame.Decoded.Malformed);
    }

    void gap(boolean fromClient, Packet packet, long bytes) {
        if (!foreign) {
            half(fromClient).lost = true;
            missing(fromClient, packet, bytes, "not captured");
        }
    }

    void closed(boolean fromClient, Packet packet, boolean reset) {
        if (isIwarp()) {
            report(fromClient, packet, List.of(new Layer.Closed(reset)), List.of());
        }
    }

    private Half half(boolean fromClient) {
        return fromClient ? up : down;
    }

    private boolean fromInitiator(boolean fromClient) {
        return fromClient == clientInitiates;
    }

    private void missing(boolean fromClient, Packet packet, long bytes, String why) {
        counts.bytesMissing += bytes;
        if (hasFrames) {
            report(fromClient, packet, List.of(new Layer.Missing(bytes, why)), List.of());
        }
    }

    private void report(
            boolean fromClient, Packet packet, List<Layer> layers, List<Finding> findings) {
        counts.findings += findings.size();
        if (listsFrames || !findings.isEmpty()) {
            if (frames.size() < FRAMES_MAX) {
                frames.add(
                        new FrameReport(
                                packet.number(),
                                packet.nanos(),
                                fromInitiator(fromClient),
                                List.copyOf(layers),
                                List.copyOf(findings)));
            } else {
                framesLeftOut++;
            }
        }
    }

    private void take(boolean fromClient, Half half, Packet packet, Seen seen) {
        switch (seen) {
            case Seen.SetUp(var frame, _) -> setUp(fromClient, half, packet, frame);
            case Seen.Lost(var why) -> lost(fromClient, half, packet, why);
            case Seen.Segment segment -> {
                if (!hasFrames && !isCredible(segment)) {
                    half.lost = true;
                    return;
                }
                hasFrames = true;
                segment(fromClient, half, packet, segment);
            }
        }
    }

    /**
     * Returns whether a segment shows that a connection without a captured set-up is iWARP: it must
     * have no fault, and a right or zero CRC.
     */
    private static boolean isCredible(Seen.Segment segment) {
        boolean credibleCrc = segment.crc() == Crc.RIGHT || segment.fpdu().crcSent() == 0;
        return segment.isSound() && credibleCrc;
    }

    private void lost(boolean fromClient, Half half, Packet packet, String why) {
        half.lost = true;
        if (half.setUp != null || half.hasSent) {
            report(fromClient, packet, List.of(), List.of(Rules.lost(why)));
        } else if (whole) {
            foreign = !hasFrames;
        }
    }

    private void setUp(boolean fromClient, Half half, Packet packet, MpaFrame frame) {
        hasFrames = true;
        half.setUp = frame;
        half.privateData = PrivateData.find(frame.privateData());
        clientInitiates = frame.isReply() != fromClient;
        var other = half(!fromClient).setUp;
        if (frame.isReply() && other != null) {
            whole = true;
            boolean crcs = frame.crc() || other.crc();
            up.observer.agreed(crcs);
            down.observer.agreed(crcs);
        }
        report(
                fromClient,
                packet,
                List.of(new Layer.SetUp(frame, half.privateData)),
                Rules.of(frame));
    }

    private void segment(boolean fromClient, Half half, Packet packet, Seen.Segment segment) {
        counts.fpdus++;
        var layers = new ArrayList<Layer>();
        var findings = new ArrayList<Finding>();
        MessageDissector.lower(segment, layers, findings);
        if (whole && inOrder && !fromInitiator(fromClient) && !half(!fromClient).hasSent) {
            findings.add(Rules.sentFirst());
        }
        half.hasSent = true;
        // The contents of a frame with a wrong CRC are ignored.
        if (segment.crc() != Crc.WRONG) {
            rdmap(fromClient, segment, packet, layers, findings);
        }
        report(fromClient, packet, layers, findings);
    }

    /** Returns the tracker for the calls that this side sends. */
    private CallTracker callsOf(boolean initiator) {
        return initiator ? forward : backward;
    }

    private OfferedMemory memoryOf(boolean initiator) {
        return initiator ? initiators : responders;
    }

    private void rdmap(
            boolean fromClient,
            Seen.Segment segment,
            Packet packet,
            List<Layer> layers,
            List<Finding> findings) {
        boolean initiator = fromInitiator(fromClient);
        var at = new Instant(packet.number(), packet.nanos());
        var moved = OfferedMemory.MovedData.NOTHING;
        if (segment.header() instanceof Tagged tagged) {
            moved = tagged(initiator, tagged, segment.payload(), at);
        } else if (segment.message().orElse(null) instanceof Message.Read(var request)) {
            counts.reads++;
            moved = memoryOf(!initiator).readRequest(request, at);
        }
        MessageDissector.rdmap(segment, moved.use(), layers);
        moved.fetched()
                .map(
                        chunk ->
                                callsOf(!chunk.call().isReverse())
                                        .messageIn(chunk.call(), chunk.chunk()))
                .ifPresent(result -> add(result, layers, findings));
        moved.finding().filter(_ -> isTrusted()).ifPresent(findings::add);
        switch (segment.message().orElse(null)) {
            // An empty Send is the ready-to-receive frame (RFC 6581, Section 4).
            case Message.Send(var bytes) when bytes.length == 0 -> counts.sends++;
            case Message.Send(var bytes) -> {
                counts.sends++;
                var header = (Untagged) segment.header();
                Optional<Integer> invalidates =
                        header.invalidates() ? Optional.of(header.invalidate()) : Optional.empty();
                send(fromClient, bytes, invalidates, at, layers, findings);
            }
            case Message.End _ -> counts.terminates++;
            case Message.Read _ -> {}
            case null -> {}
        }
    }

    private OfferedMemory.MovedData tagged(
            boolean initiator, Tagged header, ByteBuffer payload, Instant at) {
        if (header.opcode() == DdpSegment.READ_RESPONSE) {
            counts.readBytes += payload.remaining();
            return memoryOf(initiator).readResponse(header, payload, at);
        }
        counts.writeBytes += payload.remaining();
        counts.writes += header.isLast() && payload.hasRemaining() ? 1 : 0;
        return memoryOf(!initiator).written(header, payload, at);
    }

    /** Takes no mismatch for a fault any more: packets are not in their order. */
    void distrust() {
        inOrder = false;
    }

    /**
     * Returns whether all of the connection was captured, and in order, so that a mismatch is a
     * fault.
     */
    private boolean isTrusted() {
        return whole && inOrder && counts.bytesMissing == 0;
    }

    private void send(
            boolean fromClient,
            byte[] bytes,
            Optional<Integer> invalidates,
            Instant at,
            List<Layer> layers,
            List<Finding> findings) {
        boolean initiator = fromInitiator(fromClient);
        var sent =
                Version2Decoder.isVersion2(bytes)
                        ? version2(half(fromClient), bytes)
                        : SendDecoder.decode(
                                bytes, initiator ? Sender.INITIATOR : Sender.RESPONDER, document);
        layers.add(sent.layer());
        findings.addAll(sent.findings());
        if (invalidates.isPresent()) {
            invalidation(fromClient, sent.role() == SendDecoder.Role.REPLY)
                    .ifPresent(findings::add);
        }
        CallTracker.Result result =
                switch (sent.role()) {
                    case CALL -> callsOf(initiator).call(sent, at, inOrder);
                    case REPLY, ERROR ->
                            callsOf(!initiator).answer(sent, at, invalidates, isTrusted());
                    case OTHER_REQUEST, DONE -> {
                        callsOf(initiator).otherRequest(sent.head().orElseThrow().xid());
                        yield new CallTracker.Result(Optional.empty(), false, List.of());
                    }
                    case NONE -> new CallTracker.Result(Optional.empty(), false, List.of());
                };
        add(result, layers, findings);
        for (var xid : sent.fetched()) {
            findings.addAll(callsOf(initiator).done(xid, at, isTrusted()));
        }
    }

    /**
     * Returns the fault of a message that invalidates a handle, if one side did not offer that: the
     * receiver, or the sender of a reply. The first such message of each direction has the finding,
     * as private data holds for the connection. In the last draft each call names the handle that
     * may be invalidated.
     */
    private Optional<Finding> invalidation(boolean fromClient, boolean isReply) {
        var sender = half(fromClient);
        if (sender.invalidationFound || draft == DraftRevision.LAST) {
            return Optional.empty();
        }
        Optional<Finding> found = Optional.empty();
        if (half(!fromClient).refusesInvalidation()) {
            found = Optional.of(Rules.unwantedInvalidation());
        } else if (isReply && sender.refusesInvalidation()) {
            found = Optional.of(Rules.invalidationNotOffered());
        }
        sender.invalidationFound = found.isPresent();
        return found;
    }

    private static void add(CallTracker.Result result, List<Layer> layers, List<Finding> findings) {
        result.message().ifPresent(each -> layers.add(new Layer.Rpc(each, result.placed())));
        findings.addAll(result.findings());
    }

    private Sent version2(Half half, byte[] bytes) {
        if (draft == DraftRevision.EITHER) {
            draft = DraftRevision.of(bytes);
        }
        return draft == DraftRevision.LAST
                ? half.continued.take(Draft07Decoder.decode(bytes))
                : half.groups.take(Version2Decoder.decode(bytes), bytes);
    }

    ConnectionReport report() {
        var calls = new ArrayList<CallReport>();
        forward.calls().forEach(call -> calls.add(call.report()));
        backward.calls().forEach(call -> calls.add(call.report()));
        calls.sort(
                Comparator.<CallReport>comparingLong(call -> call.called().nanos())
                        .thenComparingLong(call -> call.called().packet()));
        return new ConnectionReport(
                number,
                clientInitiates ? client : server,
                clientInitiates ? server : client,
                whole,
                frames,
                framesLeftOut,
                calls,
                forward.callsLeftOut() + backward.callsLeftOut(),
                CallCounts.totals(counts, forward.counts(), backward.counts()));
    }
}
