package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
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
@MethodSource("io.github.rpcrdma4j.nfs.server.Ground#kinds")
class ListingTest {
    @Parameter Ground.Kind kind;
    private Ground ground;
    private Served served;
    private FileHandle root;

    private static String name(DirectoryPage.Entry entry) {
        return entry.name().toString();
    }

    @BeforeEach
    void serve() throws Exception {
        ground = Ground.of(kind);
        served = Served.of(ground);
        root = served.root();
    }

    @AfterEach
    void stop() throws Exception {
        served.close();
        ground.close();
    }

    private void make(String name) {
        try {
            Files.createFile(ground.root().resolve(name));
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private void remove(String name) {
        try {
            Files.deleteIfExists(ground.root().resolve(name));
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    @Test
    void listsAnEmptyDirectory() throws Exception {
        var directory = served.makeDirectory(root, "directory");
        var page = served.ok(new Nfs3Call.ReadDirectory(directory, 0, 0, 4096));
        assertTrue(page.endOfList());
        assertEquals(List.of(".", ".."), page.entries().stream().map(ListingTest::name).toList());
        assertEquals(
                List.of(served.attributes(directory).fileId(), served.attributes(root).fileId()),
                page.entries().stream().map(DirectoryPage.Entry::fileId).toList());
    }

    @Test
    void listsEveryOneOfManyFilesOnce() throws Exception {
        var expected = new TreeSet<>(List.of(".", ".."));
        for (int i = 0; i < 5000; i++) {
            make("file-" + i);
            expected.add("file-" + i);
        }
        var entries = served.list(root, 32 << 10, () -> {});
        assertEquals(5002, entries.size());
        assertEquals(expected, new TreeSet<>(entries.stream().map(ListingTest::name).toList()));
        assertEquals(5002, new HashSet<>(entries.stream().map(e -> e.cookie()).toList()).size());
    }

    @Test
    void givesHandlesAndAttributesWithTheNames() throws Exception {
        var file = served.create(root, "file");
        for (var entry : served.list(root, 4096, () -> {})) {
            var now = served.attributes(entry.handle().orElseThrow());
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
            switch (served.call(plain)) {
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
        assertEquals(Status.BAD_COOKIE, served.status(call));
    }

    @Test
    void listsOnlyDirectories() throws Exception {
        var file = served.create(root, "file");
        assertEquals(Status.NOTDIR, served.status(new Nfs3Call.ReadDirectory(file, 0, 0, 4096)));
        var link = served.link(root, "link", ".");
        assertEquals(Status.NOTDIR, served.status(new Nfs3Call.ReadDirectory(link, 0, 0, 4096)));
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
            var page = served.ok(new Nfs3Call.ReadDirectoryPlus(root, cookie, 0, 2000, 2000));
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
            served.close();
            served = Served.of(ground);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
