package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results.Created;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: another user exchanges a file that root has just made on a server for another one, in a
 * directory that both may change, and gets nothing by it. Method: the server makes the exchange
 * itself, before it replies to the call that made the file.
 */
class ExchangedNamesTest {
    private static final int MALLORY = 7001;
    private static final int BOB = 7002;

    @TempDir private Path directory;
    private Path exported;
    private Path source;
    private NfsServer nfs;
    private RpcRdmaServer rdma;
    private NfsVersion version = NfsVersion.VERSION_3;
    private Set<Integer> withheld = Set.of();
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger directories = new AtomicInteger();

    /** What happens after a call. */
    private interface Change {
        void run(int procedure) throws IOException;
    }

    private volatile Change change = _ -> {};

    @BeforeEach
    void serve() throws Exception {
        assumeTrue(
                ProcessCredential.read() instanceof Credential.Sys own && own.uid() == 0,
                "only root makes files of others");
        exported = Files.createDirectory(directory.resolve("exported"));
        source = Files.createDirectory(directory.resolve("source"));
        mode(exported, "rwxrwxrwx");
    }

    private void start() throws IOException {
        nfs = new NfsServer(List.of(new Export("/data", exported, false)), new byte[32]);
        var programs = new ArrayList<>(nfs.programs());
        programs.addAll(nfs.version2Programs());
        rdma =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(programs.stream().map(this::changing).toList())
                        .start();
    }

    private RpcProgram changing(RpcProgram program) {
        return program.id().number() != Nfs3.PROGRAM
                ? program
                : new CallsWithChanges(program, withheld, this::after);
    }

