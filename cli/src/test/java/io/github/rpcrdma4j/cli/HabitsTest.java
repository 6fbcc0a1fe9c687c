package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: what users know from cp, mv, ls, ln and rsync works, or a line says what does. */
class HabitsTest extends ServedCopies {
    private void isMisused(String line, String... arguments) {
        assertEquals(2, console.run(arguments), console::err);
        assertEquals("rpcrdma: " + line, console.errLines().getFirst());
    }

    @Test
    void syncHasNothingToDoAfterACopyWithAllAttributes() throws Exception {
        make("mkdir -p p/d && echo 1 > p/a && echo 2 > p/d/b && touch -d 2001-01-01 p/a", local);
        console.succeeds("put", "-a", local + "/p", url);
        console.succeeds("sync", local + "/p", url);
        assertTrue(console.err().startsWith("0 files, 0 bytes"), console::err);
        assertTrue(console.err().contains("2 unchanged"), console::err);
    }

    @Test
    void syncTakesTheLettersOfRsync() throws Exception {
        make("mkdir -p p/d && echo 2 > p/d/b", local);
        for (var letters : List.of("-a", "-r", "-av", "-ar")) {
            console.succeeds("sync", letters, local + "/p", url);
        }
        assertTrue(Files.exists(exported.resolve("p/d/b")));
        isMisused("there is no option -z", "sync", "-avz", local + "/p", url + "/p");
        isMisused(
                "there is no option -z, as in -za; a name that starts with - goes behind --",
                "sync",
                "-za",
                local + "/p",
                url + "/p");
    }

    @Test
    void catWritesSeveralFiles() throws Exception {
        Files.writeString(exported.resolve("a"), "1");
        Files.writeString(exported.resolve("b"), "2");
        var out = local.resolve("out");
        var ended =
                CommandProcess.to(
                        out.toFile(), "cat", url + "/a", url + "/none", url + "/b", url + "/a");
        assertEquals(1, ended.status());
        assertEquals(
                List.of("rpcrdma: cannot find /data/none: no such file or directory"),
                ended.errLines());
        assertEquals("121", Files.readString(out));
    }

    @Test
    void mvMovesSeveralFilesIntoADirectoryAndReplacesNoneOfThem() throws Exception {
        make("mkdir d e && echo 1 > a && echo 2 > b && echo 3 > e/a", exported);
        assertEquals(
                1,
                console.run("mv", url + "/a", url + "/b", url + "/e/a", "/data/d"),
                console::err);
        assertEquals(
                List.of(
                        "rpcrdma: cannot rename /data/e/a to /data/d/a: another file was just moved"
                                + " there"),
                console.errLines());
        assertEquals(List.of("a", "b"), names(exported.resolve("d")));
        assertEquals("1\n", Files.readString(exported.resolve("d/a")));
        assertEquals("3\n", Files.readString(exported.resolve("e/a")));
        assertEquals(1, console.run("mv", url + "/d/a", url + "/d/b", url + "/none"));
        assertTrue(
                console.err().contains("/none: not a directory, but there are several files"),
                console::err);
    }

    @Test
    void mvLeavesWhatIsThereOnRequest() throws Exception {
        make("echo 1 > a && echo 2 > b", exported);
        console.succeeds("mv", "-n", url + "/a", "/data/b");
        assertEquals("1\n", Files.readString(exported.resolve("a")));
        assertEquals("2\n", Files.readString(exported.resolve("b")));
        console.succeeds("mv", "-n", url + "/a", "/data/c");
        assertEquals(List.of("b", "c"), names(exported));
    }

    @Test
    void lsShowsLinksThatLeadNowhereAndDirectoriesThemselves() throws Exception {
        make("ln -s none dang && ln -s loop loop && mkdir d && ln -s d ld && echo > d/f", exported);
        for (var name : List.of("dang", "loop", "ld")) {
            console.succeeds("ls", "-l", url + "/" + name);
            assertTrue(console.out().startsWith("lrwxrwxrwx"), console::out);
            assertEquals(1, console.out().lines().count(), console::out);
        }
        console.succeeds("ls", url + "/dang", url + "/loop");
        assertEquals("dang\nloop\n", console.out());
        console.succeeds("ls", url + "/ld");
        assertEquals("f\n", console.out());
        console.succeeds("ls", "-l", url + "/ld/");
        assertTrue(console.out().endsWith(" f\n"), console::out);
        console.succeeds("ls", "-d", url + "/d", url + "/ld", url);
        assertEquals("d\nld\ndata\n", console.out());
        fails("cannot find /data/none: no such file or directory", "ls", "-l", url + "/none");
        console.succeeds("ls", "-1A", url);
        assertEquals("d\ndang\nld\nloop\n", console.out());
    }

