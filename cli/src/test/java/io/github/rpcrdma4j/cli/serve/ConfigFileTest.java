package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.CommandProcess;
import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.Rpcrdma;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Squash;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: a config file says all that is served, and each mistake in it is one line. */
class ConfigFileTest {
    private static final String EXPORT =
            """
            [export."/data"]
            directory = "DIRECTORY"
            allow = ["any,ro"]
            """;

    @TempDir private Path directory;
    private final Console console = new Console();
    private Path file;

    @BeforeEach
    void nameFile() throws IOException {
        file = directory.resolve("serve.toml");
        Files.createDirectory(directory.resolve("data"));
    }

    private void write(String text) throws IOException {
        Files.writeString(file, text.replace("DIRECTORY", directory.resolve("data").toString()));
    }

    private ServerConfig read(String text) throws IOException {
        write(text);
        return ServerConfig.read(file, Rpcrdma.commandLine().getSubcommands().get("serve"));
    }

    /** Returns the mistakes without the name of the file. */
    private List<String> mistakes(String text) {
        var wrong = assertThrows(ConfigMistakes.Wrong.class, () -> read(text));
        return wrong.lines().stream()
                .map(
                        each -> {
                            assertTrue(each.startsWith(file.toString()), each);
                            return each.substring(file.toString().length());
                        })
                .toList();
    }

    private void isWrong(String text, String mistake) {
        assertEquals(List.of(mistake), mistakes(text));
    }

    @Test
    void theSettingsAreTheOptionsOfTheCommand() throws Exception {
        var config =
                read(
                        """
                        # a comment
                        listen = "127.0.0.1:0"
                        tcp = ":2049"
                        rpcbind = true
                        nfs2 = false
                        lease = 30
                        sec = "krb5p,sys"
                        keytab = "/etc/krb5.keytab"

                        """
                                + EXPORT);
        assertEquals(
                List.of(
                        "--keytab=/etc/krb5.keytab",
                        "--lease=30",
                        "--listen=127.0.0.1:0",
                        "--rpcbind",
                        "--sec=krb5p,sys",
                        "--tcp=:2049"),
                config.text().arguments());
        assertEquals(
                List.of(SecurityFlavor.KRB5P, SecurityFlavor.SYS),
                config.exports().getFirst().flavors());
    }

    @Test
    void aListOfAddressesIsTheOptionSeveralTimes() throws Exception {
        var config =
                read(
                        "listen = [':20049', '[::1]:20050']\ntcp = [\n':2049',\n]\n"
                                        .replace('\'', '"')
                                + EXPORT);
        assertEquals(
                List.of("--listen=:20049", "--listen=[::1]:20050", "--tcp=:2049"),
                config.text().arguments());
    }

    @Test
    void theExportsHaveTheirNamesRulesAndDelegationsInTheOrderOfTheFile() throws Exception {
        var exports =
                read(EXPORT
                                + """
                                [export."/a/ü"]
                                directory = "DIRECTORY"
                                delegations = "leases"
                                allow = [
                                  "192.0.2.0/24,no_root_squash",
                                  "any,ro", # all others
                                ]
                                """)
                        .exports();
        assertEquals(List.of("/data", "/a/ü"), exports.stream().map(each -> each.name()).toList());
        var other = exports.getLast();
        assertEquals(Optional.of(directory.resolve("data").toRealPath()), other.directory());
        assertEquals(Delegations.LEASES, other.delegations());
        assertEquals(
                List.of(
                        ExportRule.of(Clients.parse("192.0.2.0/24")).withSquash(Squash.NONE),
                        ExportRule.of(Clients.parse("any")).withReadOnly(true)),
                other.rules());
        assertEquals(Delegations.NONE, exports.getFirst().delegations());
    }

