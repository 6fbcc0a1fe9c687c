package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.ChunkReport.Instant;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Writes a dissection as lines of text. Times are seconds from the first packet on.
 *
 * <p>Tests: {@code CapturesTest}, {@code ConnectionsTest}.
 */
public final class TextForm {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final String INDENT = " ".repeat(22);

    private final Consumer<String> out;
    private final long startNanos;

    private TextForm(Consumer<String> out, long startNanos) {
        this.out = out;
        this.startNanos = startNanos;
    }

    /**
     * Writes the contents of a capture.
     *
     * @param out receives the lines
     */
    public static void write(Dissection dissection, Consumer<String> out) {
        var form = new TextForm(out, dissection.startNanos());
        form.head(dissection);
        dissection.connections().forEach(form::connection);
    }

    /** Writes the contents of a frame, without packet, time or direction. */
    public static void write(FrameReport frame, Consumer<String> out) {
        frame.layers().forEach(layer -> LayerText.lines(layer).forEach(out));
        frame.findings().forEach(finding -> findings(finding, "", out));
    }

    private void line(String format, Object... arguments) {
        out.accept(String.format(Locale.ROOT, format, arguments));
    }

    private static void findings(Finding finding, String indent, Consumer<String> out) {
        out.accept(indent + "WRONG: " + finding.what());
        out.accept(indent + "  rule: " + finding.rule());
        out.accept(indent + "  owed: " + finding.owed());
    }

    private void head(Dissection dissection) {
        var packets = dissection.packets();
        line(
                "%d packets, %d of TCP; %d connections of iWARP, %d others",
                packets.packets(),
                packets.tcp(),
                dissection.connections().size(),
                dissection.otherConnections());
        if (packets.fragments() > 0) {
            line("%d IP fragments were skipped", packets.fragments());
        }
        if (packets.unknownLinks() > 0) {
            line("%d packets have an unknown link type", packets.unknownLinks());
        }
        if (dissection.packetsMoved() > 0) {
            line(
                    "%d packets were not in the order of their times, and were put in order",
                    dissection.packetsMoved() - dissection.packetsLate());
        }
        if (dissection.packetsLate() > 0) {
            line(
                    "%d packets are too far out of order: sort the capture, with reordercap",
                    dissection.packetsLate());
        }
        dissection.failure().ifPresent(why -> line("the capture is incomplete: %s", why));
    }

    private void connection(ConnectionReport connection) {
        line("");
        line(
                "Connection %d: %s > %s%s",
                connection.number(),
                connection.initiator(),
                connection.responder(),
                connection.whole() ? "" : ", not captured from its start");
        connection.frames().forEach(this::frame);
        if (connection.framesLeftOut() > 0) {
            line("%d more frames are not listed", connection.framesLeftOut());
        }
        if (!connection.calls().isEmpty()) {
            line("");
            line("Calls of connection %d", connection.number());
            connection.calls().forEach(this::call);
        }
        if (connection.callsLeftOut() > 0) {
            line("%d more calls are not listed", connection.callsLeftOut());
        }
        totals(connection);
    }

    private double seconds(long nanos) {
        return (nanos - startNanos) / NANOS_PER_SECOND;
    }

    private static double millis(long nanos) {
        return nanos / NANOS_PER_MILLI;
    }

    private void frame(FrameReport frame) {
        var start =
                String.format(
                        Locale.ROOT,
                        "%7d %12.6f %s ",
                        frame.packet(),
                        seconds(frame.nanos()),
                        frame.fromInitiator() ? ">" : "<");
        for (var layer : frame.layers()) {
            for (var text : LayerText.lines(layer)) {
                out.accept(start + text);
                start = INDENT;
            }
        }
        if (frame.layers().isEmpty()) {
            out.accept(start);
        }
        frame.findings().forEach(finding -> findings(finding, INDENT, out));
    }

