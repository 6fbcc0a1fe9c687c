package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a real server answers the worked examples with exactly the expected bytes. Method: a peer
 * sends each example over iWARP, with the handles of registered memory. Then a NULL call shows that
 * the server sent nothing else.
 */
class ExamplesAtResponderTest {
    private static final int CREDITS = 32;
    private static final int NULL_XID = 0x7777_7777;
    private static final int RECEIVE_BYTES = 8192;
    private static final int RPC_HEADER_BYTES = 24;

    /** The offset of the procedure in EX-03: a transport header, then five words of the call. */
    private static final int PROCEDURE_AT = 52 + 20;

    private static final byte[] NOTHING = {};

    /** The results of EX-17: NFS3ERR_STALE, and no attributes. */
    private static final byte[] STALE = {0, 0, 0, 70, 0, 0, 0, 0};

    private static final String MSG = "0a0b0c0d 00000001 00000020 00000000";
    private static final String NO_LISTS = "00000000 00000000 00000000";
    private static final String SUCCESS = "0a0b0c0d 00000001 00000000 00000000 00000000 00000000";
    private static final String LINKED = "00000000 00000000 00000000 00000000 00000000";

    /**
     * An example that a server receives.
     *
     * @param answer the message that the server sends; null if none
     * @param credits the number of credits that the server grants
     * @param reads the length of the data of each READ, in order, in bytes
     * @param listing the results of READDIR
     * @param arguments the content of the Read chunks of the example, one after the other
     * @param results the content of the chunks of the answer at the end
     */
    record Case(
            String example,
            WorkedExample answer,
            int credits,
            List<Integer> reads,
            byte[] listing,
            byte[] arguments,
            byte[] results) {
        @Override
        public String toString() {
            return example;
        }
    }

    private static Case fetched(String example, String answer, byte[]... arguments) {
        var joined = joined(arguments);
        var hex = WorkedExample.hex(answer);
        return new Case(example, hex, CREDITS, List.of(), STALE, joined, NOTHING);
    }

    private static Case read(
            String example, WorkedExample answer, List<Integer> reads, byte[] results) {
        return new Case(example, answer, CREDITS, reads, STALE, NOTHING, results);
    }

    private static Case listed(String example, String answer, byte[] listing, byte[] results) {
        var bytes = WorkedExample.of(answer);
        return new Case(example, bytes, CREDITS, List.of(), listing, NOTHING, results);
    }

    private static Case answered(String example, String answer, int credits) {
        var bytes = WorkedExample.of(answer);
        return new Case(example, bytes, credits, List.of(), STALE, NOTHING, NOTHING);
    }

