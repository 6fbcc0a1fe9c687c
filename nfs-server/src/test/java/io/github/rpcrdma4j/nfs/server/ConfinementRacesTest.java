package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: no race leads outside an export. Method: call every procedure repeatedly on {@code a/b/f},
 * while another thread replaces each component by a link to the equal name outside, or by a FIFO.
 * {@code -Dconfinement.millis=N} sets the duration of each of the 186 cells.
 */
class ConfinementRacesTest {
    private static final long CELL_MILLIS = Long.getLong("confinement.millis", 150);
    private static final long DEADLINE_SECONDS = 30;
    private static final String LINK_SUFFIX = "-link";
    private static final String ASIDE_SUFFIX = "-aside";
    private static final String PIPE = "pipe";
    private static final String KEPT = "kept";

    /** The method of replacing a component. */
    enum Swap {
        /** By REMOVE and SYMLINK, then back by REMOVE and LINK. */
        REMOVE_AND_SYMLINK,
        /** By RENAME. */
        RENAME,
        /** By RENAME through another server, which exports the directory of the component. */
        RENAME_IN_OTHER_EXPORT,
        /** By another process, in one step. */
        EXCHANGE,
        /** By another process, in two steps. */
        MOVE,
        /** By another process, which replaces the component by a FIFO. */
        EXCHANGE_FOR_FIFO
    }

    /** A component of the path, and its directory. */
    private enum Component {
        A(""),
        B("a"),
        F("a/b");

        final String directory;

        Component(String directory) {
            this.directory = directory;
        }

        String text() {
            return name().toLowerCase();
        }
    }

    /** The handles of the three files on the path. */
    private record Files3(FileHandle a, FileHandle b, FileHandle f) {}

    private TestDirectory testDirectory;
    private Path inside;
    private OutsideFiles outside;
    private TestServer server;
    private final Map<Component, TestServer> others = new EnumMap<>(Component.class);
    private Files3 held;
    private Random random;

    @BeforeEach
    void serve() throws Exception {
        var given = System.getProperty("seed", "");
        long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
        System.out.println("seed=" + seed);
        random = new Random(seed);
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        Files.setAttribute(testDirectory.root(), "unix:mode", 0755);
        outside = OutsideFiles.make(testDirectory.root().resolve("outside"));
        inside = testDirectory.root().resolve("inside");
        for (var directory : List.of("", "a", "a/b")) {
            var at = Files.createDirectory(inside.resolve(directory));
            Files.setAttribute(at, "unix:mode", 0777);
            Files.createDirectory(at.resolve(EveryCall.DIRECTORY));
            Files.writeString(at.resolve(EveryCall.FILE), "inside");
        }
        Files.createLink(inside.resolve(KEPT), inside.resolve("a/b/f"));
        assertTrue(LocalCalls.makeNode(inside.resolve("a/b/pipe"), LocalCalls.FIFO | 0666, 0));
        server = TestServer.of(List.of(export("")));
        for (var component : Component.values()) {
            // In one server, the directory of an export inside another cannot be renamed.
            others.put(component, TestServer.of(List.of(export(component.directory))));
        }
        var a = server.lookup(server.root(), "a");
        var b = server.lookup(a, "b");
        held = new Files3(a, b, server.lookup(b, "f"));
    }

    private Export export(String directory) {
        var rule = ExportRule.trusting(false).withSync(false);
        return new Export(
                TestServer.EXPORT,
                inside.resolve(directory),
                List.of(rule),
                List.of(SecurityFlavor.SYS));
    }

    @AfterEach
    void stop() throws Exception {
        others.values().forEach(TestServer::close);
        if (server != null) {
            server.close();
        }
        if (testDirectory != null) {
            testDirectory.close();
        }
    }

    @Test
    void triesEveryProcedure() {
        var tried = EnumSet.noneOf(Procedure.class);
        EveryCall.on(held.f, 0).forEach(call -> tried.add(call.procedure()));
        EveryCall.in(held.b, held.f).forEach(call -> tried.add(call.procedure()));
        assertEquals(EnumSet.of(Procedure.NULL), EnumSet.complementOf(tried));
    }

