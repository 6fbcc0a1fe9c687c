package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A server with a tree, and copies to and from it that keep access control lists. */
abstract class CopiedAcls {
    static final InetSocketAddress ANY_PORT =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    static final int INLINE = 1024;

    /** Its mask allows more than its group has. */
    static final PosixAcl ACL =
            new PosixAcl(
                    List.of(
                            new Entry(PosixAcl.Tag.USER_OBJ, 6),
                            new Entry(PosixAcl.Tag.USER, 4242, 6),
                            new Entry(PosixAcl.Tag.GROUP_OBJ, 4),
                            new Entry(PosixAcl.Tag.MASK, 6),
                            new Entry(PosixAcl.Tag.OTHER, 0)));

    static final PosixAcl DEFAULTS =
            new PosixAcl(
                    List.of(
                            new Entry(PosixAcl.Tag.USER_OBJ, 7),
                            new Entry(PosixAcl.Tag.USER, 77, 7),
                            new Entry(PosixAcl.Tag.GROUP_OBJ, 7),
                            new Entry(PosixAcl.Tag.MASK, 7),
                            new Entry(PosixAcl.Tag.OTHER, 5)));

    static final ExtendedAcls OF_FILE = new ExtendedAcls(Optional.of(ACL), Optional.empty());
    static final ExtendedAcls OF_DIRECTORY =
            new ExtendedAcls(Optional.empty(), Optional.of(DEFAULTS));

    @TempDir Path directory;
    Path exported;
    Path source;
    Path back;
    NfsServer nfs;
    RpcRdmaServer rdma;
    NfsVersion version = NfsVersion.VERSION_3;
    final List<RpcCall> aclCalls = Collections.synchronizedList(new ArrayList<>());
    volatile Consumer<String> copied = _ -> {};
    final List<String> failures = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void serve() throws Exception {
        exported = Files.createDirectory(directory.resolve("exported"));
        source = Files.createDirectory(directory.resolve("source"));
        back = directory.resolve("back");
        nfs = new NfsServer(List.of(new Export("/data", exported, false)), new byte[32]);
        start(programs());
    }

    List<RpcProgram> programs() {
        var all = new ArrayList<>(nfs.programs());
        all.addAll(nfs.version2Programs());
        return all;
    }

    void start(List<RpcProgram> programs) throws IOException {
        rdma =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .inlineThresholds(INLINE, INLINE)
                        .address(ANY_PORT)
                        .programs(programs)
                        .start();
    }

    void restart(List<RpcProgram> programs) throws IOException {
        rdma.close();
        start(programs);
    }

    @AfterEach
    void everythingIsGivenBack() {
        rdma.close();
        nfs.close();
        assertEquals(0, rdma.leasedMemory());
    }

    /** A client that notes the calls of NFSACL, all of which use the connection of NFS. */
    private record Noting(RpcClient client, List<RpcCall> noted) implements RpcClient {
        @Override
        public RpcReply call(RpcCall call, Duration timeout)
                throws RpcException, InterruptedException {
            if (call.program() == NfsAcl.PROGRAM) {
                noted.add(call);
            }
            return client.call(call, timeout);
        }

        @Override
        public void close() {
            client.close();
        }
    }

    NfsMount mount() throws Exception {
        var options = ClientOptions.DEFAULT.withVersion(version);
        var caller = FileOwner.of(exported);
        Connector connector =
                () ->
                        new Noting(
                                RpcRdmaClient.builder()
                                        .provider(new IwarpProvider())
                                        .inlineThresholds(INLINE, INLINE)
                                        .credential(caller)
                                        .binding(version.binding())
                                        .connect(rdma.address()),
                                aclCalls);
        return NfsMount.of(NfsClient.connect(connector, connector, options), "/data");
    }

    Copier copier(NfsMount mount, PreservedAttributes kept) throws Exception {
        var listener =
                new CopyListener() {
                    @Override
                    public void failed(IOException why) {
                        failures.add(why.getMessage());
                    }

                    @Override
                    public void file(String path, long bytes) {
                        copied.accept(path);
                    }
                };
        return new Copier(
                mount, ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3), listener, kept);
    }

    void put(PreservedAttributes kept) throws Exception {
        try (var mount = mount()) {
            var trees = new TreeCopier(copier(mount, kept), _ -> true);
            trees.put(source, mount.place("/data/tree"), "tree");
        }
    }

    void get() throws Exception {
        try (var mount = mount()) {
            var trees = new TreeCopier(copier(mount, PreservedAttributes.ALL), _ -> true);
            trees.get(mount.resolve("/data/tree"), "tree", back);
        }
    }

    void copyOnServer() throws Exception {
        try (var mount = mount()) {
            var trees = new TreeCopier(copier(mount, PreservedAttributes.ALL), _ -> true);
            trees.copy(mount.resolve("/data/tree"), "tree", mount.place("/data/second"), "second");
        }
    }

    static ExtendedAcls acls(Path file) throws IOException {
        try (var tree = LocalTree.open(file.getParent(), "cannot open")) {
            return tree.acls(path(file), "cannot read");
        }
    }

    static LocalPath path(Path file) {
        return LocalPath.ROOT.child(FileName.of(file.getFileName().toString()));
    }

    /** Sets lists of a local file; skips the test where the file system keeps none. */
    static void setAcls(Path file, ExtendedAcls acls) throws IOException {
        var type = Files.isDirectory(file) ? FileType.DIRECTORY : FileType.REGULAR;
        try (var tree = LocalTree.open(file.getParent(), "cannot open")) {
            tree.setAcls(path(file), type, acls, "cannot set");
        } catch (LocalException refused) {
            assumeTrue(
                    refused.reason() != LocalException.Reason.UNSUPPORTED,
                    "there are no lists here");
            throw refused;
        }
    }

    static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    Path file(String name, String mode) throws IOException {
        var file = Files.writeString(source.resolve(name), name);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }
}
