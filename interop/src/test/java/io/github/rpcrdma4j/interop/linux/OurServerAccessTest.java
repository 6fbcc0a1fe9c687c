package io.github.rpcrdma4j.interop.linux;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.interop.access.Comparison;
import io.github.rpcrdma4j.interop.access.Exported;
import io.github.rpcrdma4j.interop.access.Fill;
import io.github.rpcrdma4j.interop.access.GoldenTable;
import io.github.rpcrdma4j.interop.access.Table;
import io.github.rpcrdma4j.interop.access.TableRun;
import io.github.rpcrdma4j.interop.access.TableServer;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Ports;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Squash;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: our server grants the rights that the Linux kernel's server grants, except for the accepted
 * differences, which it has to show. Method: the golden table, on a server in this process, which
 * runs as root.
 */
class OurServerAccessTest {
    /**
     * The kernel setting that limits which files callers may link; it is on in the guest of the
     * golden table.
     */
    private static final Path PROTECTED = Path.of("/proc/sys/fs/protected_hardlinks");

    @TempDir private Path base;

    private static boolean isRoot() throws IOException {
        return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
    }

    private static boolean isInstalled(String program) {
        return Arrays.stream(System.getenv("PATH").split(Pattern.quote(File.pathSeparator)))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }

    /** Returns whether this root may make devices, which root in a container may not. */
    private static boolean makesDevices(AccessHere.LocalShell shell) throws InterruptedException {
        try {
            shell.run("mknod probe c 1 3 && rm probe");
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    private static boolean protectsHardLinks() throws IOException {
        return Files.isReadable(PROTECTED) && Files.readString(PROTECTED).strip().equals("1");
    }

    private Export export(Exported exported) {
        // Waiting for storage does not affect access rights, but takes most of the time. This
        // process calls as many users.
        var all = ExportRule.of(new Clients.Everybody()).withSync(false).withPorts(Ports.ANY);
        var rule =
                switch (exported) {
                    case OPEN -> all.withSquash(Squash.NONE);
                    case SQUASHED -> all;
                    case READ_ONLY -> all.withSquash(Squash.NONE).withReadOnly(true);
                    case ALL_SQUASHED -> all.withSquash(Squash.ALL).withAnonymous(1005, 1006);
                };
        return new Export(
                        "/" + exported.directory(),
                        base.resolve(exported.directory()),
                        List.of(rule),
                        List.of(SecurityFlavor.SYS, SecurityFlavor.NONE))
                .with(Delegations.LEASES);
    }

    @Test
    // A server that opens FIFOs neither answers nor ends.
    @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
    void letsCallersDoWhatTheKernelLetsThem() throws Exception {
        assumeTrue(isRoot(), "only root can make files of all owners");
        assumeTrue(protectsHardLinks(), PROTECTED + " is not 1");
        assumeTrue(isInstalled("setfacl") && isInstalled("getfacl"), "the package acl is missing");
        var shell = new AccessHere.LocalShell(base);
        assumeTrue(makesDevices(shell), "root may make no devices here");
        shell.run(TableRun.exportsScript());
        var exports = Arrays.stream(Exported.values()).map(this::export).toList();
        try (var nfs = new NfsServer(exports, new byte[16], KerberosUsers.NONE);
                var server =
                        TcpRpcServer.listen(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                new RpcDispatcher(nfs.programs(), List.of()),
                                TcpRpcOptions.DEFAULT)) {
            var at = server.address();
            var found = new TableRun(new Table(), TableServer.ours(at), shell).run();
            var golden =
                    GoldenTable.ofLinux().outcomes().stream()
                            .filter(each -> !each.id().startsWith(Fill.GROUP))
                            .toList();
            var expected = GoldenTable.replaced(golden, GoldenTable.ofAccepted().outcomes());
            var comparison = Comparison.of(expected, found);
            assertTrue(
                    comparison.differences().isEmpty(),
                    () -> String.join("\n", comparison.lines("expected", "ours")));
        } finally {
            shell.run(TableRun.exportsScript());
        }
    }
}
