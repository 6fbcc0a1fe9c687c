package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.local.LocalNames;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Ports;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Squash;
import io.github.rpcrdma4j.nfs.server.export.FileSystemLocation;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Goal: the directories and networks that a user names become exports. */
class ExportOptionsTest {
    @TempDir private Path directory;

    private List<Export> exports(String... options) throws Exception {
        var directories = new ExportOptions();
        new CommandLine(new Shell(directories)).parseArgs(options);
        return directories.exports(List.of(SecurityFlavor.SYS));
    }

    @CommandLine.Command
    private static final class Shell {
        @CommandLine.Mixin private final ExportOptions directories;

        Shell(ExportOptions directories) {
            this.directories = directories;
        }
    }

    private static ExportRule rule(String clients, boolean readOnly, Squash squash) {
        return ExportRule.of(Clients.parse(clients)).withReadOnly(readOnly).withSquash(squash);
    }

    @Test
    void letsThisMachineInAndSquashesRootByDefault() throws Exception {
        var exports = exports(directory + "=/data", "mem:");
        assertEquals(List.of("/data", "/mem"), exports.stream().map(Export::name).toList());
        for (var export : exports) {
            assertEquals(ofThisMachine(false), export.rules());
        }
        var fixed = exports(directory + "=/data", "--read-only").getFirst();
        assertEquals(ofThisMachine(true), fixed.rules());
    }

    private static List<ExportRule> ofThisMachine(boolean readOnly) throws Exception {
        return List.of(
                rule("127.0.0.0/8", readOnly, Squash.ROOT), rule("::1", readOnly, Squash.ROOT));
    }

    @Test
    void hasTheRulesThatAreGiven() throws Exception {
        var exports =
                exports(
                        directory + "=/data",
                        "mem:",
                        "--allow",
                        "192.0.2.0/24,no_root_squash",
                        "--allow",
                        "/mem=fd00::/8,ro,all_squash,anonuid=7,anongid=4294967294");
        var first = rule("192.0.2.0/24", false, Squash.NONE);
        assertEquals(List.of(first), exports.getFirst().rules());
        var second = rule("fd00::/8", true, Squash.ALL).withAnonymous(7, -2);
        assertEquals(List.of(first, second), exports.getLast().rules());
    }

    @Test
    void takesTheWordsOfExportsFiles() throws Exception {
        var any = rule("any", false, Squash.ROOT);
        var words =
                Map.of(
                        "secure", any.withPorts(Ports.PRIVILEGED),
                        "insecure", any.withPorts(Ports.ANY),
                        "async", any.withSync(false),
                        "sync", any,
                        "crossmnt", any.withCrossMounts(true),
                        "nocrossmnt", any,
                        "rw,rw", any,
                        "anonuid=5", any.withAnonymous(5, ExportRule.NOBODY),
                        "anongid=6,anonuid=5", any.withAnonymous(5, 6));
        for (var each : words.entrySet()) {
            var exports = exports(directory + "=/data", "--allow", "any," + each.getKey());
            assertEquals(List.of(each.getValue()), exports.getFirst().rules(), each.getKey());
        }
        var fixed = exports(directory + "=/data", "--read-only", "--allow", "any,rw").getFirst();
        assertEquals(List.of(any.withReadOnly(true)), fixed.rules());
    }

