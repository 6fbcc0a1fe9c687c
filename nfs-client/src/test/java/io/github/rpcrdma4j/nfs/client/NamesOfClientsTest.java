package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: over RDMA with AUTH_SYS, no host ends what a client of another host has by sending its
 * name. Method: the hosts are the loopback addresses of IPv4 and of IPv6; and two addresses of one
 * /64 of IPv6, in a network namespace, which only root can make.
 */
@Timeout(60)
class NamesOfClientsTest {
    private static final String SET_UP =
            "ip link set lo up && ip addr add fd00:77::2/64 dev lo"
                    + " && ip addr add fd00:77::3/64 dev lo && exec \"$@\"";

    @Test
    void aNameOfAnotherHostEndsNothing() throws Exception {
        try (var server = new NamesServer();
                var client = server.connect("127.0.0.1", 1);
                var other = server.connect("::1", 2)) {
            assertEquals(Nfs4Status.OK, client.use());
            assertEquals(Nfs4Status.OK, other.use());
            // A client that has restarted ends what it had, as before.
            try (var restarted = server.connect("127.0.0.1", 3)) {
                assertEquals(Nfs4Status.BADSESSION, client.use());
                assertEquals(Nfs4Status.OK, restarted.use());
                assertEquals(Nfs4Status.OK, other.use());
            }
        }
    }

    /** Prints what becomes of a client, of a neighbor with its name, and after a restart of it. */
    static final class Neighbors {
        private Neighbors() {}

        public static void main(String[] arguments) throws Exception {
            try (var server = new NamesServer();
                    var client = server.connect("fd00:77::2", 1);
                    var neighbor = server.connect("fd00:77::3", 2)) {
                System.out.println(client.use());
                System.out.println(neighbor.use());
                try (var _ = server.connect("fd00:77::2", 3)) {
                    System.out.println(client.use());
                    System.out.println(neighbor.use());
                }
            }
        }
    }

    @Test
    void aNameOfANeighborEndsNothing(@TempDir Path directory) throws Exception {
        assumeTrue(canMakeNamespaces(), "only root can make a network namespace");
        var printed = directory.resolve("printed");
        var process =
                inNamespace(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Neighbors.class.getName())
                        .redirectOutput(printed.toFile())
                        .start();
        assertEquals(0, process.waitFor());
        assertEquals(List.of("OK", "OK", "BADSESSION", "OK"), Files.readAllLines(printed));
    }

    private static boolean canMakeNamespaces() throws InterruptedException {
        try {
            return inNamespace("true").start().waitFor() == 0;
        } catch (IOException _) {
            return false;
        }
    }

    private static ProcessBuilder inNamespace(String... command) {
        var whole = new ArrayList<>(List.of("unshare", "--net", "sh", "-c", SET_UP, "sh"));
        whole.addAll(List.of(command));
        return new ProcessBuilder(whole).redirectError(ProcessBuilder.Redirect.DISCARD);
    }
}
