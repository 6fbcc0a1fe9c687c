package io.github.rpcrdma4j.rpcrdma.v2;

import io.github.rpcrdma4j.rpcrdma.rfc5666.options.LateFetch;
import io.github.rpcrdma4j.rpcrdma.session.HostileMessageSource;
import io.github.rpcrdma4j.rpcrdma.session.HostileSockets;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Extension;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Subset;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Runs {@code HostileSockets} with version 2. */
class HostileVersion2OverIwarpTest extends HostileSockets {
    private static final int HEADER_BYTES = 32;

    /** Replies that are not fetched expire soon. */
    private static final Version2 VERSION_2 =
            Version2.DEFAULT.withFetchedReplies(
                    FetchedReplies.DEFAULT.withHold(Duration.ofMillis(20), LateFetch.INVALIDATES));

    HostileVersion2OverIwarpTest() {
        super(OPTIONS.withProfile(new Version2Profile(VERSION_2)), new Version2Frames());
    }

    @Override
    public List<byte[]> introduction() {
        return List.of(offer(0, Direction.CALL));
    }

    @Override
    public List<byte[]> next(HostileMessageSource source, RandomGenerator random, int xid) {
        return random.nextInt(3) == 0
                ? new HostileGroups(source, random).next(xid)
                : List.of(source.next(xid));
    }

    @Override
    public byte[] nullCall() {
        byte[] call = Golden.bytes("v2/E01");
        ByteBuffer.wrap(call).putInt(0, NULL_XID).putInt(HEADER_BYTES, NULL_XID);
        return call;
    }

    @Override
    public Optional<Answer> answer(byte[] said) {
        return ByteBuffer.wrap(said).getInt(4) == 1 ? ofVersion1(said) : ofVersion2(said);
    }

    /**
     * Returns the exchange of a peer that accepts messages in several Sends, and fetches no
     * replies.
     */
    private static byte[] offer(int xid, Direction direction) {
        var announced =
                new Operation.InitialExchange(
                        List.of(
                                new Characteristic.ReceiveSize(RECEIVE_BYTES),
                                new Characteristic.Transmissions(7),
                                new Characteristic.RequestTransmissions(3),
                                new Characteristic.ResponseTransmissions(3)),
                        Subset.NONE);
        return ManualConnection.message(
                new Version2Header.Option(xid, 8, direction, announced), new byte[0]);
    }

    private static Optional<Answer> ofVersion2(byte[] call) {
        var decoded =
                Version2HeaderCodec.decode(
                        MemorySegment.ofArray(call), EnumSet.allOf(Extension.class));
        if (!(decoded instanceof Version2HeaderCodec.Decoded.Ok(var header, _))) {
            return Optional.empty();
        }
        byte[] right = Golden.bytes("v2/E02");
        ByteBuffer.wrap(right).putInt(0, header.xid()).putInt(32, header.xid());
        var reply = Optional.of(new Answer(right, true));
        return switch (header) {
            case Version2Header.Msg _, Version2Header.NoMsg _ -> reply;
            case Version2Header.Option(var xid, _, _, var operation) ->
                    switch (operation) {
                        case Operation.InitialExchange _ ->
                                Optional.of(new Answer(offer(xid, Direction.REPLY), false));
                        case Operation.TransmitRequest _, Operation.CallWithDoneNotices _ -> reply;
                        default -> Optional.empty();
                    };
            case Version2Header.VersionError _,
                    Version2Header.BadHeader _,
                    Version2Header.BadOption _ ->
                    Optional.empty();
        };
    }
}
