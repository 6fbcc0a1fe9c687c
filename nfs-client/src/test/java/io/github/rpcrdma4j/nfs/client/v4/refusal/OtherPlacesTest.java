package io.github.rpcrdma4j.nfs.client.v4.refusal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.attribute.FsLocations;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: a user learns where a file system is, in one short line of any answer. */
class OtherPlacesTest {
    private static final List<FileName> HERE = names("export", "away");

    private static List<FileName> names(String... names) {
        return Arrays.stream(names).map(FileName::of).toList();
    }

    private static FsLocations.Location location(List<FileName> path, String... servers) {
        return new FsLocations.Location(
                Arrays.stream(servers)
                        .map(each -> OpaqueName.of(each.getBytes(StandardCharsets.UTF_8)))
                        .toList(),
                path);
    }

    private static String reason(FsLocations.Location... locations) {
        return OtherPlaces.reason(new FsLocations(HERE, List.of(locations)));
    }

    @Test
    void placesAreNamed() {
        assertEquals(
                "it is at another server: a.example:/data/new, [2001:db8::1]:/data/new,"
                        + " b.example:/; not followed",
                reason(
                        location(names("data", "new"), "a.example", "2001:db8::1"),
                        location(List.of(), "b.example")));
    }

    @Test
    void noPlaceIsSaidToBeNone() {
        var none = "it is at another server, and this one does not say where";
        assertEquals(none, reason());
        assertEquals(none, reason(location(names("x"))));
        assertEquals(none, reason(location(names("x"), "")));
    }

    /** RFC 8881, Section 11.16: an empty name is the server that tells it. */
    @Test
    void aPlaceThatLeadsBackIsSaidToDoSo() {
        assertEquals(
                "it has moved, and the server names only the same place",
                reason(location(HERE, ""), location(HERE, "", "")));
    }

    @Test
    void manyPlacesAreCounted() {
        var servers = IntStream.range(0, 5000).mapToObj(i -> "s" + i).toArray(String[]::new);
        assertEquals(
                "it is at another server: s0:/x, s1:/x, s2:/x, s3:/x and 4996 more; not followed",
                reason(location(names("x"), servers)));
    }

    @Test
    void longPlacesAreCut() {
        var deep = Collections.nCopies(60_000, FileName.of("x".repeat(1000)));
        var line = reason(location(deep, "s".repeat(1024)), location(deep, "t"));
        assertTrue(line.length() < 600, line);
        assertTrue(line.startsWith("it is at another server: sss"), line);
        assertTrue(line.contains("..., t:/xxx"), line);
        assertTrue(line.endsWith("...; not followed"), line);
    }

    @Test
    void namesCannotOperateATerminal() {
        assertEquals(
                "it is at another server: a\\x1B[2J\\x0A:/\\x07; not followed",
                reason(location(names("\007"), "a\033[2J\n")));
    }
}