    /** Goal: what was found at one server is not lost with another one. */
    @Test
    void aServerThatIsNotThereHidesNoFilesOfOthers() throws Exception {
        make("echo 1 > a", exported);
        // A port at which no process listens, and which no other process gets meanwhile.
        try (var held = new Socket()) {
            held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            var gone = "rdma://127.0.0.1:" + held.getLocalPort() + "/data";
            for (var urls :
                    List.of(
                            List.of(url + "/a", gone + "/a", gone + "/b"),
                            List.of(gone + "/a", gone + "/b", url + "/a"))) {
                var arguments = new ArrayList<>(List.of("ls", "--retry", "0"));
                arguments.addAll(urls);
                assertEquals(1, console.run(arguments.toArray(String[]::new)), console::err);
                assertEquals("a\n", console.out());
                assertEquals(2, console.errLines().size(), console::err);
                assertEquals(
                        "rpcrdma: " + gone + "/b: not tried, because its server is lost",
                        console.errLines().getLast());
            }
        }
    }

    @Test
    void mkdirSetsTheModeAndNamesItsOption() throws Exception {
        console.succeeds("mkdir", "-m", "711", url + "/d");
        assertEquals("rwx--x--x", mode(exported.resolve("d")));
        console.succeeds("mkdir", "-p", "-m", "700", url + "/d", url + "/e/f");
        assertEquals("rwx--x--x", mode(exported.resolve("d")));
        assertEquals("rwx------", mode(exported.resolve("e/f")));
        console.succeeds("mkdir", "-m", "o-rx", url + "/g");
        assertEquals("rwxrwx-w-", mode(exported.resolve("g")));
        fails(
                "cannot find /data/q: no such file or directory (-p also makes the directories above)",
                "mkdir",
                url + "/q/w/e");
    }

    @Test
    void aVersionOfNfsThatNoCommandSpeaksIsNamedWithThoseThatItSpeaks() throws Exception {
        isMisused("--vers: it is 2, 3, 4.0, 4.1 or 4.2, not 4.3", "ls", "--vers", "4.3", url);
        isMisused("--vers: it is 2, 3, 4.0, 4.1 or 4.2, not 4", "ls", "--vers", "4", url);
    }

    @Test
    void lnRefusesAUrlAsTheTextOfALink() throws Exception {
        isMisused(
                "the text of a symbolic link is a path, such as /data/a, not a URL",
                "ln",
                "-s",
                url + "/a",
                url + "/b");
        assertEquals(List.of(), names(exported));
    }

    @Test
    void cpAndMvNameTheCommandForLocalFiles() throws Exception {
        var file = Files.writeString(local.resolve("a"), "1").toString();
        for (var command : List.of("cp", "mv")) {
            isMisused(
                    command
                            + " works on a server, and "
                            + file
                            + " is here: use put to copy it to"
                            + " a server",
                    command,
                    file,
                    url);
            assertEquals(2, console.run(command, url + "/a", "."));
            assertTrue(console.err().contains("(get copies to this machine)"), console::err);
        }
    }

    @Test
    void namesAUrlForWhatOtherProgramsTake() throws Exception {
        isMisused(
                "not a URL like rdma://host/export/path or nfs://host/export/path: host:/data"
                        + " (write rdma://host/data)",
                "ls",
                "host:/data");
        var upper = url.replace("rdma://", "RDMA://");
        console.succeeds("ls", upper);
        console.succeeds("put", Path.of("pom.xml").toString(), upper);
        assertEquals(List.of("pom.xml"), names(exported));
        assertFalse(Files.exists(Path.of("RDMA:")));
    }

    @Test
    void pingTakesAHost() {
        var host = url.replace("rdma://", "").replace("/data", "");
        console.succeeds("ping", "-n", "1", host);
        assertTrue(console.out().contains(" to " + host + ":"), console::out);
    }
}
