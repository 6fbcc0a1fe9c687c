package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.draft07.Draft07Header;
import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.rdmap.Fault;
import io.github.rpcrdma4j.iwarp.rdmap.ReadRequest;
import io.github.rpcrdma4j.iwarp.rdmap.Terminate;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Converts layers to values of a JSON document.
 *
 * <p>Tests: {@code JsonFormTest}, {@code Version2MessagesTest}.
 */
final class LayerJson {
    private LayerJson() {}

    static Map<String, Object> of(Layer layer) {
        return switch (layer) {
            case Layer.SetUp(var frame, var privateData) -> setUp(frame, privateData.orElse(null));
            case Layer.Mpa mpa -> layer("fpdu", mpa);
            case Layer.Ddp(var header, var payload) -> ddp(header, payload);
            case Layer.Rdmap rdmap -> rdmap(rdmap);
            case Layer.Transport(var header) -> transport(header);
            case Layer.Transport5666(var header) -> transport(header);
            case Layer.Transport2(var header) -> transport(header);
            case Layer.TransportDraft07(var header) -> transport(header);
            case Layer.BadTransport(var length) -> {
                var map = layer("rpcrdma");
                map.put("form", "unreadable");
                map.put("bytes", length);
                yield map;
            }
            case Layer.Rpc(var message, var placed) -> {
                var map = layer("rpc");
                map.putAll(message(message));
                map.put("placed", placed);
                yield map;
            }
            case Layer.Missing missing -> layer("missing", missing);
            case Layer.Closed closed -> layer("closed", closed);
        };
    }

    private static Map<String, Object> layer(String name) {
        var map = new LinkedHashMap<String, Object>();
        map.put("layer", name);
        return map;
    }

    private static Map<String, Object> layer(String name, Record fields) {
        var map = layer(name);
        map.putAll(RecordFields.plain(fields));
        return map;
    }

    static String hex(int word) {
        return "0x%08x".formatted(word);
    }

    private static String hex(long word) {
        return "0x%016x".formatted(word);
    }

    private static Map<String, Object> setUp(MpaFrame frame, PrivateData privateData) {
        var map = layer("mpa");
        map.put("reply", frame.isReply());
        map.put("revision", frame.revision());
        map.put("markers", frame.markers());
        map.put("crc", frame.crc());
        map.put("rejected", frame.rejected());
        map.put("enhanced", frame.enhanced().map(LayerJson::enhanced).orElse(null));
        map.put("privateBytes", frame.privateData().length);
        map.put("privateData", privateData == null ? null : RecordFields.plain(privateData));
        return map;
    }

    private static Map<String, Object> enhanced(MpaFrame.Enhanced data) {
        var map = new LinkedHashMap<String, Object>();
        map.put("ird", data.inboundReads());
        map.put("ord", data.outboundReads());
        map.put("peerToPeer", data.peerToPeer());
        map.put("sendFirst", data.sendRtr());
        map.put("writeFirst", data.writeRtr());
        map.put("readFirst", data.readRtr());
        return map;
    }

    private static Map<String, Object> ddp(DdpSegment header, int payload) {
        var map = layer("ddp");
        map.put("last", header.isLast());
        map.put("payload", payload);
        switch (header) {
            case DdpSegment.Tagged(_, var stag, var offset) -> {
                map.put("stag", hex(stag));
                map.put("offset", hex(offset));
            }
            case DdpSegment.Untagged(_, _, var queue, var sequence, var offset) -> {
                map.put("queue", Integer.toUnsignedLong(queue));
                map.put("message", Integer.toUnsignedLong(sequence));
                map.put("offset", Integer.toUnsignedLong(offset));
            }
        }
        return map;
    }

    private static Map<String, Object> rdmap(Layer.Rdmap rdmap) {
        var map = layer("rdmap");
        map.put("operation", LayerText.operation(rdmap.opcode()));
        rdmap.invalidates().ifPresent(handle -> map.put("invalidates", hex(handle)));
        rdmap.read().ifPresent(read -> map.put("read", read(read)));
        rdmap.terminate().ifPresent(terminate -> map.put("terminate", terminate(terminate)));
        rdmap.use().ifPresent(use -> map.put("use", RecordFields.plain(use)));
        return map;
    }

    private static Map<String, Object> read(ReadRequest read) {
        var map = new LinkedHashMap<String, Object>();
        map.put("size", Integer.toUnsignedLong(read.size()));
        map.put("source", hex(read.sourceStag()));
        map.put("sourceOffset", hex(read.sourceOffset()));
        map.put("sink", hex(read.sinkStag()));
        map.put("sinkOffset", hex(read.sinkOffset()));
        return map;
    }

    private static Map<String, Object> terminate(Terminate terminate) {
        var map = new LinkedHashMap<String, Object>();
        map.put("in", terminate.layer());
        map.put("type", terminate.type());
        map.put("code", terminate.code());
        map.put("description", terminate.fault().map(Fault::description).orElse(null));
        return map;
    }

    /** Returns the fields of all transport headers. */
    private static Map<String, Object> transport(String layer, String form, int xid, int credits) {
        var map = layer(layer);
        map.put("form", form);
        map.put("xid", hex(xid));
        map.put("credits", Integer.toUnsignedLong(credits));
        return map;
    }

    private static void versions(int version, int lowest, int highest, Map<String, Object> map) {
        map.put("version", Integer.toUnsignedLong(version));
        map.put("lowest", Integer.toUnsignedLong(lowest));
        map.put("highest", Integer.toUnsignedLong(highest));
    }

