package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Ports;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Squash;
import io.github.rpcrdma4j.nfs.server.export.FileSystemLocation;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a user who serves a directory sees who may use it. */
class ExportRuleTextTest {
    private static final Credential ROOT = user(0);
    private static final String WARNING = "every host may change files: see --allow";
    private static final String STORAGE = ", changes are on storage before they are answered";

    private static Credential user(int uid) {
        return new Credential.Sys(0, "host", uid, uid, List.of());
    }

    private static ExportRule rule(String clients) throws Exception {
        return ExportRule.of(Clients.of(clients));
    }

    private static Export export(ExportRule... rules) {
        return new Export("/data", Path.of("data"), List.of(rules), List.of(SecurityFlavor.SYS));
    }

    /** Returns the lines for a server that acts for its callers. */
    private static List<String> words(ExportRule... rules) {
        return ExportRuleText.of(export(rules), true, ROOT);
    }

    @Test
    void saysThatTheWorldMayWrite() throws Exception {
        var squashed =
                "read and write, root of a client acts as user 65534 and group 65534 (root_squash)"
                        + STORAGE;
        assertEquals(List.of("any host: " + squashed, WARNING), words(rule("any")));
        assertEquals(List.of("0.0.0.0/0: " + squashed, WARNING), words(rule("0.0.0.0/0")));
        assertEquals(List.of("192.0.2.0/24: " + squashed), words(rule("192.0.2.0/24")));
        assertEquals(List.of("localhost: " + squashed), words(rule("localhost")));
    }

    @Test
    void saysWhatEachRuleAllows() throws Exception {
        assertEquals(List.of("no host is let in: see --allow"), words());
        var trusted =
                rule("192.0.2.1")
                        .withSquash(Squash.NONE)
                        .withPorts(Ports.PRIVILEGED)
                        .withSync(false)
                        .withCrossMounts(true);
        var others =
                rule("any")
                        .withReadOnly(true)
                        .withSquash(Squash.ALL)
                        .withAnonymous(-2, 7)
                        .withPorts(Ports.ANY);
        assertEquals(
                List.of(
                        "192.0.2.1: read and write, root of a client is root here (no_root_squash),"
                                + " from ports below 1024,"
                                + " changes are answered before they are on storage (async),"
                                + " with what is mounted below",
                        "any host: read only, all callers act as user 4294967294 and group 7"
                                + " (all_squash), local users may call as others (insecure)"
                                + STORAGE),
                words(trusted, others));
    }

    @Test
    void saysWhoIsRootByAnAnonymousUserThatIs() throws Exception {
        var root = rule("192.0.2.1").withAnonymous(0, 0);
        assertEquals(
                List.of(
                        "192.0.2.1: read and write, root of a client is root here (anonuid=0)"
                                + STORAGE),
                words(root));
        assertEquals(
                List.of(
                        "192.0.2.1: read and write, all callers are root here (all_squash, anonuid=0)"
                                + STORAGE),
                words(root.withSquash(Squash.ALL)));
    }

    @Test
    void saysWhereFilesAreThatAreNotHere() throws Exception {
        var places =
                List.of(
                        new FileSystemLocation(
                                List.of("a.example.org", "fd00::1"), PathName.of("/data")),
                        new FileSystemLocation(List.of("b"), PathName.of("/x y")));
        assertEquals(
                List.of(
                        "any host: no access here, version 4 is sent to"
                                + " a.example.org+fd00::1 /data, b /x y"),
                words(rule("any").withMoved(places)));
    }

    @Test
    void saysAsWhomAServerActsThatCannotActForItsCallers() throws Exception {
        var fixed = export(rule("any").withReadOnly(true).withSquash(Squash.NONE));
        assertEquals(
                List.of("any host: read only, all callers act as user 1000" + STORAGE),
                ExportRuleText.of(fixed, false, user(1000)));
        assertEquals(
                List.of("any host: read only, all callers act as user 0" + STORAGE),
                ExportRuleText.of(fixed, false, ROOT));
        assertEquals(
                List.of(
                        "any host: read only, all callers act as the user of this server"
                                + STORAGE),
                ExportRuleText.of(fixed, false, new Credential.None()));
    }
}
