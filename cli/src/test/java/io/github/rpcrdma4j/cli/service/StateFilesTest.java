package io.github.rpcrdma4j.cli.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.serve.RecoveryOptions;
import io.github.rpcrdma4j.nfs.server.Nfs4Options;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Goal: servers of one user have names of their own, and keep them over restarts. */
class StateFilesTest {
    private static InetSocketAddress address(String host, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(host), port);
    }

    private static Nfs4Options options(String host, int port, boolean isInMemory, String... words) {
        var recovery = new RecoveryOptions();
        new CommandLine(CommandLine.Model.CommandSpec.forAnnotatedObjectLenient(recovery))
                .parseArgs(words);
        return recovery.options(address(host, port), isInMemory);
    }

    @Test
    void namesAServerByItsPortAndItsAddress() {
        assertEquals("20049", StateFiles.instance(address("0.0.0.0", 20049)));
        assertEquals("20049", StateFiles.instance(address("::", 20049)));
        assertEquals("192.0.2.1:20049", StateFiles.instance(address("192.0.2.1", 20049)));
        assertEquals("[::1]:1", StateFiles.instance(address("::1", 1)));
        var unresolved = InetSocketAddress.createUnresolved("../a", 1);
        assertEquals(".._a:1", StateFiles.instance(unresolved));
        assertTrue(StateFiles.records("20049").endsWith("rpcrdma4j/clients-20049"));
    }

    /** Goal: without a word about it, the one server at a port is found. */
    @Test
    void findsTheServerAtAPort(@TempDir Path home) throws Exception {
        var own = Files.createDirectories(home.resolve("own/control"));
        var service = Files.createDirectories(home.resolve("service/control"));
        var both = List.of(own.getParent(), service.getParent());
        assertEquals(own.resolve("20049.sock"), StateFiles.controlOf(20049, both));
        var ofService = Files.createFile(service.resolve("20049.sock"));
        assertEquals(ofService, StateFiles.controlOf(20049, both));
        assertEquals(
                own.resolve("20049.sock"), StateFiles.controlOf(20049, List.of(own.getParent())));
        var local = Files.createFile(own.resolve("127.0.0.1:20049.sock"));
        assertEquals(local, StateFiles.controlOf(20049, List.of(own.getParent())));
        var several =
                assertThrows(
                        IllegalArgumentException.class, () -> StateFiles.controlOf(20049, both));
        assertEquals(
                "several servers listen at port 20049: name one by --control, such as " + local,
                several.getMessage());
        Files.delete(ofService);
        var onAll = Files.createFile(own.resolve("20049.sock"));
        assertEquals(onAll, StateFiles.controlOf(20049, both));
        assertEquals(own.resolve("1.sock"), StateFiles.controlOf(1, both));
    }

    @Test
    void keepsRecordsWhereAServerIsFoundAgain() {
        assertEquals(
                Optional.of(StateFiles.records("20049")),
                options("0.0.0.0", 20049, false).records());
        assertEquals(Optional.empty(), options("0.0.0.0", 20049, true).records());
        assertEquals(Optional.empty(), options("0.0.0.0", 0, false).records());
        assertNotEquals(
                options("0.0.0.0", 0, false).instance(), options("0.0.0.0", 0, false).instance());
    }

    @Test
    void graceLastsAsLongAsALeaseUnlessToldOtherwise() {
        var usual = options("0.0.0.0", 1, true);
        assertEquals(Duration.ofSeconds(90), usual.lease());
        assertEquals(Duration.ofSeconds(90), usual.grace());
        assertEquals(Duration.ofSeconds(10), options("0.0.0.0", 1, true, "--lease=10").grace());
        var both = options("0.0.0.0", 1, false, "--lease=20", "--grace=5");
        assertEquals(Duration.ofSeconds(20), both.lease());
        assertEquals(Duration.ofSeconds(5), both.grace());
        assertThrows(
                IllegalArgumentException.class, () -> options("0.0.0.0", 1, true, "--lease=9"));
    }

    @Test
    void refusesAGracePeriodWhereNothingIsReclaimed() {
        for (var each : List.of(options("0.0.0.0", 1, true), options("0.0.0.0", 0, false))) {
            assertEquals(Optional.empty(), each.records());
        }
        assertThrows(
                IllegalArgumentException.class, () -> options("0.0.0.0", 1, true, "--grace=5"));
        assertThrows(
                IllegalArgumentException.class, () -> options("0.0.0.0", 0, false, "--grace=5"));
    }

    @Test
    void keepsStateWhereTheEnvironmentSays() {
        var home = Map.of("HOME", "/h");
        assertEquals(Path.of("/h/.local/state/rpcrdma4j"), StateFiles.directory(home));
        assertEquals(
                Path.of("/s/rpcrdma4j"),
                StateFiles.directory(Map.of("HOME", "/h", "XDG_STATE_HOME", "/s")));
        for (var ignored : List.of("", "relative")) {
            assertEquals(
                    StateFiles.directory(home),
                    StateFiles.directory(Map.of("HOME", "/h", "XDG_STATE_HOME", ignored)));
            assertEquals(
                    Path.of(System.getProperty("user.home"), ".local", "state", "rpcrdma4j"),
                    StateFiles.directory(Map.of("HOME", ignored)));
        }
    }
}
