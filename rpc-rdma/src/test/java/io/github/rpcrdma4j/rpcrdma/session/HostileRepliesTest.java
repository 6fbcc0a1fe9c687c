package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.requester.CreditWindow;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: no message makes a requester fail, keep memory, or give a call two outcomes. Method:
 * connections to a hostile responder, whose random messages depend on a seed.
 */
class HostileRepliesTest {
    private static final int MESSAGES = 20_000;
    private static final int PER_CONNECTION = 100;
    private static final int CREDITS = 4;
    private static final int SIZE_MAX = 3000;
    private static final int RECEIVE_BYTES = 4096;
    private static final RpcRdmaOptions OPTIONS =
            RpcRdmaOptions.DEFAULT.toBuilder().credits(CREDITS).build();

    private final Bindings bindings = new Bindings(List.of(EchoProgram.BINDING));
    private final Map<PendingCall, Integer> outcomes = new IdentityHashMap<>();
    private Requester requester;
    private ConnectionParameters parameters;
    private HostileEnd end;
    private ConnectionMemory memory;
    private int said;
    private int answered;

    @Test
    @Tag("8166-4.5-3")
    @Tag("8166-4.2.4-2")
    void aRequesterOutlivesEveryMessage() {
        int messages = Seeds.rounds(MESSAGES);
        Seeds.many(Integer.MAX_VALUE).takeWhile(_ -> said < messages).forEach(this::meet);
        if (!Seeds.isGiven()) {
            assertTrue(answered > messages / 20, () -> answered + " answers");
        }
    }

    private void meet(long seed) {
        outcomes.clear();
        try (var hostile = new HostileEnd(seed, CREDITS)) {
            end = hostile;
            memory = end.memory(end.queuePair);
            var endpoint = new Endpoint(memory, RECEIVE_BYTES, () -> {});
            var credits = new CreditWindow(CREDITS);
            requester = new Requester(endpoint, new Counters(), credits);
            byte[] own = OPTIONS.privateData().encode();
            byte[] data =
                    end.connect(
                            own,
                            end.privateData(own),
                            completion -> {
                                endpoint.completed(completion);
                                takeAnswered();
                            });
            parameters = ConnectionParameters.ofRequester(OPTIONS.privateData(), data);
            List<byte[]> calls = new ArrayList<>();
            for (int i = 0; i < PER_CONNECTION && end.isUp(); i++) {
                if (requester.unanswered() < CREDITS) {
                    start(i);
                }
                calls.addAll(end.received);
                end.received.clear();
                answer(calls);
                said++;
            }
            endpoint.close("the test is over");
            takeAnswered();
            end.leave();
            outcomes.values().forEach(count -> assertEquals(1, count));
            assertEquals(0, requester.unanswered());
            assertEquals(0, credits.outstanding());
            assertEquals(0, end.queuePair.boundWindows());
            assertEquals(0, end.pool.leased());
            assertEquals(0, end.world.openQueuePairs());
        } catch (Exception | AssertionError broken) {
            throw new AssertionError("seed=" + seed, broken);
        }
    }

    private void start(int xid) throws Exception {
        var call = choose(xid);
        var eligible = bindings.eligibility(call.program(), call.version(), call.procedure());
        var pending =
                PlannedCalls.plan(xid, call, eligible, parameters, memory, OPTIONS.segmentMax());
        outcomes.put(pending, 0);
        requester.start(pending);
        takeAnswered();
        end.world.settle();
    }

    private RpcCall choose(int xid) {
        int size = end.random.nextInt(SIZE_MAX);
        var data = Arena.ofAuto().allocate(SIZE_MAX).asSlice(0, size);
        return switch (end.random.nextInt(5)) {
            case 0 -> EchoProgram.nullCall();
            case 1 -> EchoProgram.store(xid, data);
            case 2 -> EchoProgram.fetch(size, xid, data);
            case 3 -> EchoProgram.list(size, xid);
            default -> EchoProgram.swap(data, Arena.ofAuto().allocate(SIZE_MAX));
        };
    }

