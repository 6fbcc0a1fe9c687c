package io.github.rpcrdma4j.rpcrdma.v2.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Reverse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault.Measure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault.Mismatch;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.ExpectedResult;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.Target;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec.Decoded;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.sim.Mutation;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: {@code docs/rpc-rdma-v2.x} describes the messages of version 2 as they are. Method: it is
 * compiled, its numbers are compared with those that the codecs write, and the decoder that it
 * defines reads the worked examples and random headers.
 */
class XdrFileTest {
    private static final int HEADERS = 3000;
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Where the fields of encoded headers are, in bytes. */
    private static final int PROC_AT = 12;

    private static final int ERROR_CODE_AT = 16;
    private static final int TYPE_AT = 20;
    private static final int INFO_AT = 28;

    private static final XdrDescription FILE = new XdrDescription(text());

    private static String text() {
        try {
            return Files.readString(
                    Path.of(System.getProperty("project.root", ".."), "docs", "rpc-rdma-v2.x"));
        } catch (IOException missing) {
            throw new AssertionError(missing);
        }
    }

    private static MemorySegment encoded(Version2Header header) {
        var bytes = MemorySegment.ofArray(new byte[Version2HeaderCodec.encodedLength(header)]);
        Version2HeaderCodec.encode(header, bytes);
        return bytes;
    }

    private static long word(MemorySegment bytes, int at) {
        return Integer.toUnsignedLong(bytes.get(UINT32, at));
    }

    private static long word(Operation operation, int at) {
        return word(encoded(new Version2Header.Option(1, 1, Direction.CALL, operation)), at);
    }

    @Test
    @Tag("RTR-10-1")
    void hasTheNumbersThatTheCodecsWrite() {
        var inJava = new TreeMap<String, Long>();
        putBase(inJava);
        putOperations(inJava);
        putCharacteristics(inJava);
        putPlaces(inJava);
        putFaults(inJava);
        assertEquals(inJava, FILE.numbers());
    }

    private static void putBase(Map<String, Long> numbers) {
        var none = ChunkLists.EMPTY;
        var errors =
                Map.of(
                        "RDMA2_ERR_VERS", new Version2Header.VersionError(1, 2, 1, 2, 2),
                        "RDMA2_ERR_BAD_HEADER", new Version2Header.BadHeader(1, 1),
                        "RDMA2_ERR_INVAL_OPTION", new Version2Header.BadOption(1, 1));
        var others =
                Map.of(
                        "RDMA2_MSG", new Version2Header.Msg(1, 1, Direction.CALL, none),
                        "RDMA2_NOMSG", new Version2Header.NoMsg(1, 1, Direction.CALL, none),
                        "RDMA2_OPTIONAL",
                                new Version2Header.Option(
                                        1, 1, Direction.CALL, new Operation.DoneAck(1)));
        assertEquals(
                Version2Header.class.getPermittedSubclasses().length,
                errors.size() + others.size());
        errors.forEach((name, header) -> numbers.put(name, word(encoded(header), ERROR_CODE_AT)));
        others.forEach((name, header) -> numbers.put(name, word(encoded(header), PROC_AT)));
        numbers.put("RDMA2_ERROR", word(encoded(new Version2Header.BadHeader(1, 1)), PROC_AT));
        numbers.put("RDMA2_VERSION", (long) Version2Header.VERSION);
        numbers.put("RDMA2_CALL", (long) Direction.CALL.ordinal());
        numbers.put("RDMA2_REPLY", (long) Direction.REPLY.ordinal());
    }

    private static Operation.TransmitRequest request(List<ResponseSet> sets) {
        return new Operation.TransmitRequest(List.of(), sets, 1, 1, 0, Optional.empty());
    }

    private static Operation.TransmitError complaint(Fault fault) {
        return new Operation.TransmitError(
                new TransmissionId(1, Direction.CALL, 0), Optional.empty(), fault);
    }

    private static void putOperations(Map<String, Long> numbers) {
        var operations = new TreeMap<String, Operation>();
        operations.put("ROPT_INITXCH", new Operation.InitialExchange(List.of(), Subset.NONE));
        operations.put("ROPT_REQXCH", new Operation.ChangeRequest(List.of()));
        operations.put(
                "ROPT_RESPXCH",
                new Operation.ChangeResponse(Subset.NONE, Subset.NONE, Subset.NONE));
        operations.put(
                "ROPT_UPDXCH", new Operation.Update(new Characteristic.ReceiveSize(1), false));
        operations.put("ROPT_XMTREQ", request(List.of()));
        operations.put("ROPT_XMTRESP", new Operation.TransmitResponse(List.of(), 1, 0));
        operations.put("ROPT_XMTCONT", new Operation.Continuation(1, 5, 0));
        operations.put("ROPT_XMTERR", complaint(new Fault.NoGroup()));
        operations.put("ROPT_RPDONE", new Operation.DoneNotice(List.of()));
        operations.put("ROPT_RPACK", new Operation.DoneAck(1));
        operations.put(
                "ROPT_RPCALL", new Operation.CallWithDoneNotices(List.of(), ChunkLists.EMPTY));
        assertEquals(leaves(Operation.class).count(), operations.size());
        operations.forEach((name, operation) -> numbers.put(name, word(operation, TYPE_AT)));
    }

