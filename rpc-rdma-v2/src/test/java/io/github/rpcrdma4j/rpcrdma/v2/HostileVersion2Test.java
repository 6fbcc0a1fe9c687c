package io.github.rpcrdma4j.rpcrdma.v2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.LateFetch;
import io.github.rpcrdma4j.rpcrdma.session.HostileEnd;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.session.RandomCall;
import io.github.rpcrdma4j.rpcrdma.session.SimulatedSide;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Extension;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.RandomHeaders;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Received;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Subset;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: no message of version 2 crashes an end, makes it keep memory, or gets any answer but the
 * one that is owed. This includes a server that calls back, and a client that is called. Method:
 * connections to a hostile end, drawn from a seed.
 */
class HostileVersion2Test {
    private static final int MESSAGES = 8000;
    private static final int PER_CONNECTION = 60;
    private static final int CREDITS = 4;
    private static final int SIZE_MAX = 3000;
    private static final Duration HOLD = Duration.ofSeconds(1);
    private static final Set<Extension> ALL = EnumSet.allOf(Extension.class);
    private static final RpcRdmaOptions OPTIONS =
            RpcRdmaOptions.DEFAULT.toBuilder()
                    .credits(CREDITS)
                    .callBackCredits(CREDITS)
                    .inlineSend(2048)
                    .inlineReceive(4096)
                    .build()
                    .withProfile(
                            new Version2Profile(
                                    Version2.DEFAULT
                                            .withTransmissions(
                                                    new Version2.Transmissions(
                                                            3,
                                                            3,
                                                            2,
                                                            256,
                                                            Version2.TransferPolicy.CHEAPEST))
                                            .withFetchedReplies(
                                                    FetchedReplies.DEFAULT.withHold(
                                                            HOLD, LateFetch.INVALIDATES))));

    private final Map<Class<?>, Integer> seen = new HashMap<>();
    private final List<Version2Header> toAnswer = new ArrayList<>();
    private HostileEnd end;
    private SimulatedSide side;
    private int said;
    private long now;

    @Test
    @Tag("V2-4.2.3-2")
    @Tag("V2-4.2.3-5")
    @Tag("V2-X-1")
    void everyEndOutlivesEveryMessage() {
        int messages = Seeds.rounds(MESSAGES);
        Seeds.many(Integer.MAX_VALUE).takeWhile(_ -> said < messages).forEach(this::meet);
        // Every class of message occurred, and many connections got far.
        assertTrue(Seeds.isGiven() || seen.size() >= 8, seen::toString);
    }

    private void meet(long seed) {
        toAnswer.clear();
        try (var hostile = new HostileEnd(seed, CREDITS, new Version2Frames())) {
            end = hostile;
            if (end.random.nextBoolean()) {
                meetServer();
            } else {
                meetClient();
            }
            for (int i = 0; i < PER_CONNECTION && end.isUp(); i++) {
                step(i);
            }
            side.endpoint().close("the test is over");
            end.leave();
            side.checkOutcomesAnyhow();
            side.checkNothingIsLeft();
            assertEquals(0, end.world.openQueuePairs());
        } catch (Exception | AssertionError broken) {
            throw new AssertionError("seed=" + seed, broken);
        }
    }

    private RandomCall draw() {
        return RandomCall.any(end.random, SIZE_MAX).withHostilePeer();
    }

    private RandomCall drawReverse() {
        return RandomCall.plain(end.random, 900).withHostilePeer();
    }

    private ConnectionParameters parameters() {
        return ConnectionParameters.ofRequester(
                OPTIONS.privateData(), OPTIONS.privateData().encode());
    }

    private void meetServer() throws Exception {
        side = SimulatedSide.server(end.world, OPTIONS, parameters(), this::drawReverse);
        byte[] data = end.privateData(OPTIONS.privateData().encode());
        end.meetServer(side, data);
        if (end.isUp() && end.random.nextInt(4) > 0) {
            say(option(77, Direction.CALL, offer()));
        }
    }

    private void meetClient() throws Exception {
        side = SimulatedSide.client(end.world, OPTIONS, this::draw);
        end.meetClient(side, end.privateData(OPTIONS.privateData().encode()));
        var steps = new AtomicInteger();
        side.setup().idle(() -> goesOn(steps.getAndIncrement()));
        side.begin(parameters());
        end.world.settle();
    }

