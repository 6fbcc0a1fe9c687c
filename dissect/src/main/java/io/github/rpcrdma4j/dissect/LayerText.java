package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.ChunkReport.Kind;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import io.github.rpcrdma4j.iwarp.rdmap.Terminate;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Converts layers to text.
 *
 * <p>Tests: {@code ExamplesTest}, {@code NamesOfCallsTest}.
 */
final class LayerText {
    private LayerText() {}

    static List<String> lines(Layer layer) {
        return switch (layer) {
            case Layer.SetUp(var frame, var privateData) -> setUp(frame, privateData.orElse(null));
            case Layer.Mpa(var length, var crc) ->
                    List.of(
                            "MPA FPDU of %d bytes, CRC %s"
                                    .formatted(length, crc.name().toLowerCase(Locale.ROOT)));
            case Layer.Ddp(var header, var payload) -> List.of(ddp(header, payload));
            case Layer.Rdmap rdmap -> List.of(rdmap(rdmap));
            case Layer.Transport(var header) -> transport(header);
            case Layer.Transport5666(var header) -> transport(header);
            case Layer.Transport2(var header) -> transport(header);
            case Layer.TransportDraft07(var header) -> transport(header);
            case Layer.BadTransport(var length) ->
                    List.of(
                            "RPC-over-RDMA header that cannot be read, message of %d bytes"
                                    .formatted(length));
            case Layer.Rpc(var message, var placed) -> rpc(message, placed);
            case Layer.Missing(var bytes, var why) ->
                    List.of("%d bytes skipped: %s".formatted(bytes, why));
            case Layer.Closed(var reset) -> List.of(reset ? "TCP reset" : "TCP closed");
        };
    }

    private static String yes(boolean truth) {
        return truth ? "yes" : "no";
    }

    private static List<String> setUp(MpaFrame frame, PrivateData privateData) {
        var lines = new ArrayList<String>();
        lines.add(
                "MPA %s of revision %d, markers %s, CRC %s%s"
                        .formatted(
                                frame.isReply() ? "reply" : "request",
                                frame.revision(),
                                yes(frame.markers()),
                                yes(frame.crc()),
                                frame.rejected() ? ", REJECTED" : ""));
        frame.enhanced().ifPresent(data -> lines.add(enhanced(data)));
        if (privateData != null) {
            lines.add(
                    "RPC-over-RDMA private data: remote invalidation %s, sends up to %d, receives up to %d bytes"
                            .formatted(
                                    yes(privateData.remoteInvalidation()),
                                    privateData.sendSize(),
                                    privateData.receiveSize()));
        } else if (frame.privateData().length > 0) {
            lines.add("private data of %d bytes".formatted(frame.privateData().length));
        }
        return lines;
    }

    private static String enhanced(MpaFrame.Enhanced data) {
        var first = new ArrayList<String>();
        if (data.sendRtr()) {
            first.add("Send");
        }
        if (data.writeRtr()) {
            first.add("Write");
        }
        if (data.readRtr()) {
            first.add("Read");
        }
        return "IRD %d, ORD %d, peer to peer %s%s"
                .formatted(
                        data.inboundReads(),
                        data.outboundReads(),
                        yes(data.peerToPeer()),
                        first.isEmpty() ? "" : ", first an empty " + String.join(" or ", first));
    }

    private static String ddp(DdpSegment header, int payload) {
        var last = header.isLast() ? ", last" : "";
        return switch (header) {
            case DdpSegment.Tagged(_, var stag, var offset) ->
                    "DDP tagged, STag 0x%08x, offset 0x%016x, %d bytes%s"
                            .formatted(stag, offset, payload, last);
            case DdpSegment.Untagged(_, _, var queue, var sequence, var offset) ->
                    "DDP untagged, queue %s, message %s, offset %s, %d bytes%s"
                            .formatted(
                                    Integer.toUnsignedString(queue),
                                    Integer.toUnsignedString(sequence),
                                    Integer.toUnsignedString(offset),
                                    payload,
                                    last);
        };
    }

