package io.github.rpcrdma4j.examples;

import io.github.rpcrdma4j.nfs.nio.NfsOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;

/** Appends to a file of a server under a lock, and copies it, by classes of the JDK alone. */
public final class ServerPaths {
    private ServerPaths() {}

    /**
     * Writes a log and a copy of it, and prints what is in the copy.
     *
     * @param args the URI of a directory: {@code nfs+rdma://server/data}
     */
    public static void main(String[] args) throws Exception {
        var options = NfsOptions.DEFAULT.withUmask(077);
        try (var files = FileSystems.newFileSystem(URI.create(args[0]), options.environment())) {
            var log = files.getPath("app.log");
            try (var channel =
                            FileChannel.open(
                                    log, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                    var _ = channel.lock()) {
                channel.write(ByteBuffer.wrap("begun\nended\n".getBytes()));
                channel.force(false); // it is on stable storage of the server now
            }
            var copy = Files.copy(log, files.getPath("copy.log")); // the server copies it
            System.out.printf(
                    "%d lines in %s, %d bytes%n",
                    Files.readAllLines(copy).size(), copy, Files.size(copy));
        }
    }
}