    private static byte[] joined(byte[]... parts) {
        var joined = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            joined.writeBytes(part);
        }
        return joined.toByteArray();
    }

    static List<Case> carriedOut() {
        byte[] listing = EchoProgram.pattern(4412 - RPC_HEADER_BYTES, 1);
        byte[] four = ExampleProgram.pattern(4);
        String written = "00000000 00000000 00000000 00000ffd 00000002 00000000 00000000";
        return List.of(
                answered("EX-01", "EX-02", 16),
                fetched("EX-03", MSG + NO_LISTS + SUCCESS + written, ExampleProgram.pattern(4093)),
                fetched(
                        "EX-04",
                        MSG + NO_LISTS + SUCCESS + written,
                        ExampleProgram.pattern(4093),
                        new byte[3]),
                fetched(
                        "EX-05",
                        MSG
                                + NO_LISTS
                                + SUCCESS
                                + "00000000 00000000 00000004"
                                + "00000035 00000000 55555555 55555555 55555555 55555555"
                                + "00000001 00000000 00000000 00000000 00000000"
                                + "00000016 00000000"
                                + "00000026 00000000 00001fff 00000002 00000000 00000000"
                                + "00000009 00000000 00000000 00000000",
                        ExampleProgram.pattern(8191)),
                fetched(
                        "EX-06",
                        MSG
                                + NO_LISTS
                                + SUCCESS
                                + "00000000 00000000 00000003"
                                + "00000016 00000000"
                                + "00000026 00000000 00000ffd 00000002 00000000 00000000"
                                + "00000026 00000000 00000200 00000002 00000000 00000000",
                        ExampleProgram.pattern(4093),
                        ExampleProgram.pattern(512)),
                fetched("EX-07", MSG + NO_LISTS + SUCCESS + LINKED, ExampleProgram.symlink(5904)),
                fetched(
                        "EX-08",
                        MSG
                                + NO_LISTS
                                + SUCCESS
                                + "00000000 00000000 00000002"
                                + "00000016 00000000"
                                + "00000026 00000000 00010000 00000002 00000000 00000000",
                        ExampleProgram.write(1620, 65536),
                        ExampleProgram.pattern(65536)),
                read("EX-09", WorkedExample.of("EX-10"), List.of(4999), pattern(4999)),
                read("EX-12", WorkedExample.of("EX-13"), List.of(8192, 0), pattern(8192)),
                read(
                        "EX-14",
                        WorkedExample.hex(
                                MSG
                                        + "00000000 00000001 00000000 00000001 00000001"
                                        + "000000b1 00001000 00000000 00300000"
                                        + "00000000 00000000"
                                        + SUCCESS
                                        + "00000000 00000000 00000006"
                                        + "00000016 00000000"
                                        + "00000019 00000000 00000001 00000004"
                                        + HexFormat.of().formatHex(four)
                                        + "00000016 00000000"
                                        + "00000019 00000000 00000000 00001000"
                                        + "00000016 00000000"
                                        + "0000001b 00000000"
                                        + "00000009 2e2e2f74 61726765 74000000"),
                        List.of(4, 4096),
                        pattern(4096)),
                listed(
                        "EX-15",
                        "EX-16",
                        listing,
                        joined(WorkedExample.hex(SUCCESS).bytes(), listing)),
                listed("EX-15", "EX-17", STALE, NOTHING),
                fetched(
                        "EX-18",
                        MSG
                                + "00000000 00000000 00000001 00000001"
                                + "000000c1 00000000 00000000 00600000"
                                + SUCCESS
                                + LINKED,
                        ExampleProgram.symlink(9216)),
                answered("EX-28", "EX-30", 1),
                answered("BAD-16", "BAD-16R", CREDITS));
    }

    private static byte[] pattern(int length) {
        return ExampleProgram.pattern(length);
    }

    /** Examples that the server refuses before it calls a program, by their answers. */
    static final Map<String, List<String>> REFUSED =
            Map.of(
                    "EX-19",
                    List.of("BAD-02"),
                    "EX-20",
                    List.of(
                            "BAD-03", "BAD-04", "BAD-05", "BAD-06", "BAD-07", "BAD-08", "BAD-09",
                            "BAD-10", "BAD-11", "BAD-14", "EX-16", "EX-23"));

    /** Examples without an answer: replies, errors, and messages too short for a call. */
    static final List<String> UNANSWERED =
            List.of(
                    "EX-02", "EX-10", "EX-11", "EX-13", "EX-17", "EX-19", "EX-20", "EX-21", "EX-22",
                    "EX-24", "EX-26", "EX-29", "EX-30", "BAD-01", "BAD-12", "BAD-13", "BAD-15",
                    "BAD-16R");

    static Stream<Case> refusals(String answer) {
        return REFUSED.get(answer).stream().map(name -> answered(name, answer, CREDITS));
    }

    static Stream<Case> chunkErrors() {
        return refusals("EX-20");
    }

    static Stream<Case> versionErrors() {
        return refusals("EX-19");
    }

    static List<String> unanswered() {
        return UNANSWERED;
    }

    private final RdmaProvider provider = new IwarpProvider();

    /** Sends an example, and checks the answer if there must be one. */
    private void exchange(Case row, WorkedExample example) throws Exception {
        try (var server =
                        Connections.listen(
                                provider,
                                ManualPeer.LOOPBACK,
                                List.of(new ExampleProgram(row.reads, row.listing)),
                                ExampleProgram.BINDINGS,
                                RpcRdmaOptions.DEFAULT.toBuilder().credits(row.credits).build());
                var peer = ManualPeer.connect(provider, server.address(), NOTHING, RECEIVE_BYTES)) {
            var real = new TreeMap<Integer, Segment>();
            var targets = offer(peer, example, row.arguments, real);
            peer.send(example.in(real).bytes());
            if (row.answer != null) {
                assertArrayEquals(row.answer.in(real).bytes(), peer.receive().bytes());
            }
            byte[] call = Golden.bytes("EX-01");
            ByteBuffer.wrap(call).putInt(0, NULL_XID).putInt(28, NULL_XID);
            peer.send(call);
            int heard = ByteBuffer.wrap(peer.receive().bytes()).getInt();
            assertEquals(NULL_XID, heard, "something came that was not wanted");
            assertArrayEquals(
                    row.results, Arrays.copyOf(content(targets), row.results.length), row.example);
        }
    }

    /** Registers memory for all segments; returns the memory that the server writes to. */
    private static List<Offer> offer(
            ManualPeer peer, WorkedExample example, byte[] arguments, Map<Integer, Segment> real) {
        var targets = new ArrayList<Offer>();
        int at = 0;
        for (var read : example.chunks().readList()) {
            var region = register(peer, read.target(), Access.REMOTE_READ, real);
            int length = (int) Math.min(region.length(), arguments.length - at);
            MemorySegment.copy(arguments, at, region.segment(), ValueLayout.JAVA_BYTE, 0, length);
            at += length;
        }
        for (var chunk : example.chunks().writeList()) {
            targets.addAll(register(peer, chunk, real));
        }
        example.chunks()
                .replyChunk()
                .ifPresent(chunk -> targets.addAll(register(peer, chunk, real)));
        return targets;
    }

    private static List<Offer> register(
            ManualPeer peer, WriteChunk chunk, Map<Integer, Segment> real) {
        return chunk.segments().stream()
                .map(segment -> register(peer, segment, Access.REMOTE_WRITE, real))
                .toList();
    }

    private static Offer register(
            ManualPeer peer, Segment segment, Access access, Map<Integer, Segment> real) {
        var region = peer.offer(segment.size(), access);
        real.put(
                segment.handle(), new Segment(region.handle(), segment.length(), region.address()));
        return region;
    }

    private static byte[] content(List<Offer> regions) {
        return joined(
                regions.stream()
                        .map(region -> region.segment().toArray(ValueLayout.JAVA_BYTE))
                        .toArray(byte[][]::new));
    }

    @ParameterizedTest
    @MethodSource("carriedOut")
    @Tag("5666-3-2")
    @Tag("5666-3.3-2")
    @Tag("5666-4.2-5")
    @Tag("8166-4.5.2-2")
    @Tag("8166-3.4.5-4")
    @Tag("5666-3.6-1")
    @Tag("5666-3.4-9")
    @Tag("8166-4.3.1-2")
    @Tag("8166-4-1")
    @Tag("8166-4.2.1-1")
    @Tag("8166-4.2.2-1")
    @Tag("5666-4.1-1")
    @Tag("5666-4.1-2")
    @Tag("5666-4.1-8")
    @Tag("5666-4.3-1")
    void givesTheResultsOfTheExample(Case row) throws Exception {
        exchange(row, WorkedExample.of(row.example));
    }

    @ParameterizedTest
    @MethodSource("chunkErrors")
    @Tag("5666-4.2-1")
    @Tag("5666-4.2-2")
    @Tag("5666-4.2-5")
    @Tag("8166-3.3.1-3")
    @Tag("8166-4.5-2")
    @Tag("8166-4.5.2-1")
    @Tag("8166-4.6.1-2")
    @Tag("8166-4.2.4-4")
    void answersWithErrChunk(Case row) throws Exception {
        exchange(row, WorkedExample.of(row.example));
    }

    @ParameterizedTest
    @MethodSource("versionErrors")
    @Tag("5666-4.2-3")
    @Tag("5666-4.2-4")
    @Tag("8166-4.5.1-1")
    @Tag("8166-4.5-4")
    @Tag("8166-4.5-5")
    void answersWithErrVers(Case row) throws Exception {
        exchange(row, WorkedExample.of(row.example));
    }

    @ParameterizedTest
    @MethodSource("unanswered")
    @Tag("8166-4.2.4-3")
    @Tag("8166-4.5-1")
    @Tag("8166-4.6.2-2")
    void answersNothing(String example) throws Exception {
        var row = new Case(example, null, CREDITS, List.of(), STALE, NOTHING, NOTHING);
        exchange(row, WorkedExample.of(example));
    }

    /** Method: EX-03 with a procedure that has no bulk arguments; the server calls no program. */
    @Test
    @Tag("8166-6.1-2")
    @Tag("8166-4.5.2-2")
    void refusesACallOfWhichTooMuchWasReduced() throws Exception {
        var call = WorkedExample.of("EX-03");
        ByteBuffer.wrap(call.bytes()).putInt(PROCEDURE_AT, 0);
        exchange(answered("EX-03", "BAD-16R", CREDITS), call);
    }
}
