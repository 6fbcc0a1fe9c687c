package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.CallsWithChanges;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: another user exchanges what a copy of root has only for a while, under a temporary name,
 * and gets nothing by it. Method: that of {@link ExchangedNamesTest}.
 */
class ExchangedTemporaryFilesTest extends ServerWithChanges {
    private Path temporary() throws IOException {
        try (var all = Files.list(exported)) {
            return all.filter(ExchangedTemporaryFilesTest::isTemporary).findFirst().orElseThrow();
        }
    }

    private static boolean isTemporary(Path file) {
        return TemporaryName.is(FileName.of(file.getFileName().toString()));
    }

    /** Gives the name of the first file that a procedure makes to another one. */
    private void exchangeFirst(int procedure, Path other) {
        var calls = new AtomicInteger();
        change =
                called -> {
                    if (called == procedure && calls.getAndIncrement() == 0) {
                        var made = temporary();
                        Files.move(made, exported.resolve("moved"));
                        Files.move(other, made);
                    }
                };
    }

    private Path emptyOfMallory(boolean isDirectory) throws IOException {
        var evil = ofOther("evil", MALLORY, isDirectory);
        if (!isDirectory) {
            Files.write(evil, new byte[0]);
        }
        return evil;
    }

    private void putOne(String name) throws Exception {
        copy(
                PreservedAttributes.ATTRIBUTES,
                copier ->
                        trees(copier)
                                .put(
                                        source.resolve(name),
                                        copier.context().mount().place("/data/" + name),
                                        name));
    }

    private void requireRefused(String what) {
        assertEquals(
                List.of(
                        what
                                + ": the server does not tell what it made, and another file may"
                                + " have the name"),
                failures);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void contentsGoToTheFileThatWasMade(boolean isTold) throws Exception {
        withheld = isTold ? Set.of() : Set.of(CallsWithChanges.CREATE);
        Files.writeString(source.resolve("file"), "private");
        Files.setAttribute(source.resolve("file"), "unix:uid", BOB);
        // A second name shows what becomes of the other file.
        var held = Files.createDirectory(directory.resolve("held"));
        var evil = emptyOfMallory(false);
        exchangeFirst(CallsWithChanges.CREATE, evil);
        var exchanging = change;
        change =
                called -> {
                    exchanging.run(called);
                    if (called == CallsWithChanges.CREATE && !Files.exists(held.resolve("evil"))) {
                        Files.createLink(held.resolve("evil"), temporary());
                    }
                };
        putOne("file");
        assertEquals("", Files.readString(held.resolve("evil")));
        assertEquals(MALLORY, owner(held.resolve("evil")));
        assertEquals(isTold ? "private" : "", Files.readString(exported.resolve("moved")));
        if (!isTold) {
            requireRefused("cannot write file");
        }
    }

    private void makeLink() throws IOException {
        Files.createSymbolicLink(source.resolve("link"), Path.of("nowhere"));
        Files.setAttribute(source.resolve("link"), "unix:uid", BOB, LinkOption.NOFOLLOW_LINKS);
    }

    /** Another user who owned the directory could exchange the link in it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLinkIsMadeInNoDirectoryOfAnotherUser(boolean isTold) throws Exception {
        withheld =
                isTold
                        ? Set.of(CallsWithChanges.SYMLINK)
                        : Set.of(CallsWithChanges.SYMLINK, CallsWithChanges.MKDIR);
        makeLink();
        exchangeFirst(CallsWithChanges.MKDIR, emptyOfMallory(true));
        var exchanging = change;
        var inTheirs = Collections.synchronizedList(new ArrayList<Path>());
        change =
                called -> {
                    exchanging.run(called);
                    if (called == CallsWithChanges.SYMLINK
                            && Files.exists(exported.resolve("moved"))) {
                        try (var all = Files.list(temporary())) {
                            all.forEach(inTheirs::add);
                        }
                    }
                };
        putOne("link");
        assertEquals(List.of(), inTheirs);
        if (isTold) {
            assertEquals(List.of(), failures);
            assertEquals(BOB, owner(exported.resolve("link")));
        } else {
            requireRefused("cannot make the link link");
        }
    }

    @Test
    void aFileThatTookTheFinalNameOfALinkIsLeftAlone() throws Exception {
        withheld = Set.of(CallsWithChanges.SYMLINK);
        makeLink();
        Files.setAttribute(source.resolve("link"), "unix:uid", MALLORY, LinkOption.NOFOLLOW_LINKS);
        var target = exported.resolve("link");
        exchange(CallsWithChanges.RENAME, target, ofOther("secret", BOB, false));
        putOne("link");
        assertEquals(List.of(), failures);
        assertEquals("secret", Files.readString(target));
        assertEquals(BOB, owner(target));
    }

    @Test
    void aLinkThatGetsNoFinalNameLeavesNothing() throws Exception {
        withheld = Set.of(CallsWithChanges.SYMLINK);
        makeLink();
        var target = exported.resolve("link");
        var links = new AtomicInteger();
        change =
                called -> {
                    // The second link is made apart, to replace the first one.
                    if (called == CallsWithChanges.SYMLINK && links.incrementAndGet() == 2) {
                        Files.delete(target);
                        Files.createDirectory(target);
                    }
                };
        putOne("link");
        assertEquals(1, failures.size(), failures::toString);
        try (var all = Files.list(exported)) {
            assertEquals(List.of(target), all.toList());
        }
    }

    /** Whose the new file is decides whose incomplete copies are continued. */
    @Test
    void noIncompleteCopyOfAnotherUserIsContinued() throws Exception {
        var file = source.resolve("file");
        try (var large = new RandomAccessFile(file.toFile(), "rw")) {
            large.setLength(Checkpoint.FILE_MIN);
        }
        Files.setAttribute(exported, "unix:uid", MALLORY);
        mode(exported, "rwxr-xr-x");
        exchangeFirst(CallsWithChanges.CREATE, emptyOfMallory(false));
        var told = Collections.synchronizedList(new ArrayList<String>());
        var listener =
                new CopyListener() {
                    @Override
                    public void notResumable(String name) {
                        told.add(name);
                    }
                };
        try (var mount = mount()) {
            var options = ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3);
            var kept = PreservedAttributes.PERMISSIONS;
            new Copier(mount, options, listener, kept, true)
                    .put(file, mount.place("/data/file"), "file");
        }
        assertEquals(List.of("file"), told);
        assertEquals(0, Files.size(exported.resolve("file")));
        assertEquals(Checkpoint.FILE_MIN, Files.size(exported.resolve("moved")));
    }
}
