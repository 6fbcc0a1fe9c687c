package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: READDIR and READDIRPLUS list directories correctly. */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class ListingTest {
    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;
    private FileHandle root;

    private static String name(DirectoryPage.Entry entry) {
        return entry.name().toString();
    }

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(kind);
        server = TestServer.of(testDirectory);
        root = server.root();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private void make(String name) {
        try {
            Files.createFile(testDirectory.root().resolve(name));
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private void remove(String name) {
        try {
            Files.deleteIfExists(testDirectory.root().resolve(name));
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    @Test
    void listsAnEmptyDirectory() throws Exception {
        var directory = server.makeDirectory(root, "directory");
        var page = server.ok(new Nfs3Call.ReadDirectory(directory, 0, 0, 4096));
        assertTrue(page.endOfList());
        assertEquals(List.of(".", ".."), page.entries().stream().map(ListingTest::name).toList());
        assertEquals(
                List.of(server.attributes(directory).fileId(), server.attributes(root).fileId()),
                page.entries().stream().map(DirectoryPage.Entry::fileId).toList());
    }

    @Test
    void listsEveryOneOfManyFilesOnce() throws Exception {
        var expected = new TreeSet<>(List.of(".", ".."));
        for (int i = 0; i < 5000; i++) {
            make("file-" + i);
            expected.add("file-" + i);
        }
        var entries = server.list(root, 32 << 10, () -> {});
        assertEquals(5002, entries.size());
        assertEquals(expected, new TreeSet<>(entries.stream().map(ListingTest::name).toList()));
        assertEquals(5002, new HashSet<>(entries.stream().map(e -> e.cookie()).toList()).size());
    }

    @Test
    void givesHandlesAndAttributesWithTheNames() throws Exception {
        var file = server.create(root, "file");
        for (var entry : server.list(root, 4096, () -> {})) {
            var now = server.attributes(entry.handle().orElseThrow());
            assertEquals(now.type(), entry.attributes().orElseThrow().type());
            assertEquals(now.modified(), entry.attributes().get().modified());
            assertEquals(now.fileId(), entry.fileId());
            assertEquals(entry.attributes().get().fileId(), entry.fileId());
            if (entry.name().equals(FileName.of("file"))) {
                assertEquals(file, entry.handle().get());
            }
        }
    }

    @Test
    void keepsToTheLengthThatIsAskedFor() throws Exception {
        for (int i = 0; i < 100; i++) {
            make("file-" + i);
        }
        for (int count = 0; count < 4000; count += 100) {
            var plain = new Nfs3Call.ReadDirectory(root, 0, 0, count);
            switch (server.call(plain)) {
                case Nfs3Reply.Ok<?, DirectoryPage>(_, var page) -> {
                    int bytes =
                            page.entries().stream().mapToInt(DirectoryPage.Entry::plainBytes).sum();
                    assertTrue(DirectoryPage.EMPTY_BYTES + bytes <= count);
                    assertFalse(page.entries().isEmpty());
                }
                case Nfs3Reply.Failed<?, ?>(var status, _) -> {
                    assertEquals(Status.TOOSMALL, status);
                    assertTrue(count < 200, "count " + count);
                }
            }
        }
    }

    @Test
    void refusesCookiesThatItNeverGave() throws Exception {
        var call = new Nfs3Call.ReadDirectory(root, -1, 0, 4096);
        assertEquals(Status.BAD_COOKIE, server.status(call));
    }

    @Test
    void listsOnlyDirectories() throws Exception {
        var file = server.create(root, "file");
        assertEquals(Status.NOTDIR, server.status(new Nfs3Call.ReadDirectory(file, 0, 0, 4096)));
        var link = server.link(root, "link", ".");
        assertEquals(Status.NOTDIR, server.status(new Nfs3Call.ReadDirectory(link, 0, 0, 4096)));
    }

    /**
     * Goal: a listing contains every permanent file exactly once, while others come and go. Method:
     * after every page, add some temporary files, remove some, and sometimes restart the server,
     * which loses its cached listing.
     */
    @Test
    void listsWhatStaysExactlyOnceWhileOthersComeAndGo() throws Exception {
        var given = System.getProperty("seed", "");
        long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        var stays = new TreeSet<String>();
        for (int i = 0; i < 300; i++) {
            make("stays-" + i);
            stays.add("stays-" + i);
        }
        var passing = new ArrayList<String>();
        var listed = new ArrayList<DirectoryPage.Entry>();
        while (true) {
            long cookie = listed.isEmpty() ? 0 : listed.getLast().cookie();
            var page = server.ok(new Nfs3Call.ReadDirectoryPlus(root, cookie, 0, 2000, 2000));
            listed.addAll(page.entries());
            if (page.endOfList()) {
                break;
            }
            for (int i = 0; i < 5; i++) {
                var name = "passing-" + random.nextInt(1000);
                remove(name);
                make(name);
                passing.add(name);
                remove(passing.get(random.nextInt(passing.size())));
            }
            if (random.nextInt(4) == 0) {
                restart();
            }
        }
        var names = listed.stream().map(ListingTest::name).toList();
        assertEquals(names.size(), new HashSet<>(names).size(), "something is listed twice");
        var found = new TreeSet<>(names);
        found.retainAll(stays);
        assertEquals(stays, found);
    }

    private void restart() {
        try {
            server.close();
            server = TestServer.of(testDirectory);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
