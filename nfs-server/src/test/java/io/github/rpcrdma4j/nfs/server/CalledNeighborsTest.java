package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a client is called for its delegation, however many calls its neighbors in a /64 of IPv6
 * leave without an answer. Method: over RDMA, in a network namespace with two addresses.
 */
@Timeout(120)
class CalledNeighborsTest {
    private static final String SET_UP =
            "ip link set lo up && ip addr add fd00:77::2/64 dev lo"
                    + " && ip addr add fd00:77::3/64 dev lo && exec \"$@\"";

    /** Prints whether the client was called while its neighbors answered no call. */
    static final class Neighbors {
        private static final int NEIGHBORS = 8;
        private static final int FILES = 17;

        private final AtomicInteger answered = new AtomicInteger();
        private final CountDownLatch end = new CountDownLatch(1);
        private final RdmaServer server;

        private Neighbors(RdmaServer server) {
            this.server = server;
        }

        public static void main(String[] arguments) throws Exception {
            try (var files = TestDirectory.of(TestDirectory.Kind.BASIC)) {
                var export = new Export(TestServer.EXPORT, files.root(), false);
                var exports = List.of(export.with(Delegations.EXCLUSIVE));
                var any = InetAddress.ofLiteral("::");
                try (var server = new RdmaServer(new NfsServer(exports, TestServer.KEY), any)) {
                    System.out.println(new Neighbors(server).outcome(files.root()));
                }
            }
        }

        private CompoundClient client(String name, String address, CallbackService calls)
                throws Exception {
            return CompoundClient.of(
                    server.called(CompoundClient.ROOT, calls, InetAddress.ofLiteral(address)),
                    CompoundClient.ROOT,
                    2,
                    name,
                    CompoundClient.CHANNEL);
        }

        private static StateId delegated(CompoundClient client, Path root, String name)
                throws Exception {
            Files.writeString(root.resolve(name), "content");
            var opened = (StateResult.Open) client.last(at("", open(name, Open.BOTH, 0)));
            return ((OpenDelegation.Write) opened.delegation()).stateId();
        }

        private String outcome(Path root) throws Exception {
            var hanging = new CallbackService();
            hanging.answer(
                    operation -> {
                        try {
                            end.await();
                        } catch (InterruptedException _) {
                            Thread.currentThread().interrupt();
                        }
                        answered.incrementAndGet();
                        return new CallbackResult.Plain(operation.opcode().number(), Nfs4Status.OK);
                    });
            var other = client("other", "127.0.0.1", new CallbackService());
            var calls = new CallbackService();
            var client = client("client", "fd00:77::2", calls);
            var delegation = delegated(client, root, "file");
            var names = new ArrayList<String>();
            for (int i = 0; i < NEIGHBORS; i++) {
                var neighbor = client("neighbor" + i, "fd00:77::3", hanging);
                for (int j = 0; j < FILES; j++) {
                    names.add("file" + i + "of" + j);
                    delegated(neighbor, root, names.getLast());
                }
            }
            for (var each : names) {
                require(Nfs4Status.DELAY, other.status(at(each, write(StateId.ANONYMOUS, 0, "x"))));
            }
            require(Nfs4Status.DELAY, other.status(at("file", write(StateId.ANONYMOUS, 0, "x"))));
            // A call has 10 seconds, and the first of those to the neighbors began before.
            var call = calls.received.poll(8, TimeUnit.SECONDS);
            int before = answered.get();
            end.countDown();
            if (call == null) {
                return "not called";
            }
            client.last(at("file", new StateArguments.DelegReturn(delegation)));
            require(Nfs4Status.OK, other.status(at("file", write(StateId.ANONYMOUS, 0, "x"))));
            return "called, answers of neighbors: " + before;
        }

        private static void require(Nfs4Status expected, Nfs4Status status) {
            if (status != expected) {
                throw new AssertionError(status);
            }
        }
    }

    @Test
    void aClientIsCalledWhateverCallsItsNeighborsLeaveUnanswered(@TempDir Path directory)
            throws Exception {
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
        assertEquals(List.of("called, answers of neighbors: 0"), Files.readAllLines(printed));
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
