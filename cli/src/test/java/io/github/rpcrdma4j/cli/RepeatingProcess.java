package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import java.io.DataInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * A process of a user that makes a directory with an XID and as a user of its choice: the bytes of
 * the call are equal in each such process.
 */
public final class RepeatingProcess {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int NFS = 100003;
    private static final int MKDIR = 9;
    private static final int AUTH_SYS = 1;
    private static final int LAST_FRAGMENT = 1 << 31;

    private RepeatingProcess() {}

    /**
     * Prints the status of the reply.
     *
     * @param arguments the address and the port of the server; the user that it claims; the export;
     *     the name; the XID
     */
    public static void main(String[] arguments) throws Exception {
        var address =
                new InetSocketAddress(
                        InetAddress.ofLiteral(arguments[0]), Integer.parseInt(arguments[1]));
        int user = Integer.parseInt(arguments[2]);
        var caller = new Credential.Sys(0, "", user, user, List.of());
        Connector connector = () -> TcpRpcClient.connect(address, caller, TIMEOUT);
        byte[] root;
        try (var client =
                new Nfs3Client(
                        connector,
                        connector,
                        ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3),
                        NfsVersion.VERSION_3)) {
            root = client.mount(PathName.of(arguments[3])).bytes();
        }
        byte[] name = arguments[4].getBytes(StandardCharsets.US_ASCII);
        try (var socket = new Socket(address.getAddress(), address.getPort())) {
            socket.setSoTimeout((int) TIMEOUT.toMillis());
            socket.getOutputStream().write(call(Integer.parseInt(arguments[5]), user, root, name));
            var in = new DataInputStream(socket.getInputStream());
            // The record mark, the XID, REPLY, MSG_ACCEPTED, an empty verifier, SUCCESS.
            in.readFully(new byte[28]);
            System.out.println("MKDIR3res " + in.readInt());
        }
    }

    private static byte[] call(int xid, int user, byte[] directory, byte[] name) {
        var call = ByteBuffer.allocate(1024).putInt(0);
        call.putInt(xid).putInt(0).putInt(2).putInt(NFS).putInt(3).putInt(MKDIR);
        call.putInt(AUTH_SYS).putInt(20).putInt(0).putInt(0);
        call.putInt(user).putInt(user).putInt(0).putInt(0).putInt(0);
        opaque(call, directory);
        opaque(call, name);
        // No attributes.
        call.put(new byte[24]);
        call.putInt(0, LAST_FRAGMENT | call.position() - 4);
        byte[] bytes = new byte[call.position()];
        call.get(0, bytes);
        return bytes;
    }

    private static void opaque(ByteBuffer out, byte[] bytes) {
        out.putInt(bytes.length).put(bytes);
        while (out.position() % 4 != 0) {
            out.put((byte) 0);
        }
    }
}
