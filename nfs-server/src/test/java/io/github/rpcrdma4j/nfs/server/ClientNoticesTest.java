package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Ports;
import io.github.rpcrdma4j.nfs.server.served.ClientNotices;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.testing.LoggedLines;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: the log tells an operator who mounts what, and why a mount fails; no client fills it. */
class ClientNoticesTest {
    private final LoggedLines logged = new LoggedLines(ClientNotices.class);
    private final List<String> lines = logged.lines;
    private TestDirectory testDirectory;
    private TestServer server;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        Files.setAttribute(testDirectory.root(), "unix:mode", 0755);
        Files.createDirectory(testDirectory.root().resolve("below"));
        var rules =
                List.of(
                        ExportRule.of(Clients.parse("192.0.2.0/24")),
                        ExportRule.of(Clients.parse("198.51.100.0/24"))
                                .withPorts(Ports.PRIVILEGED));
        server =
                TestServer.of(
                        List.of(
                                new Export(
                                        "/data",
                                        testDirectory.root(),
                                        rules,
                                        List.of(SecurityFlavor.SYS))));
    }

    @AfterEach
    void stop() throws Exception {
        logged.close();
        server.close();
        testDirectory.close();
    }

    private void unmount(String path) throws Exception {
        server.results(
                Mount3.PROGRAM,
                Mount3.VERSION,
                Mount3.Procedure.UMNT.number(),
                new Credential.None(),
                out -> PathName.of(path).encode(out));
    }

    @Test
    void tellsWhoMountsWhat() throws Exception {
        server.moveTo("192.0.2.7");
        server.mount("/data");
        server.mount("/data");
        server.moveTo("192.0.2.8");
        server.mount("/data/below");
        unmount("/data/below");
        unmount("/data/below");
        unmount("/other");
        assertEquals(
                List.of(
                        "INFO 192.0.2.7:1023 has mounted /data",
                        "INFO 192.0.2.8:1023 has mounted /data/below",
                        "INFO 192.0.2.8:1023 has unmounted /data/below"),
                lines);
    }

    @Test
    void tellsThatADirectoryHidesWhatAUserWantsToMount() throws Exception {
        assumeTrue(LocalCalls.user() == 0, "only root can act for users");
        Files.setAttribute(testDirectory.root().resolve("below"), "unix:mode", 0700);
        server.moveTo("192.0.2.7");
        server.mount("/data/below/nothing");
        assertEquals(
                List.of(
                        "WARNING 192.0.2.7:1023 was refused a mount of /data/below/nothing: the"
                                + " user who mounts may not search the directories that lead there"),
                lines);
    }

    @Test
    void aLongPathKeepsNothingElseOutOfItsLine() throws Exception {
        server.moveTo("192.0.2.7");
        server.mount("/none" + "\1".repeat(900));
        var line = lines.getFirst();
        assertTrue(line.startsWith("WARNING 192.0.2.7:1023 was refused a mount of /none"), line);
        assertTrue(line.endsWith("...: there is no such export"), line);
        assertTrue(line.length() < 300, line);
    }

    @Test
    void tellsWhyAMountFailsAndWhatHelps() throws Exception {
        server.moveTo("203.0.113.9");
        server.mount("/data");
        server.moveTo("198.51.100.3", 40_000);
        server.mount("/data");
        server.moveTo("192.0.2.7");
        server.mount("/data/nothing");
        server.mount("/none\nINFO forged");
        assertEquals(
                List.of(
                        "WARNING 203.0.113.9:1023 was refused a mount of /data: /data has no"
                                + " rule for this host: allow 203.0.113.9 would let it in",
                        "WARNING 198.51.100.3:40000 was refused a mount of /data: port 40000 is"
                                + " not below 1024, as secure in the rule for this host demands",
                        "WARNING 192.0.2.7:1023 was refused a mount of /data/nothing: /data has"
                                + " no such directory",
                        "WARNING 192.0.2.7:1023 was refused a mount of /none\\x0AINFO forged: there"
                                + " is no such export"),
                lines);
    }

    @Test
    void tellsThatAPortMayHaveNoClientOfVersion4() throws Exception {
        server.moveTo("198.51.100.3", 40_000);
        for (int i = 0; i < 3; i++) {
            assertThrows(AssertionError.class, () -> CompoundClient.of(server, "client"));
        }
        assertEquals(
                List.of(
                        "WARNING 198.51.100.3:40000 was refused NFS version 4: port 40000 is not"
                                + " below 1024, as secure in the rule for this host demands"),
                lines);
    }

    @Test
    void tellsThatAPortBelow1024IsNotOfRoot() throws Exception {
        server.moveTo("198.51.100.3");
        server.be(
                new PeerIdentity(
                        ClientAddress.ofLocalUser(2000), new PeerIdentity.Process.Local(2000)));
        server.mount("/data");
        assertEquals(
                List.of(
                        "WARNING 198.51.100.3:1023 was refused a mount of /data: port 1023 is"
                                + " not of a process of root, as secure in the rule for this host"
                                + " demands"),
                lines);
    }

    /** Each can have any address of this machine. */
    @Test
    void usersOfThisMachineAreClientsOfTheirOwn() throws Exception {
        server.moveTo("192.0.2.7");
        for (int i = 0; i < 4; i++) {
            server.be(
                    new PeerIdentity(
                            ClientAddress.ofLocalUser(2000 + i / 2),
                            new PeerIdentity.Process.Local(2000 + i / 2)));
            server.mount("/data");
            server.mount("/none");
        }
        assertEquals(
                List.of(
                        "INFO 192.0.2.7:1023 has mounted /data",
                        "WARNING 192.0.2.7:1023 was refused a mount of /none: there is no such"
                                + " export",
                        "INFO 192.0.2.7:1023 has mounted /data",
                        "WARNING 192.0.2.7:1023 was refused a mount of /none: there is no such"
                                + " export"),
                lines);
    }

    @Test
    void noClientFillsTheLog() throws Exception {
        for (int i = 0; i < 1000; i++) {
            server.moveTo("203.0.113." + i % 256);
            server.mount("/data");
            server.mount("/other" + i);
        }
        assertEquals(128, lines.size(), lines::toString);
        server.moveTo("192.0.2.7");
        server.mount("/data");
        assertEquals("INFO 192.0.2.7:1023 has mounted /data", lines.getLast());
    }

    @Test
    void tellsOnceThatAClientOfVersion4UsesAnExport() throws Exception {
        server.moveTo("192.0.2.7");
        for (var name : List.of("first", "second")) {
            var client = CompoundClient.of(server, name, 1000);
            for (int i = 0; i < 3; i++) {
                client.last(
                        new HandleArguments.PutRootFh(),
                        new HandleArguments.Lookup(FileName.of("data")));
            }
        }
        // Of two clients of one host within a minute, one line is enough.
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(
                lines.getFirst()
                        .matches(
                                "INFO 192\\.0\\.2\\.7:1023 uses /data with version 4\\.[12]:"
                                        + " client [0-9a-f]{8}"),
                lines::getFirst);
    }

    @Test
    void tellsOnceThatRootIsSquashedAndWhatHelps() throws Exception {
        server.moveTo("192.0.2.7");
        var root = server.root("/data");
        lines.clear();
        for (int i = 0; i < 3; i++) {
            server.ok(new Nfs3Call.GetAttributes(root));
        }
        var expected =
                "INFO root of 192.0.2.7 acts as user 65534 in /data; no_root_squash in its rule"
                        + " lets it be root";
        boolean actsForCallers = server.nfs.descriptions().getFirst().actsForCallers();
        assertEquals(actsForCallers ? List.of(expected) : List.of(), lines);
    }
}
