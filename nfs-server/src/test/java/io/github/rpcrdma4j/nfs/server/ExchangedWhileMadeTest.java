package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.makeDirectory;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: who makes a file gets that one, also if another user gives its name to another one at once.
 * Method: over RDMA; a local process exchanges the names as soon as it can.
 */
class ExchangedWhileMadeTest {
    private static final int TRIES = 400;
    private static final int DEADLINE_SECONDS = 60;
    private static final int USER = 4711;
    private static final int EVIL = 4712;

    private TestDirectory directory;
    private RdmaServer server;
    private CompoundClient client;
    private Path made;
    private Path theirs;

    /** How often the names were exchanged. */
    private int exchanged;

    @BeforeEach
    void serve() throws Exception {
        assumeTrue(LocalCalls.user() == 0, "only root makes files of others");
        directory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        Files.setAttribute(directory.root(), "unix:mode", 0777);
        made = directory.root().resolve("made");
        theirs = directory.root().resolve("theirs");
        var exports = List.of(new Export(TestServer.EXPORT, directory.root(), false));
        server = new RdmaServer(new NfsServer(exports, TestServer.KEY, KerberosUsers.NONE));
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

    private static void give(Path file, int owner) throws IOException {
        Files.setAttribute(file, "unix:uid", owner, LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean isOf(Path file, int owner) throws IOException {
        return Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(owner);
    }

    /** Makes something while a local process waits for its name. */
    private <T> T during(Callable<T> making) throws Exception {
        try (var threads = Executors.newSingleThreadExecutor()) {
            var started = new AtomicBoolean();
            var ended = new AtomicBoolean();
            var exchange =
                    threads.submit(
                            () -> {
                                boolean isExchanged = false;
                                while (!isExchanged && !ended.get()) {
                                    isExchanged = LocalCalls.exchange(made, theirs);
                                    started.set(true);
                                }
                                return isExchanged;
                            });
            try {
                while (!started.get()) {
                    Thread.onSpinWait();
                }
                return making.call();
            } finally {
                ended.set(true);
                exchanged += exchange.get(DEADLINE_SECONDS, TimeUnit.SECONDS) ? 1 : 0;
            }
        }
    }

    @Test
    void aDirectoryOfAnotherUserIsNotTheOneThatWasMade() throws Exception {
        for (int i = 0; i < TRIES; i++) {
            Files.createDirectory(theirs);
            Files.setAttribute(theirs, "unix:mode", 0777);
            give(theirs, EVIL);
            var status =
                    during(() -> client.status(at("", makeDirectory("made"), makeDirectory("in"))));
            assertTrue(status == Nfs4Status.OK || status == Nfs4Status.DELAY, status.name());
            for (var each : List.of(made, theirs)) {
                boolean isUsed = Files.deleteIfExists(each.resolve("in"));
                assertFalse(isUsed && isOf(each, EVIL), "it is used in place of the new one");
                Files.delete(each);
            }
        }
        assertTrue(exchanged > 0, "nothing was exchanged");
    }

    /** It is of the same user. */
    @Test
    void anotherLinkIsNotTheOneThatWasMade() throws Exception {
        var create =
                new NameArguments.Create(
                        new NameArguments.NewFile.SymbolicLink(PathName.of("right")),
                        FileName.of("made"),
                        Nfs4Calls.encoded(SetAttributes.NONE));
        for (int i = 0; i < TRIES; i++) {
            Files.createSymbolicLink(theirs, Path.of("wrong"));
            give(theirs, USER);
            var reply = during(() -> client.compound(at("", create, new NameArguments.ReadLink())));
            if (reply.status() == Nfs4Status.OK) {
                var read = (NameResult.ReadLink) reply.results().getLast();
                var text = read.text().toArray(ValueLayout.JAVA_BYTE);
                assertEquals("right", new String(text, StandardCharsets.US_ASCII));
            } else {
                assertEquals(Nfs4Status.DELAY, reply.status());
            }
            Files.delete(made);
            Files.delete(theirs);
        }
        assertTrue(exchanged > 0, "nothing was exchanged");
    }
}
