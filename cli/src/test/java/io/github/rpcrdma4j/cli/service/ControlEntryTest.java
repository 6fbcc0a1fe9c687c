package io.github.rpcrdma4j.cli.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.rpcrdma4j.cli.JsonText;
import io.github.rpcrdma4j.dissect.Json;
import io.github.rpcrdma4j.nfs.server.admin.AwaitedClient;
import io.github.rpcrdma4j.nfs.server.admin.ServedClient;
import io.github.rpcrdma4j.nfs.server.admin.ServedCopy;
import io.github.rpcrdma4j.nfs.server.admin.ServedFile;
import io.github.rpcrdma4j.nfs.server.admin.ServedLock;
import io.github.rpcrdma4j.nfs.server.admin.ServedOpen;
import io.github.rpcrdma4j.nfs.server.admin.ServedOpen.Share;
import io.github.rpcrdma4j.nfs.server.admin.ServedSession;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Goal: each entry is one line, for people and for programs. */
class ControlEntryTest {
    private static final ServedFile FILE = new ServedFile("/data", OptionalLong.of(12));

    private static ServedClient client(String name, boolean isExpired, int lost) {
        return new ServedClient(
                0x6a1f0b2c00000001L,
                name,
                "sys:0",
                "192.0.2.1",
                "Linux 6.12\nrpcrdma: \u202eok",
                true,
                Duration.ofMillis(3900),
                isExpired,
                true,
                true,
                1,
                4,
                lost,
                2);
    }

    private static void isEntry(String words, String json, List<ControlEntry> entries) {
        assertEquals(words, entries.getFirst().words());
        assertEquals(new JsonText(json).whole(), Json.of(entries.getFirst().fields()));
    }

    @Test
    void describesAClient() {
        isEntry(
                "6a1f0b2c00000001  Linux NFSv4.2 a, sys:0, from 192.0.2.1, idle 3 s, 1 session, holds 4 stateids,"
                        + " 2 locked ranges, may reclaim",
                "{\"client\":\"6a1f0b2c00000001\",\"name\":\"Linux NFSv4.2 a\","
                        + "\"principal\":\"sys:0\",\"host\":\"192.0.2.1\","
                        + "\"implementation\":\"Linux 6.12\\u000arpcrdma: \\u202eok\","
                        + "\"confirmed\":true,\"idleSeconds\":3,\"expired\":false,"
                        + "\"recorded\":true,\"recovered\":true,\"sessions\":1,\"held\":4,"
                        + "\"lost\":0,\"ranges\":2}",
                ControlEntry.clients(List.of(client("Linux NFSv4.2 a", false, 0))));
    }

    @Test
    void saysWhatAClientHasLost() {
        var words = ControlEntry.clients(List.of(client("a", true, 5))).getFirst().words();
        assertEquals(
                "6a1f0b2c00000001  a, sys:0, from 192.0.2.1, idle 3 s (expired), 1 session, holds 4 stateids,"
                        + " 2 locked ranges, lost 5, may reclaim",
                words);
    }

    @Test
    void describesAClientThatIsAwaited() {
        isEntry(
                "not back yet      a, sys:0, may reclaim until the grace period ends",
                "{\"client\":null,\"name\":\"a\",\"principal\":\"sys:0\",\"awaited\":true}",
                ControlEntry.awaited(List.of(new AwaitedClient("a", "sys:0"))));
    }

    @Test
    void describesASession() {
        var session = new ServedSession("0".repeat(31) + "1", 1, 64, 2, 4, 1, true);
        isEntry(
                "00000000000000000000000000000001  client 0000000000000001, 64 slots, 2 in use,"
                        + " 4 connections, can be called back",
                "{\"session\":\"00000000000000000000000000000001\","
                        + "\"client\":\"0000000000000001\",\"slots\":64,\"running\":2,"
                        + "\"connections\":4,\"backConnections\":1,\"callsBack\":true}",
                ControlEntry.sessions(List.of(session)));
    }

    @Test
    void describesAnOpen() {
        isEntry(
                "/data inode 12  client ffffffffffffffff, owner 6f70, access both, deny none",
                "{\"export\":\"/data\",\"inode\":12,\"client\":\"ffffffffffffffff\","
                        + "\"owner\":\"6f70\",\"access\":\"both\",\"deny\":\"none\"}",
                ControlEntry.opens(
                        List.of(new ServedOpen(FILE, -1, "6f70", Share.BOTH, Share.NONE))));
    }

    @Test
    void describesALock() {
        isEntry(
                "/data inode 12  client 0000000000000001, owner a, write lock of 10 bytes from 5",
                "{\"export\":\"/data\",\"inode\":12,\"client\":\"0000000000000001\","
                        + "\"owner\":\"a\",\"type\":\"write\",\"offset\":\"5\",\"length\":\"10\"}",
                ControlEntry.locks(List.of(new ServedLock(FILE, 1, "a", true, 5, 10))));
        var gone = new ServedFile("/data", OptionalLong.empty());
        isEntry(
                "/data (a file that is gone)  client 0000000000000001, owner a, read lock of all"
                        + " bytes from 18446744073709551615",
                "{\"export\":\"/data\",\"inode\":null,\"client\":\"0000000000000001\","
                        + "\"owner\":\"a\",\"type\":\"read\","
                        + "\"offset\":\"18446744073709551615\",\"length\":null}",
                ControlEntry.locks(List.of(new ServedLock(gone, 1, "a", false, -1, -1))));
    }

    @Test
    void describesACopy() {
        isEntry(
                "/data inode 12  client 0000000000000001, 10 of 30 bytes copied",
                "{\"export\":\"/data\",\"inode\":12,\"client\":\"0000000000000001\","
                        + "\"copied\":\"10\",\"length\":\"30\",\"running\":true}",
                ControlEntry.copies(List.of(new ServedCopy(FILE, 1, 10, 30, true))));
        assertEquals(
                "/data inode 12  client 0000000000000001, 30 of 30 bytes copied, ended, the client"
                        + " does not know yet",
                ControlEntry.copies(List.of(new ServedCopy(FILE, 1, 30, 30, false)))
                        .getFirst()
                        .words());
    }

    /** Goal: a client cannot write lines of its own into the list. */
    @Test
    void keepsAnEntryOnOneLine() {
        var line = ControlEntry.clients(List.of(client("a\nok", false, 0))).getFirst();
        assertFalse(line.words().contains("\n"), line::words);
        assertFalse(Json.of(line.fields()).contains("\n"));
    }
}
