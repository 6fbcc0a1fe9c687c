package io.github.rpcrdma4j.nfs.v4.attribute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.type.Timestamp;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Goal: attributes have the numbers and layouts of the RFCs. Method: read what the packer of
 * another project wrote ({@code attributes.txt}; {@code attribute_vectors.py} says how).
 */
class AttributeVectorsTest {
    private static final List<String[]> LINES = lines();

    private final SegmentPool pool = new SegmentPool(1 << 20);

    /** A fattr4, and the texts of its values. */
    private record Vector(byte[] bytes, Map<Attribute, String> values) {
        EncodedAttributes encoded() throws XdrException {
            return decoded(bytes);
        }
    }

    private static EncodedAttributes decoded(byte[] bytes) throws XdrException {
        var in = new XdrReader(MemorySegment.ofArray(bytes));
        var encoded = EncodedAttributes.decode(in);
        in.finish();
        return encoded;
    }

    private static List<String[]> lines() {
        try (var in = AttributeVectorsTest.class.getResourceAsStream("/nfs4/attributes.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .map(line -> line.split(" ", 3))
                    .toList();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private static List<Vector> vectors(String kind) {
        var vectors = new ArrayList<Vector>();
        boolean isWanted = false;
        for (var line : LINES) {
            if (line[0].equals("value")) {
                if (isWanted) {
                    vectors.getLast().values.put(Attribute.valueOf(line[1]), line[2]);
                }
                continue;
            }
            isWanted = line[0].equals(kind);
            if (isWanted) {
                vectors.add(new Vector(HexFormat.of().parseHex(line[1]), new LinkedHashMap<>()));
            }
        }
        return vectors;
    }

    private byte[] written(AttributeSet wanted, FileFacts facts) {
        try (var out = new XdrWriter(pool)) {
            AttributeWriter.encode(out, wanted, facts);
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Test
    void theNumbersAreThoseOfTheRfcs() {
        var numbers = LINES.stream().filter(line -> line[0].equals("number")).toList();
        for (var line : numbers) {
            assertEquals(Integer.parseInt(line[1]), Attribute.valueOf(line[2]).number(), line[2]);
        }
        // RFC 8275, Section 5: nfs4.x of the packer does not have it.
        assertEquals(81, Attribute.MODE_UMASK.number());
        assertEquals(numbers.size() + 1, Attribute.values().length);
    }

    @Test
    void everyValueIsReadAndWrittenAgain() throws XdrException {
        var seen = EnumSet.noneOf(Attribute.class);
        for (var vector : vectors("read")) {
            var facts = ReadAttributes.decode(vector.encoded());
            vector.values.forEach((each, text) -> assertEquals(text, text(facts, each)));
            assertEquals(
                    AttributeSet.of(vector.values.keySet().toArray(Attribute[]::new)),
                    facts.present());
            var all = AttributeSet.READABLE;
            assertEquals(
                    HexFormat.of().formatHex(vector.bytes),
                    HexFormat.of().formatHex(written(all, facts)));
            seen.addAll(vector.values.keySet());
        }
        var expected = EnumSet.allOf(Attribute.class);
        expected.removeIf(each -> each.layout() == Attribute.Layout.OTHER);
        assertEquals(expected, seen);
    }

    private static String text(FileFacts facts, Attribute attribute) {
        return switch (attribute.layout()) {
            case BOOL -> Boolean.toString(facts.flag(attribute));
            case WORD -> Integer.toString(facts.word(attribute));
            case HYPER -> Long.toString(facts.hyper(attribute));
            case TIME -> text(facts.time(attribute));
            case FILE_SYSTEM -> facts.fileSystem().major() + ":" + facts.fileSystem().minor();
            case BYTES -> text(facts.bytes(attribute));
            case ATTRIBUTES -> facts.attributes(attribute).numbers().toString();
            case ACES -> text(facts.acl());
            case LOCATIONS -> text(facts.locations());
            case OPEN_ARGUMENTS -> {
                var open = facts.openSupport();
                yield "%s,%s,%s,%s,%s"
                        .formatted(
                                open.access(),
                                open.deny(),
                                open.wants(),
                                open.claims(),
                                open.createModes());
            }
            case OTHER -> throw new IllegalArgumentException(attribute.name());
        };
    }

    private static String text(FsLocations locations) {
        var text = new StringBuilder(path(locations.root()));
        for (var each : locations.locations()) {
            var servers = each.servers().stream().map(Object::toString);
            text.append(' ').append(servers.collect(Collectors.joining("+")));
            text.append('@').append(path(each.path()));
        }
        return text.toString();
    }

    private static String path(List<FileName> names) {
        return "/" + names.stream().map(Object::toString).collect(Collectors.joining("/"));
    }

    private static String text(Timestamp time) {
        return time.seconds() + ":" + time.nanos();
    }

    private static String text(byte[] bytes) {
        return bytes.length == 0 ? "-" : HexFormat.of().formatHex(bytes);
    }

    private static String text(List<Ace> aces) {
        return aces.isEmpty()
                ? "-"
                : aces.stream()
                        .map(
                                each ->
                                        "%d/%d/%d/%s"
                                                .formatted(
                                                        each.type(),
                                                        each.flags(),
                                                        each.mask(),
                                                        each.who()))
                        .collect(Collectors.joining(","));
    }

    @Test
    void everyValueToSetIsReadAndWrittenAgain() throws XdrException {
        var seen = AttributeSet.NONE;
        for (var vector : vectors("set")) {
            var encoded = vector.encoded();
            var accepted =
                    assertInstanceOf(
                            SetAttributes.Decoded.Accepted.class,
                            SetAttributes.decode(
                                    encoded, SetAttributes.ATTRIBUTES, AttributeSet.SETTABLE));
            var changes = accepted.changes();
            vector.values.forEach((each, text) -> assertEquals(text, text(changes, each)));
            assertEquals(encoded.attributes(), changes.attributes());
            assertEquals(encoded, changes.encoded(pool));
            seen = seen.or(changes.attributes());
        }
        assertEquals(SetAttributes.ATTRIBUTES, seen);
    }

    private static String text(SetAttributes changes, Attribute attribute) {
        return switch (attribute) {
            case SIZE -> Long.toString(changes.size().orElseThrow());
            case ACL -> text(changes.acl().orElseThrow());
            case MODE -> Integer.toString(changes.mode().orElseThrow());
            case MODE_UMASK -> changes.mode().orElseThrow() + ":" + changes.umask().orElseThrow();
            case OWNER -> text(changes.owner().orElseThrow().bytes());
            case OWNER_GROUP -> text(changes.group().orElseThrow().bytes());
            case TIME_ACCESS_SET -> text(changes.accessed());
            case TIME_MODIFY_SET -> text(changes.modified());
            case TIME_DELEG_ACCESS -> text(changes.accessed());
            case TIME_DELEG_MODIFY -> text(changes.modified());
            default -> throw new IllegalArgumentException(attribute.name());
        };
    }

    private static String text(SetAttributes.TimeChange change) {
        return switch (change) {
            case SetAttributes.TimeChange.Keep() -> "keep";
            case SetAttributes.TimeChange.ToServerTime() -> "server";
            case SetAttributes.TimeChange.To(var time) -> text(time);
            case SetAttributes.TimeChange.Delegated(var time) -> text(time);
        };
    }

    /** Goal: every truncation of the values is an error, and every corrupt byte has an outcome. */
    @Test
    void damagedValuesAreRefusedOrRead() throws XdrException {
        int refused = 0;
        int read = 0;
        for (var vector : vectors("read")) {
            for (int at = 0; at < vector.bytes.length; at++) {
                byte[] part = Arrays.copyOf(vector.bytes, at);
                assertTrue(readAll(part).isEmpty());
                for (int mask : new int[] {1, 0x80, 0xff}) {
                    byte[] corrupt = vector.bytes.clone();
                    corrupt[at] ^= (byte) mask;
                    if (readAll(corrupt).isEmpty()) {
                        refused++;
                    } else {
                        read++;
                    }
                }
            }
        }
        assertTrue(refused > 0 && read > 0, refused + " " + read);
    }

    private static List<ReadAttributes> readAll(byte[] bytes) {
        try {
            return List.of(ReadAttributes.decode(decoded(bytes)));
        } catch (XdrException malformed) {
            return List.of();
        }
    }

    /** Goal: each corrupt byte of values to set has an outcome. */
    @Test
    void damagedValuesToSetAreRefusedOrRead() throws XdrException {
        int accepted = 0;
        int refused = 0;
        for (var vector : vectors("set")) {
            for (int at = 0; at < vector.bytes.length; at++) {
                byte[] corrupt = vector.bytes.clone();
                corrupt[at] ^= 0x41;
                try {
                    switch (SetAttributes.decode(
                            decoded(corrupt), SetAttributes.ATTRIBUTES, AttributeSet.SETTABLE)) {
                        case SetAttributes.Decoded.Accepted _ -> accepted++;
                        case SetAttributes.Decoded.Refused _ -> refused++;
                    }
                } catch (XdrException malformed) {
                    refused++;
                }
            }
        }
        assertTrue(refused > 0 && accepted > 0, refused + " " + accepted);
    }
}
