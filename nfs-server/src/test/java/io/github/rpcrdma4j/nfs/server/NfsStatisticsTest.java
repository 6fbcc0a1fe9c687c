package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import org.junit.jupiter.api.Test;

class NfsStatisticsTest {
    @Test
    void countsCallsAndTheBytesOfFiles() throws Exception {
        try (var ground = Ground.of(Ground.Kind.BASIC);
                var served = Served.of(ground)) {
            var file = served.create(served.root(), "file");
            served.write(file, 0, "hello");
            served.read(file, 1, 100);
            served.read(file, 5, 100);
            // A failed call counts, but its bytes do not.
            served.status(new Nfs3Call.Read(served.root(), 0, 100));
            var statistics = served.server.statistics();
            assertEquals(1, statistics.calls(Procedure.CREATE));
            assertEquals(1, statistics.calls(Procedure.WRITE));
            assertEquals(3, statistics.calls(Procedure.READ));
            assertEquals(0, statistics.calls(Procedure.RENAME));
            assertEquals(5, statistics.bytesWritten());
            assertEquals(4, statistics.bytesRead());
        }
    }
}
