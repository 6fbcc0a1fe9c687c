package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a copy has exactly the extended attributes of its source, and costs few calls. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class XattrCopiesTest extends CopiedXattrs {
    @ParameterizedTest
    @ValueSource(strings = {"put", "get", "copy"})
    void aCopyHasThoseOfItsSource(String way) throws Exception {
        fill(from(way));
        copy(way);
        assertEquals(List.of(), failures);
        assertSame(from(way), to(way));
    }

    /** Goal: what a target has besides goes away, in place and with the replaced file. */
    @ParameterizedTest
    @ValueSource(strings = {"put", "get", "copy"})
    void aCopyHasNoOthers(String way) throws Exception {
        fill(from(way));
        fill(to(way));
        for (var name : NAMES) {
            var inner = to(way).resolve("inner");
            mode(inner, "rwxr-xr-x");
            mode(inner.resolve("closed"), "rw-r--r--");
            set(to(way).resolve(name), OTHERS);
        }
        copy(way);
        assertEquals(List.of(), failures);
        assertSame(from(way), to(way));
    }

    @ParameterizedTest
    @ValueSource(strings = {"put", "get", "copy"})
    void aLongValueIsKept(String way) throws Exception {
        Files.createDirectories(from(way));
        Files.writeString(from(way).resolve("file"), "file");
        set(from(way).resolve("file"), Map.of("long", "x".repeat(64 << 10), "short", "y"));
        copy(way);
        assertEquals(List.of(), failures);
        assertEquals(xattrs(from(way).resolve("file")), xattrs(to(way).resolve("file")));
    }

    private CopyRules comparing(boolean isTrial) {
        return new CopyRules(
                CopyRules.ALL,
                CopyRules.Comparison.SIZE_AND_TIME,
                new CopyRules.Deletion.Nothing(),
                isTrial,
                true,
                false);
    }

    /** Goal: as with access control lists, a change of an attribute alone is copied. */
    @ParameterizedTest
    @ValueSource(strings = {"put", "get"})
    void aChangeOfOneIsCopiedWithoutTheContents(String way) throws Exception {
        fill(from(way));
        rules = comparing(false);
        copy(way);
        assertSame(from(way), to(way));
        var changed = from(way).resolve("inner/closed");
        var inner = from(way).resolve("inner");
        var time = Files.getLastModifiedTime(inner);
        mode(inner, "rwxr-xr-x");
        mode(changed, "rw-r--r--");
        set(changed, OTHERS);
        set(inner, Map.of());
        mode(changed, "r--r--r--");
        mode(inner, "r-xr-xr-x");
        Files.setLastModifiedTime(inner, time);
        rules = comparing(true);
        copy(way);
        assertEquals(
                List.of("SET_ATTRIBUTES", "SET_ATTRIBUTES"),
                events.stream().map(each -> each.split(" ")[0]).toList());
        rules = comparing(false);
        copy(way);
        assertEquals(List.of(), failures);
        assertEquals(List.of(), events, "no contents");
        assertSame(from(way), to(way));
        copy(way);
        assertTrue(calls.stream().noneMatch(XattrCopiesTest::changes), calls::toString);
    }

    private static boolean changes(XattrArguments call) {
        return call instanceof XattrArguments.SetXattr
                || call instanceof XattrArguments.RemoveXattr;
    }

    /** Goal: they cost nothing where there are none: one call for a file of the server. */
    @Test
    void aFileWithoutThemCostsOneCallAtMost() throws Exception {
        for (int i = 0; i < 10; i++) {
            Files.writeString(source.resolve("f" + i), "file");
        }
        put();
        assertEquals(List.of(), calls);
        get();
        assertEquals(11, calls.size(), "the directory and each file");
        set(source.resolve("f0"), Map.of("a", "1", "b", "2"));
        put();
        assertEquals(
                1 + 2,
                calls.size(),
                "the list of the directory that is there, and two values: " + calls);
    }

    @Test
    void copiesThatKeepPermissionsAloneAskForNone() throws Exception {
        fill(source);
        kept = PreservedAttributes.PERMISSIONS;
        put();
        get();
        assertEquals(List.of(), calls);
        assertEquals(Map.of(), xattrs(exported.resolve("tree/file")));
    }

    /** Goal: a version without them keeps what it kept before, and says nothing. */
    @ParameterizedTest
    @EnumSource(
            mode = Mode.INCLUDE,
            names = {"VERSION_3", "VERSION_4_0", "VERSION_4_1"})
    void versionsWithoutThemSayNothing(NfsVersion without) throws Exception {
        fill(source);
        fill(back);
        version = without;
        put();
        get();
        assertEquals(List.of(), failures);
        assertEquals(List.of(), calls);
        assertEquals(Map.of(), xattrs(exported.resolve("tree/file")));
    }

    /** The source of a comparison may have been changed within the same second. */
    @Test
    void timesStayThoseOfTheSource() throws Exception {
        var file = Files.writeString(source.resolve("file"), "file");
        set(file, SOME);
        var time = FileTime.fromMillis(1_000_000_000_000L);
        Files.setLastModifiedTime(file, time);
        put();
        get();
        for (var copy : List.of(exported.resolve("tree/file"), back.resolve("file"))) {
            assertEquals(time, Files.getLastModifiedTime(copy));
            assertEquals(SOME, xattrs(copy));
        }
    }
}
