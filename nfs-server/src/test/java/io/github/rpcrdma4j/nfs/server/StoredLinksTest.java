package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.directories.linux.HangingDisk;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.SetAttributes.TimeChange;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a new symbolic link is stored with its directory where there is a journal, and else with
 * its whole file system, as is one whose times were set behind its creation. Method: a child
 * process with a mount namespace of its own mounts a file system.
 */
class StoredLinksTest {
    @ParameterizedTest
    @CsvSource({
        "mkfs.ext4 -q -F, 0",
        "mkfs.ext3 -q -F, 0",
        "mkfs.ext4 -q -F -O ^has_journal, 1",
        "mkfs.ext2 -q -F, 1"
    })
    void areOnStorage(String make, String syncs) throws Exception {
        MountedImage.run(make, "mount -o loop", Mounted.class, syncs);
    }

    /** Serves the file system. */
    static final class Mounted {
        private Mounted() {}

        public static void main(String[] arguments) throws Exception {
            var root = MountedImage.mount(arguments);
            int expected = Integer.parseInt(arguments[2]);
            var disk = new HangingDisk();
            disk.goOn();
            var export = new Export(TestServer.EXPORT, root, false);
            try (var server =
                    TestServer.of(
                            List.of(export),
                            (each, number, verifier) ->
                                    disk.open(each.directory().orElseThrow(), number, verifier))) {
                link(server, "plain", SetAttributes.ofMode(0777));
                assertEquals(expected, disk.syncs());
                var now = new TimeChange.ToServerTime();
                link(server, "timed", SetAttributes.NONE.withTimes(now, now));
                assertEquals(expected + 1, disk.syncs());
            } finally {
                MountedImage.unmount(root);
            }
        }

        private static void link(TestServer server, String name, SetAttributes attributes)
                throws Exception {
            var place = new DirOpArgs(server.root(), name);
            server.ok(new Nfs3Call.MakeSymbolicLink(place, attributes, PathName.of("target")));
        }
    }
}
