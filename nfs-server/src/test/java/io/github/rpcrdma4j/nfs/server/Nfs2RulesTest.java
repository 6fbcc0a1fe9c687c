package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.mount.Mount1;
import io.github.rpcrdma4j.nfs.mount.Mount1.MountResult;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.ExportEntry;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountEntry;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountStatus;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Ports;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Squash;
import io.github.rpcrdma4j.nfs.v2.FileHandle;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call;
import io.github.rpcrdma4j.nfs.v2.SetAttributes;
import io.github.rpcrdma4j.nfs.v2.Status;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: the rules of exports hold for version 2 of NFS and version 1 of MOUNT too. */
class Nfs2RulesTest {
    private static final String TRUSTED = "192.0.2.7";
    private static final String READER = "198.51.100.7";
    private static final String GUARDED = "203.0.113.7";
    private static final String STRANGER = "203.0.113.99";

    private TestDirectory testDirectory;
    private TestServer server;
    private Nfs2Client client;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        Files.writeString(testDirectory.root().resolve("file"), "hidden");
        Files.createDirectories(testDirectory.root().resolve("inner/below"));
        Files.createDirectories(testDirectory.root().resolve("plain"));
        var rules =
                List.of(
                        rule(TRUSTED),
                        rule(READER).withReadOnly(true),
                        rule(GUARDED).withPorts(Ports.PRIVILEGED));
        var flavors = List.of(SecurityFlavor.SYS, SecurityFlavor.KRB5P);
        server =
                TestServer.of(
                        List.of(
                                new Export("/export", testDirectory.root(), rules, flavors),
                                new Export(
                                        "/export/inner",
                                        testDirectory.root().resolve("inner"),
                                        List.of(rule(TRUSTED).withReadOnly(true)),
                                        List.of(SecurityFlavor.SYS))));
        client = Nfs2Client.of(server);
        server.moveTo(TRUSTED);
    }

    private static ExportRule rule(String clients) {
        return ExportRule.of(Clients.parse(clients)).withSquash(Squash.NONE);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private XdrReader results(Mount1.Procedure procedure) throws Exception {
        return server.results(
                Mount3.PROGRAM, Mount1.VERSION, procedure.number(), new Credential.None(), _ -> {});
    }

    private static List<Nfs2Call<?>> changes(FileHandle root, FileHandle file) {
        var there = Nfs2Client.place(root, "file");
        var made = Nfs2Client.place(root, "made");
        return List.of(
                new Nfs2Call.ChangeAttributes(file, SetAttributes.NONE.withSize(1)),
                Nfs2Client.write(file, 0, "x"),
                new Nfs2Call.Create(made, SetAttributes.ofMode(0600)),
                new Nfs2Call.Remove(there),
                new Nfs2Call.Rename(there, made),
                new Nfs2Call.Link(file, made),
                Nfs2Client.link(root, "made", "x"),
                new Nfs2Call.MakeDirectory(made, SetAttributes.ofMode(0700)),
                new Nfs2Call.RemoveDirectory(Nfs2Client.place(root, "plain")));
    }

    private static List<Nfs2Call<?>> reads(FileHandle root, FileHandle file) {
        return List.of(
                new Nfs2Call.GetAttributes(root),
                new Nfs2Call.FileSystem(root),
                new Nfs2Call.Lookup(Nfs2Client.place(root, "file")),
                new Nfs2Call.Read(file, 0, 9),
                new Nfs2Call.ReadLink(file),
                new Nfs2Call.ReadDirectory(root, 0, 4096));
    }

    @Test
    void refusesHostsWithoutRule() throws Exception {
        var root = client.root();
        var file = client.lookup(root, "file");
        server.moveTo(STRANGER);
        assertEquals(new MountResult.Failed(MountStatus.ACCES), client.mount("/export"));
        for (var call : reads(root, file)) {
            assertEquals(Status.ACCES, client.status(call), call::toString);
        }
        for (var call : changes(root, file)) {
            assertEquals(Status.ACCES, client.status(call), call::toString);
        }
    }

    @Test
    void refusesPortsThatAnyUserCanHave() throws Exception {
        var root = client.root();
        server.moveTo(GUARDED, 1024);
        assertEquals(Status.PERM, client.status(new Nfs2Call.GetAttributes(root)));
        server.moveTo(GUARDED, 1023);
        assertEquals(Status.OK, client.status(new Nfs2Call.GetAttributes(root)));
    }

    @Test
    void readersChangeNothing() throws Exception {
        server.moveTo(READER);
        var root = client.root();
        var file = client.lookup(root, "file");
        for (var call : changes(root, file)) {
            assertEquals(Status.ROFS, client.status(call), call::toString);
        }
        assertEquals("hidden", client.read(file, 0, 9));
    }

    /** An inner export has its own rule, and stays where it is. */
    @Test
    void anInnerExportHasItsOwnRule() throws Exception {
        var root = client.root();
        var inner = client.lookup(root, "inner");
        assertEquals(client.root("/export/inner"), inner);
        var made = Nfs2Client.place(inner, "made");
        assertEquals(
                Status.ROFS, client.status(new Nfs2Call.Create(made, SetAttributes.ofMode(0600))));
        assertEquals(
                Status.ACCES,
                client.status(
                        new Nfs2Call.Rename(
                                Nfs2Client.place(root, "file"), Nfs2Client.place(inner, "file"))));
        assertEquals(
                Status.ACCES,
                client.status(
                        new Nfs2Call.Rename(
                                Nfs2Client.place(root, "inner"), Nfs2Client.place(root, "moved"))));
        server.moveTo(READER);
        assertEquals(
                Status.ACCES, client.status(new Nfs2Call.Lookup(Nfs2Client.place(root, "inner"))));
        assertEquals(new MountResult.Failed(MountStatus.ACCES), client.mount("/export/inner"));
    }

    /** Mounting calls take any flavor at the root; an export takes its own for all others. */
    @Test
    void anExportAcceptsItsFlavorsAlone() throws Exception {
        var root = client.root();
        var anonymous = new Nfs2Client(server, new Credential.None());
        assertEquals(Status.OK, anonymous.status(new Nfs2Call.GetAttributes(root)));
        assertEquals(Status.OK, anonymous.status(new Nfs2Call.FileSystem(root)));
        var file = client.lookup(root, "file");
        assertEquals(Status.ACCES, anonymous.status(new Nfs2Call.GetAttributes(file)));
        var read = new Nfs2Call.Read(file, 0, 9);
        assertTrue(
                server.isTooWeak(
                        anonymous.caller(),
                        Nfs2Binding.PROGRAM,
                        Nfs2Binding.VERSION,
                        read.procedure().number(),
                        read::encode));
        var secret =
                new Nfs2Client(
                        server, new Credential.Principal("alice@REALM", SecurityFlavor.KRB5P));
        var inner = client.root("/export/inner");
        assertEquals(
                Status.ACCES, secret.status(new Nfs2Call.Lookup(Nfs2Client.place(inner, "below"))));
    }

    @Test
    void mountsDirectoriesBelowAnExport() throws Exception {
        assertEquals(List.of(".", ".."), client.names(client.root("/export/plain")));
        assertEquals(List.of(".", "..", "below"), client.names(client.root("/export/inner/")));
        assertEquals(new MountResult.Failed(MountStatus.NOENT), client.mount("/other"));
        assertEquals(new MountResult.Failed(MountStatus.NOENT), client.mount("/export/none"));
        assertEquals(new MountResult.Failed(MountStatus.NOTDIR), client.mount("/export/file"));
    }

    /** Both versions of MOUNT have one list of mounts, and one list of exports. */
    @Test
    void bothVersionsOfMountHaveOneList() throws Exception {
        client.root("/export");
        server.root("/export/inner");
        assertEquals(
                List.of("/export", "/export/inner"),
                MountEntry.decode(results(Mount1.Procedure.DUMP)).stream()
                        .map(each -> each.path().toString())
                        .toList());
        var exports = ExportEntry.decode(results(Mount1.Procedure.EXPORT));
        assertEquals(2, exports.size());
        assertEquals(exports, ExportEntry.decode(results(Mount1.Procedure.EXPORTALL)));
        server.results(
                        Mount3.PROGRAM,
                        Mount1.VERSION,
                        Mount1.Procedure.UMNT.number(),
                        new Credential.None(),
                        out -> out.string("/export"))
                .finish();
        assertEquals(1, MountEntry.decode(results(Mount1.Procedure.DUMP)).size());
        results(Mount1.Procedure.UMNTALL).finish();
        results(Mount1.Procedure.NULL).finish();
        assertEquals(List.of(), MountEntry.decode(results(Mount1.Procedure.DUMP)));
    }

    @Test
    void noExportOfAUsualFileSystemIsWithoutVersion2() {
        assertEquals(List.of(), server.nfs.withoutVersion2());
    }
}