    private void call(CallReport call) {
        line("");
        line(
                "0x%08x %s%s",
                call.xid(), call.name(), call.reverse() ? ", in the reverse direction" : "");
        step(
                call,
                call.called(),
                "call   %s, %d bytes, asks for %s credits"
                        .formatted(
                                call.form(),
                                call.bytes(),
                                Integer.toUnsignedString(call.credits())));
        call.notJudged().ifPresent(this::notJudged);
        for (int i = 0; i < call.chunks().size(); i++) {
            chunk(call, i, call.chunks().get(i));
        }
        call.answer().ifPresentOrElse(answer -> answer(call, answer), () -> line("    no answer"));
        call.done().ifPresent(at -> step(call, at, "done   results fetched, memory released"));
    }

    private void notJudged(String why) {
        line("                   %s", LayerText.notJudged(why));
    }

    private void step(CallReport call, Instant at, String what) {
        line(
                "    %+11.3f ms  %-60s (packet %d)",
                millis(at.nanos() - call.called().nanos()), what, at.packet());
    }

    private void chunk(CallReport call, int index, ChunkReport chunk) {
        line(
                "                   chunk %d: %s, %d bytes in %d segments%s",
                index,
                LayerText.name(chunk.kind(), chunk.position()),
                chunk.size(),
                chunk.segments().size(),
                chunk.returned().isPresent()
                        ? ", " + chunk.returned().getAsLong() + " returned"
                        : "");
        for (var transfer : chunk.transfers()) {
            boolean read = chunk.kind().isRead();
            step(
                    call,
                    transfer.first(),
                    "%s  RDMA %s of chunk %d, segment %d: %d bytes in %d frames, %.3f ms%s"
                            .formatted(
                                    read ? "read " : "write",
                                    read ? "Read" : "Write",
                                    index,
                                    transfer.segment(),
                                    transfer.bytes(),
                                    transfer.frames(),
                                    millis(transfer.last().nanos() - transfer.first().nanos()),
                                    transfer.complete() ? "" : ", unfinished"));
        }
    }

    private void answer(CallReport call, CallReport.Answer answer) {
        var outcome = answer.message().map(message -> LayerText.outcome(message) + ", ").orElse("");
        step(
                call,
                answer.at(),
                "reply  %s%s, %d bytes, grants %s credits%s"
                        .formatted(
                                outcome,
                                answer.form(),
                                answer.bytes(),
                                Integer.toUnsignedString(answer.credits()),
                                answer.invalidates()
                                        .map(", invalidates 0x%08x"::formatted)
                                        .orElse("")));
        answer.notJudged().ifPresent(this::notJudged);
    }

    private void totals(ConnectionReport connection) {
        var totals = connection.totals();
        line("");
        line("Totals of connection %d", connection.number());
        line(
                "  %d calls, %d replies, %d errors, %d unanswered; %d findings",
                totals.calls(),
                totals.replies(),
                totals.errors(),
                totals.unanswered(),
                totals.findings());
        if (totals.callsNotJudged() > 0 || totals.repliesNotJudged() > 0) {
            line(
                    "  not judged by their bindings: %d calls, %d replies",
                    totals.callsNotJudged(), totals.repliesNotJudged());
        }
        line(
                "  %d Read chunks, %d Write chunks, %d Reply chunks, %d Read chunks of replies",
                totals.readChunks(),
                totals.writeChunks(),
                totals.replyChunks(),
                totals.replyReadChunks());
        line(
                "  %d FPDUs: %d Sends, %d RDMA Reads of %d bytes, %d RDMA Writes of %d bytes,"
                        + " %d Terminates",
                totals.fpdus(),
                totals.sends(),
                totals.reads(),
                totals.readBytes(),
                totals.writes(),
                totals.writeBytes(),
                totals.terminates());
        if (totals.bytesMissing() > 0) {
            line("  %d bytes are missing", totals.bytesMissing());
        }
        for (var procedure : totals.procedures()) {
            var calls = "  %-24s %7d calls".formatted(procedure.name(), procedure.calls());
            if (procedure.answered() == 0) {
                line("%s, none with a reply", calls);
            } else {
                line(
                        "%s, mean %10.3f ms, longest %10.3f ms",
                        calls, millis(procedure.meanNanos()), millis(procedure.maxNanos()));
            }
        }
    }
}
