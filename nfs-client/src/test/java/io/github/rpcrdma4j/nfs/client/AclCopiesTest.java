package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.acl.Acl3Call;
import io.github.rpcrdma4j.nfs.acl.NfsAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: copies with attributes have the access control lists of their sources, or a line says so.
 */
class AclCopiesTest {
    private static final InetSocketAddress ANY_PORT =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int INLINE = 1024;

    /** Its mask allows more than its group has. */
    private static final PosixAcl ACL =
            new PosixAcl(
                    List.of(
                            new Entry(PosixAcl.Tag.USER_OBJ, 6),
                            new Entry(PosixAcl.Tag.USER, 4242, 6),
                            new Entry(PosixAcl.Tag.GROUP_OBJ, 4),
                            new Entry(PosixAcl.Tag.MASK, 6),
                            new Entry(PosixAcl.Tag.OTHER, 0)));

    private static final PosixAcl DEFAULTS =
            new PosixAcl(
                    List.of(
                            new Entry(PosixAcl.Tag.USER_OBJ, 7),
                            new Entry(PosixAcl.Tag.USER, 77, 7),
                            new Entry(PosixAcl.Tag.GROUP_OBJ, 7),
                            new Entry(PosixAcl.Tag.MASK, 7),
                            new Entry(PosixAcl.Tag.OTHER, 5)));

    private static final ExtendedAcls OF_FILE =
            new ExtendedAcls(Optional.of(ACL), Optional.empty());
    private static final ExtendedAcls OF_DIRECTORY =
            new ExtendedAcls(Optional.empty(), Optional.of(DEFAULTS));

    @TempDir private Path directory;
    private Path exported;
    private Path source;
    private Path back;
    private NfsServer nfs;
    private RpcRdmaServer rdma;
    private NfsVersion version = NfsVersion.VERSION_3;
    private final List<RpcCall> aclCalls = Collections.synchronizedList(new ArrayList<>());
    private volatile Consumer<String> copied = _ -> {};
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void serve() throws Exception {
        exported = Files.createDirectory(directory.resolve("exported"));
        source = Files.createDirectory(directory.resolve("source"));
        back = directory.resolve("back");
        nfs = new NfsServer(List.of(new Export("/data", exported, false)), new byte[32]);
        start(programs());
    }

    private List<RpcProgram> programs() {
        var all = new ArrayList<>(nfs.programs());
        all.addAll(nfs.version2Programs());
        return all;
    }

    private void start(List<RpcProgram> programs) throws IOException {
        rdma =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .inlineThresholds(INLINE, INLINE)
                        .address(ANY_PORT)
                        .programs(programs)
                        .start();
    }

    private void restart(List<RpcProgram> programs) throws IOException {
        rdma.close();
        start(programs);
    }

    @AfterEach
    void everythingIsGivenBack() {
        rdma.close();
        nfs.close();
        assertEquals(0, rdma.leasedMemory());
    }

    /** A client that notes the calls of NFSACL, all of which use the connection of NFS. */
    private record Noting(RpcClient client, List<RpcCall> noted) implements RpcClient {
        @Override
        public RpcReply call(RpcCall call, Duration timeout)
                throws RpcException, InterruptedException {
            if (call.program() == NfsAcl.PROGRAM) {
                noted.add(call);
            }
            return client.call(call, timeout);
        }

        @Override
        public void close() {
            client.close();
        }
    }

    private NfsMount mount() throws Exception {
        var options = ClientOptions.DEFAULT.withVersion(version);
        var caller =
                new Credential.Sys(
                        0,
                        "test",
                        (Integer) Files.getAttribute(exported, "unix:uid"),
                        (Integer) Files.getAttribute(exported, "unix:gid"),
                        List.of());
        Connector connector =
                () ->
                        new Noting(
                                RpcRdmaClient.builder()
                                        .provider(new IwarpProvider())
                                        .inlineThresholds(INLINE, INLINE)
                                        .credential(caller)
                                        .binding(version.binding())
                                        .connect(rdma.address()),
                                aclCalls);
        return NfsMount.of(new Nfs3Client(connector, connector, options), "/data");
    }

    private Copier copier(NfsMount mount, PreservedAttributes kept) throws Exception {
        var listener =
                new CopyListener() {
                    @Override
                    public void failed(IOException why) {
                        failures.add(why.getMessage());
                    }

                    @Override
                    public void file(String path, long bytes) {
                        copied.accept(path);
                    }
                };
        return new Copier(mount, ClientOptions.DEFAULT, listener, kept);
    }

