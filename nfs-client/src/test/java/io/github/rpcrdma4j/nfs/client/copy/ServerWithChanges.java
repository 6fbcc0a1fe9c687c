package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.CallsWithChanges;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server of root over RDMA that changes its files itself, before it replies to a call: so another
 * user is quicker than every copy.
 */
public abstract class ServerWithChanges {
    public static final int MALLORY = 7001;
    static final int BOB = 7002;

    @TempDir Path directory;
    public Path exported;
    Path source;
    private NfsServer nfs;
    private RpcRdmaServer rdma;
    NfsVersion version = NfsVersion.VERSION_3;
    Set<Integer> withheld = Set.of();
    final Map<Integer, io.github.rpcrdma4j.nfs.v3.FileHandle> told = new ConcurrentHashMap<>();
    final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    final AtomicInteger directories = new AtomicInteger();

    /** What happens after a call. */
    interface Change {
        void run(int procedure) throws IOException;
    }

    volatile Change change = _ -> {};

    @BeforeEach
    void serve() throws Exception {
        assumeTrue(
                ProcessCredential.read() instanceof Credential.Sys own && own.uid() == 0,
                "only root makes files of others");
        exported = Files.createDirectory(directory.resolve("exported"));
        source = Files.createDirectory(directory.resolve("source"));
        mode(exported, "rwxrwxrwx");
    }

    private void start() throws IOException {
        nfs = new NfsServer(List.of(new Export("/data", exported, false)), new byte[32]);
        var programs = new ArrayList<>(nfs.programs());
        programs.addAll(nfs.version2Programs());
        rdma =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(programs.stream().map(this::changing).toList())
                        .start();
    }

    private RpcProgram changing(RpcProgram program) {
        return program.id().number() != Nfs3.PROGRAM
                ? program
                : new CallsWithChanges(program, withheld, told, this::after);
    }

    private void after(int version, int procedure) {
        // Version 2 has no MKNOD, and its numbers differ.
        int called = version == 2 && procedure == 13 ? CallsWithChanges.SYMLINK : procedure;
        if (version == 3 && procedure == CallsWithChanges.MKDIR) {
            directories.incrementAndGet();
        }
        try {
            change.run(version == 2 && called == procedure ? -1 : called);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @AfterEach
    void stop() {
        if (rdma != null) {
            rdma.close();
            nfs.close();
            assertEquals(0, rdma.leasedMemory());
        }
    }

    NfsMount mount() throws Exception {
        if (rdma == null) {
            start();
        }
        var caller = new Credential.Sys(0, "test", 0, 0, List.of());
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider())
                                .credential(caller)
                                .binding(version.binding())
                                .connect(rdma.address());
        var options = ClientOptions.DEFAULT.withVersion(version).withCaller(caller);
        return NfsMount.of(NfsClient.connect(connector, connector, options), "/data");
    }

    interface Using {
        void use(Copier copier) throws Exception;
    }

    void copy(PreservedAttributes kept, Using using) throws Exception {
        var listener =
                new CopyListener() {
                    @Override
                    public void failed(IOException why) {
                        failures.add(why.getMessage());
                    }
                };
        try (var mount = mount()) {
            var options = ClientOptions.DEFAULT.withVersion(version);
            using.use(new Copier(mount, options, listener, kept));
        } catch (IncompleteTreeException _) {
            // The listener has the failures.
        }
    }

    static TreeCopier trees(Copier copier) {
        return new TreeCopier(copier, _ -> true);
    }

    void put(PreservedAttributes kept) throws Exception {
        copy(
                kept,
                copier ->
                        trees(copier)
                                .put(source, copier.context().mount().place("/data/copy"), "copy"));
    }

    static Path mode(Path file, String mode) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    static Object owner(Path file) throws IOException {
        return Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    Path ofOther(String name, int owner, boolean isDirectory) throws IOException {
        var file = exported.resolve(name);
        var made = isDirectory ? Files.createDirectory(file) : Files.writeString(file, "secret");
        mode(made, isDirectory ? "rwx------" : "rw-------");
        return Files.setAttribute(made, "unix:uid", owner);
    }

    /** Gives the name of a new file to another one, once. */
    void exchange(int procedure, Path made, Path other) {
        change =
                called -> {
                    if (called == procedure
                            && Files.exists(made, LinkOption.NOFOLLOW_LINKS)
                            && Files.exists(other)) {
                        if (procedure == CallsWithChanges.MKDIR
                                || procedure == CallsWithChanges.CREATE) {
                            Files.move(made, exported.resolve("moved"));
                        }
                        Files.move(other, made, StandardCopyOption.ATOMIC_MOVE);
                    }
                };
    }
}
