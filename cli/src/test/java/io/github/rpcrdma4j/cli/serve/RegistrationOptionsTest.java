package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.ServerProcess;
import io.github.rpcrdma4j.oncrpc.rpcbind.Registry;
import io.github.rpcrdma4j.oncrpc.rpcbind.Rpcb;
import io.github.rpcrdma4j.oncrpc.rpcbind.UniversalAddress;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: {@code serve --rpcbind} takes no place from another server. Method: a process. */
class RegistrationOptionsTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private static Rpcb at(int program, InetSocketAddress address) {
        var text = UniversalAddress.format(address);
        return new Rpcb(program, 3, "tcp", text, "superuser");
    }

    /** The console and the log say so. What has ended gives way. */
    @Test
    void leavesAnotherServerItsPlace() throws Exception {
        var registry = new Registry(2, 4);
        try (var listening = new ServerSocket(0, 1, LOOPBACK);
                var rpcbind =
                        TcpRpcServer.listen(
                                new InetSocketAddress(LOOPBACK, 0),
                                List.of(registry),
                                TcpRpcOptions.DEFAULT)) {
            var theirs = at(100003, new InetSocketAddress(LOOPBACK, listening.getLocalPort()));
            var ended = at(100005, new InetSocketAddress("192.0.2.1", 2049));
            registry.add(theirs);
            registry.add(ended);
            try (var server = ServerProcess.registered("" + rpcbind.address().getPort())) {
                var words =
                        "rpcbind does not take program 100003 version 3 over tcp: another server"
                                + " has it: %s of superuser".formatted(theirs.address());
                assertTrue(server.printed.contains(words), server.printed::toString);
                assertTrue(
                        server.printed.stream()
                                .anyMatch(each -> each.endsWith(" WARNING " + words)),
                        server.printed::toString);
                var registered = registry.registrations();
                assertTrue(registered.contains(theirs), registered::toString);
                assertTrue(
                        registered.stream()
                                .anyMatch(
                                        each ->
                                                each.program() == ended.program()
                                                        && each.netid().equals("tcp")
                                                        && each.address().startsWith("127.0.0.1.")),
                        registered::toString);
            }
            assertEquals(List.of(theirs), registry.registrations());
        }
    }
}
