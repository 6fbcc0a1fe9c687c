package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.capture.Endpoint;
import io.github.rpcrdma4j.dissect.ChunkReport.Instant;
import io.github.rpcrdma4j.dissect.ChunkReport.Transfer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Converts a dissection to the values of a JSON document: maps with ordered entries, lists,
 * strings, numbers and booleans. XIDs, handles, offsets and other bit patterns are strings in
 * hexadecimal. Times are nanoseconds from the first packet on. {@code docs/dissect.md} names every
 * field.
 */
public final class JsonForm {
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final long startNanos;

    private JsonForm(long startNanos) {
        this.startNanos = startNanos;
    }

    /**
     * Returns the JSON value of a whole capture.
     *
     * @param listsFrames whether to include the frames of connections
     */
    public static Map<String, Object> of(Dissection dissection, boolean listsFrames) {
        var form = new JsonForm(dissection.startNanos());
        var packets = dissection.packets();
        var map = new LinkedHashMap<String, Object>();
        map.put("start", instant(dissection.startNanos()));
        map.put("packets", packets.packets());
        map.put("tcpPackets", packets.tcp());
        map.put("fragments", packets.fragments());
        map.put("unknownLinkTypes", packets.unknownLinks());
        map.put("packetsMoved", dissection.packetsMoved());
        map.put("packetsLate", dissection.packetsLate());
        map.put("failure", dissection.failure().orElse(null));
        map.put("otherConnections", dissection.otherConnections());
        map.put(
                "connections",
                dissection.connections().stream()
                        .map(each -> form.connection(each, listsFrames))
                        .toList());
        return map;
    }

    /** Returns the JSON values of frames without packet, time or direction. */
    public static List<Map<String, Object>> of(List<FrameReport> frames) {
        return frames.stream()
                .map(
                        frame -> {
                            var map = new LinkedHashMap<String, Object>();
                            layers(frame, map);
                            return (Map<String, Object>) map;
                        })
                .toList();
    }

    private static String instant(long nanos) {
        return java.time.Instant.ofEpochSecond(
                        Math.floorDiv(nanos, NANOS_PER_SECOND),
                        Math.floorMod(nanos, NANOS_PER_SECOND))
                .toString();
    }

    private Map<String, Object> connection(ConnectionReport connection, boolean listsFrames) {
        var map = new LinkedHashMap<String, Object>();
        map.put("number", connection.number());
        map.put("initiator", end(connection.initiator()));
        map.put("responder", end(connection.responder()));
        map.put("whole", connection.whole());
        if (listsFrames) {
            map.put("frames", connection.frames().stream().map(this::frame).toList());
            map.put("framesLeftOut", connection.framesLeftOut());
        } else {
            map.put(
                    "findings",
                    connection.frames().stream()
                            .filter(frame -> !frame.findings().isEmpty())
                            .map(this::frame)
                            .toList());
        }
        map.put("calls", connection.calls().stream().map(this::call).toList());
        map.put("callsLeftOut", connection.callsLeftOut());
        map.put("totals", totals(connection.totals()));
        return map;
    }

    private static String end(Endpoint end) {
        return end.toString();
    }

    private Map<String, Object> frame(FrameReport frame) {
        var map = new LinkedHashMap<String, Object>();
        map.put("packet", frame.packet());
        map.put("nanos", frame.nanos() - startNanos);
        map.put("fromInitiator", frame.fromInitiator());
        layers(frame, map);
        return map;
    }

    private static void layers(FrameReport frame, Map<String, Object> map) {
        map.put("layers", frame.layers().stream().map(LayerJson::of).toList());
        map.put("findings", frame.findings().stream().map(RecordFields::plain).toList());
    }

    private Map<String, Object> call(CallReport call) {
        var map = new LinkedHashMap<String, Object>();
        map.put("xid", LayerJson.hex(call.xid()));
        map.put("reverse", call.reverse());
        map.put("called", instant(call.called()));
        map.put("form", call.form());
        map.put("bytes", call.bytes());
        map.put("credits", Integer.toUnsignedLong(call.credits()));
        map.put("message", call.message().map(LayerJson::message).orElse(null));
        map.put("notJudged", call.notJudged().orElse(null));
        map.put("chunks", call.chunks().stream().map(this::chunk).toList());
        map.put("answer", call.answer().map(this::answer).orElse(null));
        map.put("durationNanos", call.duration().orElse(null));
        map.put("done", call.done().map(this::instant).orElse(null));
        return map;
    }

    private Map<String, Object> instant(Instant at) {
        var map = new LinkedHashMap<String, Object>();
        map.put("packet", at.packet());
        map.put("nanos", at.nanos() - startNanos);
        return map;
    }

    private Map<String, Object> chunk(ChunkReport chunk) {
        var map = new LinkedHashMap<String, Object>();
        map.put("kind", chunk.kind().name().toLowerCase(Locale.ROOT));
        map.put("position", chunk.position());
        map.put("segments", chunk.segments().stream().map(LayerJson::segment).toList());
        map.put("size", chunk.size());
        map.put("moved", chunk.moved());
        map.put("returned", chunk.returned().isPresent() ? chunk.returned().getAsLong() : null);
        map.put("transfers", chunk.transfers().stream().map(this::transfer).toList());
        return map;
    }

    private Map<String, Object> transfer(Transfer transfer) {
        var map = new LinkedHashMap<String, Object>();
        map.put("segment", transfer.segment());
        map.put("bytes", transfer.bytes());
        map.put("requested", transfer.requested());
        map.put("frames", transfer.frames());
        map.put("first", instant(transfer.first()));
        map.put("last", instant(transfer.last()));
        map.put("complete", transfer.complete());
        return map;
    }

    private Map<String, Object> answer(CallReport.Answer answer) {
        var map = new LinkedHashMap<String, Object>();
        map.put("at", instant(answer.at()));
        map.put("form", answer.form());
        map.put("bytes", answer.bytes());
        map.put("credits", Integer.toUnsignedLong(answer.credits()));
        map.put("invalidates", answer.invalidates().map(LayerJson::hex).orElse(null));
        map.put("message", answer.message().map(LayerJson::message).orElse(null));
        map.put("notJudged", answer.notJudged().orElse(null));
        return map;
    }

    private static Map<String, Object> totals(Totals totals) {
        var map = RecordFields.plain(totals);
        map.put("procedures", totals.procedures().stream().map(JsonForm::procedure).toList());
        return map;
    }

    private static Map<String, Object> procedure(Totals.Procedure procedure) {
        var map = new LinkedHashMap<String, Object>();
        map.put("name", procedure.name());
        map.put("calls", procedure.calls());
        map.put("answered", procedure.answered());
        map.put("meanNanos", procedure.meanNanos());
        map.put("maxNanos", procedure.maxNanos());
        return map;
    }
}
