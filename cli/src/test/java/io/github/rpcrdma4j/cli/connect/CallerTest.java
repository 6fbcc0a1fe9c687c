package io.github.rpcrdma4j.cli.connect;

import static io.github.rpcrdma4j.cli.OtherUser.allow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.CallingProcess;
import io.github.rpcrdma4j.cli.OtherUser;
import io.github.rpcrdma4j.cli.RepeatingProcess;
import io.github.rpcrdma4j.cli.Rpcrdma;
import io.github.rpcrdma4j.cli.ServedDirectory;
import io.github.rpcrdma4j.cli.serve.HandleKey;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Ports;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a command calls as the user who runs it, and no user of the server's machine acts as
 * another one. Method: root serves a directory, and processes of another user make directories
 * there, whose owner the test checks.
 */
class CallerTest {
    @TempDir private Path directory;
    private OtherUser other;
    private Path exported;
    private NfsServer nfs;
    private ServedDirectory rdma;
    private TcpRpcServer tcp;

    @BeforeEach
    void serve() throws Exception {
        other = new OtherUser(directory);
        exported = allow(Files.createDirectory(directory.resolve("exported")), "rwxrwxrwx");
        var usual = ExportRule.of(new Clients.Everybody());
        nfs =
                new NfsServer(
                        List.of(
                                export("/data", ExportRule.trusting(false)),
                                export("/usual", usual),
                                export("/insecure", usual.withPorts(Ports.ANY)),
                                export("/secure", usual.withPorts(Ports.PRIVILEGED))),
                        HandleKey.random());
        rdma = ServedDirectory.of("127.0.0.1", nfs, List.of());
        tcp = TcpRpcServer.listen(new InetSocketAddress(0), nfs.programs(), TcpRpcOptions.DEFAULT);
    }

    private Export export(String name, ExportRule rule) {
        return new Export(name, exported, List.of(rule), List.of(SecurityFlavor.SYS));
    }

    @AfterEach
    void stop() {
        if (rdma != null) {
            tcp.close();
            rdma.close();
        }
    }

    private int command(String user, String group, String groups, String... arguments)
            throws Exception {
        return other.run(Rpcrdma.class, user, group, groups, arguments);
    }

