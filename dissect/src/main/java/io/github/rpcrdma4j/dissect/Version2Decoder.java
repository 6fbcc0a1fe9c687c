package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.SendDecoder.Head;
import io.github.rpcrdma4j.dissect.SendDecoder.Role;
import io.github.rpcrdma4j.dissect.SendDecoder.Sent;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Extension;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Received;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec.Decoded;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Decodes the message of one Send of version 2. {@link GroupReader} reassembles groups.
 *
 * <p>Tests: {@code Version2MessagesTest}.
 */
final class Version2Decoder {
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final Set<Extension> ALL = EnumSet.allOf(Extension.class);

    private Version2Decoder() {}

    /** Returns whether a message has the version number 2. */
    static boolean isVersion2(byte[] bytes) {
        return bytes.length >= Version2HeaderCodec.FIXED_BYTES
                && MemorySegment.ofArray(bytes).get(UINT32, Integer.BYTES)
                        == Version2Header.VERSION;
    }

    static Sent decode(byte[] bytes) {
        var message = MemorySegment.ofArray(bytes);
        var findings = Version2Rules.of(Received.of(message, ALL)).stream().toList();
        if (!(Version2HeaderCodec.decode(message, ALL)
                instanceof Decoded.Ok(var header, var length))) {
            return Sent.unreadable(bytes.length, findings);
        }
        var head =
                new Head(header.xid(), header.credits(), form(header), bytes.length, false, false);
        boolean isInline =
                switch (role(header)) {
                    case CALL, REPLY -> !(header instanceof Version2Header.NoMsg);
                    case ERROR, DONE, OTHER_REQUEST, NONE -> false;
                };
        return new Sent(
                role(header),
                new Layer.Transport2(header),
                Optional.of(head),
                Alignment.NONE,
                chunks(header),
                isInline ? message.asSlice(length) : MemorySegment.NULL,
                completed(header),
                findings);
    }

    private static Role role(Version2Header header) {
        return switch (header) {
            case Version2Header.Msg(_, _, var direction, _) -> role(direction);
            case Version2Header.NoMsg(_, _, var direction, _) -> role(direction);
            case Version2Header.VersionError _,
                    Version2Header.BadHeader _,
                    Version2Header.BadOption _ ->
                    Role.ERROR;
            case Version2Header.Option(_, _, var direction, var operation) ->
                    switch (operation) {
                        case Operation.CallWithDoneNotices _ -> Role.CALL;
                        case Operation.DoneNotice _ -> Role.DONE;
                        case Operation.Exchange _, Operation.TransmitError _, Operation.DoneAck _ ->
                                direction == Direction.CALL ? Role.OTHER_REQUEST : Role.NONE;
                        // A group becomes a call or a reply when it is complete.
                        case Operation.Transmission _ -> Role.NONE;
                    };
        };
    }

    static Optional<Direction> direction(Version2Header header) {
        return switch (header) {
            case Version2Header.Msg(_, _, var direction, _) -> Optional.of(direction);
            case Version2Header.NoMsg(_, _, var direction, _) -> Optional.of(direction);
            case Version2Header.Option(_, _, var direction, _) -> Optional.of(direction);
            case Version2Header.VersionError _,
                    Version2Header.BadHeader _,
                    Version2Header.BadOption _ ->
                    Optional.empty();
        };
    }

    private static Role role(Direction direction) {
        return direction == Direction.CALL ? Role.CALL : Role.REPLY;
    }

    static ChunkLists chunks(Version2Header header) {
        return switch (header) {
            case Version2Header.Msg(_, _, _, var chunks) -> chunks;
            case Version2Header.NoMsg(_, _, _, var chunks) -> chunks;
            case Version2Header.Option(_, _, _, Operation.CallWithDoneNotices(_, var chunks)) ->
                    chunks;
            case Version2Header.Option _,
                    Version2Header.VersionError _,
                    Version2Header.BadHeader _,
                    Version2Header.BadOption _ ->
                    ChunkLists.EMPTY;
        };
    }

    /** Returns the XIDs of replies whose Read chunks were fetched. */
    static List<Integer> completed(Version2Header header) {
        if (!(header instanceof Version2Header.Option(var xid, _, _, var operation))) {
            return List.of();
        }
        return switch (operation) {
            case Operation.CallWithDoneNotices(var completed, _) -> completed;
            case Operation.DoneNotice(var more) -> {
                var all = new ArrayList<>(List.of(xid));
                all.addAll(more);
                yield all;
            }
            case Operation.TransmitRequest request ->
                    request.trailer().map(Operation.Trailer::doneXids).orElse(List.of());
            case Operation.Exchange _,
                    Operation.TransmitResponse _,
                    Operation.Continuation _,
                    Operation.TransmitError _,
                    Operation.DoneAck _ ->
                    List.of();
        };
    }

    static String form(Version2Header header) {
        return switch (header) {
            case Version2Header.Msg _ -> "RDMA2_MSG";
            case Version2Header.NoMsg _ -> "RDMA2_NOMSG";
            case Version2Header.VersionError _ -> "RDMA2_ERR_VERS";
            case Version2Header.BadHeader _ -> "RDMA2_ERR_BAD_HEADER";
            case Version2Header.BadOption _ -> "RDMA2_ERR_INVAL_OPTION";
            case Version2Header.Option(_, _, _, var operation) ->
                    switch (operation) {
                        case Operation.InitialExchange _ -> "ROPT_INITXCH";
                        case Operation.ChangeRequest _ -> "ROPT_REQXCH";
                        case Operation.ChangeResponse _ -> "ROPT_RESPXCH";
                        case Operation.Update _ -> "ROPT_UPDXCH";
                        case Operation.TransmitRequest _ -> "ROPT_XMTREQ";
                        case Operation.TransmitResponse _ -> "ROPT_XMTRESP";
                        case Operation.Continuation _ -> "ROPT_XMTCONT";
                        case Operation.TransmitError _ -> "ROPT_XMTERR";
                        case Operation.DoneNotice _ -> "ROPT_RPDONE";
                        case Operation.DoneAck _ -> "ROPT_RPACK";
                        case Operation.CallWithDoneNotices _ -> "ROPT_RPCALL";
                    };
        };
    }
}
