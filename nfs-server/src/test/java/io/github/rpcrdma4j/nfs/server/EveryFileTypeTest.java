package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: every procedure on a file of every type returns at once and delays no other call. Opening a
 * FIFO would wait for the other end, and opening a device can have any effect.
 */
class EveryFileTypeTest {
    /** A call takes some microseconds; a busy machine needs longer. */
    private static final long DEADLINE_SECONDS = 5;

    private static final int OWNER = 1000;

    /** A type of file. */
    enum Type {
        REGULAR,
        DIRECTORY,
        SYMBOLIC_LINK,
        FIFO,
        SOCKET,
        /** {@code /dev/full}, which all users may write to. */
        CHARACTER_DEVICE,
        /** A device number without a driver. */
        BLOCK_DEVICE;

        boolean make(Path file) throws Exception {
            return switch (this) {
                case REGULAR -> Files.writeString(file, "text") != null;
                case DIRECTORY -> Files.createDirectory(file) != null;
                case SYMBOLIC_LINK -> Files.createSymbolicLink(file, Path.of("f")) != null;
                case FIFO -> LocalCalls.makeNode(file, LocalCalls.FIFO | 0666, 0);
                case SOCKET -> LocalCalls.makeNode(file, LocalCalls.SOCKET | 0666, 0);
                case CHARACTER_DEVICE ->
                        LocalCalls.makeNode(file, LocalCalls.CHARACTER_DEVICE | 0666, 0x107);
                case BLOCK_DEVICE ->
                        LocalCalls.makeNode(file, LocalCalls.BLOCK_DEVICE | 0666, 0xffff);
            };
        }
    }

    private TestDirectory testDirectory;
    private TestServer server;
    private FileHandle root;
    private ExecutorService threads;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        Files.setAttribute(testDirectory.root(), "unix:mode", 0777);
        var rule = ExportRule.trusting(false).withSync(false);
        server = TestServer.of(testDirectory, List.of(rule), SecurityFlavor.SYS);
        root = server.root();
        threads = Executors.newVirtualThreadPerTaskExecutor();
    }

    @AfterEach
    void stop() throws Exception {
        if (server != null) {
            // A hanging call must not block the end of the test.
            threads.shutdownNow();
            server.close();
            testDirectory.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void answersEveryProcedureAtOnce(Type type) throws Exception {
        for (int uid : new int[] {OWNER, 0}) {
            var caller = new Credential.Sys(0, "test", uid, uid, List.of());
            for (int i = 0; i < EveryCall.on(root, uid).size(); i++) {
                var file = make(type);
                tryOne(caller, EveryCall.on(file, uid).get(i));
            }
            for (int i = 0; i < EveryCall.in(root, root).size(); i++) {
                var file = make(type);
                // First on names in the file, then on the file's own name.
                tryOne(caller, EveryCall.in(file, file).get(i));
                tryOne(caller, EveryCall.in(root, file).get(i));
            }
        }
    }

    /** Makes a file of a type, named {@code f}, that belongs to an ordinary user. */
    private FileHandle make(Type type) throws Exception {
        for (var name : List.of(EveryCall.FILE, EveryCall.MADE, EveryCall.DIRECTORY, "moved")) {
            delete(testDirectory.root().resolve(name));
        }
        Files.createDirectory(testDirectory.root().resolve(EveryCall.DIRECTORY));
        var file = testDirectory.root().resolve(EveryCall.FILE);
        assumeTrue(type.make(file), "this process may not make a " + type);
        if (LocalCalls.user() == 0) {
            Files.setAttribute(file, "unix:uid", OWNER, LinkOption.NOFOLLOW_LINKS);
        }
        return answered(() -> server.lookup(root, EveryCall.FILE));
    }

    private static void delete(Path file) throws Exception {
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            try (var names = Files.list(file)) {
                for (var each : names.toList()) {
                    delete(each);
                }
            }
        }
        Files.deleteIfExists(file);
    }

    private void tryOne(Credential caller, Nfs3Call<?, ?> call) throws Exception {
        var status = answered(() -> server.status(caller, call));
        assertNotEquals(Status.SERVERFAULT, status, call.toString());
        answered(
                () ->
                        server.status(
                                caller,
                                new Nfs3Call.Rename(
                                        new DirOpArgs(root, EveryCall.FILE),
                                        new DirOpArgs(root, "moved"))));
        assertEquals(Status.OK, answered(() -> server.status(new Nfs3Call.GetAttributes(root))));
    }

    private <T> T answered(Callable<T> call) throws Exception {
        try {
            return threads.submit(call).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException never) {
            return fail("no answer in " + DEADLINE_SECONDS + " s", never);
        }
    }
}