    private static List<Object> owners(Path file) throws IOException {
        return List.of(
                Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS),
                Files.getAttribute(file, "unix:gid", LinkOption.NOFOLLOW_LINKS));
    }

    /** The user may enter the directory only through a supplementary group. */
    @Test
    void callsAsTheUserWhoRunsTheCommand() throws Exception {
        var shared = allow(Files.createDirectory(exported.resolve("shared")), "rwxrwx---");
        Files.setAttribute(shared, "unix:gid", 7003);
        var hidden = allow(Files.createDirectory(exported.resolve("hidden")), "rwxrwx---");
        var base = rdma.base() + "/data";
        assertEquals(
                0,
                command("7000", "7001", "7002,7003", "mkdir", base + "/shared/new"),
                other::printed);
        assertEquals(List.of(7000, 7001), owners(shared.resolve("new")));
        assertEquals(1, command("7000", "7001", "7002,7003", "mkdir", base + "/hidden/new"));
        assertTrue(other.printed().contains("permission denied"), other::printed);
        assertEquals(0, hidden.toFile().list().length);
    }

    /** The first commands of the README, for an ordinary user where root serves. */
    @Test
    void byDefaultALocalUserActsAsItself() throws Exception {
        var own = allow(Files.createDirectory(exported.resolve("own")), "rwx------");
        Files.setAttribute(own, "unix:uid", 7000);
        var base = rdma.base() + "/usual";
        assertEquals(0, command("7000", "7001", "", "mkdir", base + "/own/new"), other::printed);
        // The machine has no account of this user, so its groups are not known.
        assertEquals(List.of(7000, 65534), owners(own.resolve("new")));
        assertEquals(0, command("7000", "7001", "", "ls", "-l", base + "/own"), other::printed);
        assertTrue(other.printed().contains("new"), other::printed);
    }

    /** The set-ID bits of the source need its group, which the server refuses. */
    @Test
    void syncComesToRestWhereTheServerKnowsOtherGroups() throws Exception {
        var own = allow(Files.createDirectory(exported.resolve("own")), "rwx------");
        Files.setAttribute(own, "unix:uid", 7000);
        var source = allow(Files.createDirectory(directory.resolve("source")), "rwxr-xr-x");
        for (int mode : new int[] {0644, 0444, 04755, 02755}) {
            var file = Files.writeString(source.resolve(Integer.toOctalString(mode)), "text");
            Files.setAttribute(file, "unix:uid", 7000);
            Files.setAttribute(file, "unix:gid", 7001);
            Files.setAttribute(file, "unix:mode", mode);
        }
        var url = rdma.base() + "/usual/own";
        sync(source, url);
        var first = states(own.resolve("source"));
        assertEquals(4, first.size());
        sync(source, url);
        assertEquals(first, states(own.resolve("source")));
    }

    private void sync(Path source, String url) throws Exception {
        assertEquals(
                0, command("7000", "7001", "", "sync", source.toString(), url), other::printed);
    }

    /** Returns which files are in a directory, and when each was last changed. */
    private static Map<String, List<Object>> states(Path in) throws IOException {
        var states = new TreeMap<String, List<Object>>();
        try (var all = Files.list(in)) {
            for (var each : all.toList()) {
                states.put(
                        each.getFileName().toString(),
                        List.of(
                                Files.getAttribute(each, "unix:ino"),
                                Files.getAttribute(each, "unix:ctime")));
            }
        }
        return states;
    }

    private int claim(String how, InetSocketAddress to, String ids, String export, String name)
            throws Exception {
        return other.run(
                CallingProcess.class,
                "7000",
                "7001",
                "",
                how,
                to.getAddress().getHostAddress(),
                "" + to.getPort(),
                ids,
                export,
                name);
    }

    private List<Object> made(String how, InetSocketAddress to, String ids, String export)
            throws Exception {
        var name = "made-" + how + ids + export.replace('/', '-');
        assertEquals(0, claim(how, to, ids, export, name), other::printed);
        return owners(exported.resolve(name));
    }

    @Test
    void byDefaultALocalUserActsAsNobodyElse() throws Exception {
        var toRdma = rdma.address();
        var toTcp = new InetSocketAddress("127.0.0.1", tcp.address().getPort());
        for (var ids : List.of("1000,1000", "0,0", "7000,0,0", "7000,27,27")) {
            var expected = ids.startsWith("7000") ? List.of(7000, 65534) : List.of(65534, 65534);
            assertEquals(expected, made("rdma", toRdma, ids, "/usual"), ids);
            assertEquals(expected, made("tcp", toTcp, ids, "/usual"), ids);
        }
        assertEquals(List.of(1000, 1000), made("rdma", toRdma, "1000,1000", "/insecure"));
        assertEquals(1, claim("rdma", toRdma, "7000,7001", "/secure", "refused"));
        assertEquals(1, claim("tcp", toTcp, "1000,1000", "/secure", "refused"));
    }

    private String repeated(String user, String name) throws Exception {
        int status =
                other.run(
                        RepeatingProcess.class,
                        user,
                        user,
                        "",
                        "127.0.0.1",
                        "" + tcp.address().getPort(),
                        "7000",
                        "/usual",
                        name,
                        "77");
        assertEquals(0, status, other::printed);
        return other.printed().strip();
    }

    /** Method: two users send equal bytes, with the name of one of them. */
    @Test
    void aLocalUserGetsNoReplyOfAnother() throws Exception {
        assertEquals("MKDIR3res 0", repeated("7000", "first"));
        assertEquals("MKDIR3res 0", repeated("7000", "first"));
        assertEquals("MKDIR3res 17", repeated("7100", "first"));
        // Nor does it leave its own to the other, which would take it for the reply to its call.
        allow(exported, "rwx------");
        Files.setAttribute(exported, "unix:uid", 7000);
        assertEquals("MKDIR3res 13", repeated("7100", "second"));
        assertEquals("MKDIR3res 0", repeated("7000", "second"));
    }

    /** An address of the machine that is none of the loopback interface. */
    @Test
    void theOwnAddressesOfTheMachineAreLocal() throws Exception {
        for (var each : NetworkInterface.networkInterfaces().toList()) {
            for (var address : each.inetAddresses().toList()) {
                var to = new InetSocketAddress(address, tcp.address().getPort());
                if (!isReachable(to)) {
                    continue;
                }
                var ids = "1000," + Math.abs(address.hashCode() % 1000);
                assertEquals(List.of(65534, 65534), made("tcp", to, ids, "/usual"), "" + to);
            }
        }
    }

    private static boolean isReachable(InetSocketAddress address) {
        if (address.getAddress().isLinkLocalAddress()) {
            return false;
        }
        try (var socket = new java.net.Socket()) {
            socket.connect(address, 1000);
            return true;
        } catch (IOException _) {
            return false;
        }
    }
}
