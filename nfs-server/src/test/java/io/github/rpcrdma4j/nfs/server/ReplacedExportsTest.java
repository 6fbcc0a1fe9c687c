package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.close;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.create;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.fromRoot;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.readDir;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.testLock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.lock.NlmStatus;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountResult;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountStatus;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportChanges;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: exports come, go and change while a server serves. What stays keeps its handles and its
 * state, and no handle leads into another export. Method: one client of each version.
 */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class ReplacedExportsTest {
    private static final String HOST = "127.0.0.1";

    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;
    private CompoundClient client;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(kind);
        for (var name : List.of("one", "two", "three", "one/inner")) {
            Files.createDirectory(path(name));
            Files.writeString(path(name).resolve("file"), name);
        }
        server = TestServer.of(List.of(export("one"), export("two")));
        client = CompoundClient.of(server, "client");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private Path path(String name) {
        return testDirectory.root().resolve(name);
    }

    private Export export(String name) {
        return export("/" + name, name, ExportRule.trusting(false));
    }

    private Export export(String name, String directory, ExportRule rule) {
        return new Export(name, path(directory), List.of(rule), List.of(SecurityFlavor.SYS));
    }

    private ExportChanges replace(Export... exports) throws IOException {
        return server.nfs.replaceExports(List.of(exports));
    }

    private FileHandle file(String export) throws Exception {
        return server.lookup(server.root(export), "file");
    }

    private Status status(FileHandle file) throws Exception {
        return server.status(new Nfs3Call.GetAttributes(file));
    }

    private Nfs4Status status4(FileHandle file, Arguments... then) throws Exception {
        var handle = io.github.rpcrdma4j.nfs.v4.type.FileHandle.of(file.bytes());
        return client.status(
                Nfs4Calls.join(List.of(new HandleArguments.PutFh(handle)), List.of(then)));
    }

    private Nfs4Status tested(io.github.rpcrdma4j.nfs.v4.type.StateId state) throws Exception {
        var result = client.last(new StateArguments.TestStateId(List.of(state)));
        return ((StateResult.TestStateId) result).statuses().getFirst();
    }

    @Test
    void theHandlesOfAnExportThatIsGoneAreStaleAndThoseOfOthersStay() throws Exception {
        var one = file("/one");
        var two = file("/two");
        assertEquals(
                new ExportChanges(List.of("/three"), List.of("/two"), List.of(), 1, List.of()),
                replace(export("one"), export("three")));
        assertEquals("one", server.read(one, 0, 9));
        assertEquals(Status.STALE, status(two));
        assertEquals(Nfs4Status.STALE, status4(two));
        assertEquals(Nfs4Status.OK, status4(one, getAttr(Attribute.SIZE)));
        assertEquals("three", server.read(file("/three"), 0, 9));
        assertEquals(new MountResult.Failed(MountStatus.NOENT), server.mount("/two"));
    }

    @Test
    void opensAndLocksOfAnExportThatStaysStay() throws Exception {
        var open = client.open(fromRoot("one", create("file")));
        var locking = lock(open, "us", LockType.WRITE, 0, 10);
        assertEquals(Nfs4Status.OK, client.status(fromRoot("one/file", locking)));
        replace(export("three"), export("one"));
        var other = CompoundClient.of(server, "other");
        assertEquals(
                Nfs4Status.DENIED,
                other.status(fromRoot("one/file", testLock("them", LockType.READ, 0, 1))));
        assertEquals(Nfs4Status.OK, tested(open));
        assertEquals(Nfs4Status.OK, client.status(fromRoot("one/file", close(open))));
    }

    @Test
    void whatClientsHaveOfAnExportThatIsGoneEndsEvenIfItComesBack() throws Exception {
        var open = client.open(fromRoot("two", create("file")));
        var locking = lock(open, "us", LockType.WRITE, 0, 10);
        assertEquals(Nfs4Status.OK, client.status(fromRoot("two/file", locking)));
        var file = file("/two");
        var host = LockingHost.of(server, HOST, file.bytes());
        assertEquals(NlmStatus.GRANTED, host.lock(true, 20, 10));
        replace(export("one"));
        assertEquals(List.of(), server.nfs.administration().locks(9));
        assertEquals(List.of(), server.nfs.administration().opens(9));
        assertEquals(NlmStatus.STALE_FH, host.lock(true, 30, 10));
        assertEquals(Nfs4Status.ADMIN_REVOKED, tested(open));
        assertEquals(Nfs4Status.OK, client.status(new StateArguments.FreeStateId(open)));
        replace(export("one"), export("two"));
        assertEquals(Status.OK, status(file), "it is the old export again");
        var again = client.open(fromRoot("two", create("file")));
        var all = lock(again, "us", LockType.WRITE, 0, 40);
        assertEquals(Nfs4Status.OK, client.status(fromRoot("two/file", all)));
    }

    @Test
    void aChangedRuleActsOnTheNextCall() throws Exception {
        var one = file("/one");
        var open = client.open(fromRoot("one", create("file")));
        var write = TestServer.write(one, 0, Stability.FILE_SYNC, "x");
        assertEquals(Status.OK, server.status(write));
        var changes = replace(export("/one", "one", ExportRule.trusting(true)), export("two"));
        assertEquals(
                new ExportChanges(List.of(), List.of(), List.of("/one"), 1, List.of()), changes);
        assertEquals(Status.ROFS, server.status(write));
        assertEquals(Nfs4Status.ROFS, status4(one, Nfs4Calls.write(open, 0, "x")));
        replace(export("/one", "one", ExportRule.of(Clients.parse("192.0.2.1"))), export("two"));
        assertEquals(Status.ACCES, status(one));
        replace(export("one"), export("two"));
        assertEquals(Status.OK, server.status(write));
        assertEquals(Nfs4Status.OK, status4(one, Nfs4Calls.write(open, 0, "x")));
    }

    /** On one file system the kernel would open the old file, and the new rules would apply. */
    @Test
    void anotherDirectoryOfOneNameIsAnotherExport() throws Exception {
        var open = client.open(fromRoot("one", create("file")));
        var before = file("/one");
        var other = export("/one", "three", ExportRule.trusting(false));
        assertEquals(
                new ExportChanges(List.of("/one"), List.of("/one"), List.of(), 1, List.of()),
                replace(other, export("two")));
        assertEquals(Status.STALE, status(before));
        assertEquals(Nfs4Status.STALE, status4(before));
        assertEquals(Nfs4Status.ADMIN_REVOKED, tested(open));
        assertEquals("three", server.read(file("/one"), 0, 9));
    }

    @Test
    void aDirectoryThatWasReplacedIsAnotherExport() throws Exception {
        var before = file("/two");
        Files.move(path("two"), path("old"));
        Files.createDirectory(path("two"));
        Files.writeString(path("two/file"), "new");
        assertEquals(List.of("/two"), replace(export("one"), export("two")).removed());
        assertEquals(Status.STALE, status(before));
        assertEquals("new", server.read(file("/two"), 0, 9));
    }

    @Test
    void anotherNameOfOneDirectoryIsAnotherExport() throws Exception {
        var before = file("/two");
        replace(export("one"), export("/other", "two", ExportRule.trusting(false)));
        assertEquals(Status.STALE, status(before));
        assertNotEquals(before, file("/other"));
    }

    @Test
    void theExportAroundANewOneIsAnotherExport() throws Exception {
        var outer = file("/one");
        var hidden = server.lookup(server.lookup(server.root("/one"), "inner"), "file");
        var inner = export("/inner", "one/inner", ExportRule.of(Clients.parse("192.0.2.1")));
        var changes = replace(export("one"), export("two"), inner);
        assertEquals(List.of("/one", "/inner"), changes.added());
        assertEquals(List.of("/one"), changes.removed());
        assertEquals(Status.STALE, status(outer));
        assertEquals(Status.STALE, status(hidden), "its rule is that of the inner export now");
    }

    @Test
    void whatCannotBeServedChangesNothing() throws Exception {
        var one = file("/one");
        assertThrows(IOException.class, () -> replace(export("three"), export("missing")));
        assertThrows(
                IllegalArgumentException.class, () -> replace(export("three"), export("three")));
        var krb5 =
                new Export(
                        "/three",
                        path("three"),
                        List.of(ExportRule.trusting(false)),
                        List.of(SecurityFlavor.KRB5));
        assertThrows(IllegalArgumentException.class, () -> replace(krb5));
        assertEquals("one", server.read(one, 0, 9));
        assertEquals("two", server.read(file("/two"), 0, 9));
        assertEquals(new MountResult.Failed(MountStatus.NOENT), server.mount("/three"));
    }

    @Test
    void delegationsAndMountPointsOfAnExportThatStaysChangeAtTheNextStart() throws Exception {
        var crossing = ExportRule.trusting(true).withCrossMounts(true);
        var changes =
                replace(export("/one", "one", crossing).with(Delegations.EXCLUSIVE), export("two"));
        assertEquals(
                List.of(
                        "/one: delegations change at the next start only",
                        "/one: crossmnt takes effect at the next start only"),
                changes.notes());
        assertEquals(List.of("/one"), changes.changed());
        var write = TestServer.write(file("/one"), 0, Stability.FILE_SYNC, "x");
        assertEquals(Status.ROFS, server.status(write), "the rest of the rule applies");
        var kept = server.nfs.descriptions().getFirst().export();
        assertEquals(Delegations.NONE, kept.delegations());
    }

    private NameResult.ReadDir listed(long cookie) throws Exception {
        var listing = readDir(cookie, 2000, Attribute.FILEID);
        return (NameResult.ReadDir) client.last(fromRoot("", listing));
    }

    private List<String> names(long cookie) throws Exception {
        return listed(cookie).entries().stream().map(each -> each.name().toString()).toList();
    }

    private long change() throws Exception {
        var result = client.last(fromRoot("", getAttr(Attribute.CHANGE)));
        return ReadAttributes.decode(((AttributeResult.GetAttr) result).attributes())
                .hyper(Attribute.CHANGE);
    }

    @Test
    void theDirectoryAboveTheExportsChanges() throws Exception {
        long before = change();
        assertEquals(List.of("one", "two"), names(0));
        long afterOne = listed(0).entries().getFirst().cookie();
        replace(export("three"), export("two"));
        assertNotEquals(before, change());
        assertEquals(List.of("two", "three"), names(0), "the cookie of a name that stays, stays");
        assertEquals(List.of("two", "three"), names(afterOne));
        long after = change();
        replace(export("two"), export("three"));
        assertEquals(after, change(), "its names are the same");
    }
}
