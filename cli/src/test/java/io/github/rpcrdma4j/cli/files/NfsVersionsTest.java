package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.ServedCopies;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: each command does the same by each version of NFS that it speaks. */
class NfsVersionsTest extends ServedCopies {
    private static final String DATES = "touch -d 2001-02-03T04:05:06Z ";

    private String[] versioned(String version, String... arguments) {
        var all = new String[arguments.length + 2];
        all[0] = arguments[0];
        all[1] = "--vers";
        all[2] = version;
        System.arraycopy(arguments, 1, all, 3, arguments.length - 1);
        return all;
    }

    private void succeeds(String version, String... arguments) {
        assertEquals(0, console.run(versioned(version, arguments)), console::err);
    }

    private String out(String version, String... arguments) {
        succeeds(version, arguments);
        return console.out();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3", "4.0", "4.1", "4.2"})
    void commandsDoTheSame(String version) throws Exception {
        make("mkdir -p p/d && echo 12345 > p/a && echo 2 > p/d/b && ln -s a p/l", local);
        make(DATES + "p/a p/d/b", local);
        succeeds(version, "put", "-r", local + "/p", url + "/q");
        succeeds(version, "get", url + "/q/a", local + "/one");
        assertEquals("12345\n", Files.readString(local.resolve("one")));
        assertEquals("a\nd\nl\n", out(version, "ls", url + "/q"));
        assertTrue(out(version, "ls", "-l", url + "/q").contains(" l -> a"), console::out);
        assertTrue(out(version, "stat", url + "/q/a").contains("size      6"), console::out);
        assertTrue(out(version, "df", url + "/q").contains("/data/q"), console::out);
        assertTrue(out(version, "find", url + "/q", "--name", "b").endsWith("/q/d/b\n"));

        succeeds(version, "cp", url + "/q/a", url + "/q/copy");
        assertEquals("12345\n", Files.readString(exported.resolve("q/copy")));
        succeeds(version, "mv", url + "/q/copy", url + "/q/moved");
        assertTrue(Files.exists(exported.resolve("q/moved")));
        succeeds(version, "ln", url + "/q/moved", url + "/q/second");
        succeeds(version, "ln", "-s", "somewhere", url + "/q/link");
        assertEquals("somewhere", Files.readSymbolicLink(exported.resolve("q/link")).toString());
        succeeds(version, "chmod", "600", url + "/q/moved");
        assertEquals("rw-------", mode(exported.resolve("q/second")));
        succeeds(version, "touch", "-d", "2003-01-01T00:00:00Z", url + "/q/moved");
        assertEquals(
                "2003-01-01T00:00:00Z",
                Files.getLastModifiedTime(exported.resolve("q/second")).toString());
        succeeds(version, "mkdir", url + "/q/made");
        succeeds(version, "rm", "-r", url + "/q/made", url + "/q/second");

        succeeds(version, "get", "-r", url + "/q", local + "/back");
        assertEquals("2\n", Files.readString(local.resolve("back/d/b")));
        succeeds(version, "sync", local + "/p/", url + "/s");
        succeeds(version, "sync", local + "/p/", url + "/s");
        assertTrue(console.err().startsWith("0 files"), console::err);
        succeeds(version, "rm", "-r", url + "/q");
        assertEquals(List.of("s"), names(exported));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "3", "4.0", "4.1", "4.2"})
    void failuresAreTheSame(String version) throws Exception {
        make("mkdir d && echo 1 > d/a", exported);
        assertEquals(1, console.run(versioned(version, "ls", url + "/none")));
        assertEquals(
                List.of("rpcrdma: cannot find /data/none: no such file or directory"),
                console.errLines());
        assertEquals(1, console.run(versioned(version, "rm", url + "/d")));
        assertEquals(1, console.errLines().size(), console::err);
        assertEquals(1, console.run(versioned(version, "cat", url + "/d")));
        assertEquals(List.of("rpcrdma: cannot read /data/d: is a directory"), console.errLines());
        assertTrue(Files.exists(exported.resolve("d/a")));
    }
}