    private void takeAnswered() {
        for (var call = requester.takeAnswered(); call != null; call = requester.takeAnswered()) {
            completed(call);
        }
    }

    /** Counts the outcome, and decodes the reply as a caller does. */
    private void completed(PendingCall call) {
        outcomes.merge(call, 1, Integer::sum);
        answered++;
        assertNotNull(call.answer());
        if (call.answer() instanceof PendingCall.Answer.Reply(var payload, var placements)) {
            var in = new XdrReader(payload, placements);
            try {
                ReplyHeader.decode(in);
                in.uint32();
                in.bulk(SIZE_MAX);
                in.finish();
            } catch (XdrException _) {
                // Expected: most replies hold no valid results.
            }
        }
        call.release();
    }

    /** Makes the hostile responder send or write; now and then it sends a valid reply. */
    private void answer(List<byte[]> calls) {
        if (calls.isEmpty()) {
            end.send(end.source.damaged(end.source.example()), OptionalInt.empty());
            return;
        }
        byte[] call = calls.get(end.random.nextInt(calls.size()));
        var segments = new WorkedExample(call).segments();
        byte[] right = reply(call);
        switch (end.random.nextInt(20)) {
            case 0 -> {
                end.send(right, OptionalInt.empty());
                calls.remove(call);
            }
            case 1 -> end.send(end.source.example(), OptionalInt.empty());
            case 2 -> {
                byte[] error = Golden.bytes(end.random.nextBoolean() ? "EX-19" : "EX-20");
                System.arraycopy(call, 0, error, 0, Integer.BYTES);
                end.send(end.source.damaged(error), OptionalInt.empty());
            }
            case 3 -> write(segments);
            case 4 -> end.send(right, invalidated(segments));
            default -> {
                byte[] damaged = end.source.damaged(right);
                end.send(damaged, OptionalInt.empty());
                if (damaged.length > RECEIVE_BYTES) {
                    assertTrue(!end.isUp(), "a message longer than its receive");
                } else {
                    assertTrue(end.isUp(), "a message ended the connection");
                }
            }
        }
    }

    private OptionalInt invalidated(List<Segment> segments) {
        return segments.isEmpty() || end.random.nextInt(4) == 0
                ? OptionalInt.of(end.random.nextInt())
                : OptionalInt.of(segments.getFirst().handle());
    }

    private void write(List<Segment> segments) {
        if (!segments.isEmpty()) {
            var segment = segments.get(end.random.nextInt(segments.size()));
            int length = end.random.nextInt((int) segment.size() + 2);
            end.write(new byte[length], segment.handle(), segment.offset());
        }
    }

    /** Returns a reply with the chunks of its call, filled with random lengths. */
    private byte[] reply(byte[] call) {
        var offered = new WorkedExample(call).chunks();
        var writes = offered.writeList().stream().map(this::filled).toList();
        var chunks = new ChunkLists(List.of(), writes, offered.replyChunk().map(this::filled));
        int xid = ByteBuffer.wrap(call).getInt();
        byte[] results = new byte[end.random.nextInt(64)];
        end.random.nextBytes(results);
        byte[] payload = ByteBuffer.allocate(24 + results.length).putInt(xid).putInt(1).array();
        System.arraycopy(results, 0, payload, 24, results.length);
        Version1Header header =
                chunks.replyChunk().stream().anyMatch(chunk -> chunk.size() > 0)
                        ? new Version1Header.NoMsg(xid, CREDITS, chunks)
                        : new Version1Header.Msg(xid, CREDITS, chunks);
        return ManualConnection.message(
                header,
                header instanceof Version1Header.NoMsg ? Arrays.copyOf(payload, 0) : payload);
    }

    private WriteChunk filled(WriteChunk offered) {
        if (end.random.nextBoolean()) {
            return offered.unused();
        }
        var segments = new ArrayList<Segment>();
        for (var segment : offered.segments()) {
            segments.add(segment.withLength(end.random.nextLong(segment.size() + 1)));
        }
        return new WriteChunk(segments);
    }
}
