package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.server.Clients;
import io.github.rpcrdma4j.nfs.server.Export;
import io.github.rpcrdma4j.nfs.server.ExportRule;
import io.github.rpcrdma4j.nfs.server.ExportRule.Squash;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a user who serves a folder is told to whom. */
class RuleWordsTest {
    private static final Credential ROOT = user(0);
    private static final String WARNING = ". Every host may change files: see --allow.";

    private static Credential user(int uid) {
        return new Credential.Sys(0, "host", uid, uid, List.of());
    }

    private static ExportRule rule(String clients) throws Exception {
        return ExportRule.of(Clients.of(clients));
    }

    private static String words(Credential server, ExportRule... rules) {
        return RuleWords.of(
                new Export("/data", Path.of("data"), List.of(rules), List.of(SecurityFlavor.SYS)),
                server);
    }

    @Test
    void saysThatTheWorldMayWrite() throws Exception {
        var squashed =
                "read and write, root of a client acts as user 65534 and group 65534 (root_squash)";
        assertEquals("any host: " + squashed + WARNING, words(ROOT, rule("any")));
        assertEquals("0.0.0.0/0: " + squashed + WARNING, words(ROOT, rule("0.0.0.0/0")));
        assertEquals("192.0.2.0/24: " + squashed, words(ROOT, rule("192.0.2.0/24")));
        assertEquals("localhost: " + squashed, words(ROOT, rule("localhost")));
    }

    @Test
    void saysWhatEachRuleAllows() throws Exception {
        assertEquals("no host is let in", words(ROOT));
        assertEquals(
                "192.0.2.1: read and write, root of a client is root here (no_root_squash),"
                        + " from ports below 1024, replies do not wait for storage,"
                        + " with what is mounted below;"
                        + " any host: read only, all callers act as user 4294967294 and group 7"
                        + " (all_squash)",
                words(
                        ROOT,
                        rule("192.0.2.1")
                                .withSquash(Squash.NONE)
                                .withSecure(true)
                                .withSync(false)
                                .withCrossMounts(true),
                        rule("any")
                                .withReadOnly(true)
                                .withSquash(Squash.ALL)
                                .withAnonymous(-2, 7)));
    }

    @Test
    void saysThatAServerWhichIsNotRootActsAsItself() throws Exception {
        var fixed = rule("any").withReadOnly(true);
        assertEquals("any host: read only, all callers act as user 1000", words(user(1000), fixed));
        assertEquals(
                "any host: read only, all callers act as the user of this server",
                words(new Credential.None(), fixed));
    }
}