    private void put(PreservedAttributes kept) throws Exception {
        try (var mount = mount()) {
            var trees = new TreeCopier(copier(mount, kept), _ -> true);
            trees.put(source, mount.place("/data/tree"), "tree");
        }
    }

    private void get() throws Exception {
        try (var mount = mount()) {
            var trees = new TreeCopier(copier(mount, PreservedAttributes.ALL), _ -> true);
            trees.get(mount.resolve("/data/tree"), "tree", back);
        }
    }

    private void copyOnServer() throws Exception {
        try (var mount = mount()) {
            var trees = new TreeCopier(copier(mount, PreservedAttributes.ALL), _ -> true);
            trees.copy(mount.resolve("/data/tree"), "tree", mount.place("/data/second"), "second");
        }
    }

    static ExtendedAcls acls(Path file) throws IOException {
        try (var tree = LocalTree.open(file.getParent(), "cannot open")) {
            return tree.acls(path(file), "cannot read");
        }
    }

    private static LocalPath path(Path file) {
        return LocalPath.ROOT.child(FileName.of(file.getFileName().toString()));
    }

    /** Sets lists of a local file; skips the test where the file system keeps none. */
    static void setAcls(Path file, ExtendedAcls acls) throws IOException {
        var type = Files.isDirectory(file) ? FileType.DIRECTORY : FileType.REGULAR;
        try (var tree = LocalTree.open(file.getParent(), "cannot open")) {
            tree.setAcls(path(file), type, acls, "cannot set");
        } catch (LocalException refused) {
            assumeTrue(
                    refused.reason() != LocalException.Reason.UNSUPPORTED,
                    "there are no lists here");
            throw refused;
        }
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private Path file(String name, String mode) throws IOException {
        var file = Files.writeString(source.resolve(name), name);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    @Test
    @Tag("8267-5.2-1")
    void aTreeKeepsItsListsThereAndBack() throws Exception {
        setAcls(file("listed", "rw-------"), OF_FILE);
        file("plain", "rw-r-----");
        var inner = Files.createDirectory(source.resolve("inner"));
        setAcls(inner, OF_DIRECTORY);
        file("inner/child", "r--------");
        Files.createSymbolicLink(source.resolve("link"), Path.of("listed"));
        setAcls(inner.resolve("child"), ExtendedAcls.NONE);
        put(PreservedAttributes.ALL);
        get();
        for (var copy : List.of(exported.resolve("tree"), back)) {
            for (var name : List.of("listed", "plain", "inner", "inner/child")) {
                var original = source.resolve(name);
                assertEquals(acls(original), acls(copy.resolve(name)), copy + "/" + name);
                assertEquals(mode(original), mode(copy.resolve(name)), copy + "/" + name);
            }
        }
        assertEquals(List.of(), failures);
        assertEquals(OF_FILE, acls(back.resolve("listed")));
    }

    /** Goal: version 2 of NFSACL goes with version 2 of NFS. */
    @Test
    void aTreeKeepsItsListsInVersion2() throws Exception {
        version = NfsVersion.VERSION_2;
        setAcls(file("listed", "rw-------"), OF_FILE);
        setAcls(Files.createDirectory(source.resolve("inner")), OF_DIRECTORY);
        put(PreservedAttributes.ALL);
        get();
        for (var copy : List.of(exported.resolve("tree"), back)) {
            assertEquals(OF_FILE, acls(copy.resolve("listed")));
            assertEquals(OF_DIRECTORY, acls(copy.resolve("inner")));
        }
        assertTrue(aclCalls.stream().allMatch(call -> call.version() == 2));
        assertEquals(List.of(), failures);
    }

    @Test
    void copiesThatKeepPermissionsAloneAskForNoLists() throws Exception {
        setAcls(file("listed", "rw-------"), OF_FILE);
        put(PreservedAttributes.PERMISSIONS);
        assertEquals(List.of(), aclCalls);
        assertEquals(ExtendedAcls.NONE, acls(exported.resolve("tree/listed")));
    }

    /** Goal: the users of a list that a copy inherits get no rights to it. */
    @Test
    void inheritedListsAreTakenAway() throws Exception {
        var there = Files.createDirectory(exported.resolve("tree"));
        setAcls(there, OF_DIRECTORY);
        setAcls(directory, OF_DIRECTORY);
        file("plain", "rw-rw----");
        file("closed", "rw-------");
        Files.createDirectory(source.resolve("inner"));
        file("inner/child", "rw-rw-r--");
        for (var each : List.of("plain", "closed", "inner", "inner/child")) {
            setAcls(source.resolve(each), ExtendedAcls.NONE);
        }
        var listed = file("listed", "rw-------");
        setAcls(listed, OF_FILE);
        setAcls(source, ExtendedAcls.NONE);
        put(PreservedAttributes.ALL);
        get();
        for (var copy : List.of(there, back)) {
            for (var name : List.of("plain", "closed", "inner", "inner/child", "listed")) {
                var original = source.resolve(name);
                assertEquals(acls(original), acls(copy.resolve(name)), copy + "/" + name);
                assertEquals(mode(original), mode(copy.resolve(name)), copy + "/" + name);
            }
            assertEquals(ExtendedAcls.NONE, acls(copy), "as its source");
        }
    }

    /**
     * Copies files into a directory whose list they inherit, from a server that refuses the first
     * call of a procedure of NFSACL, as a busy one may.
     *
     * @return the copies that there are
     */
    private List<Path> putWhileBusy(int procedure, AcceptStatus status) throws Exception {
        var there = Files.createDirectory(exported.resolve("tree"));
        setAcls(there, OF_DIRECTORY);
        setAcls(Files.createDirectory(source.resolve("inner")), OF_DIRECTORY);
        for (int i = 0; i < 20; i++) {
            setAcls(file("inner/f" + i, "rw-rw----"), ExtendedAcls.NONE);
        }
        setAcls(Files.createDirectory(there.resolve("inner")), OF_DIRECTORY);
        var left = new AtomicInteger(1);
        restart(
                programs().stream()
                        .<RpcProgram>map(
                                each ->
                                        isOfAcls(each)
                                                ? new RefusedCalls(each, procedure, status, left)
                                                : each)
                        .toList());
        try {
            put(PreservedAttributes.ALL);
        } catch (IncompleteTreeException _) {
            // The failures tell what failed.
        }
        try (var all = Files.list(there.resolve("inner"))) {
            return all.toList();
        }
    }

    /** Goal: after a refusal, no other file is open to the users of a list that it inherits. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aRefusalLeavesNoOtherFileItsInheritedList(int procedure) throws Exception {
        for (var each : putWhileBusy(procedure, AcceptStatus.SYSTEM_ERR)) {
            assertEquals(ExtendedAcls.NONE, acls(each), each + " " + mode(each));
        }
        assertFalse(failures.isEmpty());
    }

    private List<RpcProgram> programsWithoutAcls() {
        return programs().stream().filter(each -> !isOfAcls(each)).toList();
    }

    private static boolean isOfAcls(RpcProgram program) {
        return program.id().number() == NfsAcl.PROGRAM;
    }

    /** Goal: without its list, a file is not open to the group as wide as its mask. */
    @Test
    void aServerWithoutAclsIsAskedOnceAndTheLossIsReported() throws Exception {
        restart(programsWithoutAcls());
        setAcls(file("listed", "rw-------"), OF_FILE);
        setAcls(file("other", "rw-------"), OF_FILE);
        file("plain", "rw-r-----");
        var incomplete =
                assertThrows(IncompleteTreeException.class, () -> put(PreservedAttributes.ALL));
        assertEquals(1, failures.size(), failures::toString);
        assertTrue(
                failures.getFirst()
                        .matches(
                                "cannot keep the access control list of tree/(listed|other) and 1"
                                        + " more: the server has no NFSACL"),
                failures::toString);
        assertEquals(1, incomplete.failures());
        assertEquals("rw-r-----", mode(exported.resolve("tree/listed")));
        assertEquals("rw-r-----", mode(exported.resolve("tree/plain")));
        // Files that are copied at the same time may ask before the first answer.
        assertTrue(aclCalls.size() <= 4, "calls: " + aclCalls.size());
        aclCalls.clear();
        get();
        assertTrue(aclCalls.size() <= 4, "calls: " + aclCalls.size());
    }

    private PosixAcl longAcl(int users) {
        var entries = new ArrayList<>(ACL.entries());
        for (int i = 0; i < users; i++) {
            entries.add(new Entry(PosixAcl.Tag.USER, 10_000 + i, 4));
        }
        return new PosixAcl(entries);
    }

    @Test
    @Tag("8267-5.2-2")
    @Tag("8267-5.2-3")
    void aListThatDoesNotFitIsAskedForWithALongerReplyChunk() throws Exception {
        var acls = new ExtendedAcls(Optional.of(longAcl(150)), Optional.empty());
        setAcls(Files.writeString(exported.resolve("tree"), "a file"), acls);
        get();
        assertEquals(acls, acls(back));
        assertEquals(2, aclCalls.size());
        var first = aclCalls.getFirst();
        var second = aclCalls.getLast();
        assertNotEquals(first.xid(), second.xid());
        assertTrue(first.resultsMax() < INLINE, "no Reply chunk at first");
        assertEquals(4 + 88 + 4 + 2 * (4 + 4) + 12 * 2048, second.resultsMax());
        assertEquals(1, rdma.statistics().value(Counter.CHUNK_ERRORS));
        assertEquals(1, rdma.statistics().value(Counter.REPLY_CHUNKS));
        // The list travels to the server as well.
        Files.move(exported.resolve("tree"), source.resolve("file"));
        setAcls(source.resolve("file"), acls);
        put(PreservedAttributes.ALL);
        assertEquals(acls, acls(exported.resolve("tree/file")));
    }

    /** A program whose every reply is longer than any list. */
    private record Endless() implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(NfsAcl.PROGRAM, Acl3Call.VERSION);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) {
            results.opaque(new byte[100_000]);
            return AcceptStatus.SUCCESS;
        }
    }