    /** Lets the hostile server send messages while the client probes for its version. */
    private boolean goesOn(int steps) {
        boolean goes = end.isUp() && steps < PER_CONNECTION;
        if (goes) {
            step(steps);
        }
        return goes;
    }

    private byte[] option(int xid, Direction direction, Operation operation) {
        return ManualConnection.message(
                new Version2Header.Option(xid, 8, direction, operation), new byte[0]);
    }

    /** Returns possible characteristics of such a peer. */
    private Operation offer() {
        return new Operation.InitialExchange(
                List.of(
                        new Characteristic.ReceiveSize(1024 + end.random.nextInt(7000)),
                        new Characteristic.RemoteInvalidation(end.random.nextBoolean()),
                        new Characteristic.Transmissions(
                                end.random.nextBoolean() ? 0x10007 : end.random.nextInt()),
                        new Characteristic.RequestTransmissions(end.random.nextInt(6)),
                        new Characteristic.ResponseTransmissions(end.random.nextInt(6))),
                Subset.of());
    }

    /** Lets our side call sometimes; then the hostile end sends a message. */
    private void step(int xid) {
        if (side.canCall() && side.caller().requester().unanswered() < CREDITS) {
            side.caller().start();
            end.world.settle();
        }
        remember();
        if (!toAnswer.isEmpty() && end.random.nextBoolean()) {
            say(answer());
        } else if (end.random.nextInt(4) == 0) {
            for (byte[] send : new HostileGroups(end.source, end.random).next(xid)) {
                if (end.isUp()) {
                    say(send);
                }
            }
        } else {
            say(anything(xid));
        }
    }

    private void remember() {
        for (byte[] bytes : end.received) {
            if (Version2HeaderCodec.decode(MemorySegment.ofArray(bytes), ALL)
                    instanceof Version2HeaderCodec.Decoded.Ok(var header, _)) {
                toAnswer.add(header);
            }
        }
        end.received.clear();
    }

    private byte[] anything(int xid) {
        return switch (end.random.nextInt(5)) {
            case 0 -> {
                var random = new RandomHeaders(end.random);
                byte[] payload = new byte[4 * end.random.nextInt(40)];
                byte[] message = ManualConnection.message(random.header(), payload);
                yield message.length <= OPTIONS.sizes().receiveBytes()
                        ? message
                        : Arrays.copyOf(message, OPTIONS.sizes().receiveBytes());
            }
            case 1 -> option(xid, Direction.CALL, wish());
            default -> end.source.next(xid);
        };
    }

    private Operation wish() {
        var size = new Characteristic.ReceiveSize(1024 * end.random.nextInt(70));
        return switch (end.random.nextInt(3)) {
            case 0 -> offer();
            case 1 -> new Operation.ChangeRequest(List.of(size));
            default -> new Operation.Update(size, end.random.nextBoolean());
        };
    }

    /** Returns an answer to a message of our side, correct or damaged. */
    private byte[] answer() {
        var header = toAnswer.get(end.random.nextInt(toAnswer.size()));
        byte[] right =
                switch (header) {
                    case Version2Header.Msg(var xid, _, _, var chunks) -> reply(xid, chunks);
                    case Version2Header.NoMsg(var xid, _, _, var chunks) -> reply(xid, chunks);
                    case Version2Header.Option(var xid, _, _, var operation) ->
                            response(xid, operation);
                    case Version2Header.VersionError _,
                            Version2Header.BadHeader _,
                            Version2Header.BadOption _ ->
                            ManualConnection.message(
                                    new Version2Header.BadHeader(header.xid(), 1), new byte[0]);
                };
        return end.random.nextInt(3) == 0 ? right : end.source.damaged(right);
    }

    private byte[] response(int xid, Operation operation) {
        return switch (operation) {
            case Operation.InitialExchange _ -> option(xid, Direction.REPLY, offer());
            case Operation.TransmitRequest request -> {
                byte[] payload = success(xid);
                yield ManualConnection.message(
                        new Version2Header.Option(
                                xid,
                                CREDITS,
                                Direction.REPLY,
                                new Operation.TransmitResponse(
                                        List.of(),
                                        1 + end.random.nextLong(1 + request.responseMax()),
                                        payload.length)),
                        payload);
            }
            default -> option(xid, Direction.REPLY, new RandomHeaders(end.random).operation());
        };
    }

