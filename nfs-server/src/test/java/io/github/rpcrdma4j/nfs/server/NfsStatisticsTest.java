package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import org.junit.jupiter.api.Test;

class NfsStatisticsTest {
    @Test
    void countsCallsAndTheBytesOfFiles() throws Exception {
        try (var testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
                var server = TestServer.of(testDirectory)) {
            var file = server.create(server.root(), "file");
            server.write(file, 0, "hello");
            server.read(file, 1, 100);
            server.read(file, 5, 100);
            // A failed call counts, but its bytes do not.
            server.status(new Nfs3Call.Read(server.root(), 0, 100));
            var statistics = server.nfs.statistics();
            assertEquals(1, statistics.calls(Procedure.CREATE));
            assertEquals(1, statistics.calls(Procedure.WRITE));
            assertEquals(3, statistics.calls(Procedure.READ));
            assertEquals(0, statistics.calls(Procedure.RENAME));
            assertEquals(5, statistics.bytesWritten());
            assertEquals(4, statistics.bytesRead());
        }
    }
}
