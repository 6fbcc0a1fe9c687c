package io.github.rpcrdma4j.cli.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.cli.ServerProcess;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Goal: the log tells an operator in one line why a client cannot be served. */
class UnfitClientsTest {
    private static final String ANY = "127.0.0.1:0";
    private static final Pattern MOUNT_PORT = Pattern.compile("mountport=(\\d+)");
    private static final Pattern GATEWAY = Pattern.compile("tcp://127\\.0\\.0\\.1:(\\d+)");

    /** The first bytes of a ClientHello of TLS 1.3 (RFC 8446, Sections 4.1.2 and 5.1). */
    private static final byte[] CLIENT_HELLO = {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3, 0};

    private static int port(ServerProcess process, Pattern pattern) {
        var found = pattern.matcher(String.join("\n", process.printed));
        if (!found.find()) {
            throw new AssertionError(process.printed);
        }
        return Integer.parseInt(found.group(1));
    }

    private static Socket connect(int port) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port);
    }

    /** Sends bytes that end the connection. */
    private static void cut(int port, byte[] bytes) throws IOException {
        try (var socket = connect(port)) {
            socket.getOutputStream().write(bytes);
            assertEquals(-1, socket.getInputStream().read());
        }
    }

    /** Asks for TLS as RFC 9289, Section 4.1, says; returns the status of the denial. */
    private static int askForTls(int port) throws IOException {
        int authTls = 7;
        var call =
                ByteBuffer.allocate(44)
                        .putInt(0x8000_0028)
                        .putInt(77)
                        .putInt(0)
                        .putInt(CallHeader.RPC_VERSION)
                        .putInt(100003)
                        .putInt(3)
                        .putInt(0)
                        .putInt(authTls)
                        .putInt(0)
                        .putInt(0)
                        .putInt(0);
        try (var socket = connect(port)) {
            socket.getOutputStream().write(call.array());
            var in = new DataInputStream(socket.getInputStream());
            in.readFully(new byte[20]);
            return in.readInt();
        }
    }

    private static void requireTold(ServerProcess process, String line) throws Exception {
        process.awaitLine(Pattern.compile(Pattern.quote(line)));
    }

    @Test
    void aServerWithoutTlsSaysSo() throws Exception {
        try (var server = new ServerProcess("--listen", ANY, "--tcp", ANY)) {
            int port = port(server, MOUNT_PORT);
            int rejectedCredential = 2;
            assertEquals(rejectedCredential, askForTls(port));
            requireTold(server, "127.0.0.1 asks for TLS, which this server does not have");
            cut(port, CLIENT_HELLO);
            requireTold(server, ": it begins TLS, which is not spoken here");
        }
    }

    @Test
    void aGatewaySaysWhatItsClientsNeed() throws Exception {
        try (var server = new ServerProcess("--listen", ANY, "--tcp", ANY);
                var gateway =
                        ServerProcess.gateway(
                                "tcp://" + ANY, "tcp://127.0.0.1:" + port(server, MOUNT_PORT))) {
            int port = port(gateway, GATEWAY);
            int badCredential = 1;
            assertEquals(badCredential, askForTls(port));
            requireTold(gateway, "127.0.0.1 asks for TLS, which this server does not have");
            cut(port, ByteBuffer.allocate(4).putInt(0x8010_0000 + (1 << 17)).array());
            requireTold(gateway, "the limit of 1114112 bytes; --max-message of the gateway ");
        }
    }
}
