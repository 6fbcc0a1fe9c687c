package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.JsonText;
import io.github.rpcrdma4j.cli.ServerProcess;
import io.github.rpcrdma4j.dissect.Json;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.server.audit.AuditEntry;
import io.github.rpcrdma4j.nfs.server.audit.AuditedChange;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: an operator learns who has removed, renamed or linked which file, and who has changed its
 * rights, by each version of NFS; no client hides that, or forges it.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AuditTest {
    private static final FileName D = FileName.of("d");
    private static final FileName E = FileName.of("e");
    private static final OptionalInt KEPT = OptionalInt.empty();

    /** What depends on the run. */
    private static final Pattern START =
            Pattern.compile(
                    "\\{\"time\":\"[-0-9]{10}T[:.0-9]+Z\",\"host\":\"127\\.0\\.0\\.1\",\"port\":\\d+,");

    @TempDir private Path directory;
    private final Console console = new Console();
    private Path exported;
    private Path audit;
    private int uid;
    private int gid;

    @BeforeEach
    void makeFiles() throws Exception {
        exported = Files.createDirectory(directory.resolve(AuditedClient.EXPORT));
        audit = directory.resolve("audit");
        Files.createDirectory(exported.resolve("d"));
        Files.createDirectory(exported.resolve("e"));
        file("d/f");
        uid = (int) Files.getAttribute(exported, "unix:uid");
        gid = (int) Files.getAttribute(exported, "unix:gid");
    }

    private Path file(String name) throws IOException {
        var file = Files.writeString(exported.resolve(name), "text");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }

    private static long number(Path file) throws IOException {
        return (long) Files.getAttribute(file, "unix:ino");
    }

    private Credential.Sys caller() {
        return new Credential.Sys(0, "box", uid, gid, List.of());
    }

    private ServerProcess serve(String... more) throws IOException {
        var options = new ArrayList<>(List.of("--listen", "127.0.0.1:0", "--nfs2"));
        options.addAll(List.of("--allow", "127.0.0.1,no_root_squash,insecure"));
        options.addAll(List.of("--audit", audit.toString()));
        options.addAll(List.of(more));
        return ServerProcess.serving(exported, options.toArray(String[]::new));
    }

    /** Returns the lines without what depends on the run. */
    private List<String> lines() throws IOException {
        return Files.readAllLines(audit).stream().map(AuditTest::known).toList();
    }

    private static String known(String line) {
        new JsonText(line).whole();
        assertTrue(START.matcher(line).lookingAt(), line);
        return START.matcher(line).replaceFirst("{");
    }

    /** Returns the part of a line that all lines of a version have. */
    private String head(int version) {
        return head(version, uid, gid);
    }

    private String head(int version, int actingUid, int actingGid) {
        // A server that is not root acts for nobody.
        var user =
                uid == 0 ? ",\"user\":{\"uid\":%d,\"gid\":%d}".formatted(actingUid, actingGid) : "";
        return "{\"version\":%d,\"claimed\":{\"uid\":%d,\"gid\":%d}%s,\"export\":\"/exported\",\"operation\":"
                .formatted(version, uid, gid, user);
    }

    private String before(String mode) {
        return "\"before\":{\"mode\":\"%s\",\"uid\":%d,\"gid\":%d}}".formatted(mode, uid, gid);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void eachChangeOfANameOrARightIsALine(int version) throws Exception {
        long f = number(exported.resolve("d/f"));
        long other = number(file("e/other"));
        long x = number(Files.createDirectory(exported.resolve("d/x")));
        var name = FileName.of("f");
        try (var server = serve();
                var client = AuditedClient.of(version, server, caller())) {
            client.set(D, name, OptionalInt.of(0640), KEPT, KEPT);
            client.set(D, name, KEPT, OptionalInt.of(uid), OptionalInt.of(gid));
            client.link(D, name, E, FileName.of("l"));
            client.rename(E, FileName.of("l"), D, FileName.of("m"));
            client.rename(D, name, E, FileName.of("other"));
            client.remove(D, FileName.of("m"));
            client.removeDirectory(D, FileName.of("x"));
        }
        var head = head(version);
        var file = "\"path\":\"/d/f\",\"fileId\":\"" + f + "\",";
        assertEquals(
                List.of(
                        head + "\"setattr\"," + file + "\"mode\":\"0640\"," + before("0644"),
                        head
                                + "\"setattr\","
                                + file
                                + "\"uid\":%d,\"gid\":%d,".formatted(uid, gid)
                                + before("0640"),
                        head + "\"link\"," + file + "\"newPath\":\"/e/l\"}",
                        head
                                + "\"rename\",\"path\":\"/e/l\",\"fileId\":\"%d\",".formatted(f)
                                + "\"newPath\":\"/d/m\"}",
                        head
                                + "\"rename\","
                                + file
                                + "\"newPath\":\"/e/other\",\"replacedFileId\":\"%d\"}"
                                        .formatted(other),
                        head + "\"remove\",\"path\":\"/d/m\",\"fileId\":\"%d\"}".formatted(f),
                        head + "\"rmdir\",\"path\":\"/d/x\",\"fileId\":\"%d\"}".formatted(x)),
                lines());
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void whatIsRefusedAndWhatChangesNoRightIsNone(int version) throws Exception {
        try (var server = serve();
                var client = AuditedClient.of(version, server, caller())) {
            client.setSize(D, FileName.of("f"), 1);
            var missing = FileName.of("missing");
            var full = FileName.of("d");
            Files.createDirectory(exported.resolve("d/d"));
            file("d/d/f");
            for (var refused :
                    List.<Executable>of(
                            () -> client.remove(D, missing),
                            () -> client.removeDirectory(D, full),
                            () -> client.rename(D, missing, E, missing),
                            () -> client.link(D, FileName.of("f"), D, FileName.of("f")))) {
                assertThrows(Throwable.class, refused);
            }
        }
        assertEquals(1, Files.size(exported.resolve("d/f")));
        assertEquals(List.of(), lines());
    }

    /** Goal: no name makes a line of its own, and each is told so that its bytes can be found. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void aNameForgesNoLine(int version) throws Exception {
        var names =
                List.of(
                        new FileName("a\n{\"time\":\"forged\"}".getBytes(StandardCharsets.UTF_8)),
                        new FileName(
                                "q\"u\\o\u0085\u2028\u202e\t".getBytes(StandardCharsets.UTF_8)),
                        // Version 4 may refuse what is no UTF-8 (RFC 8881, Section 14.4).
                        new FileName(new byte[] {'b', (byte) 0xff, (byte) 0xc3, 'c'}),
                        FileName.of("x (deleted)"));
        assumeTrue("UTF-8".equals(System.getProperty("sun.jnu.encoding")), "no names of any bytes");
        try (var server = serve();
                var client = AuditedClient.of(version, server, caller())) {
            for (var each : names) {
                file("d/g");
                client.rename(D, FileName.of("g"), D, each);
                client.set(D, each, OptionalInt.of(0600), KEPT, KEPT);
                client.remove(D, each);
            }
        }
        var lines = lines();
        assertEquals(names.size() * 3, lines.size());
        for (int i = 0; i < names.size(); i++) {
            var path = PathName.of("/d").resolve(names.get(i));
            var shown = Json.of(RawText.of(path.bytes()));
            assertFalse(shown.contains("\n"));
            assertTrue(lines.get(3 * i).contains("\"newPath\":" + shown + "}"), lines::toString);
            assertTrue(lines.get(3 * i + 1).contains("\"path\":" + shown + ","), lines::toString);
            assertTrue(lines.get(3 * i + 2).contains("\"path\":" + shown + ","), lines::toString);
        }
    }

    @Test
    void rootThatIsSquashedIsToldAsBoth() throws Exception {
        assumeTrue(uid == 0, "only root acts for others");
        Files.setPosixFilePermissions(
                exported.resolve("d"), PosixFilePermissions.fromString("rwxrwxrwx"));
        var options = new String[] {"--listen", "127.0.0.1:0", "--audit", audit.toString()};
        try (var server = ServerProcess.serving(exported, options);
                var client = AuditedClient.of(3, server, caller())) {
            client.remove(D, FileName.of("f"));
        }
        var lines = lines();
        assertEquals(1, lines.size());
        assertTrue(
                lines.getFirst().startsWith(head(3, 65534, 65534) + "\"remove\""), lines::toString);
    }

    @Test
    void aListIsToldInTheFormOfSetfacl() throws Exception {
        assumeTrue(uid == 0, "needs a file system with lists, as root has them");
        var acl =
                new PosixAcl(
                        List.of(
                                new Entry(Tag.USER_OBJ, 6),
                                new Entry(Tag.USER, 1234, 5),
                                new Entry(Tag.GROUP_OBJ, 4),
                                new Entry(Tag.MASK, 5),
                                new Entry(Tag.OTHER, 0)));
        try (var server = serve()) {
            AuditedClient.setAcl(server, caller(), D, acl);
        }
        assertEquals(
                List.of(
                        head(3)
                                + "\"setattr\",\"path\":\"/d\",\"fileId\":\"%d\","
                                        .formatted(number(exported.resolve("d")))
                                + "\"acl\":\"user::rw-,user:1234:r-x,group::r--,mask::r-x,other::---\","
                                + before("0755")),
                lines());
    }

    @Test
    void aReloadOpensTheFileAgain() throws Exception {
        file("d/g");
        var old = directory.resolve("audit.1");
        try (var server = serve();
                var client = AuditedClient.of(3, server, caller())) {
            client.remove(D, FileName.of("f"));
            Files.move(audit, old);
            console.succeeds("reload", "--control", server.control().toString());
            assertEquals("opened " + audit + " again\n", console.out());
            client.remove(D, FileName.of("g"));
        }
        assertTrue(Files.readString(old).contains("\"/d/f\""));
        assertEquals(1, Files.readAllLines(old).size());
        assertTrue(lines().toString().contains("\"/d/g\""));
        assertEquals(1, lines().size());
        var mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(audit));
        assertTrue(mode.matches("rw-[r-]-----"), mode);
    }

    @Test
    void aServerWithAConfigFileWritesAndOpensItAgain() throws Exception {
        var config = directory.resolve("serve.toml");
        Files.writeString(
                config,
                """
                listen = "127.0.0.1:0"
                audit = "%s"
                [export."/exported"]
                directory = "%s"
                allow = ["any,insecure,no_root_squash"]
                """
                        .formatted(audit, exported));
        try (var server = ServerProcess.configured(config);
                var client = AuditedClient.of(4, server, caller())) {
            Files.move(audit, directory.resolve("audit.1"));
            // A file with a mistake does not keep the audit from its new place.
            Files.writeString(config, "broken");
            console.failsWithOneLine("", "reload", "--control", server.control().toString());
            client.remove(D, FileName.of("f"));
        }
        assertEquals(1, lines().size());
    }

    /**
     * Method: the process may write no file longer than some KiB, so that a line is cut. Another
     * process lifts that.
     */
    @Test
    void aLineThatCannotBeWrittenFailsNoCallAndHurtsNoOtherLine() throws Exception {
        for (int i = 0; i < 32; i++) {
            file("d/g" + i);
        }
        var server =
                ServerProcess.withFileBlocks(
                        exported,
                        "--listen",
                        "127.0.0.1:0",
                        "--allow",
                        "127.0.0.1,no_root_squash,insecure",
                        "--audit",
                        audit.toString());
        try (server;
                var client = AuditedClient.of(3, server, caller())) {
            for (int i = 0; i < 32; i++) {
                client.remove(D, FileName.of("g" + i));
            }
            var lift = List.of("prlimit", "--pid", "" + server.pid(), "--fsize=unlimited");
            assertEquals(0, new ProcessBuilder(lift).inheritIO().start().waitFor());
            client.remove(D, FileName.of("f"));
        }
        var lines = Files.readAllLines(audit);
        assertTrue(lines.size() > 2 && lines.size() < 30, lines::toString);
        assertTrue(known(lines.getLast()).contains("\"/d/f\""), lines::toString);
        lines.subList(0, lines.size() - 2).forEach(AuditTest::known);
        var told = server.printed.stream().filter(each -> each.contains("audit")).toList();
        assertEquals(1, told.size(), server.printed::toString);
        assertTrue(told.getFirst().contains("WARNING the audit has lost a line: "), told::toString);
    }

    @Test
    void whereNoFileCanBeTheServerDoesNotStart() throws Exception {
        var missing = directory.resolve("missing").resolve("audit").toString();
        console.failsWithOneLine("there is no directory", "serve", "mem:", "--audit", missing);
        var path = audit.toString();
        console.failsWithOneLine(
                "is the file of the log", "serve", "mem:", "--audit", path, "--log-file", path);
        var open = Files.createDirectory(directory.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        console.failsWithOneLine(
                "is open to other users", "serve", "mem:", "--audit", open + "/audit");
    }

    @Test
    void theFilesOfOtherStoresAreToldToo() throws Exception {
        try (var server =
                new ServerProcess("--listen", "127.0.0.1:0", "--audit", audit.toString())) {
            var text = directory.resolve("text");
            Files.writeString(text, "text");
            console.succeeds("put", text.toString(), server.url() + "/file");
            console.succeeds("mv", server.url() + "/file", server.url() + "/other");
            console.succeeds("rm", server.url() + "/other");
        }
        var all = lines().toString();
        assertTrue(all.contains("\"operation\":\"remove\",\"path\":\"/other\""), all);
        assertTrue(all.contains("\"newPath\":\"/other\""), all);
        assertFalse(all.contains("\"user\":"), all);
    }

    @Test
    void aPrincipalAnUnknownPlaceAndAFailureAreTold() {
        var somewhere = new AuditedChange.File(OptionalLong.of(-1), Optional.empty());
        var nowhere = new AuditedChange.File(OptionalLong.empty(), Optional.empty());
        var entry =
                new AuditEntry(
                        new InetSocketAddress(InetAddress.ofLiteral("2001:db8::1"), 1023),
                        4,
                        new Credential.Principal("a\"@EXAMPLE.ORG", SecurityFlavor.KRB5P),
                        Optional.empty(),
                        "/x",
                        new AuditedChange.Renamed(
                                new AuditedChange.Name(somewhere, FileName.of("a")),
                                new AuditedChange.Name(nowhere, FileName.of("b")),
                                OptionalLong.empty(),
                                OptionalLong.empty()),
                        Optional.of("IO"));
        assertEquals(
                "{\"time\":\"2026-07-01T10:11:12Z\",\"host\":\"2001:db8:0:0:0:0:0:1\",\"port\":1023,"
                        + "\"version\":4,\"principal\":\"a\\\"@EXAMPLE.ORG\",\"export\":\"/x\","
                        + "\"operation\":\"rename\",\"name\":\"a\","
                        + "\"directoryFileId\":\"18446744073709551615\",\"newName\":\"b\","
                        + "\"failure\":\"IO\"}",
                AuditLine.of(Instant.parse("2026-07-01T10:11:12Z"), entry));
    }
}
