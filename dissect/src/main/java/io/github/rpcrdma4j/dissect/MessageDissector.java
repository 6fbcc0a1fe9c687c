package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.SendDecoder.Role;
import io.github.rpcrdma4j.dissect.SendDecoder.Sender;
import io.github.rpcrdma4j.dissect.SendDecoder.Sent;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver.Message;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver.Seen;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import io.github.rpcrdma4j.iwarp.rdmap.Terminate;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Dissects single messages whose connection and sender are unknown.
 *
 * <p>Tests: {@code ExamplesTest}.
 */
public final class MessageDissector {
    /** The layer with which the bytes start. */
    public enum Start {
        /** A set-up frame; FPDUs may follow. */
        MPA,
        /** An FPDU; more may follow. */
        FPDU,
        /** A transport header of RPC-over-RDMA version 1. */
        RPCRDMA,
        /** A transport header of version 2. */
        RPCRDMA2
    }

    private MessageDissector() {}

    /**
     * Returns a report for each frame in the bytes. The reports have no packets, times or
     * directions.
     *
     * @param document the document that applies where RFC 5666 and RFC 8166 differ
     */
    public static List<FrameReport> dissect(Start start, byte[] bytes, Version1Document document) {
        return switch (start) {
            case RPCRDMA -> List.of(send(SendDecoder.decode(bytes, Sender.UNKNOWN, document)));
            case RPCRDMA2 -> List.of(send(version2(bytes)));
            case MPA, FPDU -> frames(start, bytes, document);
        };
    }

    private static Sent version2(byte[] bytes) {
        return DraftRevision.of(bytes) == DraftRevision.LAST
                ? Draft07Decoder.decode(bytes)
                : Version2Decoder.decode(bytes);
    }

    private static FrameReport send(Sent sent) {
        var layers = new ArrayList<Layer>();
        var findings = new ArrayList<Finding>();
        send(sent, layers, findings);
        return report(layers, findings);
    }

    private static FrameReport report(List<Layer> layers, List<Finding> findings) {
        return new FrameReport(0, 0, true, List.copyOf(layers), List.copyOf(findings));
    }

    private static void send(Sent sent, List<Layer> layers, List<Finding> findings) {
        layers.add(sent.layer());
        findings.addAll(sent.findings());
        if (sent.payload().byteSize() == 0) {
            return;
        }
        // A callback of NFSv4 shows in its direction, which is unknown here.
        var rpc = new RpcDecoder(false, new CallbackPrograms(), Version1Document.RFC_8166);
        var obstacle =
                sent.findings().isEmpty()
                        ? Optional.<String>empty()
                        : Optional.of("its transport header is wrong");
        if (sent.role() == Role.CALL) {
            var decoded = rpc.call(sent.payload(), sent.alignment(), sent.chunks(), obstacle);
            layers.add(new Layer.Rpc(decoded.message(), false));
            findings.addAll(decoded.findings());
        } else if (sent.role() == Role.REPLY) {
            var decoded =
                    rpc.reply(
                            sent.payload(),
                            sent.alignment(),
                            Optional.empty(),
                            ChunkLists.EMPTY,
                            sent.chunks(),
                            obstacle);
            layers.add(new Layer.Rpc(decoded.message(), false));
            findings.addAll(decoded.findings());
        }
    }

    private static List<FrameReport> frames(Start start, byte[] bytes, Version1Document document) {
        var observer = new DirectionObserver(start == Start.MPA);
        if (start == Start.FPDU) {
            observer.resume();
        }
        observer.add(ByteBuffer.wrap(bytes));
        var reports = new ArrayList<FrameReport>();
        for (var seen = observer.next(); seen != null; seen = observer.next()) {
            var layers = new ArrayList<Layer>();
            var findings = new ArrayList<Finding>();
            switch (seen) {
                case Seen.SetUp(var frame, _) -> {
                    layers.add(setUp(frame));
                    findings.addAll(Rules.of(frame));
                }
                case Seen.Lost(var why) ->
                        findings.add(reports.isEmpty() ? Rules.badSetUp(why) : Rules.lost(why));
                case Seen.Segment segment -> segment(segment, document, layers, findings);
            }
            reports.add(report(layers, findings));
        }
        if (observer.pending() > 0) {
            var missing = new Layer.Missing(observer.pending(), "no whole frame");
            reports.add(report(List.of(missing), List.of()));
        }
        return reports;
    }

    static Layer setUp(MpaFrame frame) {
        return new Layer.SetUp(frame, PrivateData.find(frame.privateData()));
    }

    private static void segment(
            Seen.Segment segment,
            Version1Document document,
            List<Layer> layers,
            List<Finding> findings) {
        lower(segment, layers, findings);
        rdmap(segment, Optional.empty(), layers);
        if (segment.message().orElse(null) instanceof Message.Send(var message)
                && message.length > 0) {
            var sent =
                    Version2Decoder.isVersion2(message)
                            ? version2(message)
                            : SendDecoder.decode(message, Sender.UNKNOWN, document);
            send(sent, layers, findings);
        }
    }

    /** Adds the MPA and DDP layers of a segment, and its faults. */
    static void lower(Seen.Segment segment, List<Layer> layers, List<Finding> findings) {
        segment.faults().forEach(fault -> findings.add(Rules.of(fault)));
        int payload = segment.payload().remaining();
        int length = DdpSegment.headerBytes(segment.header().control()) + payload;
        layers.add(new Layer.Mpa(length, segment.crc()));
        layers.add(new Layer.Ddp(segment.header(), payload));
    }

    static void rdmap(Seen.Segment segment, Optional<Layer.ChunkUse> use, List<Layer> layers) {
        Optional<Integer> invalidates = Optional.empty();
        if (segment.header() instanceof DdpSegment.Untagged untagged && untagged.invalidates()) {
            invalidates = Optional.of(untagged.invalidate());
        }
        Optional<ReadRequest> read = Optional.empty();
        Optional<Terminate> terminate = Optional.empty();
        switch (segment.message().orElse(null)) {
            case Message.Read(var request) -> read = Optional.of(request);
            case Message.End(var message) -> terminate = Optional.of(message);
            case Message.Send _ -> {}
            case null -> {}
        }
        layers.add(new Layer.Rdmap(segment.header().opcode(), invalidates, read, terminate, use));
    }
}