    private void after(int version, int procedure) {
        // Version 2 has no MKNOD, and its numbers differ.
        int called = version == 2 && procedure == 13 ? CallsWithChanges.SYMLINK : procedure;
        if (version == 3 && procedure == CallsWithChanges.MKDIR) {
            directories.incrementAndGet();
        }
        try {
            change.run(version == 2 && called == procedure ? -1 : called);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @AfterEach
    void stop() {
        if (rdma != null) {
            rdma.close();
            nfs.close();
            assertEquals(0, rdma.leasedMemory());
        }
    }

    private NfsMount mount() throws Exception {
        if (rdma == null) {
            start();
        }
        var caller = new Credential.Sys(0, "test", 0, 0, List.of());
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider())
                                .credential(caller)
                                .binding(version.binding())
                                .connect(rdma.address());
        var options = ClientOptions.DEFAULT.withVersion(version).withCaller(caller);
        return NfsMount.of(new Nfs3Client(connector, connector, options), "/data");
    }

    private interface Using {
        void use(Copier copier) throws Exception;
    }

    private void copy(PreservedAttributes kept, Using using) throws Exception {
        var listener =
                new CopyListener() {
                    @Override
                    public void failed(IOException why) {
                        failures.add(why.getMessage());
                    }
                };
        try (var mount = mount()) {
            var options = ClientOptions.DEFAULT.withVersion(version);
            using.use(new Copier(mount, options, listener, kept));
        } catch (IncompleteTreeException _) {
            // The listener has the failures.
        }
    }

    private void put(PreservedAttributes kept) throws Exception {
        copy(
                kept,
                copier ->
                        new TreeCopier(copier, _ -> true)
                                .put(source, copier.mount().place("/data/copy"), "copy"));
    }

    private static Path mode(Path file, String mode) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private static Object owner(Path file) throws IOException {
        return Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    private Path ofOther(String name, int owner, boolean isDirectory) throws IOException {
        var file = exported.resolve(name);
        var made = isDirectory ? Files.createDirectory(file) : Files.writeString(file, "secret");
        mode(made, isDirectory ? "rwx------" : "rw-------");
        return Files.setAttribute(made, "unix:uid", owner);
    }

    /** Gives the name of a new file to another one, once. */
    private void exchange(int procedure, Path made, Path other) {
        change =
                called -> {
                    if (called == procedure
                            && Files.exists(made, LinkOption.NOFOLLOW_LINKS)
                            && Files.exists(other)) {
                        if (procedure == CallsWithChanges.MKDIR
                                || procedure == CallsWithChanges.CREATE) {
                            Files.move(made, exported.resolve("moved"));
                        }
                        Files.move(other, made, StandardCopyOption.ATOMIC_MOVE);
                    }
                };
    }

    @ParameterizedTest
    @EnumSource(PreservedAttributes.class)
    void aDirectoryThatTookTheNameOfANewOneIsLeftAlone(PreservedAttributes kept) throws Exception {
        withheld = Set.of(CallsWithChanges.MKDIR);
        Files.writeString(Files.createDirectory(source.resolve("d")).resolve("key"), "key");
        Files.setAttribute(source.resolve("d"), "unix:uid", MALLORY);
        mode(source.resolve("d"), "rwxrwxrwx");
        var secret = ofOther("secret", BOB, true);
        var now = exported.resolve("copy/d");
        exchange(CallsWithChanges.MKDIR, now, secret);
        put(kept);
        assertEquals(BOB, owner(now), failures::toString);
        assertEquals("rwx------", mode(now));
        assertFalse(Files.exists(now.resolve("key")));
        assertEquals(
                List.of(
                        "cannot make copy/d: the server does not tell what it made, and another"
                                + " file may have the name"),
                failures);
    }

    /** Some servers find the new directory by its name again, after they made it. */
    @Test
    void aNewDirectoryIsThisUsersWhoeverTellsItsHandle() throws Exception {
        ofOther("theirs", MALLORY, true);
        mode(exported.resolve("theirs"), "rwxrwxrwx");
        var wide = mode(Files.createDirectory(exported.resolve("wide")), "rwxrwxrwx");
        copy(
                PreservedAttributes.PERMISSIONS,
                copier -> {
                    var mount = copier.mount();
                    var files = copier.remote().newFiles();
                    var place = mount.place("/data/new");
                    var theirs = Optional.of(mount.resolve("/data/theirs").handle());
                    var reply = new Created(theirs, Optional.empty());
                    assertThrows(
                            IOException.class, () -> files.directory(reply, place, 0700, "no"));
                    var own = Optional.of(mount.resolve("/data/wide").handle());
                    files.directory(new Created(own, Optional.empty()), place, 0700, "no");
                });
        assertEquals("rwx------", mode(wide));
        assertEquals("rwxrwxrwx", mode(exported.resolve("theirs")));
    }

    @Test
    void aServerThatTellsNoHandleGetsWholeTreesWhereNobodyExchangesNames() throws Exception {
        withheld =
                Set.of(
                        CallsWithChanges.CREATE,
                        CallsWithChanges.MKDIR,
                        CallsWithChanges.SYMLINK,
                        CallsWithChanges.MKNOD);
        Files.writeString(Files.createDirectory(source.resolve("d")).resolve("key"), "key");
        Files.createSymbolicLink(source.resolve("d/link"), Path.of("nowhere"));
        Files.setAttribute(source.resolve("d/link"), "unix:uid", BOB, LinkOption.NOFOLLOW_LINKS);
        put(PreservedAttributes.ALL);
        assertEquals(List.of(), failures);
        assertEquals("key", Files.readString(exported.resolve("copy/d/key")));
        assertEquals(BOB, owner(exported.resolve("copy/d/link")));
        // The directories of the copy are its own until they are full.
        assertEquals(2, directories.get());
    }

    private void requireSecretKept(String name, int procedure) throws Exception {
        var held = Files.createDirectory(directory.resolve("held"));
        var secret = ofOther("secret", BOB, false);
        // A second name shows what becomes of the file.
        var second = Files.createLink(held.resolve("secret"), secret);
        Files.setAttribute(source.resolve(name), "unix:uid", MALLORY, LinkOption.NOFOLLOW_LINKS);
        var target = exported.resolve(name);
        exchange(procedure, target, secret);
        copy(
                PreservedAttributes.ATTRIBUTES,
                copier ->
                        new TreeCopier(copier, _ -> true)
                                .put(
                                        source.resolve(name),
                                        copier.mount().place("/data/" + name),
                                        name));
        assertFalse(Files.exists(secret));
        assertEquals(BOB, owner(second), failures::toString);
        assertEquals("rw-------", mode(second));
        assertEquals(List.of(), failures);
        assertEquals(MALLORY, owner(target));
        assertFalse(Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS));
        try (var all = Files.list(exported)) {
            assertEquals(List.of(target), all.toList());
        }
    }

    @Test
    void aFileThatTookTheNameOfANewLinkIsLeftAloneOverVersionTwo() throws Exception {
        version = NfsVersion.VERSION_2;
        Files.createSymbolicLink(source.resolve("link"), Path.of("nowhere"));
        requireSecretKept("link", CallsWithChanges.SYMLINK);
    }

    @Test
    void aFileThatTookTheNameOfANewLinkIsLeftAlone() throws Exception {
        withheld = Set.of(CallsWithChanges.SYMLINK);
        Files.createSymbolicLink(source.resolve("link"), Path.of("nowhere"));
        requireSecretKept("link", CallsWithChanges.SYMLINK);
    }

    @Test
    void aFileThatTookTheNameOfANewFifoIsLeftAlone() throws Exception {
        withheld = Set.of(CallsWithChanges.MKNOD, CallsWithChanges.MKDIR);
        var fifo = source.resolve("fifo");
        assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        mode(fifo, "rw-rw-rw-");
        requireSecretKept("fifo", CallsWithChanges.MKNOD);
    }

    private String written(StandardOpenOption how) throws Exception {
        try (var files = NfsFiles.of(mount());
                var out = files.newByteChannel("/data/new", StandardOpenOption.WRITE, how)) {
            out.write(ByteBuffer.wrap("private".getBytes()));
            return "written";
        } catch (IOException refused) {
            return refused.getMessage();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = StandardOpenOption.class,
            names = {"CREATE", "CREATE_NEW"})
    void whatIsWrittenGoesToTheFileThatWasMade(StandardOpenOption how) throws Exception {
        var secret = ofOther("secret", BOB, false);
        exchange(CallsWithChanges.CREATE, exported.resolve("new"), secret);
        assertEquals("written", written(how));
        assertEquals("secret", Files.readString(exported.resolve("new")));
        assertEquals("private", Files.readString(exported.resolve("moved")));
    }

    @Test
    void nothingIsWrittenIfTheServerDoesNotTellWhatItMade() throws Exception {
        withheld = Set.of(CallsWithChanges.CREATE);
        assertEquals("written", written(StandardOpenOption.CREATE_NEW));
        assertEquals("private", Files.readString(exported.resolve("new")));
        Files.delete(exported.resolve("new"));
        var evil = Files.createFile(exported.resolve("evil"));
        Files.setAttribute(evil, "unix:uid", MALLORY);
        exchange(CallsWithChanges.CREATE, exported.resolve("new"), evil);
        var refused = written(StandardOpenOption.CREATE_NEW);
        assertTrue(refused.endsWith("another file may have the name"), refused);
        assertEquals("", Files.readString(exported.resolve("new")));
    }

    @Test
    void aNewEmptyFileIsTheOneThatWasMade() throws Exception {
        var secret = ofOther("secret", BOB, false);
        exchange(CallsWithChanges.CREATE, exported.resolve("new"), secret);
        try (var mount = mount()) {
            assertEquals(0, mount.makeFile(PathName.of("/data/new"), 0600).attributes().size());
        }
        assertEquals("secret", Files.readString(exported.resolve("new")));
    }

    @Test
    void aNewDirectoryOfACommandIsTheOneThatWasMade() throws Exception {
        withheld = Set.of(CallsWithChanges.MKDIR);
        var secret = ofOther("secret", BOB, true);
        try (var mount = mount()) {
            mount.makeDirectory(PathName.of("/data/first"));
            exchange(CallsWithChanges.MKDIR, exported.resolve("new"), secret);
            assertThrows(IOException.class, () -> mount.makeDirectory(PathName.of("/data/new")));
        }
    }

    private void copyOnServer(PreservedAttributes kept) throws Exception {
        copy(
                kept,
                copier ->
                        new TreeCopier(copier, _ -> true)
                                .copy(
                                        copier.mount().resolve("/data/tree"),
                                        "tree",
                                        copier.mount().place("/data/copy"),
                                        "copy"));
        assertEquals(List.of(), failures);
    }

    private Path open(String name) throws IOException {
        var tree = Files.createDirectories(exported.resolve("tree"));
        var file = mode(Files.writeString(tree.resolve(name), "open"), "rw-r--r--");
        return Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_000L));
    }