    /** In exports(5) the last one counts, which an operator may not see. */
    @Test
    void refusesWordsThatExcludeEachOther() {
        for (var words :
                List.of(
                        "rw,ro",
                        "ro,async,rw",
                        "all_squash,root_squash",
                        "secure,insecure",
                        "async,sync",
                        "crossmnt,nocrossmnt",
                        "anonuid=5,anonuid=6",
                        "refer=/a@b,refer=/c@d")) {
            var each = words.split(",");
            var refused =
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> exports("mem:", "--allow", "any," + words));
            assertEquals(
                    "--allow has both %s and %s, where one can be: any,%s"
                            .formatted(each[0], each[each.length - 1], words),
                    refused.getMessage());
        }
    }

    @Test
    void refusesANameThatNoClientFinds() {
        for (var name : List.of("/a/", "/a//b", "//a", "/..", "/a/./b", "/")) {
            var refused =
                    assertThrows(IllegalArgumentException.class, () -> exports("mem:=" + name));
            assertEquals(
                    "the name of an export is like /NAME, without a slash at the end: " + name,
                    refused.getMessage());
        }
    }

    @Test
    void sendsHostsToOtherServers() throws Exception {
        var any = rule("any", false, Squash.ROOT);
        var words =
                Map.of(
                        "refer=/data@b.example.org",
                        List.of(location("/data", "b.example.org")),
                        "refer=/a@b@192.0.2.1+fd00::1:/@fd00:::/c@d",
                        List.of(
                                location("/a@b", "192.0.2.1", "fd00::1"),
                                location("/", "fd00::"),
                                location("/c", "d")));
        for (var each : words.entrySet()) {
            var exports = exports(directory + "=/data", "--allow", "any," + each.getKey());
            var moved = any.withMoved(each.getValue());
            assertEquals(List.of(moved), exports.getFirst().rules(), each.getKey());
        }
    }

    private static FileSystemLocation location(String path, String... servers) {
        return new FileSystemLocation(List.of(servers), PathName.of(path));
    }

    /** A directory may be exported under several names, and below another export. */
    @Test
    void exportsDirectoriesThatOverlap() throws Exception {
        var below = Files.createDirectory(directory.resolve("below"));
        var exports = exports(directory + "=/a", directory + "=/b", below + "=/a/below");
        assertEquals(List.of("/a", "/b", "/a/below"), exports.stream().map(Export::name).toList());
        new NfsServer(exports, HandleKey.random()).close();
    }

    @Test
    void exportsADirectoryWhoseNameIsNotText() throws Exception {
        Path root;
        try {
            var name = LocalNames.path(new byte[] {'x', (byte) 0xe9});
            root = Files.createDirectory(directory.resolve(name));
        } catch (IOException | InvalidPathException _) {
            abort("this file system has names in UTF-8 only");
            return;
        }
        var typed = directory + "/x\udce9";
        assertEquals(
                List.of("/data", "/x\ufffd"),
                exports(typed + "=/data", typed).stream().map(Export::name).toList());
        assertEquals(Optional.of(root.toRealPath()), exports(typed).getFirst().directory());
    }

    @Test
    void letsNoHostInWhereNoRuleIsForAnExport() throws Exception {
        var exports = exports(directory + "=/data", "mem:", "--allow", "/mem=any,rw,root_squash");
        assertEquals(List.of(), exports.getFirst().rules());
    }

    @Test
    void findsHostsByTheirNames() throws Exception {
        var rule = exports(directory + "=/data", "--allow", "localhost,ro").getFirst().rules();
        assertEquals("localhost", rule.getFirst().clients().toString());
        assertTrue(rule.getFirst().readOnly());
        assertTrue(rule.getFirst().clients().include(InetAddress.ofLiteral("127.0.0.1")));
        var unknown =
                assertThrows(
                        UnknownHostException.class,
                        () -> exports(directory + "=/data", "--allow", "no-such-host.invalid,ro"));
        assertEquals("unknown host: no-such-host.invalid", unknown.getMessage());
    }

    @Test
    void refusesTwoRulesForOneNetwork() {
        for (var network : List.of("any", "192.0.2.0/24", "fd00::/8", "localhost")) {
            var failure =
                    assertThrows(
                            IllegalArgumentException.class,
                            () ->
                                    exports(
                                            directory + "=/data",
                                            "--allow",
                                            network + ",ro",
                                            "--allow",
                                            "/data=" + network + ",rw"));
            assertTrue(failure.getMessage().startsWith("--allow has two rules for "), network);
        }
    }

    @Test
    void namesTheExportsForARuleThatIsForNone() {
        var failure =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> exports(directory + "=/data", "mem:", "--allow", "/nope=any"));
        assertEquals(
                "--allow /nope=any: there is no such export, but /data, /mem",
                failure.getMessage());
    }

    @Test
    void refusesRulesThatMeanNothing() {
        for (var rule :
                List.of(
                        "",
                        "two words",
                        "*.example.org",
                        "@group",
                        "10",
                        "host/8",
                        "10/8",
                        "any,write",
                        "any,anonuid=x",
                        "any,anonuid=4294967295",
                        "any,anongid=4294967295",
                        "any,refer=",
                        "any,refer=/data",
                        "any,refer=/data@",
                        "any,refer=/data@a++b",
                        "any,refer=data@a",
                        "any,refer=@a",
                        "any,refer=/data@a:",
                        "/other=any",
                        "/data")) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> exports(directory + "=/data", "--allow", rule),
                    rule);
        }
        var noHost =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> exports(directory + "=/data", "--allow", "any,refer=/data@a+"));
        assertEquals("--allow: no host or address: '': any,refer=/data@a+", noHost.getMessage());
    }
}