    /** Returns the records of a sealed interface. */
    private static Stream<Class<?>> leaves(Class<?> sealed) {
        return sealed.isSealed()
                ? Arrays.stream(sealed.getPermittedSubclasses()).flatMap(XdrFileTest::leaves)
                : Stream.of(sealed);
    }

    private static void putCharacteristics(Map<String, Long> numbers) {
        var all = new TreeMap<String, Characteristic>();
        all.put("XCHAR_RBSIZ", new Characteristic.ReceiveSize(1));
        all.put("XCHAR_RQREMINV", new Characteristic.RemoteInvalidation(true));
        all.put("XCHAR_BRS", new Characteristic.ReverseSupport(Reverse.NONE));
        all.put("XCHAR_RTRSUPP", new Transmissions(1));
        all.put("XCHAR_RBSTRUCT", new Characteristic.ReceiveStructure(Examples.STRUCTURE));
        all.put("XCHAR_REQRXLIM", new Characteristic.RequestTransmissions(1));
        all.put("XCHAR_RESPSXLIM", new Characteristic.ResponseTransmissions(1));
        all.put("XCHAR_RPRSUPP", new ReadChunks(1));
        all.put("XCHAR_RPRHOLD", new Characteristic.ReadChunkHold(1));
        // All but the unknown one.
        assertEquals(leaves(Characteristic.class).count() - 1, all.size());
        all.forEach(
                (name, each) ->
                        numbers.put(name, word(new Operation.Update(each, false), INFO_AT)));
        for (var degree : Reverse.values()) {
            var name =
                    switch (degree) {
                        case UNKNOWN -> "BKRQSUP_UNKNOWN";
                        case NONE -> "BKRQSUP_NONE";
                        case SIZE_LIMITED -> "BKRQSUP_SZLIM";
                        case GENERAL -> "BKRQSUP_GENL";
                    };
            numbers.put(name, (long) degree.ordinal());
        }
        numbers.put("RTRS_XREQ", (long) Transmissions.REQUESTS);
        numbers.put("RTRS_XRESP", (long) Transmissions.RESPONSES);
        numbers.put("RTRS_XCONT", (long) Transmissions.CONTINUATIONS);
        numbers.put("RTRS_XEXT", (long) Transmissions.TRAILER);
        numbers.put("XMRSFLAG_DDP", (long) BufferStructure.Group.PLACEMENT);
        numbers.put("RPRS_RECV", (long) ReadChunks.FETCHES);
        numbers.put("RPRS_SEND", (long) ReadChunks.EXPOSES);
        numbers.put("RPRS_DONE_INV", (long) ReadChunks.ACCEPTS_INVALIDATION);
        numbers.put("RPRS_PIGGY", (long) ReadChunks.ACCEPTS_CALLS_WITH_NOTICES);
        numbers.put("RPRS_ACK", (long) ReadChunks.ACKNOWLEDGES);
        numbers.put("RPRS_SENDINV", (long) ReadChunks.INVALIDATES);
    }

    private static void putPlaces(Map<String, Long> numbers) {
        Map<String, Location> places =
                Map.of(
                        "XMDTYPE_EXRW", new Location.Explicit(List.of()),
                        "XMDTYPE_TBSN", new Location.Numbered(0, List.of()),
                        "XMDTYPE_TOOSHORT", new Location.TooShort(),
                        "XMDTYPE_NOITEM", new Location.NoItem());
        assertEquals(leaves(Location.class).count(), places.size());
        // Count, displacement and length are before it.
        places.forEach(
                (name, place) ->
                        numbers.put(
                                name,
                                word(
                                        new Operation.TransmitResponse(
                                                List.of(new PlacementItem(0, 0, place)), 1, 0),
                                        INFO_AT + 12)));
        Map<String, Target> targets =
                Map.of(
                        "XMDTYPE_EXRW", new Target.Explicit(List.of()),
                        "XMDTYPE_TBSN", new Target.Numbered(),
                        "XMDTYPE_CHOOSE", new Target.Choice(List.of()),
                        "XMDTYPE_BYSIZE", new Target.BySize(1, List.of()));
        assertEquals(leaves(Target.class).count(), targets.size());
        // Two counts, begin, end, another count, and minimum are before it.
        targets.forEach(
                (name, target) -> {
                    var set = new ResponseSet(0, 4, List.of(new ExpectedResult(0, target)));
                    long number = word(request(List.of(set)), INFO_AT + 24);
                    var same = numbers.put(name, number);
                    assertTrue(same == null || same == number, name);
                });
    }

