package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.acl.NfsAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.client.FileOwner;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.RefusedCalls;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Comparison;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Deletion;
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a server that refuses what a copy can do without costs that, and no file. Method: copies
 * over RDMA, there and back, with each such procedure refused in each way.
 */
class SideProtocolsTest {
    private static final List<AcceptStatus> REFUSALS =
            List.of(
                    AcceptStatus.PROG_UNAVAIL,
                    AcceptStatus.PROC_UNAVAIL,
                    AcceptStatus.GARBAGE_ARGS,
                    AcceptStatus.SYSTEM_ERR);

    private static final CopyRules SYNC =
            new CopyRules(
                    CopyRules.ALL,
                    Comparison.SIZE_AND_TIME,
                    new Deletion.Everything(),
                    false,
                    true,
                    false);

    private static final PosixAcl ACL =
            new PosixAcl(
                    List.of(
                            new Entry(PosixAcl.Tag.USER_OBJ, 6),
                            new Entry(PosixAcl.Tag.USER, 4242, 4),
                            new Entry(PosixAcl.Tag.GROUP_OBJ, 4),
                            new Entry(PosixAcl.Tag.MASK, 4),
                            new Entry(PosixAcl.Tag.OTHER, 0)));

    /** A procedure that a copy can do without. */
    private enum Side {
        GETACL(NfsAcl.PROGRAM, 1),
        SETACL(NfsAcl.PROGRAM, 2),
        READDIRPLUS(Nfs3.PROGRAM, Procedure.READDIRPLUS.ordinal()),
        FSINFO(Nfs3.PROGRAM, Procedure.FSINFO.ordinal());

        private final int program;
        private final int procedure;

        Side(int program, int procedure) {
            this.program = program;
            this.procedure = procedure;
        }

        UnaryOperator<RpcProgram> refused(AcceptStatus status) {
            return of ->
                    of.id().number() == program && of.id().serves(Nfs3.VERSION)
                            ? new RefusedCalls(of, procedure, status)
                            : of;
        }
    }

    @TempDir private Path directory;
    private Path source;
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void makeSource() throws IOException {
        source = Files.createDirectories(directory.resolve("source"));
        Files.createDirectory(source.resolve("inner"));
        Files.writeString(source.resolve("file"), "one");
        Files.writeString(source.resolve("inner/other"), "two");
    }

    private static List<String> contents(Path tree) throws IOException {
        try (Stream<Path> all = Files.walk(tree)) {
            var contents = new ArrayList<String>();
            for (var each : all.sorted().toList()) {
                var text = Files.isDirectory(each) ? "/" : Files.readString(each);
                contents.add(tree.relativize(each) + " " + text);
            }
            return contents;
        }
    }

    /** Copies the tree, changes a file, copies it again, and gets all back. */
    private void copies(Path exported, UnaryOperator<RpcProgram> bent) throws Exception {
        try (var nfs = new NfsServer(List.of(new Export("/data", exported, false)), new byte[32]);
                var rdma =
                        RpcRdmaServer.builder()
                                .provider(new IwarpProvider())
                                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .programs(nfs.programs().stream().map(bent).toList())
                                .start();
                var mount = mount(rdma.address(), exported)) {
            for (int i = 0; i < 2; i++) {
                run(() -> trees(mount).put(source, mount.place("/data/tree"), "tree"));
                assertEquals(contents(source), contents(exported.resolve("tree")));
                var file = Files.writeString(source.resolve("file"), "changed " + i);
                Files.setLastModifiedTime(file, FileTime.from(Instant.ofEpochSecond(i + 1)));
            }
            run(() -> trees(mount).put(source, mount.place("/data/tree"), "tree"));
            var back = exported.resolveSibling(exported.getFileName() + " back");
            run(() -> trees(mount).get(mount.resolve("/data/tree"), "tree", back));
            assertEquals(contents(source), contents(back));
        }
    }

    private interface Copy {
        void run() throws IOException, InterruptedException;
    }

    private static void run(Copy copy) throws IOException, InterruptedException {
        try {
            copy.run();
        } catch (IncompleteTreeException _) {
            // The failures tell what failed.
        }
    }

    private static NfsMount mount(InetSocketAddress server, Path exported) throws Exception {
        var caller = FileOwner.of(exported);
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider())
                                .credential(caller)
                                .binding(Nfs3Binding.BINDING)
                                .connect(server);
        return NfsMount.of(
                NfsClient.connect(
                        connector,
                        connector,
                        ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3)),
                "/data");
    }

    private TreeCopier trees(NfsMount mount) throws IOException, InterruptedException {
        var listener =
                new CopyListener() {
                    @Override
                    public void failed(IOException why) {
                        failures.add(why.getMessage());
                    }
                };
        return new TreeCopier(
                new Copier(
                        mount,
                        ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3),
                        listener,
                        PreservedAttributes.ALL),
                SYNC);
    }

    @Test
    void eachRefusalCostsItsOwnFeatureAndNoFile() throws Exception {
        for (var side : Side.values()) {
            for (var status : REFUSALS) {
                // Without READDIR, FSINFO and the others there is no NFS.
                if (side.program == NfsAcl.PROGRAM || status != AcceptStatus.PROG_UNAVAIL) {
                    failures.clear();
                    var exported = Files.createDirectory(directory.resolve(side + " " + status));
                    copies(exported, side.refused(status));
                    assertEquals(told(side, status), Set.copyOf(failures), side + " " + status);
                }
            }
        }
    }

    /** Returns what the user learns: lists that are not read may be there. */
    private static Set<String> told(Side side, AcceptStatus status) {
        boolean isMissing =
                status == AcceptStatus.PROG_UNAVAIL || status == AcceptStatus.PROC_UNAVAIL;
        return side == Side.GETACL && !isMissing
                ? Set.of(
                        "access control lists of the server are not read: the server refused program"
                                + " 100227 version 3 procedure 1: "
                                + status)
                : Set.of();
    }

    @Test
    void listsThatTheServerRefusesAreToldOnce() throws Exception {
        for (var name : List.of("file", "inner/other")) {
            setAcl(source.resolve(name));
        }
        for (var status : List.of(AcceptStatus.GARBAGE_ARGS, AcceptStatus.SYSTEM_ERR)) {
            failures.clear();
            var exported = Files.createDirectory(directory.resolve(status.toString()));
            copies(exported, Side.SETACL.refused(status));
            assertFalse(failures.isEmpty());
            for (var each : failures) {
                assertTrue(
                        each.matches(
                                "cannot keep the access control list of \\S+( and 1 more)?: the server"
                                        + " refused program 100227 version 3 procedure 2: "
                                        + status),
                        each);
            }
        }
    }

    private static void setAcl(Path file) throws IOException {
        var name = LocalPath.ROOT.child(FileName.of(file.getFileName().toString()));
        try (var tree = LocalTree.open(file.getParent(), "cannot open")) {
            var acls = new ExtendedAcls(Optional.of(ACL), Optional.empty());
            tree.setAcls(name, FileType.REGULAR, acls, "cannot set");
        } catch (LocalException refused) {
            assumeTrue(
                    refused.reason() != LocalException.Reason.UNSUPPORTED,
                    "there are no lists here");
            throw refused;
        }
    }
}