    /** Returns the name of an RDMAP operation (RFC 5040, Section 4.1). */
    static String operation(int opcode) {
        return switch (opcode) {
            case DdpSegment.WRITE -> "RDMA Write";
            case DdpSegment.READ_REQUEST -> "RDMA Read Request";
            case DdpSegment.READ_RESPONSE -> "RDMA Read Response";
            case DdpSegment.SEND -> "Send";
            case DdpSegment.SEND_INVALIDATE -> "Send with Invalidate";
            case DdpSegment.SEND_SOLICITED -> "Send with Solicited Event";
            case DdpSegment.SEND_INVALIDATE_SOLICITED -> "Send with Solicited Event and Invalidate";
            case DdpSegment.TERMINATE -> "Terminate";
            default -> "opcode " + opcode;
        };
    }

    private static String rdmap(Layer.Rdmap rdmap) {
        return "RDMAP "
                + operation(rdmap.opcode())
                + rdmap.invalidates().map(" 0x%08x"::formatted).orElse("")
                + rdmap.read().map(LayerText::read).orElse("")
                + rdmap.terminate().map(LayerText::terminate).orElse("")
                + rdmap.use().map(LayerText::use).orElse("");
    }

    private static String read(ReadRequest read) {
        return " of %s bytes, from 0x%08x at 0x%016x, to 0x%08x at 0x%016x"
                .formatted(
                        Integer.toUnsignedString(read.size()),
                        read.sourceStag(),
                        read.sourceOffset(),
                        read.sinkStag(),
                        read.sinkOffset());
    }

    private static String terminate(Terminate terminate) {
        return " of layer %d, type %d, code %d%s"
                .formatted(
                        terminate.layer(),
                        terminate.type(),
                        terminate.code(),
                        terminate.fault().map(fault -> ": " + fault.description()).orElse(""));
    }

    private static String use(Layer.ChunkUse use) {
        return " [call 0x%08x, chunk %d: %s, segment %d]"
                .formatted(use.xid(), use.chunk(), name(use.kind()), use.segment());
    }

    private static List<String> transport(Version1Header header) {
        var lines = new ArrayList<String>();
        lines.add(firstLine(SendDecoder.form(header), header.xid(), header.credits()));
        switch (header) {
            case Version1Header.Msg(_, _, var chunks) -> chunks(chunks, lines);
            case Version1Header.NoMsg(_, _, var chunks) -> chunks(chunks, lines);
            case Version1Header.VersionError(_, var version, _, var lowest, var highest) ->
                    lines.add(
                            "  version %s is not supported; supported versions: %s to %s"
                                    .formatted(
                                            Integer.toUnsignedString(version),
                                            Integer.toUnsignedString(lowest),
                                            Integer.toUnsignedString(highest)));
            case Version1Header.ChunkError _, Version1Header.Done _ -> {}
        }
        return lines;
    }

    private static String firstLine(String form, int xid, int credits) {
        return "RPC-over-RDMA %s, XID 0x%08x, %s credits"
                .formatted(form, xid, Integer.toUnsignedString(credits));
    }

    private static List<String> transport(Rfc5666Header header) {
        var lines = new ArrayList<String>();
        lines.add(firstLine(SendDecoder.form(header), header.xid(), header.credits()));
        switch (header) {
            case Rfc5666Header.PaddedMsg(_, _, var align, var threshold, var chunks) -> {
                lines.add(
                        "  items of %s bytes or more are aligned to %s"
                                .formatted(
                                        Integer.toUnsignedString(threshold),
                                        Integer.toUnsignedString(align)));
                chunks(chunks, lines);
            }
            case Rfc5666Header.OtherError(_, _, _, var code) ->
                    lines.add("  error " + Integer.toUnsignedString(code));
        }
        return lines;
    }

