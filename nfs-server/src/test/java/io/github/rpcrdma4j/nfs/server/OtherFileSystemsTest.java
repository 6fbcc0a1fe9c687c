package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results.FileSystemInfo;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.SetAttributes.TimeChange;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: FSINFO and PATHCONF tell the truth about file systems that are not ext4. Method: a child
 * process with a mount namespace of its own mounts one, sets a time and reads it back, and makes a
 * file as large as it says.
 */
class OtherFileSystemsTest {
    private static final int NANOS = 123_456_789;

    @ParameterizedTest
    @CsvSource({
        "mkfs.ext4 -q -F -I 256, mount -o loop, 1, 65000, true",
        "mkfs.ext3 -q -F -I 256 -b 2048, mount -o loop, 1, 65000, true",
        "mkfs.ext2 -q -F -I 128, mount -o loop, 1000000000, 65000, true",
        "mkfs.ext2 -q -F -I 128 -b 4096, mount -o loop, 1000000000, 65000, true",
        "mkntfs -q -F, ntfs-3g -o loop, 100, 2147483647, false"
    })
    void tellWhatTheyKeep(String make, String mount, int step, int links, boolean hasLimit)
            throws Exception {
        MountedImage.run(
                make,
                mount,
                Mounted.class,
                Integer.toString(step),
                Integer.toString(links),
                Boolean.toString(hasLimit));
    }

    private static Nfs3Call.ChangeAttributes sized(FileHandle file, long bytes) {
        return new Nfs3Call.ChangeAttributes(file, SetAttributes.ofSize(bytes), Optional.empty());
    }

    /** Serves the file system. */
    static final class Mounted {
        private Mounted() {}

        public static void main(String[] arguments) throws Exception {
            var root = MountedImage.mount(arguments);
            int step = Integer.parseInt(arguments[2]);
            try (var server = TestServer.of(new TestDirectory(root, Optional.empty()))) {
                var file = server.create(server.root(), "file");
                var time = new TimeChange.To(new Timestamp(1_000_000_001, NANOS));
                server.ok(
                        new Nfs3Call.ChangeAttributes(
                                file, SetAttributes.NONE.withTimes(time, time), Optional.empty()));
                assertEquals(
                        new Timestamp(1_000_000_001, NANOS - NANOS % step),
                        server.attributes(file).modified());
                var info = server.ok(new Nfs3Call.FsInfo(server.root()));
                assertEquals(
                        new Timestamp(step / 1_000_000_000, step % 1_000_000_000), info.timeStep());
                int both = FileSystemInfo.HARD_LINKS | FileSystemInfo.SYMBOLIC_LINKS;
                assertEquals(both, info.properties() & both);
                var path = server.ok(new Nfs3Call.PathConf(server.root()));
                assertEquals(Integer.parseInt(arguments[3]), path.linksMax());
                assertTrue(path.casePreserving());
                if (Boolean.parseBoolean(arguments[4])) {
                    server.ok(sized(file, info.fileSizeMax()));
                    assertEquals(Status.FBIG, server.status(sized(file, info.fileSizeMax() + 1)));
                }
            } finally {
                MountedImage.unmount(root);
            }
        }
    }
}