    @ParameterizedTest
    @EnumSource(PreservedAttributes.class)
    void aCopyHasTheModeThatItsSourceHasWhenItIsRead(PreservedAttributes kept) throws Exception {
        var file = open("file");
        var fifo = exported.resolve("tree/fifo");
        assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        mode(fifo, "rw-r--r--");
        change =
                procedure -> {
                    if (procedure == CallsWithChanges.MKDIR) {
                        // The directory is listed before its copy is made.
                        mode(Files.writeString(file, "secret"), "rw-------");
                        mode(fifo, "rw-------");
                    }
                };
        copyOnServer(kept);
        assertEquals("secret", Files.readString(exported.resolve("copy/file")));
        assertEquals("rw-------", mode(exported.resolve("copy/file")));
        assertEquals("rw-------", mode(exported.resolve("copy/fifo")));
    }

    @ParameterizedTest
    @EnumSource(PreservedAttributes.class)
    void aCopyGrantsNoMoreThanItsSourceAfterTheLastRead(PreservedAttributes kept) throws Exception {
        var narrowed = open("narrowed");
        change =
                procedure -> {
                    if (procedure == CallsWithChanges.READ) {
                        mode(narrowed, "rw-----w-");
                    }
                };
        copyOnServer(kept);
        assertEquals("rw-------", mode(exported.resolve("copy/narrowed")));
    }
}
