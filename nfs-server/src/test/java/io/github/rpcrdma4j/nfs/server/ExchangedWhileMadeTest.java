package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.claim;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.encoded;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.makeDirectory;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.directories.linux.NamedStores;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.oncrpc.rpcbind.RpcbindClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: who makes a file gets that one, also if another user gives its name to another one at once,
 * which then is left alone. Method: over RDMA; a local process exchanges the names in between.
 */
class ExchangedWhileMadeTest {
    private static final int USER = 4711;
    private static final int EVIL = 4712;

    private final AtomicBoolean exchanges = new AtomicBoolean();
    private TestDirectory directory;
    private RdmaServer server;
    private CompoundClient client;
    private Path made;
    private Path theirs;

    @BeforeEach
    void serve() throws Exception {
        assumeTrue(LocalCalls.user() == 0, "only root makes files of others");
        directory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        Files.setAttribute(directory.root(), "unix:mode", 0777);
        made = directory.root().resolve("made");
        theirs = directory.root().resolve("theirs");
        var exports = List.of(new Export(TestServer.EXPORT, directory.root(), false));
        var stores = new NamedStores(this::exchange);
        server =
                new RdmaServer(
                        new NfsServer(
                                exports,
                                TestServer.KEY,
                                KerberosUsers.NONE,
                                Nfs4Options.DEFAULT,
                                (export, number, verifier) ->
                                        stores.open(
                                                export.directory().orElseThrow(), number, verifier),
                                RpcbindClient.PORT));
        client = CompoundClient.of(server, "client", USER);
    }

    @AfterEach
    void stop() throws Exception {
        if (server != null) {
            server.close();
        }
        if (directory != null) {
            directory.close();
        }
    }

    /** Exchanges the names of the next file that is made. */
    private void exchange() {
        if (exchanges.compareAndSet(true, false)) {
            assertTrue(LocalCalls.exchange(made, theirs));
        }
    }

    private static void give(Path file, int owner) throws IOException {
        Files.setAttribute(file, "unix:uid", owner, LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean isOf(Path file, int owner) throws IOException {
        return Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(owner);
    }

    @Test
    void aDirectoryOfAnotherUserIsNotTheOneThatWasMade() throws Exception {
        Files.createDirectory(theirs);
        Files.setAttribute(theirs, "unix:mode", 0777);
        give(theirs, EVIL);
        exchanges.set(true);
        assertEquals(
                Nfs4Status.DELAY,
                client.status(at("", makeDirectory("made"), makeDirectory("in"))));
        assertTrue(isOf(made, EVIL));
        for (var each : List.of(made, theirs)) {
            assertFalse(Files.exists(each.resolve("in")), "it is used in place of the new one");
        }
    }

    /** It is of the same user. */
    @Test
    void anotherLinkIsNotTheOneThatWasMade() throws Exception {
        var create =
                new NameArguments.Create(
                        new NameArguments.NewFile.SymbolicLink(PathName.of("right")),
                        FileName.of("made"),
                        encoded(SetAttributes.NONE));
        Files.createSymbolicLink(theirs, Path.of("wrong"));
        give(theirs, USER);
        exchanges.set(true);
        assertEquals(Nfs4Status.DELAY, client.status(at("", create, new NameArguments.ReadLink())));
        assertEquals(Path.of("wrong"), Files.readSymbolicLink(made));
        assertEquals(Path.of("right"), Files.readSymbolicLink(theirs));
    }

    /** The caller may remove both. */
    @Test
    void whatHasTheNameOfAFileWhoseCreationFailsIsNotRemoved() throws Exception {
        var endless = encoded(SetAttributes.ofSize(Long.MAX_VALUE));
        var ways = List.of(new OpenCreation.Unchecked(endless), new OpenCreation.Guarded(endless));
        for (var each : ways) {
            for (boolean isExchanged : new boolean[] {false, true}) {
                Files.writeString(theirs, "theirs");
                give(theirs, EVIL);
                exchanges.set(isExchanged);
                var open = open("owner", Open.BOTH, 0, each, claim("made"));
                var status = client.status(at("", open));
                assumeTrue(status != Nfs4Status.OK, "a file can be as long as a number");
                assertEquals(Nfs4Status.FBIG, status);
                if (isExchanged) {
                    assertEquals("theirs", Files.readString(made), each::toString);
                    Files.delete(made);
                } else {
                    assertFalse(Files.exists(made), "a failed creation leaves no file");
                }
                Files.delete(theirs);
            }
        }
    }
}
