package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.testLock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.unlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: those who may only read a program keep no process of the server's machine from it. */
class ReadersLocksTest {
    private static final String PROGRAM = "program";

    private TestDirectory directory;
    private Path program;

    @BeforeEach
    void copyProgram() throws Exception {
        directory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        Files.setPosixFilePermissions(
                directory.root(), PosixFilePermissions.fromString("rwxr-xr-x"));
        program = Files.copy(Path.of("/bin/true"), directory.root().resolve(PROGRAM));
    }

    @AfterEach
    void remove() throws Exception {
        directory.close();
    }

    private RdmaServer serve(boolean readOnly) throws Exception {
        var exports = List.of(new Export(TestServer.EXPORT, directory.root(), readOnly));
        return new RdmaServer(new NfsServer(exports, TestServer.KEY, KerberosUsers.NONE));
    }

    private int run() throws Exception {
        return new ProcessBuilder(program.toString()).start().waitFor();
    }

    @Test
    void aReaderOfAReadOnlyExportStopsNoProgram() throws Exception {
        try (var server = serve(true)) {
            var reader = CompoundClient.of(server, "reader", 4711);
            var opened = reader.open(at("", open(PROGRAM, Open.READ, 0)));
            reader.last(at(PROGRAM, lock(opened, "l", LockType.READ, 1L << 62, 1)));
            assertEquals(0, run());
        }
    }

    @Test
    void aProgramRunsWhenTheLastWriteLockHasEnded() throws Exception {
        try (var server = serve(false)) {
            var reader = CompoundClient.of(server, "reader", 4711);
            var opened = reader.open(at("", open(PROGRAM, Open.READ, 0)));
            reader.last(at(PROGRAM, lock(opened, "l", LockType.READ, 1L << 62, 1)));
            var writer = CompoundClient.of(server, "writer");
            var written = writer.open(at("", open(PROGRAM, Open.BOTH, 0)));
            var locked =
                    ((LockResult.Lock)
                                    writer.last(
                                            at(PROGRAM, lock(written, "l", LockType.WRITE, 0, 1))))
                            .lock();
            assertThrows(IOException.class, this::run);
            writer.last(at(PROGRAM, unlock(locked, 0, 1)));
            assertEquals(0, run());
            var test = testLock("l", LockType.WRITE, 1L << 62, 1);
            assertEquals(Nfs4Status.DENIED, writer.status(at(PROGRAM, test)));
        }
    }
}
