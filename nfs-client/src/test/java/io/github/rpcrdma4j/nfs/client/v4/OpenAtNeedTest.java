package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a file that is read once is open only at servers that ask for it. Method: the plans, as
 * after answers of a server that does not take the anonymous stateid.
 */
@Timeout(120)
class OpenAtNeedTest {
    private static final int LENGTH = 10;

    @TempDir private Path directory;
    private WatchedServer server;
    private Nfs4Service service;
    private OpenAtNeed file;

    @BeforeEach
    void connect() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.write(directory.resolve("file"), new byte[LENGTH]);
        server = new WatchedServer(directory, Optional.empty());
        service = server.connect();
        var place = new RemotePlace(service.mount(PathName.of("/data")), "file");
        file = (OpenAtNeed) service.openOnce(service.lookup(place, "no").handle(), "no");
    }

    @AfterEach
    void stop() throws Exception {
        service.close();
        server.close();
    }

    private static StateId stateId(Plan plan) {
        return ((DataArguments.Read) plan.operations().get(1)).stateId();
    }

    private int opens() {
        return server.administration().opens(9).size();
    }

    @Test
    void aReadNeedsNoOpenFile() throws Exception {
        try (var arena = Arena.ofShared()) {
            assertEquals(LENGTH, service.read(file, 0, arena.allocate(LENGTH + 1), "no"));
        }
        assertEquals(0, opens());
        file.close();
    }

    @Test
    void aServerThatWantsItOpenGetsItOpenOnce() throws Exception {
        try (var arena = Arena.ofShared()) {
            var target = arena.allocate(LENGTH);
            var first = FilePlans.reading(file, 0, target, "no");
            var second = FilePlans.reading(file, 0, target, "no");
            assertEquals(StateId.ANONYMOUS, stateId(first.plan()));
            assertEquals(StateId.ANONYMOUS, stateId(second.plan()));
            assertTrue(first.hearsOfLoss());
            assertTrue(second.hearsOfLoss());
            var open = stateId(first.plan());
            assertFalse(open.equals(StateId.ANONYMOUS));
            assertEquals(open, stateId(second.plan()));
            assertEquals(1, opens());
            assertEquals(LENGTH, service.read(file, 0, target, "no"));
        }
        file.close();
        assertEquals(0, opens());
    }
}
