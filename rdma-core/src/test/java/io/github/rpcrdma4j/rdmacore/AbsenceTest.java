package io.github.rpcrdma4j.rdmacore;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rdmacore.library.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AbsenceTest {
    @TempDir private Path directory;
    private Path devices;
    private Path files;
    private Absence absence;

    @BeforeEach
    void make() throws IOException {
        devices = Files.createDirectory(directory.resolve("sys"));
        files = Files.createDirectory(directory.resolve("dev"));
        absence = new Absence(devices, files);
    }

    private void requireReason(String wanted, int errno) {
        var reason = absence.reason(errno);
        assertTrue(reason.contains(wanted), reason);
        assertTrue(!reason.contains("\n"), reason);
    }

    @Test
    void withoutADeviceItSaysHowToAddOne() throws IOException {
        requireReason("rdma link add", Errno.ENODEV);
        Files.delete(devices);
        requireReason("rdma link add", 0);
    }

    @Test
    void aDeviceWithoutTheFilesForProgramsNamesTheModules() throws IOException {
        Files.createDirectory(devices.resolve("siw0"));
        requireReason("siw0 cannot be opened", Errno.ENODEV);
        requireReason("modprobe -a ib_uverbs rdma_ucm", Errno.ENODEV);
        Files.createFile(files.resolve("rdma_cm"));
        requireReason("modprobe -a ib_uverbs rdma_ucm", Errno.ENODEV);
    }

    /** Root may read and write each file, but not the one at the end of a dangling link. */
    @Test
    void aFileThatTheUserMayNotUseIsNamed() throws IOException {
        Files.createDirectory(devices.resolve("siw0"));
        Files.createFile(files.resolve("rdma_cm"));
        Files.createFile(files.resolve("issm0"));
        Files.createSymbolicLink(files.resolve("uverbs0"), files.resolve("nothing"));
        requireReason("this user may not use " + files.resolve("uverbs0"), 0);
    }

    @Test
    void otherwiseTheLibraryOfTheAdapterIsMissingOrTheErrorSaysMore() throws IOException {
        Files.createDirectory(devices.resolve("mlx5_0"));
        Files.createFile(files.resolve("rdma_cm"));
        Files.createFile(files.resolve("uverbs0"));
        requireReason("ibverbs-providers", 0);
        requireReason("ibverbs-providers", Errno.ENODEV);
        requireReason(Errno.text(Errno.ENOMEM), Errno.ENOMEM);
    }
}
