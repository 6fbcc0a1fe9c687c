package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.mount.Mount1;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountStatus;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Squash;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: MNT finds for a caller what LOOKUP would find, and tells no name that a directory hides.
 * Method: clients over RDMA mount what lies in a directory of mode 0700 of another user, as each
 * kind of caller, in exports of different rules and flavors.
 */
@Timeout(60)
class MountRightsTest {
    private static final int ALICE = 1000;
    private static final int MALLORY = 2000;
    private static final SecurityFlavor[] SYS_AND_NONE = {SecurityFlavor.SYS, SecurityFlavor.NONE};
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** The names in the hidden directory, and one that is not there. */
    private static final List<String> NAMES =
            List.of("plans", "plans/deep", "file", "file/below", "nothing", "nothing/below");

    @TempDir private Path directory;
    private NfsServer nfs;
    private RpcRdmaServer server;

    @BeforeEach
    void serve() throws Exception {
        assumeTrue(
                ProcessCredential.read() instanceof Credential.Sys own && own.uid() == 0,
                "only root can act for others");
        allow(directory, "rwxr-xr-x");
        var home = allow(Files.createDirectory(directory.resolve("home")), "rwx------");
        Files.createDirectories(home.resolve("plans/deep"));
        Files.writeString(home.resolve("file"), "text");
        for (var each : List.of("plans/deep", "plans", "file", "")) {
            Files.setAttribute(home.resolve(each), "unix:uid", ALICE);
        }
        var usual = ExportRule.of(new Clients.Everybody());
        nfs =
                new NfsServer(
                        List.of(
                                export("/usual", usual, SecurityFlavor.SYS),
                                export("/trusting", usual.withSquash(Squash.NONE), SYS_AND_NONE),
                                export("/all", usual.withSquash(Squash.ALL), SYS_AND_NONE),
                                export(
                                        "/alice",
                                        usual.withSquash(Squash.ALL).withAnonymous(ALICE, ALICE),
                                        SYS_AND_NONE),
                                export("/secret", usual, SecurityFlavor.KRB5P),
                                new Export(
                                        "/usual/home/plans",
                                        home.resolve("plans"),
                                        List.of(usual),
                                        List.of(SYS_AND_NONE))),
                        new byte[32]);
        var programs = new ArrayList<RpcProgram>(nfs.programs());
        programs.addAll(nfs.version2Programs());
        server =
                RpcRdmaServer.builder()
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(programs)
                        .start();
    }

    private Export export(String name, ExportRule rule, SecurityFlavor... flavors) {
        return new Export(name, directory, List.of(rule), List.of(flavors));
    }

    private static Path allow(Path file, String permissions) throws Exception {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
            nfs.close();
        }
    }

    private static Credential user(int uid) {
        return new Credential.Sys(0, "box", uid, uid, List.of());
    }

    private RpcRdmaClient connect(Credential caller) throws Exception {
        return RpcRdmaClient.builder().credential(caller).connect(server.address());
    }

    private MountStatus mount(int version, Credential caller, String path) throws Exception {
        try (var client = connect(caller)) {
            var call = call(version, path);
            try (var reply = client.call(call, TIMEOUT)) {
                if (version == Mount1.VERSION) {
                    return Mount1.MountResult.decode(reply.results())
                                    instanceof Mount1.MountResult.Failed(var status)
                            ? status
                            : MountStatus.OK;
                }
                return Mount3.MountResult.decode(reply.results())
                                instanceof Mount3.MountResult.Failed(var status)
                        ? status
                        : MountStatus.OK;
            }
        }
    }

    private static RpcCall call(int version, String path) {
        return new RpcCall(
                Mount3.PROGRAM,
                version,
                Mount3.Procedure.MNT.number(),
                out -> out.string(path),
                4096);
    }

    /** Returns what mounts of all names in the hidden directory get, in words. */
    private Map<String, MountStatus> mounts(int version, Credential caller, String export)
            throws Exception {
        var statuses = new TreeMap<String, MountStatus>();
        for (var name : NAMES) {
            statuses.put(name, mount(version, caller, export + "/home/" + name));
        }
        return statuses;
    }

    private static Map<String, MountStatus> found() {
        return new TreeMap<>(
                Map.of(
                        "plans", MountStatus.OK,
                        "plans/deep", MountStatus.OK,
                        "file", MountStatus.NOTDIR,
                        "file/below", MountStatus.NOTDIR,
                        "nothing", MountStatus.NOENT,
                        "nothing/below", MountStatus.NOENT));
    }

    private static Map<String, MountStatus> refused() {
        var statuses = new TreeMap<String, MountStatus>();
        NAMES.forEach(name -> statuses.put(name, MountStatus.ACCES));
        return statuses;
    }

    /** In each case the same whether a name is there or not: so no name is told. */
    @ParameterizedTest
    @ValueSource(ints = {Mount1.VERSION, Mount3.VERSION})
    void aMountFindsWhatLookupWouldFind(int version) throws Exception {
        var nobody = new Credential.None();
        assertEquals(refused(), mounts(version, user(MALLORY), "/trusting"));
        assertEquals(refused(), mounts(version, nobody, "/trusting"));
        assertEquals(found(), mounts(version, user(ALICE), "/trusting"));
        assertEquals(found(), mounts(version, user(0), "/trusting"));
        assertEquals(refused(), mounts(version, user(0), "/all"));
        assertEquals(refused(), mounts(version, user(ALICE), "/all"));
        assertEquals(found(), mounts(version, user(MALLORY), "/alice"));
        assertEquals(found(), mounts(version, nobody, "/alice"));
    }

    /** Linux mounts with AUTH_SYS or AUTH_NONE before it has a ticket. */
    @ParameterizedTest
    @ValueSource(ints = {Mount1.VERSION, Mount3.VERSION})
    void withAnotherFlavorAMountGetsTheRootAndWhatTheAnonymousUserFinds(int version)
            throws Exception {
        for (var caller : List.of(user(0), user(ALICE), user(MALLORY), new Credential.None())) {
            assertEquals(MountStatus.OK, mount(version, caller, "/secret"), caller.toString());
            assertEquals(MountStatus.OK, mount(version, caller, "/secret/home"));
            assertEquals(refused(), mounts(version, caller, "/secret"), caller.toString());
        }
    }

    /** The root of an export is promised to every host, though a directory above it is hidden. */
    @Test
    void theRootOfAnExportIsFoundByItsName() throws Exception {
        for (var caller : List.of(user(0), user(ALICE), user(MALLORY), new Credential.None())) {
            assertEquals(MountStatus.OK, mount(3, caller, "/usual/home/plans"));
            assertEquals(MountStatus.OK, mount(3, caller, "/usual/home/plans/deep"));
        }
        assertEquals(MountStatus.ACCES, mount(3, user(MALLORY), "/usual/home/file"));
        // By the way of another export, LOOKUP leads there, or does not.
        assertEquals(MountStatus.ACCES, mount(3, user(MALLORY), "/trusting/home/plans"));
        assertEquals(MountStatus.OK, mount(3, user(ALICE), "/trusting/home/plans"));
    }
}
