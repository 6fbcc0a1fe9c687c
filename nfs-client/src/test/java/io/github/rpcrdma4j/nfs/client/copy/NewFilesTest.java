package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.file.NewFiles;
import io.github.rpcrdma4j.nfs.client.service.FileService.Created;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Goal: which file of a name counts as the new one, if the server does not tell what it made. */
class NewFilesTest extends ServerWithChanges {
    private static final List<String> NAMES =
            List.of("empty", "filled", "linked", "theirs", "own", "open", "full", "their", "link");

    private static final Created UNTOLD = new Created(Optional.empty(), Optional.empty());

    private interface Question {
        void ask(NewFiles files, RemotePlace place) throws Exception;
    }

    private void makeAll() throws Exception {
        for (var name : List.of("empty", "filled", "linked", "theirs")) {
            mode(Files.createFile(exported.resolve(name)), "rw-------");
        }
        Files.writeString(exported.resolve("filled"), "x");
        Files.createLink(exported.resolve("linked.2"), exported.resolve("linked"));
        for (var name : List.of("own", "open", "full", "their")) {
            mode(Files.createDirectory(exported.resolve(name)), "rwx------");
        }
        mode(exported.resolve("open"), "rwxr-x---");
        Files.createFile(exported.resolve("full/x"));
        Files.setAttribute(exported.resolve("theirs"), "unix:uid", MALLORY);
        Files.setAttribute(exported.resolve("their"), "unix:uid", MALLORY);
        Files.createSymbolicLink(exported.resolve("link"), Path.of("empty"));
    }

    private static boolean isAccepted(Question question, NewFiles files, RemotePlace place)
            throws Exception {
        try {
            question.ask(files, place);
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    /** Returns which of the names a question accepts. */
    private List<String> accepted(Question question) throws Exception {
        makeAll();
        Map<String, Boolean> all = new TreeMap<>();
        copy(
                PreservedAttributes.PERMISSIONS,
                copier -> {
                    // A command asks the mount, which has the same rule.
                    for (var files :
                            List.of(
                                    copier.remote().newFiles(),
                                    NewFiles.ofCaller(copier.context().service()))) {
                        for (var name : NAMES) {
                            var place = copier.context().mount().place("/data/" + name);
                            boolean isAccepted = isAccepted(question, files, place);
                            var before = all.put(name, isAccepted);
                            assertEquals(before == null ? isAccepted : before, isAccepted, name);
                        }
                    }
                });
        return all.keySet().stream().filter(all::get).toList();
    }

    @Test
    void aRegularFileIsEmptyAndThisUsersAndHasOneName() throws Exception {
        assertEquals(List.of("empty"), accepted((files, place) -> files.file(UNTOLD, place, "no")));
    }

    @Test
    void aDirectoryIsEmptyAndThisUsersAndGrantsNoMore() throws Exception {
        assertEquals(
                List.of("own"),
                accepted((files, place) -> files.directory(UNTOLD, place, 0700, "no")));
        assertEquals("rwxr-x---", mode(exported.resolve("open")));
    }

    @Test
    void aFileThatTheServerTellsForADirectoryIsRefused() throws Exception {
        assertEquals(
                List.of("full", "open", "own"),
                accepted(
                        (files, place) -> {
                            var found = files.service().lookup(place, "no");
                            var reply = new Created(Optional.of(found.handle()), Optional.empty());
                            files.directory(reply, place, 0700, "no");
                        }));
    }

    @Test
    void aLinkIsALinkOfThisUser() throws Exception {
        assertEquals(
                List.of("link"),
                accepted(
                        (files, place) -> {
                            var found = files.service().lookup(place, "no");
                            if (!files.isOwn(found, FileType.SYMBOLIC_LINK, place)) {
                                throw new IOException("no");
                            }
                        }));
    }
}
