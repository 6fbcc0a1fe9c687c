package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * An export of the operating system that all users may write to, and a client with an ordinary
 * user. Only root can serve it.
 */
record ServedUser(TestDirectory directory, TestServer server, CompoundClient client)
        implements AutoCloseable {
    static final int USER = 1000;

    /** Serves an empty directory, or skips the test. */
    static ServedUser start() throws Exception {
        assumeTrue(LocalCalls.user() == 0, "only root can act for users");
        var directory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        Files.setAttribute(directory.root(), "unix:mode", 0777);
        var server = TestServer.of(directory);
        return new ServedUser(directory, server, CompoundClient.of(server, "client", USER));
    }

    Path path(String name) {
        return directory.root().resolve(name);
    }

    /** Makes a file of root. */
    Path file(String name, int mode) throws Exception {
        Files.writeString(path(name), "text");
        Files.setAttribute(path(name), "unix:mode", mode);
        return path(name);
    }

    @Override
    public void close() throws IOException {
        server.close();
        directory.close();
    }
}