    @ParameterizedTest
    @EnumSource
    void losesNoRace(Swap swap) throws Exception {
        int onFile = EveryCall.on(held.f, 0).size();
        int onNames = EveryCall.in(held.b, held.f).size();
        for (int cell = 0; cell < onFile + onNames; cell++) {
            int index = cell;
            var calls = new ArrayList<Nfs3Call<?, ?>>();
            race(swap, () -> turn(swap, calls, index, onFile));
            outside.requireUnchanged(calls.isEmpty() ? "nothing" : calls.getLast().toString());
        }
    }

    private void race(Swap swap, Callable<Void> turn) throws Exception {
        var stop = new AtomicBoolean();
        try (var threads =
                Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().factory())) {
            var swapper =
                    threads.submit(
                            () -> {
                                while (!stop.get()) {
                                    swap(swap);
                                }
                                return null;
                            });
            var user =
                    threads.submit(
                            () -> {
                                long start = System.nanoTime();
                                while (System.nanoTime() - start
                                        < TimeUnit.MILLISECONDS.toNanos(CELL_MILLIS)) {
                                    turn.call();
                                }
                                return null;
                            });
            try {
                user.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
            } finally {
                stop.set(true);
            }
            swapper.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Makes one call on each file of the path that the call and the swap apply to. */
    private Void turn(Swap swap, List<Nfs3Call<?, ?>> calls, int index, int onFile)
            throws Exception {
        int uid = List.of(0, 1000, 65534).get(random.nextInt(3));
        var caller = new Credential.Sys(0, "test", uid, uid, List.of());
        var files = random.nextInt(4) != 0 ? held : found(caller);
        calls.clear();
        if (index < onFile) {
            boolean ofLastOnly = swap == Swap.REMOVE_AND_SYMLINK || swap == Swap.EXCHANGE_FOR_FIFO;
            for (var file :
                    ofLastOnly
                            ? List.of(held.f, files.f, held.f)
                            : List.of(files.f, files.b, files.a)) {
                calls.add(EveryCall.on(file, uid).get(index));
            }
        } else {
            for (var directory : List.of(files.b, files.a)) {
                EveryCall.preparing(directory).forEach(call -> answer(caller, call));
                calls.add(EveryCall.in(directory, files.f).get(index - onFile));
            }
        }
        for (var call : calls) {
            answer(caller, call);
        }
        return null;
    }

    /**
     * Returns the files that the path leads to now, or their first handles where it leads nowhere.
     */
    private Files3 found(Credential caller) throws Exception {
        var a = lookup(caller, server.root(), "a").orElse(held.a);
        var b = lookup(caller, a, "b").orElse(held.b);
        return new Files3(a, b, lookup(caller, b, "f").orElse(held.f));
    }

    private Optional<FileHandle> lookup(Credential caller, FileHandle directory, String name)
            throws Exception {
        return switch (server.call(caller, new Nfs3Call.Lookup(new DirOpArgs(directory, name)))) {
            case Nfs3Reply.Ok<?, ?>(_, Nfs3Results.Found found) -> Optional.of(found.handle());
            case Nfs3Reply.Ok<?, ?> _, Nfs3Reply.Failed<?, ?> _ -> Optional.empty();
        };
    }

    /**
     * Makes a call, accepts any status, and checks that the reply contains nothing from outside.
     */
    private void answer(Credential caller, Nfs3Call<?, ?> call) {
        try {
            var results =
                    server.results(
                            Nfs3.PROGRAM,
                            Nfs3.VERSION,
                            call.procedure().number(),
                            caller,
                            call::encode);
            var bytes = results.fixedOpaque(results.remaining()).toArray(ValueLayout.JAVA_BYTE);
            outside.requireNotRevealed(call.toString(), bytes);
            var status = ByteBuffer.wrap(bytes).getInt();
            assertNotEquals(Status.SERVERFAULT.number(), status, call.toString());
        } catch (XdrException | InterruptedException broken) {
            throw new AssertionError(call.toString(), broken);
        }
    }

    /** Replaces a component and restores it. */
    private void swap(Swap swap) throws Exception {
        var component = Component.values()[random.nextInt(3)];
        var directory = inside.resolve(component.directory);
        var name = component.text();
        var target = outside.root().resolve(component.directory).resolve(name);
        var text = random.nextBoolean() ? target : directory.relativize(target);
        var path = directory.resolve(name);
        var link = directory.resolve(name + LINK_SUFFIX);
        switch (swap) {
            case REMOVE_AND_SYMLINK -> {
                var last = Component.F;
                removeAndLink(
                        new DirOpArgs(held.b, last.text()),
                        outside.root().resolve(last.directory).resolve(last.text()).toString());
            }
            case RENAME -> {
                var parent =
                        switch (component) {
                            case A -> server.root();
                            case B -> held.a;
                            case F -> held.b;
                        };
                rename(server, parent, component, text.toString());
            }
            case RENAME_IN_OTHER_EXPORT -> {
                var other = others.get(component);
                rename(other, other.root(), component, text.toString());
            }
            case EXCHANGE -> {
                makeAgain(component, link, text);
                LocalCalls.exchange(path, link);
                putBack(path, link);
            }
            case MOVE -> {
                makeAgain(component, link, text);
                var aside = directory.resolve(name + ASIDE_SUFFIX);
                move(path, aside);
                move(link, path);
                if (Files.isSymbolicLink(path)) {
                    move(path, link);
                }
                move(aside, path);
            }
            case EXCHANGE_FOR_FIFO -> {
                var file = inside.resolve("a/b/f");
                var pipe = file.resolveSibling(PIPE);
                LocalCalls.exchange(file, pipe);
                LocalCalls.exchange(file, pipe);
            }
        }
    }

    private void call(Nfs3Call<?, ?> call) throws Exception {
        server.status(new Credential.Sys(0, "test", 0, 0, List.of()), call);
    }

    private void removeAndLink(DirOpArgs entry, String text) throws Exception {
        call(new Nfs3Call.Remove(entry));
        call(new Nfs3Call.MakeSymbolicLink(entry, SetAttributes.NONE, PathName.of(text)));
        call(new Nfs3Call.Remove(entry));
        var kept = lookup(new Credential.Sys(0, "test", 0, 0, List.of()), server.root(), KEPT);
        call(new Nfs3Call.Link(kept.orElseThrow(), entry));
    }

    private static void rename(
            TestServer through, FileHandle directory, Component component, String text)
            throws Exception {
        var entry = new DirOpArgs(directory, component.text());
        var link = new DirOpArgs(directory, component.text() + LINK_SUFFIX);
        var aside = new DirOpArgs(directory, component.text() + ASIDE_SUFFIX);
        through.call(new Nfs3Call.MakeSymbolicLink(link, SetAttributes.NONE, PathName.of(text)));
        through.call(new Nfs3Call.Rename(entry, aside));
        through.call(new Nfs3Call.Rename(link, entry));
        through.call(new Nfs3Call.Rename(entry, link));
        through.call(new Nfs3Call.Rename(aside, entry));
    }

    /** Makes the link and the file again if calls have removed them. */
    private void makeAgain(Component component, Path link, Path text) throws IOException {
        if (!Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
            Files.createSymbolicLink(link, text);
        }
        if (component == Component.F) {
            try {
                Files.createLink(inside.resolve("a/b/f"), inside.resolve(KEPT));
            } catch (FileAlreadyExistsException there) {
                // No call had removed it.
            }
        }
    }

    private static void putBack(Path path, Path link) {
        if (Files.isSymbolicLink(path)) {
            LocalCalls.exchange(path, link);
        }
    }

    private static void move(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException removed) {
            // One of the calls removed it.
        }
    }
}