    private static void putFaults(Map<String, Long> numbers) {
        var faults = new TreeMap<String, Fault>();
        faults.put("OPTXERR_BADCONT", new Fault.NoGroup());
        for (var what : Mismatch.values()) {
            var name =
                    switch (what) {
                        case HEADER_TYPE -> "OPTXERR_BADHMT";
                        case OPTION_TYPE -> "OPTXERR_BADOMT";
                        case SEQUENCE -> "OPTXERR_BADSEQ";
                        case XID -> "OPTXERR_BADXID";
                    };
            faults.put(name, new Fault.Unexpected(what, 0, 0));
        }
        for (var what : Measure.values()) {
            var name =
                    switch (what) {
                        case OFFSET -> "OPTXERR_BADOFF";
                        case SEGMENT_NUMBER -> "OPTXERR_BADTBSN";
                        case PAYLOAD -> "OPTXERR_BADPL";
                    };
            faults.put(name, new Fault.OutOfRange(what, 0, 0, 0));
        }
        // An id and the absence of another are before it.
        faults.forEach((name, fault) -> numbers.put(name, word(complaint(fault), INFO_AT + 16)));
    }

    /** Returns the type that the file names for a number, by its two rules. */
    private static Optional<String> type(String prefix, long number) {
        return FILE.numbers().entrySet().stream()
                .filter(each -> each.getKey().startsWith(prefix) && each.getValue() == number)
                .map(each -> each.getKey().toLowerCase(Locale.ROOT))
                .findFirst();
    }

    @Test
    void namesATypeForEveryOperationAndEveryCharacteristic() {
        for (var name : FILE.numbers().keySet()) {
            if (name.startsWith("ROPT_") || name.startsWith("XCHAR_")) {
                assertTrue(FILE.declares(name.toLowerCase(Locale.ROOT)), name);
            }
        }
    }

    /** Decodes the header at the start of a message by the file, and all that it holds. */
    private static Map<?, ?> decodeByFile(XdrReader in) throws XdrException {
        var header = (Map<?, ?>) FILE.decode("rdma2_header", in);
        if (((Map<?, ?>) header.get("body")).get("optional") instanceof Map<?, ?> optional) {
            decodeInfo((long) optional.get("type"), (MemorySegment) optional.get("info"));
        }
        return header;
    }

    private static Map<?, ?> decodeInfo(long type, MemorySegment bytes) throws XdrException {
        var name = type("ROPT_", type).orElseThrow(() -> new XdrException("no operation"));
        var in = new XdrReader(bytes);
        var info = (Map<?, ?>) FILE.decode(name, in);
        if (name.equals("ropt_xmtreq") && in.remaining() > 0) {
            FILE.decode("rdma2_trailer", in);
        }
        in.finish();
        for (var each : characteristics(info)) {
            var id = type("XCHAR_", (long) each.get("id"));
            if (id.isPresent()) {
                FILE.decode(id.get(), new XdrReader((MemorySegment) each.get("value")));
            }
        }
        return info;
    }

    private static List<Map<?, ?>> characteristics(Map<?, ?> info) {
        var all = new ArrayList<Map<?, ?>>();
        for (var name : List.of("start", "wanted")) {
            if (info.get(name) instanceof List<?> list) {
                list.forEach(each -> all.add((Map<?, ?>) each));
            }
        }
        if (info.get("now") instanceof Map<?, ?> now) {
            all.add(now);
        }
        return all;
    }

    @Test
    @Tag("RTR-10-1")
    void describesEveryWorkedExample() {
        Examples.meanings()
                .forEach(
                        (name, meant) -> {
                            var in = new XdrReader(Examples.message(name));
                            try {
                                decodeByFile(in);
                            } catch (XdrException wrong) {
                                throw new AssertionError(name, wrong);
                            }
                            int length = Version2HeaderCodec.encodedLength(meant);
                            assertEquals(length, in.position(), name);
                        });
    }

    /** Goal: names belong to the right fields. The values are those of the worked examples. */
    @Test
    void namesTheFieldsOfTheWorkedExamples() throws XdrException {
        var header =
                (Map<?, ?>) FILE.decode("rdma2_header", new XdrReader(Examples.message("E24")));
        assertEquals(0xa00cL, header.get("xid"));
        assertEquals(2L, header.get("vers"));
        assertEquals(16L, header.get("credits"));
        var lists = (Map<?, ?>) ((Map<?, ?>) header.get("body")).get("nomsg");
        assertEquals("RDMA2_REPLY", lists.get("direction"));
        var read = (Map<?, ?>) ((Optional<?>) lists.get("reads")).orElseThrow();
        assertEquals(
                Map.of(
                        "position",
                        0L,
                        "target",
                        Map.of("handle", 0x5005L, "length", 70000L, "offset", 0x7fff00000000L)),
                read.get("entry"));
        assertEquals(
                Optional.of(
                        Map.of(
                                "segments",
                                List.of(
                                        Map.of(
                                                "handle", 0x9009L, "length", 0L, "offset",
                                                0x6000L)))),
                lists.get("reply"));
    }

