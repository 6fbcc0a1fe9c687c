package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.stable.StableDirectory.Step;
import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Goal: a client that lost state is awaited after a restart and reclaims nothing, and many such
 * clients cost storage no more than one. Method: all steps are counted, and a crash before each.
 */
class RevokedFilesTest extends RecordDirectory {
    private static final int MANY = 100;

    private int directories;

    private static ClientRecord client(int number) {
        return new ClientRecord(
                OpaqueName.of(("client " + number).getBytes(StandardCharsets.UTF_8)),
                new Principal("sys:0"),
                "192.0.2.7",
                number);
    }

    private static List<ClientRecord> clients(int number) {
        return IntStream.range(0, number).mapToObj(RevokedFilesTest::client).toList();
    }

    private static List<ClientRecord> revoked(List<ClientRecord> clients) {
        return clients.stream().map(ClientRecord::revoked).toList();
    }

    private StoredRecords open(Path path, Consumer<Step> before) throws IOException {
        return StoredRecords.open(path, STOPPED, StoredRecords.RECORDS_MAX, before);
    }

    /** Returns the clients of a restart, and whether each is revoked. */
    private Map<ClientName, Boolean> restart(Path path) throws IOException {
        try (var records = open(path, _ -> {})) {
            assertEquals(0, records.skipped());
            return records.earlier().stream()
                    .collect(Collectors.toMap(ClientRecord::name, ClientRecord::isRevoked));
        }
    }

    @Test
    void manyAreRevokedByOneForcedDirectory() throws Exception {
        var steps = new ArrayList<Step>();
        var path = parent.resolve("many");
        try (var records = open(path, steps::add)) {
            records.persist(clients(MANY));
            steps.clear();
            records.revoke(revoked(clients(MANY)));
        }
        assertTrue(!steps.contains(Step.FORCE), steps::toString);
        assertEquals(1, steps.stream().filter(Step.FORCE_DIRECTORY::equals).count());
        var found = restart(path);
        assertEquals(MANY, found.size());
        assertTrue(found.values().stream().allMatch(each -> each), found::toString);
    }

    @Test
    void aClientThatGetsStateAgainReclaimsIt() throws Exception {
        var path = parent.resolve("again");
        try (var records = open(path, _ -> {})) {
            records.persist(clients(2));
            records.revoke(revoked(clients(2)));
            records.persist(clients(1));
        }
        assertEquals(Map.of(client(0).name(), false, client(1).name(), true), restart(path));
    }

    @Test
    void aRecordIsForgottenInEitherForm() throws Exception {
        var path = parent.resolve("gone");
        try (var records = open(path, _ -> {})) {
            records.persist(clients(3));
            records.revoke(revoked(clients(2)));
            records.forget(List.of(client(0).name(), client(2).name()));
        }
        try (var records = open(path, _ -> {})) {
            assertEquals(revoked(List.of(client(1))), records.earlier());
            records.forgetEarlier();
        }
        assertEquals(Map.of(), restart(path));
    }

    /** In the grace period a client of an earlier start may lose what it has reclaimed. */
    @Test
    void aRecordOfAnEarlierStartIsKeptByThisOneWhenItIsRevoked() throws Exception {
        var path = parent.resolve("earlier");
        try (var records = open(path, _ -> {})) {
            records.persist(clients(2));
        }
        try (var records = open(path, _ -> {})) {
            records.revoke(revoked(clients(1)));
            records.forgetEarlier();
        }
        assertEquals(Map.of(client(0).name(), true), restart(path));
    }

    @Test
    void aRecordThatIsNotThereIsWritten() throws Exception {
        var path = parent.resolve("new");
        try (var records = open(path, _ -> {})) {
            records.revoke(revoked(clients(1)));
        }
        assertEquals(Map.of(client(0).name(), true), restart(path));
    }

    /** Crashes before each step of a change, and hands over what each restart finds. */
    private void crashes(Change before, Change change, Consumer<Map<ClientName, Boolean>> check)
            throws IOException {
        boolean hasCrashed = true;
        for (int crashed = 1; hasCrashed; crashed++) {
            var path = parent.resolve("crash" + directories++);
            var left = new int[] {Integer.MAX_VALUE};
            hasCrashed = false;
            try (var records =
                    open(
                            path,
                            _ -> {
                                if (--left[0] == 0) {
                                    throw new Crash();
                                }
                            })) {
                before.carryOut(records);
                left[0] = crashed;
                change.carryOut(records);
            } catch (Crash _) {
                hasCrashed = true;
            }
            check.accept(restart(path));
            assertTrue(Files.exists(path));
        }
    }

    @Test
    void aCrashBeforeAnyStepLeavesEachClientItsRecordInOneForm() throws Exception {
        crashes(
                records -> records.persist(clients(3)),
                records -> records.revoke(revoked(clients(3))),
                found -> assertEquals(3, found.size(), found::toString));
    }

    @Test
    void aCrashWhileAClientGetsStateAgainLeavesItARecord() throws Exception {
        crashes(
                records -> {
                    records.persist(clients(2));
                    records.revoke(revoked(clients(2)));
                },
                records -> records.persist(clients(2)),
                found -> assertEquals(2, found.size(), found::toString));
    }
}