    @Test
    void aServerWhoseReplyNeverFitsIsAskedTwice() throws Exception {
        var programs = new ArrayList<>(programsWithoutAcls());
        programs.add(new Endless());
        restart(programs);
        Files.writeString(exported.resolve("tree"), "a file");
        assertThrows(IncompleteTreeException.class, this::get);
        assertEquals(2, aclCalls.size());
        assertEquals(List.of("cannot read tree: its access control list is too long"), failures);
    }

    /** A program whose lists make no sense. */
    private record Malformed() implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(NfsAcl.PROGRAM, Acl3Call.VERSION);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) {
            // No attributes, one entry of a user, no default list.
            for (int word : new int[] {0, 0, 1, 1, 1, 2, 4242, 7, 0, 0}) {
                results.uint32(word);
            }
            return AcceptStatus.SUCCESS;
        }
    }

    @Test
    void aMalformedListIsOneLine() throws Exception {
        var programs = new ArrayList<>(programsWithoutAcls());
        programs.add(new Malformed());
        restart(programs);
        Files.writeString(exported.resolve("tree"), "a file");
        var malformed = assertThrows(RpcException.BadReply.class, this::get);
        assertEquals("the server's access control list is malformed", malformed.getMessage());
        assertTrue(Files.notExists(back));
    }

    /** Goal: what the source does not grant is gone before the first new file is there. */
    @ParameterizedTest
    @ValueSource(strings = {"put", "get", "copy"})
    void aDirectoryThatBecamePrivateIsNarrowedBeforeItIsFilled(String way) throws Exception {
        var inner = Files.createDirectory(source.resolve("inner"));
        file("inner/old", "rw-r--r--");
        put(PreservedAttributes.ALL);
        get();
        copyOnServer();
        var from = way.equals("put") ? inner : exported.resolve("tree/inner");
        var filled =
                switch (way) {
                    case "put" -> exported.resolve("tree/inner");
                    case "get" -> back.resolve("inner");
                    default -> exported.resolve("second/inner");
                };
        setAcls(filled, new ExtendedAcls(Optional.of(ACL), Optional.of(DEFAULTS)));
        boolean isRoot = Files.getAttribute(exported, "unix:uid").equals(0);
        if (isRoot) {
            Files.setAttribute(filled, "unix:uid", 7000);
            Files.setAttribute(filled, "unix:gid", 7001);
        }
        Files.setPosixFilePermissions(filled, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setPosixFilePermissions(from, PosixFilePermissions.fromString("r-x-w--w-"));
        var seen = Collections.synchronizedList(new ArrayList<String>());
        copied =
                name -> {
                    try {
                        if (name.endsWith("/old")) {
                            seen.add(
                                    mode(filled) + " " + acls(filled).isNone() + " " + ids(filled));
                        }
                    } catch (IOException unreadable) {
                        seen.add(unreadable.toString());
                    }
                };
        switch (way) {
            case "put" -> put(PreservedAttributes.ALL);
            case "get" -> get();
            default -> copyOnServer();
        }
        assertEquals(List.of("rwx-w--w- true " + ids(from)), seen);
        assertEquals("r-x-w--w-", mode(filled));
        assertEquals(List.of(), failures);
    }

    private static String ids(Path file) throws IOException {
        return Files.getAttribute(file, "unix:uid") + ":" + Files.getAttribute(file, "unix:gid");
    }
}
