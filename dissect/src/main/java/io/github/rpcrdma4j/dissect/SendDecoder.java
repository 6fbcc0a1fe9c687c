package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunk;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.OtherError;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.PaddedMsg;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Received;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.ChunkError;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.Done;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.Msg;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.NoMsg;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.VersionError;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec.Decoded;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decodes the message of one Send: the transport header and the inline RPC message.
 *
 * <p>Tests: {@code ExamplesTest}.
 */
final class SendDecoder {
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int REPLY = 1;

    /** The side of the connection that sent the message, if it is known. */
    enum Sender {
        INITIATOR,
        RESPONDER,
        UNKNOWN
    }

    /** The role of a message. */
    enum Role {
        CALL,
        REPLY,
        ERROR,
        /** The requester has fetched the Read chunks of a reply (RFC 5666). */
        DONE,
        /** A message other than a call, which may be answered with an error (version 2). */
        OTHER_REQUEST,
        /** A message that needs no further tracking. */
        NONE
    }

    /**
     * The fields of all transport headers.
     *
     * @param bytes the length of the message in all its Sends
     * @param isGrouped whether the message is a group of version 2, whose chunks are not checked
     * @param hasRunningCredits whether credits count all messages since the start of the connection
     */
    record Head(
            int xid,
            int credits,
            String form,
            long bytes,
            boolean isGrouped,
            boolean hasRunningCredits) {}

    /**
     * A decoded message.
     *
     * @param head the common fields; empty if the header is malformed
     * @param alignment the alignment of bulk items in the payload
     * @param payload the inline RPC message
     * @param fetched the XIDs of replies whose Read chunks were fetched
     */
    record Sent(
            Role role,
            Layer layer,
            Optional<Head> head,
            Alignment alignment,
            ChunkLists chunks,
            MemorySegment payload,
            List<Integer> fetched,
            List<Finding> findings) {
        /** Returns a message with a malformed header. */
        static Sent unreadable(long bytes, List<Finding> findings) {
            return new Sent(
                    Role.NONE,
                    new Layer.BadTransport((int) bytes),
                    Optional.empty(),
                    Alignment.NONE,
                    ChunkLists.EMPTY,
                    MemorySegment.NULL,
                    List.of(),
                    findings);
        }
    }

    private final MemorySegment message;
    private final Sender sender;
    private final Version1Document document;

    private SendDecoder(MemorySegment message, Sender sender, Version1Document document) {
        this.message = message;
        this.sender = sender;
        this.document = document;
    }

    /**
     * Decodes a message.
     *
     * @param document the document by which the message is checked
     */
    static Sent decode(byte[] bytes, Sender sender, Version1Document document) {
        return new SendDecoder(MemorySegment.ofArray(bytes), sender, document).decode();
    }

    private Sent decode() {
        return switch (document) {
            case RFC_8166 -> decode(Version1HeaderCodec.decode(message));
            case RFC_5666 ->
                    switch (Rfc5666HeaderCodec.decode(message)) {
                        case Rfc5666HeaderCodec.Decoded.Common(var common) -> decode(common);
                        case Rfc5666HeaderCodec.Decoded.Ok(PaddedMsg header, var length) -> {
                            var payload = message.asSlice(length);
                            yield sent(role(payload), header, header.chunks(), payload);
                        }
                        case Rfc5666HeaderCodec.Decoded.Ok(OtherError header, _) ->
                                sent(Role.ERROR, header, ChunkLists.EMPTY, MemorySegment.NULL);
                    };
        };
    }

    private Sent decode(Decoded decoded) {
        return switch (decoded) {
            case Decoded.Ok(var header, var length) ->
                    switch (header) {
                        case Msg(_, _, var chunks) -> inline(header, chunks, length);
                        case NoMsg noMsg ->
                                sent(role(noMsg), header, noMsg.chunks(), MemorySegment.NULL);
                        // Which side may send it depends on the open calls.
                        case VersionError _, ChunkError _ ->
                                sent(Role.ERROR, header, ChunkLists.EMPTY, MemorySegment.NULL);
                        case Done _ ->
                                sent(
                                        document == Version1Document.RFC_5666
                                                ? Role.DONE
                                                : Role.NONE,
                                        header,
                                        ChunkLists.EMPTY,
                                        MemorySegment.NULL);
                    };
            case Decoded.TooShort _,
                    Decoded.Malformed _,
                    Decoded.MalformedError _,
                    Decoded.UnknownVersion _ ->
                    Sent.unreadable(message.byteSize(), judge(Role.NONE));
        };
    }

    private Sent inline(Version1Header header, ChunkLists chunks, int length) {
        var payload = message.asSlice(length);
        return sent(role(payload), header, chunks, payload);
    }

