package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.access.Fill;
import io.github.rpcrdma4j.interop.access.Outcome;
import io.github.rpcrdma4j.interop.access.ServerShell;
import io.github.rpcrdma4j.interop.access.Table;
import io.github.rpcrdma4j.interop.access.TableRun;
import io.github.rpcrdma4j.interop.access.TableServer;
import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Tries the table on servers in a guest, which serve one file system of the guest. */
final class AccessGuest implements AutoCloseable {
    private static final String SCENARIOS = "access/";
    private static final int NFS_PORT = 2049;
    private static final int DESCRIPTORS = 4096;

    /** The first fsid of the table's exports. */
    private static final int FIRST_ID = 10;

    private static final int SMALL_ID = 1;

    private final ServingGuest guest;

    private AccessGuest(ServingGuest guest) {
        this.guest = guest;
    }

    /** A server in the guest. */
    private enum GuestServer {
        KNFSD,
        OURS;

        private String base() {
            return "/table/" + directory();
        }

        private String small() {
            return "/small/" + directory();
        }

        private String directory() {
            return switch (this) {
                case KNFSD -> "knfsd";
                case OURS -> "ours";
            };
        }
    }

    /** Runs scripts in a directory of the guest. */
    private record GuestShell(AccessGuest at, String base) implements ServerShell {
        @Override
        public List<String> run(String script) throws IOException, InterruptedException {
            Files.writeString(at.guest.shared().resolve("step"), script);
            at.script("step.sh", base);
            return Files.readAllLines(
                    at.guest.shared().resolve("step.out"), StandardCharsets.ISO_8859_1);
        }
    }

    /**
     * Boots a guest with the file systems of the table.
     *
     * @param logs the directory for the guest's logs; existing files in it are removed
     * @param jdk the JDK of our server, which the guest may read
     */
    static AccessGuest boot(RunDirectories directories, Path logs, Path jdk)
            throws IOException, InterruptedException {
        var guest =
                ServingGuest.boot(directories, logs, jdk, List.of(), NFS_PORT, Network.MOUNT_PORT);
        var booted = new AccessGuest(guest);
        booted.script("file-systems.sh");
        return booted;
    }

    private List<String> script(String name, String... arguments)
            throws IOException, InterruptedException {
        return guest.script(SCENARIOS + name, arguments);
    }

    /** Returns the kernel, the file system, and the system settings that affect access rights. */
    List<String> notes() throws IOException, InterruptedException {
        return script("notes.sh");
    }

    /** Tries the table on the kernel's server, and fills its small file system. */
    List<Outcome> runKnfsd(Table table) throws IOException, InterruptedException {
        var exports = new ArrayList<>(ServedTable.exports(GuestServer.KNFSD.base(), FIRST_ID));
        exports.add(
                "%s/open *(rw,no_root_squash,sync,insecure,no_subtree_check,fsid=%d)"
                        .formatted(GuestServer.KNFSD.small(), SMALL_ID));
        Files.write(guest.shared().resolve("exports"), exports);
        prepare(GuestServer.KNFSD);
        script("knfsd.sh");
        return outcomes(
                table,
                GuestServer.KNFSD,
                new InetSocketAddress(guest.address(), NFS_PORT),
                new InetSocketAddress(guest.address(), Network.MOUNT_PORT));
    }

    /** Tries the table on our server, and fills its small file system. */
    List<Outcome> runOurs(RunDirectories directories, Table table)
            throws IOException, InterruptedException {
        var words = new ArrayList<>(ServedTable.words(GuestServer.OURS.base()));
        words.add(GuestServer.OURS.small() + "/open=/small/open");
        words.add("--allow");
        words.add("/small/open=any,no_root_squash");
        prepare(GuestServer.OURS);
        var at = guest.serve(directories, words, DESCRIPTORS);
        return outcomes(table, GuestServer.OURS, at, at);
    }

    private void prepare(GuestServer served) throws IOException, InterruptedException {
        new GuestShell(this, served.base()).run(TableRun.exportsScript());
    }

    private List<Outcome> outcomes(
            Table table, GuestServer served, InetSocketAddress nfs, InetSocketAddress mount)
            throws IOException, InterruptedException {
        boolean isKnfsd = served == GuestServer.KNFSD;
        // The kernel reads verifiers in the order of its processor.
        var order = isKnfsd ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        var all = new TableServer(nfs, mount, isKnfsd ? served.base() : "", order);
        var small = new TableServer(nfs, mount, isKnfsd ? served.small() : "/small", order);
        // The small file system comes first: a server that hangs in the table could not fill it
        // later.
        var filled = new Fill(small, new GuestShell(this, served.small() + "/open")).run();
        var outcomes =
                new ArrayList<>(
                        new TableRun(table, all, new GuestShell(this, served.base())).run());
        outcomes.addAll(filled);
        return outcomes;
    }

    @Override
    public void close() {
        guest.close();
    }
}
