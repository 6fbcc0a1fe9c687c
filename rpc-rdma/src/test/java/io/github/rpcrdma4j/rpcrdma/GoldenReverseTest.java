package io.github.rpcrdma4j.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a client answers the worked examples of RFC 8167 over real sockets. Method: a server that
 * the test works by hand calls it back while it waits for a reply.
 */
class GoldenReverseTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final int REVERSE_CREDITS = 2;
    private static final int CREDITS_AT = 8;
    private static final int RECEIVES = 4;

    private final RdmaProvider provider = new IwarpProvider();
    private final CompletionQueue queue = provider.createCompletionQueue();
    private final List<MemorySegment> buffers = new ArrayList<>();

    private RpcRdmaClient connect(InetSocketAddress server) throws Exception {
        return RpcRdmaClient.connect(
                provider,
                server,
                new Credential.None(),
                List.of(),
                new RpcDispatcher(List.of(new CallbackProgram())),
                RpcRdmaOptions.DEFAULT.withReverseCredits(REVERSE_CREDITS));
    }

    private void accept(Listener listener, QueuePair pair) throws Exception {
        for (int i = 0; i < RECEIVES; i++) {
            buffers.add(Arena.ofAuto().allocate(4096));
            pair.postReceive(i, buffers.get(i));
        }
        listener.accept(DEADLINE).orElseThrow().accept(pair, new byte[0]);
    }

    private static void say(QueuePair pair, byte[] message) {
        var memory = Arena.ofAuto().allocate(message.length);
        memory.copyFrom(MemorySegment.ofArray(message));
        pair.post(List.of(new WorkRequest.Send(RECEIVES, List.of(memory))));
    }

    /** The next message that comes. */
    private byte[] hear() throws Exception {
        var completions = new ArrayList<Completion>();
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        while (System.nanoTime() < deadline) {
            queue.poll(completions, DEADLINE.toNanos());
            for (var completion : completions) {
                if (completion.operation() == Completion.Operation.RECEIVE) {
                    return buffers.get((int) completion.workRequestId())
                            .asSlice(0, completion.length())
                            .toArray(ValueLayout.JAVA_BYTE);
                }
            }
            completions.clear();
        }
        throw new AssertionError("nothing came");
    }

    @Test
    @Tag("8167-2.4-1")
    @Tag("8167-5.2-1")
    @Tag("8167-5.3-2")
    void answersTheExamplesWhileItWaitsForAReply() throws Exception {
        var domain = provider.allocateProtectionDomain();
        var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var listener = provider.listen(loopback);
                var pair =
                        provider.createQueuePair(
                                new QueuePairOptions(domain, queue, 8, RECEIVES, 8, 8));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var connecting = threads.submit(() -> connect(listener.address()));
            accept(listener, pair);
            // The side that connected sends first.
            try (var client = connecting.get()) {
                var waiting = threads.submit(() -> client.call(EchoProgram.nullCall(), DEADLINE));
                int xid = ByteBuffer.wrap(hear()).getInt();
                say(pair, Golden.octets("EX-25"));
                assertArrayEquals(Golden.octets("EX-26"), hear());
                say(pair, Golden.octets("EX-27"));
                byte[] error = Golden.octets("EX-20");
                ByteBuffer.wrap(error).putInt(CREDITS_AT, REVERSE_CREDITS);
                assertArrayEquals(error, hear());
                byte[] reply = Golden.octets("EX-26");
                ByteBuffer.wrap(reply).putInt(0, xid).putInt(28, xid);
                say(pair, reply);
                waiting.get().close();
                assertEquals(1, client.reverseStatistics().value(Counter.REPLIES));
                assertEquals(1, client.reverseStatistics().value(Counter.CHUNK_ERRORS));
            }
        } finally {
            domain.close();
            queue.close();
        }
    }
}