    private byte[] reply(int xid, ChunkLists offered) {
        if (end.random.nextInt(8) == 0) {
            return ManualConnection.message(
                    new Version2Header.BadHeader(xid, CREDITS), new byte[0]);
        }
        var writes = offered.writeList().stream().map(this::filled).toList();
        var chunks = new ChunkLists(List.of(), writes, offered.replyChunk().map(this::filled));
        boolean isLong = chunks.replyChunk().stream().anyMatch(chunk -> chunk.size() > 0);
        return isLong
                ? ManualConnection.message(
                        new Version2Header.NoMsg(xid, CREDITS, Direction.REPLY, chunks),
                        new byte[0])
                : ManualConnection.message(
                        new Version2Header.Msg(xid, CREDITS, Direction.REPLY, chunks),
                        success(xid));
    }

    private static byte[] success(int xid) {
        try (var out = new XdrWriter(new SegmentPool(1 << 12))) {
            new ReplyHeader.Success(xid).encode(out);
            out.uint32(xid).uint64(7);
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private WriteChunk filled(WriteChunk offered) {
        var segments = new ArrayList<Segment>();
        for (var segment : offered.segments()) {
            segments.add(segment.withLength(end.random.nextLong(segment.size() + 1)));
        }
        return new WriteChunk(segments);
    }

    /**
     * Sends a hostile message, and checks that only the owed answer comes and that nothing is kept.
     */
    private void say(byte[] message) {
        said++;
        var receiver =
                side.clientProfile() == null
                        ? Receivers.of(side.serverProfile())
                        : Receivers.of(side.clientProfile());
        var received =
                receiver.map(
                                speaking ->
                                        Received.of(
                                                MemorySegment.ofArray(message),
                                                speaking.exchange().known()))
                        .orElse(null);
        boolean tooLong = message.length > OPTIONS.sizes().receiveBytes();
        end.send(message, OptionalInt.empty());
        if (tooLong || received == null) {
            return;
        }
        seen.merge(received.getClass(), 1, Integer::sum);
        switch (received) {
            case Received.OweVersionError _, Received.OweBadHeader _, Received.OweBadOption _ -> {
                checkUp(received);
                assertEquals(end.isUp() ? 1 : errors(), errors());
            }
            case Received.Discard _, Received.Failure _, Received.OweDoneNotice _ -> {
                checkUp(received);
                assertEquals(0, errors());
            }
            case Received.Control _ -> {
                checkUp(received);
                assertTrue(errors() <= 1);
            }
            // Invalid handles, or an invalidation, may end the connection.
            case Received.Call _, Received.Reply _, Received.Transmission _ -> {}
        }
        for (int i = 0; i < CREDITS; i++) {
            letRepliesExpire();
        }
        if (end.isUp()) {
            side.checkNothingIsKept();
        }
    }

    /** Lets the hostile end fetch nothing in time, so that other replies get room. */
    private void letRepliesExpire() {
        if (side.responder() != null) {
            side.responder().expire(now, 1);
            now += HOLD.toNanos();
            side.responder().expire(now, 1);
            end.world.settle();
        }
    }

    private void checkUp(Received received) {
        // Cancelling a call while it is being sent ends the connection.
        assertTrue(
                end.isUp() || side.hasCancelled(), () -> received + ": " + side.endpoint().loss());
    }

    private long errors() {
        return end.received.stream()
                .map(bytes -> Version2HeaderCodec.decode(MemorySegment.ofArray(bytes), ALL))
                .filter(
                        decoded ->
                                decoded instanceof Version2HeaderCodec.Decoded.Ok(var header, _)
                                        && switch (header) {
                                            case Version2Header.VersionError _,
                                                    Version2Header.BadHeader _,
                                                    Version2Header.BadOption _ ->
                                                    true;
                                            case Version2Header.Msg _,
                                                    Version2Header.NoMsg _,
                                                    Version2Header.Option _ ->
                                                    false;
                                        })
                .count();
    }
}
