package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a server reaches the hosts, and speaks the versions, that its operator has chosen. */
class ServedHostsTest {
    private final Console console = new Console();

    /**
     * By default this machine alone may mount, and all its users may write; the command prints this
     * to the user who starts it.
     */
    @Test
    void saysWhoMayDoWhat() throws Exception {
        try (var server = new ServerProcess("--listen", "127.0.0.1:0")) {
            int export = server.printed.indexOf("/mem: /mem");
            var rule = server.printed.get(export + 1);
            assertTrue(
                    rule.startsWith("  this machine: read and write, all callers act as user "),
                    rule);
            assertTrue(rule.endsWith(", all is in memory, and gone when the server stops"), rule);
            assertEquals(
                    List.of(
                            "  no other host is let in: see --allow",
                            "  file handles use an index of names (java.nio.file)"),
                    server.printed.subList(export + 2, export + 4));
        }
    }

    /** Goal: who is not let in looks for the reason at the server, not at the rights of a file. */
    @Test
    void saysThatAHostIsNotLetIn() throws Exception {
        try (var server = new ServerProcess("--listen", "127.0.0.1:0", "--allow", "192.0.2.0/24")) {
            assertEquals(1, console.run("ls", server.url()));
            assertEquals(
                    "rpcrdma: cannot mount /mem: permission denied: the server does not let this host"
                            + " mount it\n",
                    console.err());
        }
    }

    /** Goal: a version that an operator has switched off is neither served nor advertised. */
    @Test
    void servesTheVersionsThatAreChosen() throws Exception {
        var newer = new ServerProcess("--listen", ":0", "--tcp", ":0", "--vers", "4.1,4.2");
        try (newer) {
            var printed = String.join("\n", newer.printed);
            assertFalse(printed.contains("vers=3") || printed.contains("rpcrdma ls"), printed);
            assertTrue(printed.contains("-o proto=tcp"), printed);
        }
        try (var older = new ServerProcess("--listen", ":0", "--tcp", ":0", "--vers", "3")) {
            var printed = String.join("\n", older.printed);
            assertTrue(printed.contains("-o vers=3"), printed);
            assertFalse(printed.contains("-o rdma") || printed.contains("-o proto"), printed);
            assertEquals(0, console.run("ls", older.url()), console::err);
        }
        for (var wrong : List.of("5", "", "3,", "4.3", "2")) {
            assertEquals(2, console.run("serve", "mem:", "--listen", ":0", "--vers", wrong));
            assertTrue(console.err().contains("--vers takes 3, 4, 4.0"), console::err);
        }
    }

    /** Goal: who gives no rule does not serve the network by accident. */
    @Test
    void withoutARuleOnlyThisMachineReachesTheServer() throws Exception {
        try (var server = new ServerProcess("--listen", ":0", "--tcp", ":0")) {
            assertTrue(server.printed.stream().anyMatch(each -> each.contains("127.0.0.1:")));
            var listening = new ArrayList<String>();
            for (var file : List.of("tcp", "tcp6")) {
                var table = Path.of("/proc", "" + server.pid(), "net", file);
                Files.readAllLines(table).stream()
                        .map(line -> line.trim().split("\\s+"))
                        .filter(words -> words[3].equals("0A"))
                        .filter(words -> server.hasSocket(words[9]))
                        .map(words -> words[1].substring(0, words[1].indexOf(':')))
                        .forEach(listening::add);
            }
            // 127.0.0.1 as an address of IPv4, or mapped into IPv6; one for each transport.
            assertEquals(2, listening.size(), listening::toString);
            assertTrue(
                    listening.stream().allMatch(each -> each.endsWith("0100007F")),
                    listening::toString);
        }
        for (var reached : List.of("0.0.0.0:0", "*:0", "[::]:0", ":::0")) {
            assertEquals(2, console.run("serve", "mem:", "--listen", reached));
            assertEquals(
                    "rpcrdma: --listen "
                            + reached
                            + " is for other hosts, and no rule lets them in: add --allow NETWORK,"
                            + " or --allow any",
                    console.errLines().getFirst());
        }
    }
}
