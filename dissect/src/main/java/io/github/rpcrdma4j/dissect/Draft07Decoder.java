package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.SendDecoder.Head;
import io.github.rpcrdma4j.dissect.SendDecoder.Role;
import io.github.rpcrdma4j.dissect.SendDecoder.Sent;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header;
import io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder;
import io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.Decoded;
import io.github.rpcrdma4j.dissect.draft07.HeaderError;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decodes the message of one Send of the last draft of version 2. {@link ContinuedReader}
 * reassembles continued messages.
 */
final class Draft07Decoder {
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private Draft07Decoder() {}

    static Sent decode(byte[] bytes) {
        var message = MemorySegment.ofArray(bytes);
        var decoded = Draft07HeaderDecoder.decode(message);
        var findings = Draft07Rules.of(decoded).stream().toList();
        if (!(decoded instanceof Decoded.Ok(var header, var length))) {
            return Sent.unreadable(bytes.length, findings);
        }
        var payload = hasPayload(header) ? message.asSlice(length) : MemorySegment.NULL;
        return new Sent(
                role(header, payload),
                new Layer.TransportDraft07(header),
                Optional.of(head(header, bytes.length, false)),
                Alignment.NONE,
                chunks(header).orElse(ChunkLists.EMPTY),
                payload,
                List.of(),
                findings);
    }

    static Head head(Draft07Header header, long bytes, boolean isGrouped) {
        return new Head(header.xid(), header.credits(), form(header), bytes, isGrouped, true);
    }

    private static boolean hasPayload(Draft07Header header) {
        return switch (header) {
            case Draft07Header.CallMiddle _,
                    Draft07Header.CallInline _,
                    Draft07Header.ReplyMiddle _,
                    Draft07Header.ReplyInline _ ->
                    true;
            case Draft07Header.Failure _,
                    Draft07Header.Grant _,
                    Draft07Header.Properties _,
                    Draft07Header.CallExternal _,
                    Draft07Header.ReplyExternal _ ->
                    false;
        };
    }

    private static Role role(Draft07Header header, MemorySegment payload) {
        return switch (header) {
            case Draft07Header.Failure _ -> Role.ERROR;
            case Draft07Header.Properties _, Draft07Header.CallMiddle _ -> Role.OTHER_REQUEST;
            case Draft07Header.CallExternal _ -> Role.CALL;
            case Draft07Header.ReplyExternal _ -> Role.REPLY;
            // The last Send of a continued message has the header of a whole message. Only a whole
            // message starts with the XID.
            case Draft07Header.CallInline _ -> isWhole(header, payload) ? Role.CALL : Role.NONE;
            case Draft07Header.ReplyInline _ -> isWhole(header, payload) ? Role.REPLY : Role.NONE;
            case Draft07Header.Grant _, Draft07Header.ReplyMiddle _ -> Role.NONE;
        };
    }

    private static boolean isWhole(Draft07Header header, MemorySegment payload) {
        return payload.byteSize() >= Integer.BYTES && payload.get(UINT32, 0) == header.xid();
    }

    /**
     * Returns the lists of a header, with the Call chunk among the Read chunks; empty if it has no
     * lists.
     */
    static Optional<ChunkLists> chunks(Draft07Header header) {
        return switch (header) {
            case Draft07Header.CallExternal(_, _, _, var call, var chunks) -> {
                var reads = new ArrayList<>(call);
                reads.addAll(chunks.readList());
                yield Optional.of(new ChunkLists(reads, chunks.writeList(), chunks.replyChunk()));
            }
            case Draft07Header.CallInline(_, _, _, var chunks) -> Optional.of(chunks);
            case Draft07Header.ReplyExternal(_, _, var writeList, var replyChunk) ->
                    Optional.of(new ChunkLists(List.of(), writeList, Optional.of(replyChunk)));
            case Draft07Header.ReplyInline(_, _, var writeList) ->
                    Optional.of(new ChunkLists(List.of(), writeList, Optional.empty()));
            case Draft07Header.Failure _,
                    Draft07Header.Grant _,
                    Draft07Header.Properties _,
                    Draft07Header.CallMiddle _,
                    Draft07Header.ReplyMiddle _ ->
                    Optional.empty();
        };
    }

    static String form(Draft07Header header) {
        return switch (header) {
            case Draft07Header.Failure(_, _, _, var error) -> form(error);
            case Draft07Header.Grant _ -> "RDMA2_GRANT";
            case Draft07Header.Properties properties ->
                    properties.isFinal() ? "RDMA2_CONNPROP_FINAL" : "RDMA2_CONNPROP_MIDDLE";
            case Draft07Header.CallExternal _ -> "RDMA2_CALL_EXTERNAL";
            case Draft07Header.CallMiddle _ -> "RDMA2_CALL_MIDDLE";
            case Draft07Header.CallInline _ -> "RDMA2_CALL_INLINE";
            case Draft07Header.ReplyExternal _ -> "RDMA2_REPLY_EXTERNAL";
            case Draft07Header.ReplyMiddle _ -> "RDMA2_REPLY_MIDDLE";
            case Draft07Header.ReplyInline _ -> "RDMA2_REPLY_INLINE";
        };
    }

    private static String form(HeaderError error) {
        return switch (error) {
            case HeaderError.Version _ -> "RDMA2_ERR_VERS";
            case HeaderError.BadXdr() -> "RDMA2_ERR_BAD_XDR";
            case HeaderError.BadProperty() -> "RDMA2_ERR_BAD_PROPVAL";
            case HeaderError.UnknownType() -> "RDMA2_ERR_INVAL_HTYPE";
            case HeaderError.BadContinuation() -> "RDMA2_ERR_INVAL_CONT";
            case HeaderError.ReadChunks _ -> "RDMA2_ERR_READ_CHUNKS";
            case HeaderError.WriteChunks _ -> "RDMA2_ERR_WRITE_CHUNKS";
            case HeaderError.Segments _ -> "RDMA2_ERR_SEGMENTS";
            case HeaderError.WriteResource _ -> "RDMA2_ERR_WRITE_RESOURCE";
            case HeaderError.ReplyResource _ -> "RDMA2_ERR_REPLY_RESOURCE";
            case HeaderError.OtherVersion() -> "RDMA2_ERR_VERS_MISMATCH";
            case HeaderError.ReceiverFailed() -> "RDMA2_ERR_SYSTEM";
        };
    }
}
