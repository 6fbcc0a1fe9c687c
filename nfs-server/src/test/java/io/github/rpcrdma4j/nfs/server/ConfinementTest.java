package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountResult;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountStatus;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: no call reaches anything outside its export. */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class ConfinementTest {
    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private Path secret;
    private TestServer server;
    private FileHandle root;

    /** Exports one directory, next to which lies a secret file. */
    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(kind);
        secret = Files.writeString(testDirectory.root().resolve("secret"), "secret");
        var inside = Files.createDirectory(testDirectory.root().resolve("inside"));
        server = TestServer.of(new TestDirectory(inside, Optional.empty()));
        root = server.root();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        assertEquals("secret", Files.readString(secret));
        testDirectory.close();
    }

    @Test
    void followsNoLinkToAFile() throws Exception {
        for (var text : new String[] {"../secret", secret.toString()}) {
            var link = server.link(root, "link", text);
            assertEquals(Status.INVAL, server.status(new Nfs3Call.Read(link, 0, 9)));
            var write = TestServer.write(link, 0, Stability.UNSTABLE, "x");
            assertEquals(Status.INVAL, server.status(write));
            var cut =
                    new Nfs3Call.ChangeAttributes(link, SetAttributes.ofSize(0), Optional.empty());
            assertEquals(Status.INVAL, server.status(cut));
            var create =
                    new Nfs3Call.Create(
                            new DirOpArgs(root, "link"),
                            new CreateMode.Unchecked(SetAttributes.ofSize(0)));
            // As with the Linux nfsd, the existing link is returned and not followed.
            assertEquals(link, server.ok(create).handle().orElseThrow());
            server.ok(
                    new Nfs3Call.ChangeAttributes(link, SetAttributes.ofMode(0), Optional.empty()));
            server.ok(new Nfs3Call.Remove(new DirOpArgs(root, "link")));
        }
    }

    @Test
    void followsNoLinkToADirectory() throws Exception {
        var link = server.link(root, "link", "..");
        assertEquals(
                Status.NOTDIR, server.status(new Nfs3Call.Lookup(new DirOpArgs(link, "secret"))));
        assertEquals(Status.NOTDIR, server.status(new Nfs3Call.ReadDirectory(link, 0, 0, 4096)));
        assertEquals(
                Status.NOTDIR, server.status(new Nfs3Call.Remove(new DirOpArgs(link, "secret"))));
        assertEquals(
                new MountResult.Failed(MountStatus.NOTDIR),
                server.mount(TestServer.EXPORT + "/link"));
    }

    @Test
    void mountsNothingAboveTheExport() throws Exception {
        for (var path : new String[] {"/..", "/../secret", "/./..", "/inside/../.."}) {
            assertFalse(server.mount(TestServer.EXPORT + path) instanceof MountResult.Ok, path);
        }
    }

    @Test
    void findsADirectoryStaleThatALinkReplaced() throws Exception {
        var directory = server.makeDirectory(root, "directory");
        var file = server.create(directory, "secret");
        Files.delete(testDirectory.root().resolve("inside/directory/secret"));
        Files.delete(testDirectory.root().resolve("inside/directory"));
        Files.createSymbolicLink(
                testDirectory.root().resolve("inside/directory"), testDirectory.root());
        assertEquals(Status.STALE, server.status(new Nfs3Call.Read(file, 0, 9)));
        assertEquals(
                Status.STALE,
                server.status(new Nfs3Call.Lookup(new DirOpArgs(directory, "secret"))));
        assertEquals(
                Status.STALE, server.status(new Nfs3Call.ReadDirectory(directory, 0, 0, 4096)));
    }

    /**
     * Goal: no race between calls leads outside. Method: one caller repeatedly replaces a directory
     * by a link to a directory outside and restores it, while another uses the directory's handle.
     * The files outside, which have equal names, must not change.
     */
    @Test
    void losesNoRaceAgainstACallThatMakesALink() throws Exception {
        var outside = Files.createDirectory(testDirectory.root().resolve("outside"));
        Files.writeString(outside.resolve("file"), "secret");
        var directory = server.makeDirectory(root, "directory");
        server.create(directory, "file");
        var stop = new AtomicBoolean();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var user =
                    threads.submit(
                            () -> {
                                while (!stop.get()) {
                                    use(directory);
                                }
                                return null;
                            });
            var mover = threads.submit((Callable<Void>) () -> turn());
            try {
                mover.get();
            } finally {
                stop.set(true);
            }
            user.get();
        }
        try (var names = Files.list(outside)) {
            assertEquals(1, names.count());
        }
        assertEquals("secret", Files.readString(outside.resolve("file")));
    }

    /**
     * Goal: a change of a file never reaches another one. Method: one caller repeatedly replaces a
     * file by a link to the secret and restores it, while another changes the file by its handle.
     */
    @Test
    void losesNoRaceAgainstACallThatReplacesAFileByALink() throws Exception {
        var before = Files.readAttributes(secret, BasicFileAttributes.class);
        var modes = kind == TestDirectory.Kind.BASIC ? null : Files.getPosixFilePermissions(secret);
        var file = server.create(root, "file");
        server.ok(new Nfs3Call.Link(file, new DirOpArgs(root, "kept")));
        var stop = new AtomicBoolean();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var user =
                    threads.submit(
                            () -> {
                                while (!stop.get()) {
                                    change(file);
                                }
                                return null;
                            });
            try {
                for (int i = 0; i < 300; i++) {
                    var entry = new DirOpArgs(root, "file");
                    server.ok(new Nfs3Call.Remove(entry));
                    server.link(root, "file", secret.toString());
                    server.ok(new Nfs3Call.Remove(entry));
                    server.ok(new Nfs3Call.Link(file, entry));
                }
            } finally {
                stop.set(true);
            }
            user.get();
        }
        var after = Files.readAttributes(secret, BasicFileAttributes.class);
        assertEquals(before.lastModifiedTime(), after.lastModifiedTime());
        assertEquals(before.size(), after.size());
        if (modes != null) {
            assertEquals(modes, Files.getPosixFilePermissions(secret));
        }
    }

    private void change(FileHandle file) throws Exception {
        var none = SetAttributes.NONE;
        var early = new SetAttributes.TimeChange.To(new Timestamp(1_000_000_000, 0));
        for (var changes :
                List.of(
                        SetAttributes.ofMode(0777),
                        SetAttributes.ofSize(0),
                        new SetAttributes(
                                none.mode(), none.uid(), none.gid(), none.size(), early, early))) {
            server.status(new Nfs3Call.ChangeAttributes(file, changes, Optional.empty()));
        }
        server.status(TestServer.write(file, 0, Stability.UNSTABLE, "x"));
    }

    private Void turn() throws Exception {
        var entry = new DirOpArgs(root, "directory");
        var aside = new DirOpArgs(root, "aside");
        for (int i = 0; i < 300; i++) {
            server.ok(new Nfs3Call.Rename(entry, aside));
            server.link(root, "directory", "../outside");
            server.ok(new Nfs3Call.Remove(entry));
            server.ok(new Nfs3Call.Rename(aside, entry));
        }
        return null;
    }

    private void use(FileHandle directory) throws Exception {
        var made = new DirOpArgs(directory, "made");
        server.status(new Nfs3Call.Create(made, new CreateMode.Guarded(SetAttributes.NONE)));
        server.status(new Nfs3Call.Remove(made));
        switch (server.call(new Nfs3Call.Lookup(new DirOpArgs(directory, "file")))) {
            case Nfs3Reply.Ok<?, ?>(_, var found) -> {
                var file = ((Nfs3Results.Found) found).handle();
                server.status(TestServer.write(file, 0, Stability.UNSTABLE, "x"));
            }
            case Nfs3Reply.Failed<?, ?> _ -> {}
        }
    }
}
