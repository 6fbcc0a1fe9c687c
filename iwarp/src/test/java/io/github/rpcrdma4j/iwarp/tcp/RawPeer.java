package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** A peer that sends exactly the bytes of a test over a plain socket. */
final class RawPeer implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 20_000;

    /** A received frame. */
    record Frame(DdpSegment header, byte[] payload) {}

    private final Socket socket;
    private final DataInputStream in;

    RawPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new DataInputStream(socket.getInputStream());
    }

    static RawPeer connect(InetSocketAddress address) throws IOException {
        return new RawPeer(new Socket(address.getAddress(), address.getPort()));
    }

    /** Returns a set-up frame with this content from its flags on. */
    static byte[] setUp(String kind, String hex) {
        byte[] rest = HexFormat.of().parseHex(hex);
        byte[] key = ("MPA ID " + kind + " Frame").getBytes(StandardCharsets.US_ASCII);
        byte[] bytes = Arrays.copyOf(key, key.length + rest.length);
        System.arraycopy(rest, 0, bytes, key.length, rest.length);
        return bytes;
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** Receives a set-up frame, and returns its content from its flags on. */
    String receiveSetUp() throws IOException {
        byte[] bytes = Arrays.copyOf(in.readNBytes(MpaFrame.HEADER_BYTES), 1024);
        int length = ByteBuffer.wrap(bytes).getShort(18) & 0xffff;
        in.readFully(bytes, MpaFrame.HEADER_BYTES, length);
        return HexFormat.of().formatHex(bytes, 16, MpaFrame.HEADER_BYTES + length);
    }

    Frame receive() throws IOException {
        int length = in.readUnsignedShort();
        var ulpdu = ByteBuffer.wrap(in.readNBytes(length));
        in.readFully(new byte[Fpdu.trailer(length)]);
        var header = DdpSegment.decode(ulpdu);
        byte[] payload = new byte[ulpdu.remaining()];
        ulpdu.get(payload);
        return new Frame(header, payload);
    }

    /** Returns whether the stream ends without another byte. */
    boolean isAtEnd() {
        try {
            return in.read() < 0;
        } catch (IOException reset) {
            return true;
        }
    }

    void finish() throws IOException {
        socket.shutdownOutput();
    }

    /** Closes the socket with a reset. */
    void kill() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
