package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Comparison;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Deletion;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Squash;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: where a server gives the files of all callers to one user, a second copy of the same source
 * does nothing, reports nothing, and a trial says so.
 */
class MappedTargetsTest {
    private static final int ANONYMOUS = 7005;

    @TempDir private Path directory;
    private Path source;
    private Path exported;
    private NfsServer nfs;
    private RpcRdmaServer rdma;

    @BeforeEach
    void serve() throws Exception {
        assumeTrue(
                ProcessCredential.read() instanceof Credential.Sys own && own.uid() == 0,
                "only root can act for others");
        source = Files.createDirectory(directory.resolve("source"));
        exported = Files.createDirectory(directory.resolve("exported"));
        for (var file : List.of(directory, exported)) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        Files.setAttribute(exported, "unix:uid", ANONYMOUS);
        var rule =
                ExportRule.of(new Clients.Everybody())
                        .withSquash(Squash.ALL)
                        .withAnonymous(ANONYMOUS, ANONYMOUS);
        var export = new Export("/data", exported, List.of(rule), List.of(SecurityFlavor.SYS));
        nfs = new NfsServer(List.of(export), new byte[32]);
        rdma =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(nfs.programs())
                        .start();
    }

    @AfterEach
    void stop() {
        if (rdma != null) {
            rdma.close();
            nfs.close();
        }
    }

    /** Copies the source to the server; returns what is done with files that are not unchanged. */
    private List<String> sync(boolean isTrial) throws Exception {
        var done = new ArrayList<String>();
        var listener =
                new CopyListener() {
                    @Override
                    public synchronized void file(String name, long bytes) {
                        done.add("copied " + name);
                    }

                    @Override
                    public synchronized void planned(Step step, String name, long bytes) {
                        done.add(step + " " + name);
                    }

                    @Override
                    public synchronized void failed(IOException why) {
                        done.add(why.getMessage());
                    }
                };
        var caller = new Credential.Sys(0, "test", 0, 0, List.of());
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider())
                                .credential(caller)
                                .connect(rdma.address());
        var rules =
                new CopyRules(
                        CopyRules.ALL,
                        Comparison.SIZE_AND_TIME,
                        new Deletion.Everything(),
                        isTrial,
                        true,
                        false);
        var client =
                NfsClient.connect(
                        connector,
                        connector,
                        ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3));
        try (var mount = NfsMount.of(client, "/data")) {
            var copier =
                    new Copier(
                            mount,
                            ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3),
                            listener,
                            PreservedAttributes.ATTRIBUTES);
            new TreeCopier(copier, rules).put(source, mount.place("/data/copy"), "copy");
        } catch (IncompleteTreeException _) {
            // The listener has the failures.
        }
        return done;
    }

    private static void make(Path in, String directory, String... modes) throws IOException {
        for (var mode : modes) {
            var file = Files.writeString(in.resolve(mode), mode);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        }
        Files.setPosixFilePermissions(in, PosixFilePermissions.fromString(directory));
    }

    @Test
    void aSecondCopyDoesNothingAndATrialSaysSo() throws Exception {
        String[] modes = {"rw-r--r--", "r--r--r--", "r-xr-xr-x", "rw-rw-rw-", "---------"};
        make(Files.createDirectory(source.resolve("usual")), "rwxr-xr-x", modes);
        make(Files.createDirectory(source.resolve("fixed")), "r-xr-xr-x", modes);
        Files.createSymbolicLink(source.resolve("link"), Path.of("nowhere"));
        sync(false);
        assertEquals(ANONYMOUS, Files.getAttribute(exported.resolve("copy"), "unix:uid"));
        assertEquals(List.of(), sync(true));
        assertEquals(List.of(), sync(false));
        assertEquals(List.of(), sync(true));
        Files.writeString(source.resolve("usual/r--r--r--"), "changed");
        assertEquals(List.of("COPY copy/usual/r--r--r--"), sync(true));
    }
}
