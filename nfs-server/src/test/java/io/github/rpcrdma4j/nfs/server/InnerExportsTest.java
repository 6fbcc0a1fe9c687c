package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.fromRoot;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.join;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.remove;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.rename;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.saveFh;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountResult;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountStatus;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: the rule of the innermost export applies to a file, on every way that leads to it. Method:
 * a writable export has one inside whose name lies elsewhere, and one of its name.
 */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class InnerExportsTest {
    private static final String ADMITTED = "192.0.2.1";
    private static final String STRANGER = "192.0.2.2";

    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(kind);
        for (var name : List.of("sub", "sub/inner", "sub/inner/deep", "named", "empty")) {
            Files.createDirectory(path(name));
        }
        Files.writeString(path("sub/inner/file"), "kept");
        Files.writeString(path("file"), "text");
        server = TestServer.of(exports());
        server.moveTo(ADMITTED);
    }

    private List<Export> exports() {
        var reader = ExportRule.trusting(true);
        var one = ExportRule.of(Clients.parse(ADMITTED)).withReadOnly(true);
        return List.of(
                outer(),
                export("/elsewhere", "sub/inner", one),
                export("/outer/named", "named", reader),
                export("/outer/empty", "empty", reader));
    }

    private Export outer() {
        return new Export("/outer", testDirectory.root(), false);
    }

    private Export export(String name, String directory, ExportRule rule) {
        return new Export(name, path(directory), List.of(rule), List.of(SecurityFlavor.SYS));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private Path path(String name) {
        return testDirectory.root().resolve(name);
    }

    private FileHandle walk(String... names) throws Exception {
        var at = server.root("/outer");
        for (var name : names) {
            at = server.lookup(at, name);
        }
        return at;
    }

    private static Nfs3Call.Write write(FileHandle file) {
        return TestServer.write(file, 0, Stability.FILE_SYNC, "x");
    }

    @Test
    void aLookupLeadsIntoTheInnerExport() throws Exception {
        assertEquals(server.root("/elsewhere"), walk("sub", "inner"));
        assertEquals(server.root("/outer/named"), walk("named"));
        var file = walk("sub", "inner", "file");
        assertEquals("kept", server.read(file, 0, 9));
        assertEquals(Status.ROFS, server.status(write(file)));
        assertEquals(walk("sub", "inner"), walk("sub", "inner", ".."));
        assertEquals(Status.OK, server.status(write(walk("file"))));
    }

    @Test
    void aMountLeadsIntoTheInnerExport() throws Exception {
        assertEquals(server.root("/elsewhere/deep"), server.root("/outer/sub/inner/deep"));
        server.moveTo(STRANGER);
        assertEquals(
                new MountResult.Failed(MountStatus.ACCES), server.mount("/outer/sub/inner/deep"));
    }

    /** Goal: a refusal at the end of a walk releases nothing that others use. */
    @Test
    void aRefusedMountEndsNoExport() throws Exception {
        server.moveTo(STRANGER);
        for (int i = 0; i < 3; i++) {
            assertEquals(
                    new MountResult.Failed(MountStatus.ACCES), server.mount("/outer/sub/inner"));
        }
        server.moveTo(ADMITTED);
        assertEquals("text", server.read(walk("file"), 0, 9));
    }

    @Test
    void aListingNamesTheRootOfTheInnerExport() throws Exception {
        var entry = entry(walk("sub"), "inner");
        assertEquals(server.root("/elsewhere"), entry.handle().orElseThrow());
        assertEquals(
                server.attributes(server.root("/elsewhere")), entry.attributes().orElseThrow());
    }

    private DirectoryPage.Entry entry(FileHandle directory, String name) throws Exception {
        return server.list(directory, 8192, () -> {}).stream()
                .filter(each -> each.name().toString().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aCallerWhomTheInnerRuleExcludesComesNotIn() throws Exception {
        server.moveTo(STRANGER);
        var sub = walk("sub");
        assertEquals(Status.ACCES, server.status(new Nfs3Call.Lookup(new DirOpArgs(sub, "inner"))));
        var entry = entry(sub, "inner");
        assertTrue(entry.handle().isEmpty());
        assertTrue(entry.attributes().isEmpty());
        var client = CompoundClient.of(server, "stranger");
        assertEquals(Nfs4Status.ACCESS, client.status(fromRoot("outer/sub/inner")));
    }

    @Test
    void theRootOfAnInnerExportStaysWhereItIs() throws Exception {
        var root = server.root("/outer");
        var empty = new DirOpArgs(root, "empty");
        assertEquals(Status.ACCES, server.status(new Nfs3Call.RemoveDirectory(empty)));
        assertEquals(Status.ACCES, server.status(new Nfs3Call.Remove(empty)));
        var target = new DirOpArgs(root, "moved");
        assertEquals(Status.ACCES, server.status(new Nfs3Call.Rename(empty, target)));
        server.makeDirectory(root, "moved");
        assertEquals(Status.ACCES, server.status(new Nfs3Call.Rename(target, empty)));
        var client = CompoundClient.of(server, "client");
        assertEquals(Nfs4Status.ACCESS, client.status(fromRoot("outer", remove("empty"))));
        for (var call : List.of(rename("empty", "other"), rename("moved", "empty"))) {
            assertEquals(Nfs4Status.ACCESS, client.status(fromRoot("outer", saveFh(), call)));
        }
        assertTrue(Files.exists(path("empty")));
        assertTrue(Files.exists(path("moved")));
        // With a directory above it, it would move too.
        assertEquals(
                Nfs4Status.ACCESS,
                client.status(fromRoot("outer", saveFh(), rename("sub", "other"))));
        client.last(fromRoot("outer", saveFh(), rename("moved", "other")));
    }

    @Test
    void version4CrossesAsVersion3Does() throws Exception {
        var client = CompoundClient.of(server, "client");
        var inner = ((HandleResult.GetFh) client.last(fromRoot("elsewhere", getFh()))).handle();
        var through = (HandleResult.GetFh) client.last(fromRoot("outer/sub/inner", getFh()));
        assertEquals(inner, through.handle());
        assertArrayEquals(inner.bytes(), server.root("/elsewhere").bytes());
        assertEquals(
                Nfs4Status.ROFS,
                client.status(fromRoot("outer/sub/inner", open("file", Open.BOTH, 0))));
        assertEquals(
                Nfs4Status.XDEV,
                client.status(
                        join(
                                fromRoot("outer/sub/inner/file", saveFh()),
                                fromRoot("outer", new NameArguments.Link(FileName.of("x"))))));
    }

    /** Such a handle says nothing of the way from the root to the file. */
    @Test
    void handlesFromBeforeTheInnerExportAreStale() throws Exception {
        var before = new ArrayList<FileHandle>();
        try (var without = TestServer.of(List.of(outer()))) {
            var sub = without.lookup(without.root("/outer"), "sub");
            var inner = without.lookup(sub, "inner");
            before.add(inner);
            before.add(without.lookup(inner, "file"));
            assertEquals(Status.OK, without.status(write(before.getLast())));
        }
        for (var each : before) {
            assertEquals(Status.STALE, server.status(new Nfs3Call.GetAttributes(each)));
            assertEquals(Status.STALE, server.status(write(each)));
        }
        var handle = io.github.rpcrdma4j.nfs.v4.type.FileHandle.of(before.getLast().bytes());
        var client = CompoundClient.of(server, "client");
        assertEquals(Nfs4Status.STALE, client.status(new HandleArguments.PutFh(handle)));
        try (var again = TestServer.of(exports())) {
            again.moveTo(ADMITTED);
            assertEquals(Status.OK, again.status(write(walk("file"))));
        }
        assertNotEquals(before.getLast(), walk("sub", "inner", "file"));
    }

    /** A local process moves a directory that a client has a handle of. */
    @Test
    void fromADirectoryThatIsMovedIntoAnInnerExportNoWayLeadsUp() throws Exception {
        assumeTrue(kind == TestDirectory.Kind.LOCAL);
        moveIntoAnInnerExport();
    }

    /** No store can tell then whether a directory lies in what an export hides. */
    @Test
    void norDoesOneWhereAnExportHidesAnotherDirectoryThanItsOwn() throws Exception {
        assumeTrue(kind == TestDirectory.Kind.LOCAL);
        Files.createDirectories(path("hidden/deep"));
        var exports = new ArrayList<>(exports());
        exports.add(export("/outer/hidden", "empty", ExportRule.trusting(true)));
        restart(exports);
        moveIntoAnInnerExport();
        var moved = server.makeDirectory(server.root("/outer"), "again");
        Files.move(path("again"), path("hidden/deep/again"));
        assertTrue(entry(moved, "..").handle().isEmpty());
    }

    private void restart(List<Export> exports) throws Exception {
        server.close();
        server = TestServer.of(exports);
        server.moveTo(ADMITTED);
    }

    /** Goal: the cost of a way up does not depend on the depth. */
    @Test
    void aWayUpOpensNoDirectoryFartherUp() throws Exception {
        var stores = new CountedListings();
        server.close();
        server = TestServer.of(exports(), stores);
        server.moveTo(ADMITTED);
        var above = server.root("/outer");
        var below = above;
        for (int i = 0; i < 32; i++) {
            above = below;
            below = server.makeDirectory(above, "d");
        }
        long before = stores.nodes.get();
        assertEquals(above, server.lookup(below, ".."));
        assertEquals(1, stores.nodes.get() - before);
    }

    private void moveIntoAnInnerExport() throws Exception {
        var moved = server.makeDirectory(server.root("/outer"), "moved");
        var putMoved =
                new HandleArguments.PutFh(
                        io.github.rpcrdma4j.nfs.v4.type.FileHandle.of(moved.bytes()));
        var up = new HandleArguments.LookupP();
        var above = new Nfs3Call.Lookup(new DirOpArgs(moved, ".."));
        Files.move(path("moved"), path("sub/inner/deep/moved"));
        var client = CompoundClient.of(server, "client");
        assertEquals(Status.NOENT, server.status(above));
        assertEquals(Nfs4Status.NOENT, client.compound(putMoved, up).status());
        assertTrue(entry(moved, "..").handle().isEmpty());
        assertTrue(entry(moved, "..").attributes().isEmpty());
        // The root of the inner export is its own, by its own rule.
        Files.move(path("sub/inner/deep/moved"), path("sub/inner/moved"));
        assertEquals(server.root("/elsewhere"), server.lookup(moved, ".."));
        server.moveTo(STRANGER);
        assertEquals(Status.ACCES, server.status(above));
        assertTrue(entry(moved, "..").handle().isEmpty());
        // Elsewhere in the outer export, the way is open.
        Files.move(path("sub/inner/moved"), path("sub/moved"));
        assertEquals(walk("sub"), server.lookup(moved, ".."));
        assertEquals(walk("sub"), entry(moved, "..").handle().orElseThrow());
        assertEquals(
                Nfs4Status.OK,
                CompoundClient.of(server, "stranger").compound(putMoved, up).status());
    }

    /** What is done in one export recalls nothing in the other. */
    @Test
    void aDirectoryWithTwoExportsIsForNoneExclusively() throws Exception {
        var other = new Export("/other", path("sub/.."), false);
        for (var exclusive : List.of(outer(), other)) {
            var exports =
                    List.of(outer(), other).stream()
                            .map(
                                    each ->
                                            each.equals(exclusive)
                                                    ? each.with(Delegations.EXCLUSIVE)
                                                    : each)
                            .toList();
            var refused = assertThrows(IOException.class, () -> TestServer.of(exports));
            assertTrue(refused.getMessage().contains("/other"), refused.getMessage());
        }
        TestServer.of(List.of(outer().with(Delegations.LEASES), other)).close();
        var inner = export("/inner", "sub", ExportRule.trusting(false));
        TestServer.of(List.of(outer(), inner.with(Delegations.EXCLUSIVE))).close();
    }

    /** From the root of an inner export, the parent directory is one of the outer export. */
    @Test
    void theWayUpNeedsTheRightToSearchTheInnerExport() throws Exception {
        assumeTrue(kind == TestDirectory.Kind.LOCAL && LocalCalls.user() == 0);
        var root = server.root("/outer/named");
        var up = new HandleArguments.LookupP();
        var putRoot =
                new HandleArguments.PutFh(
                        io.github.rpcrdma4j.nfs.v4.type.FileHandle.of(root.bytes()));
        Files.setAttribute(path("named"), "unix:mode", 0700);
        var user = CompoundClient.of(server, "user", 1000);
        assertEquals(Nfs4Status.ACCESS, user.compound(putRoot, up, getFh()).status());
        Files.setAttribute(path("named"), "unix:mode", 0711);
        assertEquals(Nfs4Status.OK, user.compound(putRoot, up, getFh()).status());
    }
}