    /** Goal: names belong to the right fields of operations. */
    @Test
    void namesTheFieldsOfTheOperationsOfTheWorkedExamples() throws XdrException {
        var placed = info("E12a");
        assertEquals(2L, placed.get("sends"));
        assertEquals(1L, placed.get("response_sends"));
        assertEquals(80L, placed.get("payload"));
        assertEquals(
                List.of(
                        Map.of(
                                "displacement",
                                80L,
                                "length",
                                5001L,
                                "place",
                                Map.of(
                                        "type",
                                        "XMDTYPE_TBSN",
                                        "numbered",
                                        Map.of("offset", 0L, "numbers", List.of(0L, 1L, 2L))))),
                placed.get("items"));
        assertEquals(Map.of("number", 2L, "first_type", 5L, "payload", 1896L), info("E13c"));
        var complaint = info("E21");
        assertEquals(
                Map.of("xid", 0xa008L, "direction", "RDMA2_REPLY", "number", 0L),
                complaint.get("bad"));
        assertEquals(
                Map.of(
                        "code",
                        "OPTXERR_BADTBSN",
                        "segment",
                        Map.of("value", 9L, "min", 0L, "max", 3L)),
                complaint.get("fault"));
        assertEquals(
                Map.of(
                        "code",
                        "OPTXERR_BADHMT",
                        "header_type",
                        Map.of("expected", 5L, "current", 0L)),
                info("E22").get("fault"));
    }

    private static Map<?, ?> info(String example) throws XdrException {
        var header =
                (Map<?, ?>) FILE.decode("rdma2_header", new XdrReader(Examples.message(example)));
        var optional = (Map<?, ?>) ((Map<?, ?>) header.get("body")).get("optional");
        return decodeInfo((long) optional.get("type"), (MemorySegment) optional.get("info"));
    }

    @Test
    void describesEveryHeaderThatTheCodecsWrite() {
        Seeds.many(HEADERS)
                .forEach(
                        seed -> {
                            var random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
                            var bytes = encoded(new RandomHeaders(random).header());
                            var in = new XdrReader(bytes);
                            try {
                                decodeByFile(in);
                                in.finish();
                            } catch (XdrException wrong) {
                                throw new AssertionError("seed " + seed, wrong);
                            }
                        });
    }

    /** Goal: the file allows what the codecs accept. Method: headers with random damage. */
    @Test
    void allowsEveryHeaderThatTheCodecsAccept() {
        Seeds.many(HEADERS)
                .forEach(
                        seed -> {
                            var random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
                            var headers = new RandomHeaders(random);
                            byte[] right = encoded(headers.header()).toArray(ValueLayout.JAVA_BYTE);
                            byte[] other = encoded(headers.header()).toArray(ValueLayout.JAVA_BYTE);
                            var bytes = MemorySegment.ofArray(Mutation.of(right, other, random));
                            if (Version2HeaderCodec.decode(bytes, Examples.ALL)
                                    instanceof Decoded.Ok(_, int length)) {
                                var in = new XdrReader(bytes);
                                try {
                                    decodeByFile(in);
                                } catch (XdrException wrong) {
                                    throw new AssertionError("seed " + seed, wrong);
                                }
                                assertEquals(length, in.position(), () -> "seed " + seed);
                            }
                        });
    }

    /** Goal: the compiler of this test is no rubber stamp. */
    @Test
    void aFileWithAMistakeIsNotCompiled() {
        var text = text();
        for (var mistake :
                List.of(
                        text.replaceFirst("rdma2_segment target", "rdma2_segments target"),
                        text.replaceFirst("unsigned int handle;", "unsigned int handle"),
                        text.replaceFirst("case RDMA2_NOMSG:", "case RDMA2_MSG:"),
                        text.replaceFirst("ROPT_REQXCH = 2", "ROPT_INITXCH = 2"),
                        text.replaceFirst("RDMA2_REPLY = 1", "RDMA2_REPLY = 0"),
                        text.replaceFirst("opaque info<>", "opaque info"),
                        text + "struct rdma2_segment { };",
                        text.substring(0, text.length() - 3))) {
            assertThrows(IllegalArgumentException.class, () -> new XdrDescription(mistake));
        }
    }
}