    /** So all rules mean the same addresses. */
    @Test
    void rulesOfAllExportsShareTheLookupOfAName() throws Exception {
        var exports =
                read((EXPORT + EXPORT.replace("/data\"]", "/other\"]")).replace("any", "localhost"))
                        .exports();
        assertEquals(2, exports.size());
        assertSame(
                exports.getFirst().rules().getFirst().clients(),
                exports.getLast().rules().getFirst().clients());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "lisen = ':1'         | :1: there is no setting lisen: did you mean listen?",
                "read-only = true     | :1: there is no setting read-only: write ro in the rules of allow",
                "allow = ['any']      | :1: there is no setting allow here: it belongs below an [export.\"/NAME\"]",
                "listen = 20049       | :1: listen is a text in quotes or a list of such, not 20049",
                "listen = []          | :1: listen is a text in quotes or a list of such, not a list",
                "tcp = [':2049', 7]   | :1: tcp is a text in quotes or a list of such, not a list",
                "tcp = [':1', ':1']   | :1: tcp :1 and :1 are one address",
                "keytab = ['a']       | :1: keytab is a text in quotes, not a list",
                "listen = '20049'     | :1: a port without a host is written :20049, not 20049",
                "tcp = 'here'         | :1: not an address like host:port: here",
                "log-level = 'all' | :1: log-level is error, warning, info or debug, not all",
                "nfs2 = 'yes'         | :1: nfs2 is true or false, not the text \"yes\"",
                "lease = '90'         | :1: lease is a number, not the text \"90\"",
                "lease = 4294967297   | :1: lease is a number, not 4294967297",
                "lease = 1            | :1: ",
                "report = 0           | :1: report must be positive",
                "json = true          | :1: json needs report: only reports are JSON",
                "sec = 'krb6'         | :1: sec knows none, sys, krb5, krb5i, krb5p, not krb6",
                "rpcrdma-version='3'  | :1: ",
                "provider = 'card'    | :1: provider is iwarp, rdma-core or auto, not card",
                "listen = ':1         | :1: ",
                "export = 'x'         | :1: "
            })
    void aWrongSettingIsOneLine(String setting, String mistake) {
        var found = mistakes(setting.strip().replace('\'', '"') + "\n" + EXPORT);
        var expected = mistake == null ? ":1: " : mistake;
        assertTrue(found.getFirst().startsWith(expected.strip()), found::toString);
        assertFalse(found.getFirst().contains("--"), found::toString);
    }

    @Test
    void anUnknownSettingIsAnsweredWithThoseThatThereAre() {
        var found = mistakes("colour = 1\n" + EXPORT).getFirst();
        assertTrue(found.startsWith(":1: there is no setting colour, but async-copies, "), found);
        assertTrue(found.contains(", tcp, ") && found.endsWith(", export"), found);
        assertFalse(found.contains("config") || found.contains("debug"), found);
    }

    @Test
    void aWrongExportIsOneLineEach() {
        isWrong("", ": there is no export: [export.\"/NAME\"] begins one");
        isWrong(
                "[export.data]\ndirectory = \"DIRECTORY\"\nallow = [\"any\"]",
                ":1: the name of an export is like [export.\"/NAME\"], in quotes and with a slash,"
                        + " not data");
        isWrong(
                EXPORT.replace("\"/data\"", "\"/a/../b\""),
                ":1: the name of an export is like [export.\"/NAME\"], in quotes and with a slash,"
                        + " not /a/../b");
        assertEquals(
                List.of(
                        ":1: the export /data has no directory",
                        ":2: an export has no dirctory: did you mean directory?"),
                mistakes(EXPORT.replace("directory", "dirctory")));
        isWrong(
                EXPORT.replace("DIRECTORY", "srv/data"),
                ":2: directory begins with a slash: srv/data");
        isWrong(
                EXPORT.replace("allow = [\"any,ro\"]", "allow = \"any,ro\""),
                ":3: allow is a list of texts, like [\"192.0.2.0/24\"], not the text \"any,ro\"");
        isWrong(
                EXPORT.replace("allow = [\"any,ro\"]", ""),
                ":1: the export /data does not say whom it is for: allow = [\"any\"] lets all hosts"
                        + " in");
        isWrong(EXPORT.replace("\"any,ro\"", "7"), ":3: a rule is a text in quotes, not 7");
        isWrong(
                EXPORT.replace("any,ro", "any,rx"),
                ":3: allow has no option rx: any,rx: did you mean ro or rw?");
        isWrong(
                EXPORT.replace("\"any,ro\"", "\n\"any,ro\",\n\"any\""),
                ":5: there are two rules for any");
        isWrong(
                EXPORT.replace("\"any,ro\"", "\n\"192.0.2.0/24,rw\",\n\"192.0.2.1/24,ro\""),
                ":5: there are two rules for 192.0.2.0/24");
        isWrong(
                EXPORT.replace("any,ro", "::ffff:10.0.0.0/24"),
                ":3: neither a host, nor a network like 192.0.2.0/24, nor \"any\":"
                        + " ::ffff:10.0.0.0/24");
        isWrong(
                EXPORT + "delegations = \"some\"",
                ":4: delegations is none, leases or exclusive, not \"some\"");
        isWrong(
                EXPORT + "tcp = \":2049\"",
                ":4: an export has no tcp: it is a setting of the server, above the exports");
    }

    @Test
    void twoExportsOfOneNameAreOneLine() {
        var found = mistakes(EXPORT + EXPORT);
        assertEquals(1, found.size(), found::toString);
        assertTrue(found.getFirst().startsWith(":4: "), found::toString);
        assertTrue(found.getFirst().contains("previously defined at line 1"), found::toString);
    }

    @Test
    void allMistakesAreToldInTheOrderOfTheFile() {
        var found =
                mistakes(
                        "lisen = 1\nlease = \"x\"\n"
                                + EXPORT.replace("any,ro", "any,rx")
                                        .replace("DIRECTORY", "DIRECTORY/missing"));
        assertEquals(
                List.of(":1", ":2", ":4"),
                found.stream().map(each -> each.substring(0, 2)).toList(),
                found::toString);
    }

    @Test
    void aMistakeOfTheFileStaysAndWhatIsMissingMayCome() throws Exception {
        var wrong = assertThrows(ConfigMistakes.Wrong.class, () -> read("lisen = 1\n" + EXPORT));
        assertTrue(wrong.isOfFile());
        var missing = EXPORT.replace("DIRECTORY", "DIRECTORY/missing");
        assertFalse(assertThrows(ConfigMistakes.Wrong.class, () -> read(missing)).isOfFile());
        assertEquals(1, console.run("serve", "--config", file.toString()));
        assertEquals(1, console.errLines().size(), console::err);
        write("lisen = 1\n" + EXPORT);
        assertEquals(2, console.run("serve", "--config", file.toString()));
        var nowhere = directory.resolve("nowhere").toString();
        assertEquals(2, console.run("serve", "--config", nowhere));
        assertEquals(
                List.of("rpcrdma: " + nowhere + ": there is no such file"), console.errLines());
    }

    @Test
    void whatIsNotUtf8IsAMistake() throws Exception {
        Files.write(file, new byte[] {'#', (byte) 0xff, '\n'});
        assertEquals(1, console.run("serve", "--check", "--config", file.toString()));
        assertEquals(List.of("rpcrdma: " + file + ": this is not UTF-8"), console.errLines());
    }

    @Test
    void theFileStandsAlone() throws Exception {
        write(EXPORT);
        var file = this.file.toString();
        for (var other : List.of("--tcp=:2049", "--read-only", "/srv")) {
            assertEquals(2, console.run("serve", "--config", file, other), other);
            assertTrue(
                    console.err().contains("with --config, everything is in the file"),
                    console::err);
        }
        assertEquals(2, console.run("serve", "--check", "/srv"));
        assertTrue(console.err().contains("--config FILE --check"), console::err);
    }

    @Test
    void aCheckTellsWhatWouldBeServedAndLeavesTheStateAlone() throws Exception {
        write("listen = \":1\"\ntcp = \"[::1]:2\"\nmetrics = \":3\"\n" + EXPORT);
        var state = directory.resolve("state");
        var ended =
                CommandProcess.with(
                        Map.of("XDG_STATE_HOME", state.toString()),
                        "serve",
                        "--config",
                        file.toString(),
                        "--check");
        assertEquals(0, ended.status(), ended::toString);
        assertTrue(Files.notExists(state));
        console.succeeds("serve", "--config", file.toString(), "--check");
        var lines = console.out().lines().toList();
        assertEquals("/data: " + directory.resolve("data").toRealPath(), lines.getFirst());
        assertTrue(lines.get(1).startsWith("  any host: read only, "), console::out);
        assertEquals(
                List.of(
                        "over RDMA: port 1 of all addresses",
                        "over TCP: [::1]:2",
                        "metrics over HTTP: localhost:3",
                        file + ": nothing is wrong"),
                lines.subList(lines.size() - 4, lines.size()));
    }

    @Test
    void aCheckThatFindsMistakesTellsThemAll() throws Exception {
        write("lisen = 1\nlease = 1\n" + EXPORT);
        assertEquals(1, console.run("serve", "--config", file.toString(), "--check"));
        assertEquals(2, console.errLines().size(), console::err);
        write(EXPORT + EXPORT.replace("/data", "/other") + "delegations = \"exclusive\"\n");
        console.failsWithOneLine(
                "have one directory", "serve", "--config", file.toString(), "--check");
    }
}