    private static Map<String, Object> transport(Version1Header header) {
        var map = transport("rpcrdma", SendDecoder.form(header), header.xid(), header.credits());
        switch (header) {
            case Version1Header.Msg(_, _, var chunks) -> chunks(chunks, map);
            case Version1Header.NoMsg(_, _, var chunks) -> chunks(chunks, map);
            case Version1Header.VersionError(_, var version, _, var lowest, var highest) ->
                    versions(version, lowest, highest, map);
            case Version1Header.ChunkError(_, var version, _) ->
                    map.put("version", Integer.toUnsignedLong(version));
            case Version1Header.Done _ -> {}
        }
        return map;
    }

    private static Map<String, Object> transport(Rfc5666Header header) {
        var map = transport("rpcrdma", SendDecoder.form(header), header.xid(), header.credits());
        switch (header) {
            case Rfc5666Header.PaddedMsg(_, _, var align, var threshold, var chunks) -> {
                map.put("align", Integer.toUnsignedLong(align));
                map.put("threshold", Integer.toUnsignedLong(threshold));
                chunks(chunks, map);
            }
            case Rfc5666Header.OtherError(_, var version, _, var code) -> {
                map.put("version", Integer.toUnsignedLong(version));
                map.put("code", Integer.toUnsignedLong(code));
            }
        }
        return map;
    }

    private static Map<String, Object> transport(Version2Header header) {
        var map =
                transport("rpcrdma2", Version2Decoder.form(header), header.xid(), header.credits());
        Version2Decoder.direction(header)
                .ifPresent(direction -> map.put("direction", LayerText.word(direction)));
        switch (header) {
            case Version2Header.Msg(_, _, _, var chunks) -> chunks(chunks, map);
            case Version2Header.NoMsg(_, _, _, var chunks) -> chunks(chunks, map);
            case Version2Header.Option(_, _, _, var operation) ->
                    map.put("operation", RecordFields.of((Record) operation));
            case Version2Header.VersionError(_, var version, _, var lowest, var highest) ->
                    versions(version, lowest, highest, map);
            case Version2Header.BadHeader _, Version2Header.BadOption _ -> {}
        }
        return map;
    }

    private static Map<String, Object> transport(Draft07Header header) {
        var map =
                transport(
                        "rpcrdma2-07", Draft07Decoder.form(header), header.xid(), header.credits());
        map.putAll(fields(header));
        Draft07Decoder.chunks(header).ifPresent(chunks -> chunks(chunks, map));
        return map;
    }

    /** Returns the fields of a header without its chunks. */
    static Map<String, Object> fields(Draft07Header header) {
        var map = new LinkedHashMap<String, Object>();
        switch (header) {
            case Draft07Header.Failure(_, var version, _, var error) -> {
                map.put("version", Integer.toUnsignedLong(version));
                map.put("error", RecordFields.of((Record) error));
            }
            case Draft07Header.Properties(_, _, _, var properties) ->
                    map.put(
                            "properties",
                            properties.stream()
                                    .map(each -> RecordFields.of((Record) each))
                                    .toList());
            case Draft07Header.CallExternal call -> map.put("invalidated", hex(call.invalidated()));
            case Draft07Header.CallInline call -> map.put("invalidated", hex(call.invalidated()));
            case Draft07Header.CallMiddle(_, _, var remaining) -> map.put("remaining", remaining);
            case Draft07Header.ReplyMiddle(_, _, var remaining) -> map.put("remaining", remaining);
            case Draft07Header.Grant _,
                    Draft07Header.ReplyExternal _,
                    Draft07Header.ReplyInline _ -> {}
        }
        return map;
    }

    private static void chunks(ChunkLists chunks, Map<String, Object> map) {
        map.put(
                "readList",
                chunks.readList().stream()
                        .map(
                                read -> {
                                    var entry = new LinkedHashMap<String, Object>();
                                    entry.put("position", Integer.toUnsignedLong(read.position()));
                                    entry.putAll(segment(read.target()));
                                    return entry;
                                })
                        .toList());
        map.put("writeList", chunks.writeList().stream().map(LayerJson::segments).toList());
        map.put("replyChunk", chunks.replyChunk().map(LayerJson::segments).orElse(null));
    }

    private static List<Map<String, Object>> segments(WriteChunk chunk) {
        return chunk.segments().stream().map(LayerJson::segment).toList();
    }

    static Map<String, Object> segment(Segment segment) {
        var map = new LinkedHashMap<String, Object>();
        map.put("handle", hex(segment.handle()));
        map.put("length", segment.size());
        map.put("offset", hex(segment.offset()));
        return map;
    }

    static Map<String, Object> message(RpcMessage message) {
        var map = new LinkedHashMap<String, Object>();
        map.put("rpcXid", hex(message.xid()));
        switch (message) {
            case RpcMessage.Call call -> {
                map.put("type", "call");
                map.put("name", call.name());
                map.put("operations", call.operations());
                map.put("program", Integer.toUnsignedLong(call.program()));
                map.put("version", Integer.toUnsignedLong(call.version()));
                map.put("procedure", Integer.toUnsignedLong(call.procedure()));
                map.put("credential", LayerText.flavor(call.flavor()));
            }
            case RpcMessage.Reply(_, var outcome, var status, var name, _) -> {
                map.put("type", "reply");
                map.put("outcome", outcome);
                map.put("status", status.isPresent() ? (Object) status.getAsInt() : null);
                map.put("statusName", name);
            }
            case RpcMessage.Unreadable(_, var why, _) -> {
                map.put("type", "unreadable");
                map.put("why", why);
            }
        }
        map.put("notJudged", message.notJudged().orElse(null));
        return map;
    }
}
