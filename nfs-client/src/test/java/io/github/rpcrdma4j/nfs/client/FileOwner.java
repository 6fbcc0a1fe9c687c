package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.oncrpc.Credential;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The owner of a file as the caller of a server, which then may do all that the test does. */
public final class FileOwner {
    private FileOwner() {}

    public static Credential.Sys of(Path file) throws IOException {
        return new Credential.Sys(
                0,
                "test",
                (Integer) Files.getAttribute(file, "unix:uid"),
                (Integer) Files.getAttribute(file, "unix:gid"),
                List.of());
    }
}