    private Sent sent(Role role, Version1Header header, ChunkLists chunks, MemorySegment payload) {
        return sent(
                role,
                new Layer.Transport(header),
                head(header.xid(), header.credits(), form(header)),
                Alignment.NONE,
                chunks,
                payload);
    }

    private Sent sent(Role role, Rfc5666Header header, ChunkLists chunks, MemorySegment payload) {
        var alignment =
                switch (header) {
                    case PaddedMsg padded -> Alignment.of(padded);
                    case OtherError _ -> Alignment.NONE;
                };
        return sent(
                role,
                new Layer.Transport5666(header),
                head(header.xid(), header.credits(), form(header)),
                alignment,
                chunks,
                payload);
    }

    private Head head(int xid, int credits, String form) {
        return new Head(xid, credits, form, message.byteSize(), false, false);
    }

    private Sent sent(
            Role role,
            Layer layer,
            Head head,
            Alignment alignment,
            ChunkLists chunks,
            MemorySegment payload) {
        return new Sent(
                role,
                layer,
                Optional.of(head),
                alignment,
                chunks,
                payload,
                role == Role.DONE ? List.of(head.xid()) : List.of(),
                judge(role));
    }

    /**
     * Returns the role by the type of the RPC message. If the type is missing or invalid, returns
     * the usual role of the sender.
     */
    private Role role(MemorySegment payload) {
        if (payload.byteSize() < 2 * Integer.BYTES) {
            return usual(sender);
        }
        return switch (payload.get(UINT32, Integer.BYTES)) {
            case 0 -> Role.CALL;
            case REPLY -> Role.REPLY;
            default -> usual(sender);
        };
    }

    /**
     * Returns the role of an RDMA_NOMSG. With RFC 5666 it is the usual role of the sender: replies
     * have Read lists too, and there is no reverse direction.
     */
    private Role role(NoMsg header) {
        boolean isCall = header.chunks().readList().stream().anyMatch(each -> each.position() == 0);
        return isCall && document == Version1Document.RFC_8166 ? Role.CALL : usual(sender);
    }

    private static Role usual(Sender sender) {
        return switch (sender) {
            case INITIATOR -> Role.CALL;
            case RESPONDER -> Role.REPLY;
            case UNKNOWN -> Role.NONE;
        };
    }

    /**
     * Returns the errors that the receiver finds. If the receiver is unknown, returns those of a
     * responder and of a requester.
     */
    private List<Finding> judge(Role role) {
        boolean toResponder =
                role == Role.CALL
                        || (role == Role.DONE || role == Role.NONE) && sender != Sender.RESPONDER;
        boolean toRequester =
                role == Role.REPLY
                        || role == Role.DONE && sender == Sender.RESPONDER
                        || role == Role.NONE && sender != Sender.INITIATOR;
        var findings = new ArrayList<Finding>();
        if (toResponder) {
            byResponder()
                    .flatMap(received -> Rules.of(received, document))
                    .map(each -> toRequester ? at("a responder", each) : each)
                    .ifPresent(findings::add);
        }
        if (toRequester) {
            byRequester()
                    .flatMap(received -> Rules.of(received, document))
                    .map(each -> toResponder ? at("a requester", each) : each)
                    .ifPresent(findings::add);
        }
        return List.copyOf(findings);
    }

    /** Returns the judgement of a responder; empty if only RFC 5666 defines the message. */
    private Optional<Received> byResponder() {
        return switch (document) {
            case RFC_8166 -> Optional.of(Received.byResponder(message));
            case RFC_5666 -> common(Rfc5666Received.byResponder(message));
        };
    }

    private Optional<Received> byRequester() {
        return switch (document) {
            case RFC_8166 -> Optional.of(Received.byRequester(message));
            case RFC_5666 -> common(Rfc5666Received.byRequester(message));
        };
    }

    private static Optional<Received> common(Rfc5666Received received) {
        return received instanceof Rfc5666Received.Common(var common)
                ? Optional.of(common)
                : Optional.empty();
    }

    private static Finding at(String receiver, Finding finding) {
        return new Finding(
                "at " + receiver + ": " + finding.what(), finding.rule(), finding.owed());
    }

    /** Returns the Read chunks of a call that hold one bulk item each. */
    static List<ReadChunk> items(ChunkLists chunks) {
        return ReadChunk.of(chunks.readList()).stream()
                .filter(chunk -> chunk.position() != 0)
                .toList();
    }

    static String form(Version1Header header) {
        return switch (header) {
            case Msg _ -> "RDMA_MSG";
            case NoMsg _ -> "RDMA_NOMSG";
            case VersionError _ -> "ERR_VERS";
            case ChunkError _ -> "ERR_CHUNK";
            case Done _ -> "RDMA_DONE";
        };
    }

    static String form(Rfc5666Header header) {
        return switch (header) {
            case PaddedMsg _ -> "RDMA_MSGP";
            case OtherError _ -> "RDMA_ERROR";
        };
    }
}
