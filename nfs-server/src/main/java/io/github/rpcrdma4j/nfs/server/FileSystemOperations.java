package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.server.Tree.Located;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Ok;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import io.github.rpcrdma4j.nfs.v3.Values;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;

/** FSSTAT, FSINFO and PATHCONF (RFC 1813, Sections 3.3.18 to 3.3.20). */
final class FileSystemOperations {
    private static final int PREFERRED_LIST = 64 << 10;
    private static final int MULTIPLE = 4096;
    private static final int LINKS_MAX = 32000;

    /** java.nio.file does not count files; as many as fit are taken to be free. */
    private static final long BYTES_PER_FILE = 16 << 10;

    private final int transferMax;

    FileSystemOperations(int transferMax) {
        this.transferMax = transferMax;
    }

    Ok<Optional<FileAttributes>, Values.Space> space(Located file) throws IOException {
        var store = Files.getFileStore(file.path());
        long total = store.getTotalSpace();
        long free = store.getUnallocatedSpace();
        long available = store.getUsableSpace();
        return new Ok<>(
                Optional.of(file.file()),
                new Values.Space(
                        total,
                        free,
                        available,
                        total / BYTES_PER_FILE,
                        free / BYTES_PER_FILE,
                        available / BYTES_PER_FILE,
                        0));
    }

    Ok<Optional<FileAttributes>, Values.FileSystemInfo> info(Located file) {
        int properties =
                Values.FileSystemInfo.HARD_LINKS
                        | Values.FileSystemInfo.SYMBOLIC_LINKS
                        | Values.FileSystemInfo.HOMOGENEOUS
                        | Values.FileSystemInfo.CAN_SET_TIME;
        return new Ok<>(
                Optional.of(file.file()),
                new Values.FileSystemInfo(
                        transferMax,
                        transferMax,
                        MULTIPLE,
                        transferMax,
                        transferMax,
                        MULTIPLE,
                        PREFERRED_LIST,
                        Long.MAX_VALUE,
                        new Timestamp(0, 1),
                        properties));
    }

    Ok<Optional<FileAttributes>, Values.PathConfiguration> pathConfiguration(Located file) {
        return new Ok<>(
                Optional.of(file.file()),
                new Values.PathConfiguration(LINKS_MAX, Nfs3.NAME_MAX, true, true, false, true));
    }
}
