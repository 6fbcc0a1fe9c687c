package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.ExportEntry;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountResult;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountStatus;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Ports;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Squash;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: the address of a caller determines its rights and its user. */
class ExportRulesTest {
    private static final Credential ROOT = sys(0, 0);
    private static final Credential ALICE = sys(1001, 2001);
    private static final String SQUASHED = "192.0.2.1";
    private static final String TRUSTED = "192.0.2.2";
    private static final String READER = "198.51.100.1";
    private static final String ALL_SQUASHED = "2001:db8::1";
    private static final String GUARDED = "192.0.2.3";
    private static final String STRANGER = "203.0.113.1";

    private TestDirectory testDirectory;
    private TestServer server;

    private static Credential sys(int uid, int gid) {
        return new Credential.Sys(0, "host", uid, gid, List.of());
    }

    private static ExportRule rule(String clients, boolean readOnly, Squash squash) {
        return ExportRule.of(Clients.parse(clients))
                .withReadOnly(readOnly)
                .withSquash(squash)
                .withAnonymous(7001, 7002);
    }

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        var rules =
                List.of(
                        rule("192.0.2.0/24", false, Squash.ROOT),
                        rule(TRUSTED, false, Squash.NONE),
                        rule("198.51.100.0/24", true, Squash.NONE),
                        rule("2001:db8::/32", false, Squash.ALL),
                        rule(GUARDED, false, Squash.NONE).withPorts(Ports.PRIVILEGED));
        server = TestServer.of(testDirectory, rules, SecurityFlavor.SYS, SecurityFlavor.NONE);
    }

    @AfterEach
    void stop() throws Exception {
        if (testDirectory != null) {
            server.close();
            testDirectory.close();
        }
    }

    private FileHandle rootAsSeenFrom(String address) throws Exception {
        server.moveTo(TRUSTED);
        var root = server.root();
        server.moveTo(address);
        return root;
    }

    private static Nfs3Call.Create create(FileHandle directory, String name) {
        var mode = new CreateMode.Guarded(SetAttributes.ofMode(0600));
        return new Nfs3Call.Create(new DirOpArgs(directory, name), mode);
    }

    /** A caller without a rule gets ACCES for every call, without attributes of files. */
    @Test
    void refusesHostsWithoutRule() throws Exception {
        Files.writeString(testDirectory.root().resolve("file"), "hidden");
        server.moveTo(STRANGER);
        assertEquals(new MountResult.Failed(MountStatus.ACCES), server.mount(TestServer.EXPORT));
        var root = rootAsSeenFrom(STRANGER);
        server.moveTo(TRUSTED);
        var file = server.lookup(root, "file");
        server.moveTo(STRANGER);
        List<Nfs3Call<?, ?>> calls =
                List.of(
                        new Nfs3Call.GetAttributes(root),
                        new Nfs3Call.FsInfo(root),
                        new Nfs3Call.FsStat(root),
                        new Nfs3Call.Access(file, Nfs3.ACCESS_READ),
                        new Nfs3Call.Read(file, 0, 9),
                        TestServer.write(file, 0, Stability.UNSTABLE, "x"),
                        new Nfs3Call.Commit(file, 0, 0),
                        create(root, "new"),
                        new Nfs3Call.Remove(new DirOpArgs(root, "file")),
                        new Nfs3Call.Rename(
                                new DirOpArgs(root, "file"), new DirOpArgs(root, "new")),
                        new Nfs3Call.Link(file, new DirOpArgs(root, "new")),
                        new Nfs3Call.ReadDirectoryPlus(root, 0, 0, 4096, 4096));
        for (var call : calls) {
            assertEquals(Status.ACCES, server.status(ROOT, call), call.toString());
        }
        var lookup = server.call(ROOT, new Nfs3Call.Lookup(new DirOpArgs(root, "file")));
        assertEquals(new Nfs3Reply.Failed<>(Status.ACCES, Optional.empty()), lookup);
        assertEquals("hidden", Files.readString(testDirectory.root().resolve("file")));
    }

    /** Goal: a host without a rule takes no memory of the server. */
    @Test
    void hostsWithoutRuleMakeNoClientsOfVersion4() throws Exception {
        var exchange =
                new SessionArguments.ExchangeId(
                        new ClientOwner(1, OpaqueName.of("stranger".getBytes())),
                        0,
                        new StateProtection.None(),
                        Optional.empty());
        var call = new CompoundArguments(CompoundClient.TAG, 2, List.of(exchange));
        var signed = new Credential.Principal("host@REALM", SecurityFlavor.KRB5I);
        for (var caller : List.of(ROOT, new Credential.None(), signed)) {
            server.moveTo(STRANGER);
            assertTrue(isDenied(caller, Nfs4Binding.COMPOUND, call::encode), caller.toString());
            assertFalse(isDenied(caller, 0, out -> {}), "NULL");
            assertEquals(List.of(), server.nfs.administration().clients(9));
        }
        for (var address : List.of(READER, ALL_SQUASHED, GUARDED)) {
            // A rule is enough: each export checks ports and flavors by itself.
            server.moveTo(address, 40000);
            assertFalse(isDenied(signed, Nfs4Binding.COMPOUND, call::encode), address);
        }
        assertEquals(1, server.nfs.administration().clients(9).size());
    }

    private boolean isDenied(Credential caller, int procedure, Consumer<XdrWriter> arguments)
            throws Exception {
        return server.isTooWeak(
                caller, Nfs4Binding.PROGRAM, Nfs4Binding.VERSION, procedure, arguments);
    }

    @Test
    void letsReadersChangeNothing() throws Exception {
        Files.writeString(testDirectory.root().resolve("file"), "kept");
        var root = rootAsSeenFrom(READER);
        assertInstanceOf(MountResult.Ok.class, server.mount(TestServer.EXPORT));
        var file = server.lookup(root, "file");
        assertEquals("kept", server.read(file, 0, 9));
        var write = TestServer.write(file, 0, Stability.UNSTABLE, "x");
        assertEquals(Status.ROFS, server.status(ROOT, write));
        assertEquals(Status.ROFS, server.status(ROOT, create(root, "new")));
        server.moveTo(TRUSTED);
        assertEquals(Status.OK, server.status(ROOT, write));
    }

    @Test
    void takesTheRuleOfTheNarrowestNetwork() throws Exception {
        var root = rootAsSeenFrom(SQUASHED);
        assumeTrue(isRoot(), "only root can act for others");
        assertEquals(Status.ACCES, server.status(ROOT, create(root, "new")));
        server.moveTo(TRUSTED);
        assertEquals(Status.OK, server.status(ROOT, create(root, "new")));
    }

    /** On a Unix host, only root can use a port below 1024. */
    @Test
    void refusesUnauthenticatedCallsFromHighPorts() throws Exception {
        var root = rootAsSeenFrom(GUARDED);
        for (var caller : List.of(ROOT, ALICE, new Credential.None())) {
            for (int port : new int[] {1, 1023}) {
                server.moveTo(GUARDED, port);
                assertInstanceOf(MountResult.Ok.class, server.mount(TestServer.EXPORT));
                assertEquals(Status.OK, server.status(caller, new Nfs3Call.GetAttributes(root)));
            }
            for (int port : new int[] {1024, 65535}) {
                server.moveTo(GUARDED, port);
                assertEquals(
                        new MountResult.Failed(MountStatus.ACCES), server.mount(TestServer.EXPORT));
                List<Nfs3Call<?, ?>> calls =
                        List.of(
                                new Nfs3Call.GetAttributes(root),
                                new Nfs3Call.FsInfo(root),
                                new Nfs3Call.Access(root, Nfs3.ACCESS_READ),
                                create(root, "new"));
                for (var call : calls) {
                    assertEquals(Status.PERM, server.status(caller, call), call.toString());
                }
                var lookup = server.call(caller, new Nfs3Call.Lookup(new DirOpArgs(root, "file")));
                assertEquals(new Nfs3Reply.Failed<>(Status.PERM, Optional.empty()), lookup);
            }
        }
        server.moveTo(TRUSTED, 1024);
        assertEquals(Status.OK, server.status(ROOT, new Nfs3Call.GetAttributes(root)));
    }

    @Test
    void acceptsAuthenticatedCallsFromAnyPort() {
        var rule = rule("any", false, Squash.NONE).withPorts(Ports.PRIVILEGED);
        for (var flavor : SecurityFlavor.values()) {
            boolean proves = flavor != SecurityFlavor.NONE && flavor != SecurityFlavor.SYS;
            assertEquals(proves, rule.accepts(flavor, false), flavor.word());
            assertTrue(rule.accepts(flavor, true), flavor.word());
            assertTrue(rule.withPorts(Ports.ANY).accepts(flavor, false), flavor.word());
        }
    }

    @Test
    void changesOneThingAtATime() {
        var rule = ExportRule.of(new Clients.Everybody());
        assertEquals(
                new ExportRule(
                        new Clients.Everybody(),
                        false,
                        Squash.ROOT,
                        65534,
                        65534,
                        Ports.OWN_USER,
                        true,
                        false,
                        List.of()),
                rule);
        assertEquals(
                new ExportRule(
                        new Clients.Everybody(),
                        true,
                        Squash.ALL,
                        1,
                        2,
                        Ports.PRIVILEGED,
                        false,
                        true,
                        List.of()),
                rule.withReadOnly(true)
                        .withSquash(Squash.ALL)
                        .withAnonymous(1, 2)
                        .withPorts(Ports.PRIVILEGED)
                        .withSync(false)
                        .withCrossMounts(true));
    }

    private boolean isRoot() throws Exception {
        return owner(testDirectory.root()).equals(0);
    }

    private static Object owner(Path file) throws Exception {
        return Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    private List<Object> ownersOfNewFile(Credential caller, FileHandle root) throws Exception {
        assertEquals(Status.OK, server.status(caller, create(root, "new")));
        var file = testDirectory.root().resolve("new");
        var owners =
                List.of(
                        owner(file),
                        Files.getAttribute(file, "unix:gid", LinkOption.NOFOLLOW_LINKS));
        Files.delete(file);
        return owners;
    }

    @Test
    void makesTheSquashedOwnWhatTheyMake() throws Exception {
        assumeTrue(isRoot(), "only root can act for others");
        Files.setAttribute(testDirectory.root(), "unix:mode", 0777);
        var root = rootAsSeenFrom(SQUASHED);
        assertEquals(List.of(7001, 7002), ownersOfNewFile(ROOT, root));
        assertEquals(List.of(1001, 2001), ownersOfNewFile(ALICE, root));
        assertEquals(List.of(1001, 7002), ownersOfNewFile(sys(1001, 0), root));
        assertEquals(List.of(7001, 7002), ownersOfNewFile(new Credential.None(), root));
        server.moveTo(ALL_SQUASHED);
        assertEquals(List.of(7001, 7002), ownersOfNewFile(ALICE, root));
        server.moveTo(TRUSTED);
        assertEquals(List.of(0, 0), ownersOfNewFile(ROOT, root));
    }

    @Test
    void limitsSquashedCallersToFilesOfTheAnonymousUser() throws Exception {
        assumeTrue(isRoot(), "only root can act for others");
        Files.setAttribute(testDirectory.root(), "unix:mode", 0755);
        var file = Files.writeString(testDirectory.root().resolve("file"), "root's");
        Files.setAttribute(file, "unix:mode", 0600);
        var root = rootAsSeenFrom(SQUASHED);
        var handle = server.lookup(root, "file");
        assertEquals(Status.ACCES, server.status(ROOT, new Nfs3Call.Read(handle, 0, 9)));
        Files.setAttribute(file, "unix:uid", 7001);
        assertEquals(Status.OK, server.status(ROOT, new Nfs3Call.Read(handle, 0, 9)));
        assertEquals(Status.ACCES, server.status(ALICE, new Nfs3Call.Read(handle, 0, 9)));
        server.moveTo(ALL_SQUASHED);
        assertEquals(Status.OK, server.status(ALICE, new Nfs3Call.Read(handle, 0, 9)));
    }

    /** Squashing applies to the supplementary groups of a caller as well. */
    @Test
    void squashesFurtherGroupsToo() {
        var squashed = ExportRule.of(new Clients.Everybody());
        var user = squashed.user(new Credential.Sys(0, "host", 5, 6, List.of(0, 7)));
        assertEquals(List.of(ExportRule.NOBODY, 7), user.gids());
        var nobody = rule("any", false, Squash.ALL).user(user);
        assertEquals(List.of(7001, 7002), List.of(nobody.uid(), nobody.gid()));
        assertTrue(nobody.gids().isEmpty());
    }

    /**
     * The reserved id, which operating systems read as "leave the owner unchanged", makes no caller
     * root.
     */
    @Test
    void mapsTheReservedIdToTheAnonymousUser() {
        var all = new Credential.Sys(0, "host", -1, -1, List.of(-1, 7, -1));
        for (var squash : Squash.values()) {
            var user = rule("any", false, squash).user(all);
            var groups = squash == Squash.ALL ? List.of() : List.of(7);
            assertEquals(List.of(7001, 7002), List.of(user.uid(), user.gid()), squash.name());
            assertEquals(groups, user.gids(), squash.name());
        }
        for (var squash : List.of(Squash.NONE, Squash.ROOT)) {
            var rule = rule("any", false, squash);
            var ofNoGroup = rule.user(sys(1001, -1));
            assertEquals(List.of(1001, 7002), List.of(ofNoGroup.uid(), ofNoGroup.gid()));
            var inNoGroup = rule.user(new Credential.Sys(0, "host", 1001, 2001, List.of(-1)));
            assertEquals(new Credential.Sys(0, "host", 1001, 2001, List.of()), inNoGroup);
        }
    }

    @Test
    void refusesTheReservedIdAsAnonymousUser() {
        var any = new Clients.Everybody();
        for (var ids : List.of(List.of(-1, 7), List.of(7, -1))) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> ExportRule.of(any).withAnonymous(ids.get(0), ids.get(1)));
        }
    }

    @Test
    void makesNoFileOfRootForACallerWithTheReservedId() throws Exception {
        assumeTrue(isRoot(), "only root can act for others");
        Files.setAttribute(testDirectory.root(), "unix:mode", 0777);
        for (var address : List.of(TRUSTED, SQUASHED, ALL_SQUASHED)) {
            var root = rootAsSeenFrom(address);
            assertEquals(List.of(7001, 7002), ownersOfNewFile(sys(-1, -1), root), address);
        }
    }

    @Test
    void listsTheNetworksOfAnExport() throws Exception {
        server.moveTo(STRANGER);
        var listed = ExportEntry.decode(exports());
        assertEquals(1, listed.size());
        assertEquals(5, listed.getFirst().groups().size());
        assertEquals("192.0.2.0/24", listed.getFirst().groups().getFirst());
        assertFalse(listed.getFirst().groups().contains("any"));
    }

    private XdrReader exports() throws Exception {
        return server.results(
                Mount3.PROGRAM, Mount3.VERSION, Mount3.Procedure.EXPORT.number(), ROOT, out -> {});
    }
}
