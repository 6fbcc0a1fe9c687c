package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.ServedCopies;
import io.github.rpcrdma4j.cli.ServedDirectory;
import io.github.rpcrdma4j.cli.connect.UrlPattern;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Ports;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: patterns in URLs name the files that a shell would name, and no others. */
class PatternsInUrlsTest extends ServedCopies {
    /** Names, some of which are patterns, or have characters that a URL has to encode. */
    private static final List<String> FILES =
            List.of(
                    "a",
                    "b",
                    "ab",
                    "ab.jpg",
                    "b.jpg",
                    ".a.jpg",
                    "a*",
                    "[ab]",
                    "a%41",
                    "b\\a",
                    "a\nb",
                    "\u00e9a",
                    "d/a",
                    "d/b.jpg",
                    "d/.a",
                    "da/a",
                    "da/a.jpg",
                    "db/d/a",
                    ".d/a");

    private void makeFiles() throws Exception {
        for (var each : FILES) {
            var file = exported.resolve(each);
            Files.createDirectories(file.getParent());
            Files.writeString(file, each);
        }
        Files.createSymbolicLink(exported.resolve("dl"), Path.of("d"));
        Files.createSymbolicLink(exported.resolve("dn"), Path.of("nowhere"));
    }

    /** Returns the words that a shell makes of a pattern. */
    private List<String> words(String pattern) throws Exception {
        var shell = new ProcessBuilder("bash", "-c", "printf '%s\\0' " + pattern);
        shell.directory(exported.toFile()).environment().put("LC_ALL", "C.UTF-8");
        var process = shell.redirectErrorStream(true).start();
        var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), out);
        return Arrays.asList(out.split("\0"));
    }

    /** Returns the files below the export that a pattern in a URL names. */
    private List<String> files(String pattern) {
        if (console.run("find", "-0", "--max-depth", "0", url + "/" + pattern) != 0) {
            var none = "rpcrdma: no file matches " + url + "/" + pattern;
            var word = pattern.replaceAll("\\\\(.)", "$1");
            var missing = "rpcrdma: cannot find /data/";
            assertEquals(1, console.errLines().size(), console::err);
            var line = console.errLines().getFirst();
            assertTrue(line.equals(none) || line.startsWith(missing), line);
            return List.of(word);
        }
        return Arrays.stream(console.out().split("\0"))
                .map(each -> each.substring(url.length() + 1))
                .map(each -> each.replace("%2A", "*").replace("%5B", "["))
                .map(each -> each.replace("%0A", "\n").replace("%25", "%"))
                .toList();
    }

    @Test
    void nameTheFilesThatAShellNames() throws Exception {
        makeFiles();
        make("touch '[' '[a' '[]' '[!]b' 'b]a' 'a[b'", exported);
        var patterns =
                new ArrayList<>(
                        List.of("*", "*.jpg", ".*.jpg", "?", "??", "[ab]", "[!a]*", "*/a", "*/*"));
        patterns.addAll(List.of("d*/a", "d*/*.jpg", "*/d/*", "d?", "none*", "[d-z]*/a", "d/[.]a"));
        patterns.addAll(List.of("[", "[*", "[[*", "[a", "[a*", "[]", "[]*", "[!]*", "*[", "a[*"));
        patterns.addAll(
                List.of("[\\]", "[a\\]*", "\\[a", "\\[*", "b\\]*", "[[:alpha:]*", "[d/a]*"));
        patterns.addAll(List.of("[]a]*", "[!]]*", "[[a]*", "b\\q*", "a\\*", "d\\*/a", "*]?"));
        var parts =
                List.of(
                        "a", "b", "d", "/", "*", "?", "[ab]", "[!a]", "[a-c]", ".", ".jpg", "[",
                        "]", "!", "\\[", "\\*", "\\]*");
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        for (int i = 0; i < 80; i++) {
            var text = new StringBuilder(List.of("*", "?", "d*/", "[!.]").get(random.nextInt(4)));
            for (int k = random.nextInt(4); k >= 0; k--) {
                text.append(parts.get(random.nextInt(parts.size())));
            }
            // A shell keeps slashes that say nothing, and lists the names "." and "..".
            var pattern = text.toString().replaceAll("(^|/)[./]+", "$1");
            // Names of characters, [.a.], have no meaning here.
            pattern = pattern.replaceAll("\\[\\.", "[a.");
            patterns.add(pattern.replaceAll("/+", "/").replaceAll("/$", "/a"));
        }
        for (var pattern : patterns) {
            assertEquals(
                    words(pattern), files(pattern), () -> "seed " + seed + ", pattern " + pattern);
        }
    }

    @Test
    void stayTextIfTheirCharactersAreEncoded() throws Exception {
        makeFiles();
        assertEquals(List.of("a*"), files("a%2A"));
        assertEquals(List.of("a*"), files("%61%2a"));
        assertEquals(List.of("a*"), files("a\\*"));
        assertEquals(List.of("a*"), files("a%2A*"));
        assertEquals(List.of("a%41"), files("*%2541"));
        assertEquals(List.of("b\\a"), files("b\\a"));
        assertEquals(List.of("[ab]"), files("%5Bab]"));
        make("touch 'x[1].txt' '[x'", exported);
        assertEquals(List.of("x[1].txt"), files("x[1].txt"));
        assertEquals(List.of("[x"), files("[x"));
        assertEquals(2, console.run("ls", url + "/[[:none:]]*"));
        assertTrue(console.errLines().getFirst().contains("no class of characters none"));
    }

    /** A backslash makes text of what follows, so a file with a backslash in its name stays. */
    @Test
    void nameNoFileWithABackslashThatTakesAMeaningAway() throws Exception {
        make("touch 'c\\q*' 'c\\*' 'c\\[x' 'c[x'", exported);
        fails("no file matches " + url + "/c\\q*", "rm", url + "/c\\q*");
        assertEquals(1, console.run("rm", url + "/c\\*"));
        assertTrue(console.err().startsWith("rpcrdma: cannot remove /data/c*: no such file"));
        console.succeeds("rm", url + "/c\\[x");
        assertEquals(List.of("c\\*", "c\\[x", "c\\q*"), names(exported));
    }

    /** Goal: what is printed as a URL is one file, not a pattern. */
    @Test
    void areNotWhatIsPrintedAsAUrl() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            var name = new StringBuilder("/d/");
            for (int k = random.nextInt(5); k >= 0; k--) {
                int character = 1 + random.nextInt(0xff);
                name.append(random.nextBoolean() ? (char) character : "*?[]\\%".charAt(i % 6));
            }
            var file = NfsUrl.parse("rdma://host").withPath(name.toString());
            var parsed = UrlPattern.parse(file.toString());
            assertFalse(parsed.isPattern(), () -> "seed " + seed + ", name " + name);
            assertEquals(file, parsed.url(), () -> "seed " + seed + ", name " + name);
        }
    }

    @Test
    void followNoLinkOutOfTheExport() throws Exception {
        makeFiles();
        Files.createSymbolicLink(exported.resolve("do"), Path.of("/"));
        Files.createSymbolicLink(exported.resolve("dr"), Path.of("dr"));
        assertEquals(List.of("d/a", "da/a", "dl/a"), files("d*/a"));
        assertEquals(List.of("da/a.jpg"), files("d?/a.*"));
        assertEquals(List.of("db/d/a"), files("d?/d/[a]"));
        fails("cannot find /data/dr: too many links on the way", "ls", url + "/dr/x");
        assertEquals(1, console.run("ls", url + "/do/*"));
        assertTrue(console.err().contains("leads out of the export"), console::err);
    }

    @Test
    void reportWhatMayNotBeListed() throws Exception {
        make("mkdir o s && echo 1 > o/f && echo 2 > s/f && chmod 755 . o && chmod 0 s", exported);
        var rule = ExportRule.of(Clients.parse("any")).withReadOnly(false).withPorts(Ports.ANY);
        try (var squashed =
                ServedDirectory.of(new Export("/data", exported, false).with(List.of(rule)))) {
            var above = squashed.url();
            assertEquals(1, console.run("find", "--max-depth", "0", above + "/*/f"));
            assertTrue(
                    console.err().startsWith("rpcrdma: cannot find /data/s/f: permission denied"),
                    console::err);
            var denied = "rpcrdma: cannot list /data/s: permission denied";
            assertEquals(1, console.run("find", "--max-depth", "0", above + "/*/f*"));
            assertEquals(above + "/o/f\n", console.out());
            assertEquals(1, console.errLines().size(), console::err);
            assertTrue(console.err().startsWith(denied), console::err);
            assertEquals(1, console.run("get", above + "/?/f*", local.toString()));
            assertEquals(List.of("f"), names(local));
            assertTrue(console.errLines().getFirst().startsWith(denied), console::err);
            assertEquals(1, console.run("rm", "-f", above + "/s/*"));
            assertEquals(1, console.errLines().size(), console::err);
            assertTrue(console.err().startsWith(denied), console::err);
        } finally {
            make("chmod 755 s", exported);
        }
    }

    @Test
    void controlNoTerminal() throws Exception {
        var name = "\u001b[2Ja\u0007\u202e";
        Files.writeString(exported.resolve(name), "x");
        Files.createSymbolicLink(exported.resolve(name + "l"), Path.of("/"));
        for (var each : List.of("/*\u001b*l/x*", "/*\u001b*none*")) {
            assertEquals(1, console.run("ls", url + each));
            assertEquals(1, console.errLines().size(), console::err);
            assertTrue(console.err().contains("\\u001b"), console::err);
            for (var one : List.of("\u001b", "\u0007", "\u202e")) {
                assertFalse(console.err().contains(one), console::err);
            }
        }
    }

    @Test
    void leaveTheOthersAloneWhenFilesAreRemoved() throws Exception {
        makeFiles();
        console.succeeds("find", "-0", "--name", "[*[]*", url);
        assertEquals(url + "/%5Bab]\0", console.out());
        console.succeeds("find", "-0", "--name", "a\\*", url);
        var found = console.out();
        assertEquals(url + "/a%2A\0", found);
        console.succeeds("rm", found.substring(0, found.length() - 1));
        make("test ! -e 'a*' && test -e a && test -e ab && test -e 'a%41'", exported);
        console.succeeds("rm", url + "/*.jpg");
        make("test ! -e ab.jpg && test ! -e b.jpg && test -e .a.jpg && test -e d/b.jpg", exported);
        fails("no file matches " + url + "/*.jpg", "rm", url + "/*.jpg");
        console.succeeds("rm", "-f", url + "/*.jpg");
        fails("no file matches " + url + "/a/*", "rm", "-r", url + "/a/*");
    }

    @Test
    void areCopiedWithGetAndSync() throws Exception {
        makeFiles();
        console.succeeds("get", url + "/*.jpg", local.toString());
        assertEquals(List.of("ab.jpg", "b.jpg"), names(local));
        fails(
                local + "/x: not a directory, but there are several sources",
                "get",
                url + "/*.jpg",
                local + "/x");
        console.succeeds("get", url + "/b.j*", local + "/x");
        assertEquals("b.jpg", Files.readString(local.resolve("x")));
        assertEquals(1, console.run("get", url + "/none*", url + "/no?", local.toString()));
        assertEquals(3, console.errLines().size(), console::err);
        assertEquals(1, console.run("get", url + "/none*", url + "/?", local.toString()));
        assertEquals("rpcrdma: no file matches " + url + "/none*", console.errLines().getFirst());
        assertEquals(List.of("a", "ab.jpg", "b", "b.jpg", "x"), names(local));
        var target = Files.createDirectory(local.resolve("t"));
        make("mkdir da db other && touch da/old db/old other/old", target);
        console.succeeds("sync", "--delete", url + "/d[ab]", target.toString());
        make(
                "test \"$(find . -type f | sort | xargs)\" = './da/a ./da/a.jpg ./db/d/a ./other/old'",
                target);
        fails(
                "--max-delete is for one source, and the pattern matches 2",
                "sync",
                "--delete",
                "--max-delete=1",
                url + "/d[ab]",
                target.toString());
    }

    /** Goal: a server that lists any names changes nothing outside of the target. */
    @Test
    void leadOutOfTheTargetByNoLinkInIt() throws Exception {
        makeFiles();
        var kept = Files.writeString(local.resolve("kept"), "kept");
        var target = Files.createDirectory(local.resolve("t"));
        make("ln -s ../kept b.jpg && ln -s ../kept b && mkfifo ab.jpg", target);
        console.succeeds("get", url + "/*.jpg", target.toString());
        assertEquals("kept", Files.readString(kept));
        assertEquals("b.jpg", Files.readString(target.resolve("b.jpg")));
        assertFalse(Files.isSymbolicLink(target.resolve("b.jpg")));
        assertTrue(Files.isRegularFile(target.resolve("ab.jpg")));
        // Whom the user names is the one that the user means, as with cp.
        console.succeeds("get", url + "/b", target.toString());
        assertEquals("b", Files.readString(kept));
        assertTrue(Files.isSymbolicLink(target.resolve("b")));
    }

    /** One of several sources neither replaces nor removes what another one has brought. */
    @Test
    void areSeveralSourcesOfSyncWithoutTheFilesOfEachOther() throws Exception {
        makeFiles();
        make("mkdir da/same db/same && echo 1 >da/same/f && echo 2 >db/same/g", exported);
        var missing = local.resolve("new").toString();
        var several = ": not a directory, but there are several sources";
        fails(missing + several, "sync", url + "/*.jpg", missing);
        assertFalse(Files.exists(local.resolve("new")));
        fails(missing + several, "sync", url + "/d[ab]", missing);
        var there = Files.createDirectory(local.resolve("there")).toString();
        var mixed = url + "/d[ab]/ matches several directories: their files would be mixed";
        fails(mixed, "sync", "--delete", url + "/d[ab]/", there);
        var twice = url + "/db/same: another source has the same name";
        fails(twice, "sync", "--delete", url + "/d[ab]/same", there);
        fails(twice, "sync", url + "/d[ab]/same", there);
        assertEquals(List.of(), names(Path.of(there)));
        console.succeeds("sync", "--delete", url + "/da/s*/", there);
        console.succeeds("sync", url + "/?.jpg", missing);
        assertTrue(Files.isRegularFile(Path.of(missing)));
    }

    @Test
    void workWithEachCommandOnFiles() throws Exception {
        makeFiles();
        console.succeeds("ls", url + "/*.jpg");
        assertEquals("ab.jpg\nb.jpg\n", console.out());
        console.succeeds("ls", url + "/d[ab]");
        assertEquals("/data/da:\na\na.jpg\n\n/data/db:\nd\n", console.out());
        console.succeeds("chmod", "700", url + "/?");
        assertEquals("rwx------", mode(exported.resolve("a")));
        fails("no file matches " + url + "/*.none", "chmod", "600", url + "/*.none");
        assertEquals(1, console.run("mv", url + "/*.jpg", "/data/one"));
        make("test -e ab.jpg && test -e b.jpg && test ! -e one", exported);
        console.succeeds("mv", url + "/*.jpg", "/data/d");
        assertEquals(List.of(".a", "a", "ab.jpg", "b.jpg"), names(exported.resolve("d")));
        console.succeeds("mkdir", url + "/n*");
        assertTrue(Files.isDirectory(exported.resolve("n*")));
    }
}
