package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A file of a server, and of this machine too, with operations that tests share. */
@Timeout(120)
abstract class ChannelUser {
    @TempDir protected Path directory;
    private final Transport transport;
    protected ServedDirectory served;
    protected FileSystem files;
    protected Path file;
    protected Path local;

    ChannelUser(Transport transport) {
        this.transport = transport;
    }

    @BeforeEach
    void connect() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        served = new ServedDirectory(directory, transport);
        files = served.open();
        file = files.getPath("/data/file");
        local = directory.resolve("file");
    }

    @AfterEach
    void close() throws Exception {
        served.goOn();
        files.close();
        served.close();
    }

    protected static byte[] bytes(int length) {
        var bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    protected static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes());
    }

    protected static String read(FileChannel channel, long at, int length) throws IOException {
        var buffer = ByteBuffer.allocate(length);
        int count = channel.read(buffer, at);
        return count < 0 ? "" : new String(buffer.array(), 0, count);
    }

    protected NfsMount otherMount() throws Exception {
        var url = NfsUrl.parse(served.uri().toString());
        return NfsMount.of(NfsClient.connect(url, ClientOptions.DEFAULT), PathName.of("/data"));
    }
}
