package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.rpcbind.Rpcb;
import io.github.rpcrdma4j.oncrpc.rpcbind.RpcbindClient;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a real client sends exactly the bytes of the calls among the worked examples, and reacts
 * correctly to all others. Method: a server that the test operates by hand, over iWARP.
 */
class ExamplesAtRequesterTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int RECEIVE_BYTES = 1 << 16;
    private static final int RPC_CALL_BYTES = 40;
    private static final int RPC_REPLY_BYTES = 24;
    private static final int MIB = 1 << 20;
    private static final String DROPPED = "dropped";

    /**
     * A call of the worked examples, as a client program makes it.
     *
     * @param name the name of the example
     * @param credits the number of credits that it requests
     * @param segmentMax the longest segment that it offers, in bytes
     * @param longMessage the content of its Position-Zero Read chunk; empty for a short call
     * @param resultsMax the longest results, in bytes
     * @param wordsBeforeBulk how many words of results precede each of its bulk results
     * @param reply the example that is a reply to it
     * @param results the results that the caller gets from that reply, in hexadecimal
     */
    record Asked(
            String name,
            int credits,
            long segmentMax,
            byte[] longMessage,
            long resultsMax,
            List<Integer> wordsBeforeBulk,
            String reply,
            String results) {
        @Override
        public String toString() {
            return name;
        }

        private static MemorySegment memory(long length) {
            return Arena.ofAuto().allocate(length);
        }

        RpcCall call() {
            var example = WorkedExample.of(name);
            var message =
                    longMessage.length > 0 ? MemorySegment.ofArray(longMessage) : example.payload();
            var in = new XdrReader(message);
            try {
                int xid = in.uint32();
                in.fixedOpaque(8);
                int program = in.uint32();
                int version = in.uint32();
                int procedure = in.uint32();
                var targets =
                        example.chunks().writeList().stream()
                                .map(chunk -> memory(chunk.size()))
                                .toList();
                var call =
                        new RpcCall(
                                program,
                                version,
                                procedure,
                                out -> arguments(example, message.asSlice(RPC_CALL_BYTES), out),
                                resultsMax,
                                targets);
                return call.withXid(xid);
            } catch (XdrException impossible) {
                throw new AssertionError(impossible);
            }
        }

        /** Writes the arguments; those that the example has in Read chunks become bulk items. */
        private void arguments(WorkedExample example, MemorySegment stream, XdrWriter out) {
            long at = 0;
            if (longMessage.length == 0) {
                long unreduced = RPC_CALL_BYTES;
                for (var read : example.chunks().readList()) {
                    // bulk() writes the length word itself.
                    long before = read.position() - unreduced - Integer.BYTES;
                    out.fixedOpaque(stream.asSlice(at, before));
                    out.bulk(memory(read.target().size()));
                    at += before + Integer.BYTES;
                    unreduced = read.position() + XdrWriter.roundUp(read.target().size());
                }
            }
            out.fixedOpaque(stream.asSlice(at));
        }
    }

    private static final byte[] SHORT = {};
    private static final Asked NULL = asked("EX-01", 0);
    private static final Asked READDIR =
            new Asked("EX-15", 32, MIB, SHORT, 8196, List.of(), "EX-17", "0000004600000000");
    private static final Asked CONF_RDMA =
            new Asked("EX-28", 1, MIB, SHORT, 12, List.of(), "EX-29", "000008000000100000000010");
    private static final Asked READ = reading("EX-09", 16, List.of(4));
    private static final Asked COMPOUND = reading("EX-12", 400, List.of(8, 5));

    private static Asked asked(String name, long resultsMax) {
        return new Asked(name, 32, MIB, SHORT, resultsMax, List.of(), "EX-02", "");
    }

    private static Asked asked(String name, byte[] message, long segmentMax, long resultsMax) {
        return new Asked(name, 32, segmentMax, message, resultsMax, List.of(), "EX-02", "");
    }

    private static Asked reading(String name, long resultsMax, List<Integer> wordsBeforeBulk) {
        return new Asked(name, 32, 4096, SHORT, resultsMax, wordsBeforeBulk, "", "");
    }

    /**
     * Returns the calls among the examples that our requester makes, except EX-09 and EX-12, whose
     * replies {@link #answers} has.
     */
    static List<Asked> calls() {
        return List.of(
                NULL,
                asked("EX-03", 50),
                asked("EX-05", 50),
                asked("EX-07", ExampleProgram.symlink(5904), 4096, 50),
                READDIR,
                asked("EX-18", ExampleProgram.symlink(9216), MIB, 66560 - RPC_REPLY_BYTES),
                CONF_RDMA);
    }

    /** The calls among the examples that our requester never makes, each with the reason. */
    static final Map<String, String> NEVER_ASKED =
            Map.of(
                    "EX-04", "RFC 8166-3.4.5.2-1: padding has no segment of its own",
                    "EX-06", "RFC 8166-3.5.2-1: what fits inline beside the first stays there",
                    "EX-08", "a long call reduces nothing: a Linux server misses the chunks beside",
                    "EX-14", "what has memory of its own gets a chunk that is not empty",
                    "EX-23", "RFC 8166-4.6.1-1: RDMA_MSGP is not sent");

    /**
     * An example that a requester receives.
     *
     * @param placed the bytes that the server writes to the chunks of the call before it replies
     * @param outcome the results, {@link #DROPPED}, or the reason for a failure
     */
    record Case(String example, Asked asked, byte[] placed, String outcome) {
        @Override
        public String toString() {
            return example;
        }
    }

    private static Case answer(String example, Asked asked, String outcome) {
        return new Case(example, asked, SHORT, outcome);
    }

    static List<Case> answers() {
        byte[] listing = new byte[4412];
        System.arraycopy(WorkedExample.of("EX-02").bytes(), 28, listing, 0, RPC_REPLY_BYTES);
        System.arraycopy(
                ExampleProgram.pattern(4412 - RPC_REPLY_BYTES),
                0,
                listing,
                RPC_REPLY_BYTES,
                4412 - RPC_REPLY_BYTES);
        return List.of(
                answer("EX-02", NULL, ""),
                new Case(
                        "EX-10",
                        READ,
                        ExampleProgram.pattern(4999),
                        "00000000000000000000138700000001[4999]"),
                answer("EX-11", READ, "a Write chunk is not as long as its item"),
                new Case(
                        "EX-13",
                        COMPOUND,
                        ExampleProgram.pattern(8192),
                        "0000000000000000000000060000001600000000000000190000000000000000[8192]"
                                + "0000001600000000000000190000000000000001[0]"
                                + "00000016000000000000001b00000000000000092e2e2f7461726765"
                                + "74000000"),
                new Case("EX-16", READDIR, listing, "[4388]"),
                answer("EX-17", READDIR, "0000004600000000"),
                answer("EX-19", NULL, "TransportRefused"),
                answer("EX-20", NULL, "TransportRefused"),
                answer("EX-26", NULL, ""),
                answer("EX-29", CONF_RDMA, "000008000000100000000010"),
                answer("EX-30", CONF_RDMA, "PROG_UNAVAIL"),
                answer("BAD-16R", NULL, "GARBAGE_ARGS"));
    }

    /** Examples that answer no call: calls, malformed messages and unexpected replies. */
    static final List<String> DISCARDED =
            List.of(
                    "EX-01", "EX-03", "EX-04", "EX-05", "EX-06", "EX-07", "EX-08", "EX-09", "EX-12",
                    "EX-14", "EX-15", "EX-18", "EX-21", "EX-22", "EX-23", "EX-24", "EX-25", "EX-27",
                    "EX-28", "BAD-01", "BAD-02", "BAD-03", "BAD-04", "BAD-05", "BAD-06", "BAD-07",
                    "BAD-08", "BAD-09", "BAD-10", "BAD-11", "BAD-12", "BAD-15", "BAD-16");

    static Stream<Case> discards() {
        return Stream.concat(
                DISCARDED.stream().map(example -> answer(example, NULL, DROPPED)),
                Stream.of("BAD-13", "BAD-14").map(name -> answer(name, READDIR, DROPPED)));
    }

    private final RdmaProvider provider = new IwarpProvider();

    private RpcRdmaClient connect(Listener listener, Asked asked) throws Exception {
        return Connections.connect(
                provider,
                listener.address(),
                new Credential.None(),
                ExampleProgram.BINDINGS,
                RpcRdmaOptions.DEFAULT.toBuilder()
                        .credits(asked.credits)
                        .segmentMax(asked.segmentMax)
                        .build());
    }

    /** Makes a call, and returns its results or its failure as text. */
    private static String outcome(RpcRdmaClient client, Asked asked) throws Exception {
        try (var reply = client.call(asked.call(), TIMEOUT)) {
            var in = reply.results();
            var read = new StringBuilder();
            for (int words : asked.wordsBeforeBulk) {
                read.append(hex(in.fixedOpaque(4L * words))).append(right(in.bulk(RECEIVE_BYTES)));
            }
            var rest = in.fixedOpaque(in.remaining());
            in.finish();
            return read.append(rest.byteSize() > 100 ? right(rest) : hex(rest)).toString();
        } catch (XdrException malformed) {
            return malformed.getMessage();
        } catch (RpcException.Refused refused) {
            return refused.status().toString();
        } catch (RpcException failure) {
            return failure.getClass().getSimpleName();
        }
    }

    private static String hex(MemorySegment bytes) {
        return HexFormat.of().formatHex(bytes.toArray(ValueLayout.JAVA_BYTE));
    }

    /** Checks that data is {@link ExampleProgram#pattern}, and returns its length in brackets. */
    private static String right(MemorySegment data) {
        int length = (int) data.byteSize();
        assertArrayEquals(ExampleProgram.pattern(length), data.toArray(ValueLayout.JAVA_BYTE));
        return "[" + length + "]";
    }

    /** Makes a client call, checks the call on the wire, and answers it with an example. */
    private void exchange(Case row) throws Exception {
        boolean dropped = row.outcome.equals(DROPPED);
        try (var listener = provider.listen(ManualPeer.LOOPBACK);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var connecting = threads.submit(() -> connect(listener, row.asked));
            try (var server = ManualPeer.accept(provider, listener, SHORT, RECEIVE_BYTES);
                    var client = connecting.get()) {
                var outcome = threads.submit(() -> outcome(client, row.asked));
                var call = new WorkedExample(server.receive().bytes());
                var asked = WorkedExample.of(row.asked.name);
                var real = asked.pairedWith(call);
                assertArrayEquals(asked.in(real).bytes(), call.bytes());
                place(server, row.placed, call.segments());
                server.send(WorkedExample.of(row.example).in(real).bytes());
                if (dropped) {
                    server.send(WorkedExample.of(row.asked.reply).in(real).bytes());
                }
                assertEquals(dropped ? row.asked.results : row.outcome, outcome.get());
                assertEquals(dropped ? 1 : 0, client.statistics().value(Counter.DISCARDED));
                assertEquals(0, client.openWindows());
            }
        }
    }

    private static void place(ManualPeer server, byte[] placed, List<Segment> targets) {
        int at = 0;
        for (var target : targets) {
            int end = (int) Math.min(placed.length, at + target.size());
            if (end > at) {
                server.write(Arrays.copyOfRange(placed, at, end), target);
            }
            at = end;
        }
    }

    @ParameterizedTest
    @MethodSource("calls")
    @Tag("8166-4-1")
    @Tag("8166-4.2.1-1")
    @Tag("8166-4.2.2-1")
    @Tag("8166-4.3.1-1")
    @Tag("8166-4.3.2-1")
    @Tag("5666-4.1-1")
    @Tag("5666-4.1-2")
    @Tag("5666-4.1-8")
    @Tag("5666-4.3-1")
    void sendsTheCallsOfTheExamples(Asked asked) throws Exception {
        exchange(answer(asked.reply, asked, asked.results));
    }

    @ParameterizedTest
    @MethodSource("answers")
    @Tag("8166-7-1")
    @Tag("5666-4.1-4")
    void takesTheAnswersOfTheExamples(Case row) throws Exception {
        exchange(row);
    }

    @ParameterizedTest
    @MethodSource("discards")
    @Tag("8166-4.5-3")
    @Tag("8166-4.6.1-3")
    @Tag("8166-4.6.2-2")
    void dropsWhatAnswersNoCall(Case row) throws Exception {
        exchange(row);
    }

    /** EX-36 has the arguments of an rpcbind call, without a transport header. */
    @Test
    void registersAsInTheExample() throws Exception {
        var registration = new Rpcb(ExampleProgram.PROGRAM, 3, "rdma", "192.0.2.7.78.81", "0");
        try (var listener = provider.listen(ManualPeer.LOOPBACK);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var connecting = threads.submit(() -> connect(listener, NULL));
            try (var server = ManualPeer.accept(provider, listener, SHORT, RECEIVE_BYTES);
                    var client = connecting.get()) {
                var rpcbind = new RpcbindClient(client, 4, TIMEOUT);
                var registered = threads.submit(() -> rpcbind.set(registration));
                byte[] call = server.receive().bytes();
                var arguments = new WorkedExample(call).payload().asSlice(RPC_CALL_BYTES);
                assertArrayEquals(Golden.bytes("EX-36"), arguments.toArray(ValueLayout.JAVA_BYTE));
                byte[] reply = Arrays.copyOf(Golden.bytes("EX-02"), 52 + Integer.BYTES);
                int xid = ByteBuffer.wrap(call).getInt();
                server.send(
                        ByteBuffer.wrap(reply)
                                .putInt(0, xid)
                                .putInt(28, xid)
                                .putInt(52, 1)
                                .array());
                assertTrue(registered.get());
            }
        }
    }
}
