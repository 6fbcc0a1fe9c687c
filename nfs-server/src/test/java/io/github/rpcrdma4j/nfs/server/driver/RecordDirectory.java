package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;

/** The directory of a test in which servers keep records, one after the other. */
public abstract class RecordDirectory {
    /** The clock of a machine that has lost its time, so that starts count by one. */
    public static final InstantSource STOPPED = InstantSource.fixed(Instant.EPOCH);

    static final ClientRecord A = client("a");
    static final ClientRecord B = client("b");
    static final ClientRecord C = client("c");

    @TempDir Path parent;

    /** Aborts a change without any clean-up, as a crash does. */
    public static final class Crash extends Error {
        private static final long serialVersionUID = 1;
    }

    /** A change of records. */
    public interface Change {
        void carryOut(StoredRecords records) throws IOException;
    }

    static ClientRecord client(String owner) {
        return new ClientRecord(
                OpaqueName.of(owner.getBytes(StandardCharsets.UTF_8)),
                new Principal("sys:0"),
                "",
                0);
    }

    Path directory() {
        return parent.resolve("state").resolve("clients");
    }

    StoredRecords open() throws IOException {
        return open(StoredRecords.RECORDS_MAX);
    }

    StoredRecords open(int recordsMax) throws IOException {
        return StoredRecords.open(directory(), STOPPED, recordsMax, _ -> {});
    }

    Set<String> names() throws IOException {
        try (var files = Files.list(directory())) {
            return files.map(each -> each.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    /** Starts a server once more, and returns who may reclaim. */
    Set<ClientRecord> whoMayReclaim() throws IOException {
        try (var records = open()) {
            assertEquals(0, records.skipped());
            return new HashSet<>(records.earlier());
        }
    }

    /** Starts a server that writes records. */
    void startWith(ClientRecord... clients) throws IOException {
        try (var records = open()) {
            for (var each : clients) {
                records.persist(List.of(each));
            }
        }
    }
}
