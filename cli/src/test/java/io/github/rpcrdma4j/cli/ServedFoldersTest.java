package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.server.Clients;
import io.github.rpcrdma4j.nfs.server.Export;
import io.github.rpcrdma4j.nfs.server.ExportRule;
import io.github.rpcrdma4j.nfs.server.ExportRule.Squash;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Goal: what a user writes of folders and networks becomes exports. */
class ServedFoldersTest {
    @TempDir private Path folder;

    private List<Export> exports(String... options) throws Exception {
        var folders = new ServedFolders();
        new CommandLine(new Shell(folders)).parseArgs(options);
        return folders.exports(List.of(SecurityFlavor.SYS));
    }

    @CommandLine.Command
    private static final class Shell {
        @CommandLine.Mixin private final ServedFolders folders;

        Shell(ServedFolders folders) {
            this.folders = folders;
        }
    }

    private static ExportRule rule(String clients, boolean readOnly, Squash squash) {
        return new ExportRule(
                Clients.parse(clients), readOnly, squash, ExportRule.NOBODY, ExportRule.NOBODY);
    }

    @Test
    void letsEverybodyInAndSquashesRootUnlessToldOtherwise() throws Exception {
        var exports = exports(folder + "=/data", "mem:");
        assertEquals(List.of("/data", "/mem"), exports.stream().map(Export::name).toList());
        for (var export : exports) {
            assertEquals(List.of(rule("any", false, Squash.ROOT)), export.rules());
        }
        var fixed = exports(folder + "=/data", "--read-only").getFirst();
        assertEquals(List.of(rule("any", true, Squash.ROOT)), fixed.rules());
    }

    @Test
    void hasTheRulesThatAreGiven() throws Exception {
        var exports =
                exports(
                        folder + "=/data",
                        "mem:",
                        "--allow",
                        "192.0.2.0/24,no_root_squash",
                        "--allow",
                        "/mem=fd00::/8,ro,all_squash,anonuid=7,anongid=4294967294");
        var first = rule("192.0.2.0/24", false, Squash.NONE);
        assertEquals(List.of(first), exports.getFirst().rules());
        var second = new ExportRule(Clients.parse("fd00::/8"), true, Squash.ALL, 7, -2);
        assertEquals(List.of(first, second), exports.getLast().rules());
    }

    @Test
    void letsNobodyInWhereNoRuleIsForAnExport() throws Exception {
        var exports = exports(folder + "=/data", "mem:", "--allow", "/mem=any,rw,root_squash");
        assertEquals(List.of(), exports.getFirst().rules());
    }

    @Test
    void refusesRulesThatMeanNothing() {
        for (var rule :
                List.of(
                        "",
                        "host",
                        "10/8",
                        "any,write",
                        "any,anonuid=x",
                        "any,anonuid=4294967295",
                        "any,anongid=4294967295",
                        "/other=any",
                        "/data")) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> exports(folder + "=/data", "--allow", rule),
                    rule);
        }
    }
}