    private static List<String> transport(Version2Header header) {
        var lines = new ArrayList<String>();
        lines.add(
                "RPC-over-RDMA version 2 %s, XID 0x%08x, %s credits%s"
                        .formatted(
                                Version2Decoder.form(header),
                                header.xid(),
                                Integer.toUnsignedString(header.credits()),
                                Version2Decoder.direction(header)
                                        .map(which -> ", " + word(which))
                                        .orElse("")));
        if (header instanceof Version2Header.VersionError(_, _, _, var lowest, var highest)) {
            lines.add(
                    "  supported versions: %s to %s"
                            .formatted(
                                    Integer.toUnsignedString(lowest),
                                    Integer.toUnsignedString(highest)));
        }
        chunks(Version2Decoder.chunks(header), lines);
        if (header instanceof Version2Header.Option(_, _, _, Record operation)
                && Version2Decoder.chunks(header).isEmpty()) {
            RecordFields.of(operation)
                    .forEach((name, value) -> lines.add("  " + name + ": " + Json.of(value)));
        }
        return lines;
    }

    private static List<String> transport(Draft07Header header) {
        var lines = new ArrayList<String>();
        lines.add(
                "RPC-over-RDMA version 2 (draft 07) %s, XID 0x%08x, %s credits"
                        .formatted(
                                Draft07Decoder.form(header),
                                header.xid(),
                                Integer.toUnsignedString(header.credits())));
        LayerJson.fields(header)
                .forEach((name, value) -> lines.add("  " + name + ": " + Json.of(value)));
        Draft07Decoder.chunks(header).ifPresent(chunks -> chunks(chunks, lines));
        return lines;
    }

    static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static void chunks(ChunkLists chunks, List<String> lines) {
        for (var read : chunks.readList()) {
            lines.add(
                    "  Read list: position %s, %s"
                            .formatted(
                                    Integer.toUnsignedString(read.position()),
                                    segment(read.target())));
        }
        for (var chunk : chunks.writeList()) {
            lines.add("  Write chunk: " + segments(chunk));
        }
        chunks.replyChunk().ifPresent(chunk -> lines.add("  Reply chunk: " + segments(chunk)));
    }

    private static String segments(WriteChunk chunk) {
        return chunk.segments().isEmpty()
                ? "empty"
                : chunk.segments().stream()
                        .map(LayerText::segment)
                        .collect(Collectors.joining("; "));
    }

    private static String segment(Segment segment) {
        return "0x%08x at 0x%016x, %d bytes"
                .formatted(segment.handle(), segment.offset(), segment.size());
    }

    private static List<String> rpc(RpcMessage message, boolean placed) {
        var line = rpc(message) + (placed ? " (in a chunk)" : "");
        return message.notJudged()
                .map(why -> List.of(line, "  " + notJudged(why)))
                .orElse(List.of(line));
    }

    static String notJudged(String why) {
        return "not judged: " + why;
    }

    private static String rpc(RpcMessage message) {
        return switch (message) {
            case RpcMessage.Call call ->
                    "RPC call 0x%08x, %s, credential %s"
                            .formatted(call.xid(), call.fullName(), flavor(call.flavor()));
            case RpcMessage.Reply reply ->
                    "RPC reply 0x%08x, %s".formatted(reply.xid(), outcome(reply));
            case RpcMessage.Unreadable(var xid, var why, _) ->
                    "RPC message 0x%08x that cannot be read: %s".formatted(xid, why);
        };
    }

    static String flavor(int flavor) {
        return switch (flavor) {
            case 0 -> "AUTH_NONE";
            case 1 -> "AUTH_SYS";
            case 6 -> "RPCSEC_GSS";
            default -> Integer.toUnsignedString(flavor);
        };
    }

    static String outcome(RpcMessage message) {
        return switch (message) {
            case RpcMessage.Reply(_, var outcome, var status, var name, _) ->
                    status.isPresent() ? outcome + " " + name : outcome;
            case RpcMessage.Call call -> call.fullName();
            case RpcMessage.Unreadable(_, var why, _) -> why;
        };
    }

    static String name(Kind kind) {
        return switch (kind) {
            case READ -> "Read chunk";
            case POSITION_ZERO_READ -> "Position-Zero Read chunk";
            case WRITE -> "Write chunk";
            case REPLY -> "Reply chunk";
            case REPLY_READ -> "Read chunk of the reply";
        };
    }

    static String name(Kind kind, long position) {
        boolean isItem = kind == Kind.READ || kind == Kind.REPLY_READ && position > 0;
        return isItem ? name(kind) + " at position " + position : name(kind);
    }
}
