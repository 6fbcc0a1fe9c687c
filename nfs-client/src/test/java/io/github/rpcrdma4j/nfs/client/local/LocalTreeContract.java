package io.github.rpcrdma4j.nfs.client.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The tests that every tree passes. */
abstract class LocalTreeContract extends LocalFileContract {
    @Test
    void namesAreAnyBytes() throws IOException {
        assumeHas(Trait.BYTES);
        var expected = new HashSet<FileName>();
        for (int value = 1; value < 256; value++) {
            if (value != '/' && value != '.') {
                expected.add(new FileName(new byte[] {(byte) value}));
            }
        }
        var longest = new byte[255];
        Arrays.fill(longest, (byte) 0xe9);
        expected.add(new FileName(longest));
        expected.add(FileName.of("ä€\ud83d\ude00"));
        expected.add(new FileName(new byte[] {'%', '2', 'F', (byte) 0xc3}));
        expected.add(FileName.of("..."));
        for (var name : expected) {
            makeFile(LocalPath.ROOT.child(name), name.escaped());
        }
        assertEquals(expected, new HashSet<>(tree.list(LocalPath.ROOT, (_, _) -> {}, WHAT)));
        for (var name : expected) {
            var path = LocalPath.ROOT.child(name);
            assertEquals(name.escaped(), content(path));
            tree.remove(path, WHAT);
        }
        assertEquals(List.of(), names(LocalPath.ROOT));
    }

    @Test
    void namesInDirectoriesOfAnyBytesAreFound() throws IOException {
        assumeHas(Trait.BYTES);
        var name = new FileName(new byte[] {(byte) 0xff, '%', ' ', '\n', (byte) 0x80});
        var inner = makeDirectory(LocalPath.ROOT.child(name));
        var file = makeFile(inner.child(name), "inside");
        assertEquals("inside", content(file));
        assertEquals(List.of(name), tree.list(inner, (_, _) -> {}, WHAT));
    }

    @Test
    void namesThatAreNoTextAreRefusedWhereTextIsNeeded() {
        assumeFalse(traits().contains(Trait.BYTES), "names are bytes here");
        var name = LocalPath.ROOT.child(new FileName(new byte[] {(byte) 0xe9}));
        fails(Reason.BAD_NAME, () -> tree.create(name, 0600, WHAT));
        fails(Reason.BAD_NAME, () -> tree.status(name, WHAT));
    }

    @Test
    void aNameThatIsTooLongIsRefused() throws IOException {
        assumeHas(Trait.DEFAULT);
        var name = at("n".repeat(256));
        var far = at("n".repeat(5000));
        for (var each : List.of(name, far)) {
            fails(Reason.NAME_TOO_LONG, () -> tree.create(each, 0600, WHAT));
            fails(Reason.NAME_TOO_LONG, () -> tree.status(each, WHAT));
            fails(Reason.NAME_TOO_LONG, () -> makeDirectory(each));
            fails(Reason.NAME_TOO_LONG, () -> makeLink(each, "text"));
            fails(Reason.NAME_TOO_LONG, () -> makeFile(each.child(FileName.of("x")), ""));
        }
        makeFile(at("n".repeat(255)), "");
    }

    @Test
    void aListingHasAllNames() throws IOException {
        assertEquals(List.of(), names(LocalPath.ROOT));
        var inner = makeDirectory(at("directory"));
        var expected = new HashSet<FileName>();
        for (int i = 0; i < 1500; i++) {
            var name = FileName.of("a-name-of-a-file-in-a-wide-directory-" + i);
            makeFile(inner.child(name), "");
            expected.add(name);
        }
        var found = tree.list(inner, (_, _) -> {}, WHAT);
        assertEquals(1500, found.size());
        assertEquals(expected, new HashSet<>(found));
        assertEquals(List.of("directory"), names(LocalPath.ROOT));
    }

    @Test
    void aLinkHasItsText() throws IOException {
        for (var text : List.of("nowhere", "../../up", "/absolute/path", ".", "ä", "a b%c")) {
            var link = makeLink(at("link"), text);
            assertEquals(PathName.of(text), tree.readLink(link, WHAT));
            assertEquals(FileType.SYMBOLIC_LINK, status(link).type());
            tree.remove(link, WHAT);
        }
        if (traits().contains(Trait.BYTES)) {
            var text = new PathName(new byte[] {(byte) 0xff, '/', (byte) 0x80, '\n'});
            tree.makeLink(at("bytes"), text, WHAT);
            assertEquals(text, tree.readLink(at("bytes"), WHAT));
        }
        if (traits().contains(Trait.EXACT_TEXTS)) {
            for (var text : List.of("a//b/", "//", "./", "t".repeat(4095))) {
                var link = makeLink(at("exact"), text);
                assertEquals(PathName.of(text), tree.readLink(link, WHAT));
                tree.remove(link, WHAT);
            }
            fails(Reason.NAME_TOO_LONG, () -> makeLink(at("long"), "t".repeat(4096)));
        }
        fails(Reason.BAD_NAME, () -> makeLink(at("empty"), ""));
        fails(Reason.BAD_NAME, () -> makeLink(at("nul"), "a\0b"));
        fails(Reason.OTHER, () -> tree.readLink(makeFile(at("file"), ""), WHAT));
        fails(Reason.MISSING, () -> tree.readLink(at("missing"), WHAT));
    }

    @Test
    void linksAreFollowedNowhere() throws IOException {
        makeFile(makeDirectory(at("directory")).child(FileName.of("file")), "inside");
        makeLink(at("to-directory"), "directory");
        makeLink(at("to-file"), "directory/file");
        var through = at("to-directory", "file");
        fails(Reason.LINK, () -> tree.status(through, WHAT));
        fails(Reason.LINK, () -> tree.read(through, WHAT));
        fails(Reason.LINK, () -> tree.list(at("to-directory"), (_, _) -> {}, WHAT));
        fails(Reason.LINK, () -> tree.create(at("to-directory", "new"), 0600, WHAT));
        fails(Reason.LINK, () -> makeDirectory(at("to-directory", "new")));
        fails(Reason.LINK, () -> makeLink(at("to-directory", "new"), "x"));
        fails(Reason.LINK, () -> tree.remove(through, WHAT));
        fails(
                Reason.LINK,
                () -> tree.change(through, FileType.REGULAR, LocalChanges.ofMode(0600), WHAT));
        fails(Reason.LINK, () -> tree.rename(through, at("new"), WHAT));
        fails(Reason.LINK, () -> tree.rename(at("to-file"), at("to-directory", "new"), WHAT));
        fails(Reason.LINK, () -> tree.link(through, at("new"), WHAT));
        fails(
                Reason.LINK,
                () -> tree.link(at("directory", "file"), at("to-directory", "new"), WHAT));
        fails(Reason.LINK, () -> tree.read(at("to-file"), WHAT));
        fails(Reason.EXISTS, () -> tree.create(at("to-file"), 0600, WHAT));
        makeLink(at("dangling"), "nowhere");
        fails(Reason.EXISTS, () -> tree.create(at("dangling"), 0600, WHAT));
        assertEquals(List.of("file"), names(at("directory")));
        assertEquals("inside", content(at("directory", "file")));
    }

    @Test
    void theRootMayBeALink() throws IOException {
        makeFile(makeDirectory(at("directory")).child(FileName.of("file")), "inside");
        makeLink(at("to-directory"), "directory");
        try (var other = open(directory.resolve("to-directory"))) {
            assertEquals(directory.resolve("to-directory"), other.root());
            assertEquals(
                    List.of(FileName.of("file")), other.list(LocalPath.ROOT, (_, _) -> {}, WHAT));
            assertEquals(FileType.DIRECTORY, other.status(LocalPath.ROOT, WHAT).type());
            var time = Instant.ofEpochSecond(1000);
            other.change(
                    LocalPath.ROOT,
                    FileType.DIRECTORY,
                    LocalChanges.NONE.withTimes(time, time),
                    WHAT);
            assertEquals(time, status(at("directory")).modified());
            assertNotEquals(time, status(at("to-directory")).modified());
        }
    }

    @Test
    void whatCannotBeOpenedAsATreeIsRefused() throws IOException {
        makeFile(at("file"), "");
        fails(Reason.MISSING, () -> LocalTree.open(directory.resolve("missing"), WHAT));
        fails(Reason.NOT_A_DIRECTORY, () -> LocalTree.open(directory.resolve("file"), WHAT));
    }

    @Test
    void aLinkLeadsToTheDirectoryOfItsFile() throws IOException {
        makeFile(makeDirectory(at("directory")).child(FileName.of("file")), "inside");
        var link = makeLink(at("link"), "directory/file");
        try (var target = tree.follow(link, WHAT)) {
            assertEquals(at("file").names(), target.path().names());
            assertEquals(
                    List.of(FileName.of("file")),
                    target.tree().list(LocalPath.ROOT, (_, _) -> {}, WHAT));
            assertEquals(6, target.tree().status(target.path(), WHAT).size());
        }
        var dangling = makeLink(at("dangling"), "missing");
        fails(Reason.MISSING, () -> tree.follow(dangling, WHAT));
        var toDirectory = makeLink(at("to-directory"), "directory");
        fails(Reason.IS_A_DIRECTORY, () -> tree.follow(toDirectory, WHAT));
    }

    @Test
    void aFileHasSeveralNames() throws IOException {
        var file = makeFile(at("file"), "content");
        var inner = makeDirectory(at("directory"));
        var other = inner.child(FileName.of("other"));
        tree.link(file, other, WHAT);
        assertEquals("content", content(other));
        assertEquals(status(file).inode(), status(other).inode());
        assertEquals(2, status(file).links());
        fails(Reason.EXISTS, () -> tree.link(file, other, WHAT));
        fails(Reason.MISSING, () -> tree.link(at("missing"), at("new"), WHAT));
        fails(Reason.NOT_PERMITTED, () -> tree.link(inner, at("new"), WHAT));
        tree.remove(file, WHAT);
        assertEquals("content", content(other));
    }

    @Test
    void aLinkHasSeveralNamesOrIsRefused() throws IOException {
        makeFile(at("file"), "");
        var link = makeLink(at("link"), "file");
        if (traits().contains(Trait.NAMES_OF_LINKS)) {
            tree.link(link, at("other"), WHAT);
            assertEquals(FileType.SYMBOLIC_LINK, status(at("other")).type());
        } else {
            fails(Reason.UNSUPPORTED, () -> tree.link(link, at("other"), WHAT));
            assertMissing(at("other"));
        }
        assertEquals(1, status(at("file")).links());
    }

    @Test
    void aRenameReplacesFilesAndLinksButNoDirectory() throws IOException {
        var file = makeFile(at("file"), "new");
        var inner = makeDirectory(at("directory"));
        var target = makeFile(inner.child(FileName.of("target")), "old");
        tree.rename(file, target, WHAT);
        assertEquals("new", content(target));
        assertMissing(file);

        var link = makeLink(at("link"), "directory/target");
        tree.rename(target, link, WHAT);
        assertEquals(FileType.REGULAR, status(link).type());
        makeLink(at("other-link"), "nowhere");
        tree.rename(at("other-link"), link, WHAT);
        assertEquals(PathName.of("nowhere"), tree.readLink(link, WHAT));

        fails(Reason.IS_A_DIRECTORY, () -> tree.rename(link, inner, WHAT));
        var empty = makeDirectory(at("empty"));
        fails(Reason.IS_A_DIRECTORY, () -> tree.rename(inner, empty, WHAT));
        fails(Reason.NOT_A_DIRECTORY, () -> tree.rename(inner, link, WHAT));
        fails(Reason.OTHER, () -> tree.rename(inner, at("directory", "inside"), WHAT));
        fails(Reason.MISSING, () -> tree.rename(at("missing"), at("new"), WHAT));
        fails(Reason.MISSING, () -> tree.rename(link, at("missing", "new"), WHAT));
        assertEquals(List.of("directory", "empty", "link"), names(LocalPath.ROOT));

        tree.rename(inner, at("empty", "moved"), WHAT);
        tree.rename(at("empty"), at("renamed"), WHAT);
        assertEquals(List.of("moved"), names(at("renamed")));
    }

    @Test
    void onlyWhatIsNoDirectoryIsRemoved() throws IOException {
        var inner = makeDirectory(at("directory"));
        fails(Reason.IS_A_DIRECTORY, () -> tree.remove(inner, WHAT));
        makeFile(at("directory", "file"), "");
        fails(Reason.IS_A_DIRECTORY, () -> tree.remove(inner, WHAT));
        var link = makeLink(at("link"), "directory");
        tree.remove(link, WHAT);
        tree.remove(at("directory", "file"), WHAT);
        fails(Reason.MISSING, () -> tree.remove(at("directory", "file"), WHAT));
        assertEquals(List.of("directory"), names(LocalPath.ROOT));
    }

    @Test
    void onlyEmptyDirectoriesAreRemovedAsSuch() throws IOException {
        var inner = makeDirectory(at("directory"));
        makeFile(at("directory", "file"), "");
        makeLink(at("link"), "directory");
        fails(Reason.NOT_EMPTY, () -> tree.removeDirectory(inner, WHAT));
        fails(Reason.NOT_A_DIRECTORY, () -> tree.removeDirectory(at("link"), WHAT));
        fails(Reason.NOT_A_DIRECTORY, () -> tree.removeDirectory(at("directory", "file"), WHAT));
        tree.remove(at("directory", "file"), WHAT);
        tree.removeDirectory(inner, WHAT);
        fails(Reason.MISSING, () -> tree.removeDirectory(inner, WHAT));
        assertEquals(List.of("link"), names(LocalPath.ROOT));
    }

    @Test
    void whatIsMissingOrNoDirectoryOrTakenIsSaid() throws IOException {
        var file = makeFile(at("file"), "content");
        var inner = makeDirectory(at("directory"));
        for (var each : List.of(at("missing"), at("missing", "x"), at("directory", "x", "y"))) {
            fails(Reason.MISSING, () -> tree.status(each, WHAT));
            fails(Reason.MISSING, () -> tree.read(each, WHAT));
            fails(Reason.MISSING, () -> tree.list(each, (_, _) -> {}, WHAT));
            fails(Reason.MISSING, () -> tree.remove(each, WHAT));
            fails(
                    Reason.MISSING,
                    () -> tree.change(each, FileType.REGULAR, LocalChanges.ofMode(0600), WHAT));
            assertMissing(each);
        }
        fails(Reason.MISSING, () -> tree.create(at("missing", "x"), 0600, WHAT));
        fails(Reason.MISSING, () -> makeDirectory(at("missing", "x")));
        fails(Reason.MISSING, () -> makeLink(at("missing", "x"), "y"));
        var below = at("file", "x");
        fails(Reason.NOT_A_DIRECTORY, () -> tree.status(below, WHAT));
        fails(Reason.NOT_A_DIRECTORY, () -> tree.read(below.child(FileName.of("y")), WHAT));
        fails(Reason.NOT_A_DIRECTORY, () -> tree.list(file, (_, _) -> {}, WHAT));
        fails(Reason.NOT_A_DIRECTORY, () -> tree.create(below, 0600, WHAT));
        fails(Reason.NOT_A_DIRECTORY, () -> makeDirectory(below));
        fails(Reason.IS_A_DIRECTORY, () -> tree.read(inner, WHAT));
        fails(Reason.IS_A_DIRECTORY, () -> tree.read(LocalPath.ROOT, WHAT));
        for (var each : List.of(file, inner)) {
            fails(Reason.EXISTS, () -> tree.create(each, 0600, WHAT));
            fails(Reason.EXISTS, () -> makeDirectory(each));
            fails(Reason.EXISTS, () -> makeLink(each, "x"));
        }
        assertEquals("content", content(file));
    }

    @Test
    void aFileOfAnotherTypeOrOfSeveralNamesIsNotChanged() throws IOException {
        var time = Instant.ofEpochSecond(1000);
        var changes = LocalChanges.ofMode(0700).withTimes(time, time);
        var file = makeFile(at("file"), "");
        var link = makeLink(at("link"), "file");
        var inner = makeDirectory(at("directory"));
        for (var each : List.of(file, link, inner, LocalPath.ROOT)) {
            var before = status(each);
            for (var type : FileType.values()) {
                if (type != before.type()) {
                    fails(Reason.OTHER, () -> tree.change(each, type, changes, WHAT));
                }
            }
            assertEquals(before.mode(), status(each).mode());
            assertEquals(before.modified(), status(each).modified());
        }
        change(inner, changes);
        assertEquals(time, status(inner).modified());
        assumeHas(Trait.DEFAULT);
        tree.link(file, at("other"), WHAT);
        var before = status(file);
        for (var each : List.of(file, at("other"))) {
            fails(Reason.OTHER, () -> tree.change(each, FileType.REGULAR, changes, WHAT));
        }
        assertEquals(before.mode(), status(file).mode());
        assertEquals(before.modified(), status(file).modified());
    }

    /** Another process exchanged the names of two files that were found. */
    @Test
    void onlyTheFileThatWasFoundIsChanged() throws IOException {
        var changes = LocalChanges.ofMode(0700);
        for (var each : List.of("file", "directory")) {
            boolean isFile = each.equals("file");
            var one = isFile ? makeFile(at(each), "") : makeDirectory(at(each));
            var other = isFile ? makeFile(at(each + "2"), "") : makeDirectory(at(each + "2"));
            var found = status(one);
            var before = status(other);
            assumeTrue(found.inode() != before.inode(), "the files have no numbers");
            tree.change(one, found, LocalChanges.ofMode(0600), WHAT);
            tree.setAcls(one, found, ExtendedAcls.NONE, WHAT);
            tree.rename(one, at("moved"), WHAT);
            tree.rename(other, one, WHAT);
            fails(Reason.OTHER, () -> tree.change(one, found, changes, WHAT));
            assertEquals(before.mode(), status(one).mode());
            assertEquals(before.modified(), status(one).modified());
            tree.rename(at("moved"), at("moved-" + each), WHAT);
        }
    }

    @Test
    void whatAnOrdinaryUserMayNotDoIsSaid() throws IOException {
        assumeHas(Trait.DEFAULT);
        assumeFalse(isRoot(), "root may do everything");
        var file = makeFile(at("file"), "");
        change(file, LocalChanges.ofMode(0));
        fails(Reason.DENIED, () -> tree.read(file, WHAT));
        var inner = makeDirectory(at("directory"));
        makeFile(at("directory", "file"), "");
        change(inner, LocalChanges.ofMode(0500));
        fails(Reason.DENIED, () -> tree.create(at("directory", "new"), 0600, WHAT));
        fails(Reason.DENIED, () -> tree.remove(at("directory", "file"), WHAT));
        fails(Reason.DENIED, () -> tree.rename(at("directory", "file"), at("new"), WHAT));
        change(inner, LocalChanges.ofMode(0));
        fails(Reason.DENIED, () -> tree.list(inner, (_, _) -> {}, WHAT));
        fails(Reason.DENIED, () -> tree.status(at("directory", "file"), WHAT));
    }

    @Test
    void theRootHasNoNameInTheTree() throws IOException {
        assertEquals(FileType.DIRECTORY, status(LocalPath.ROOT).type());
        var root = LocalPath.ROOT;
        assertThrows(IllegalStateException.class, () -> tree.create(root, 0600, WHAT));
        assertThrows(IllegalStateException.class, () -> tree.makeDirectory(root, 0700, WHAT));
        assertThrows(IllegalStateException.class, () -> tree.remove(root, WHAT));
        assertThrows(IllegalStateException.class, () -> tree.rename(root, at("x"), WHAT));
        assertThrows(IllegalStateException.class, () -> tree.link(root, at("x"), WHAT));
    }

    @Test
    void nodesAreMadeOrRefused() throws IOException {
        assertThrows(
                IllegalArgumentException.class,
                () -> tree.makeNode(at("x"), FileType.REGULAR, 0600, 0, 0, WHAT));
        if (!traits().contains(Trait.NODES)) {
            for (var type : Set.of(FileType.FIFO, FileType.SOCKET, FileType.BLOCK_DEVICE)) {
                fails(Reason.UNSUPPORTED, () -> tree.makeNode(at("x"), type, 0600, 1, 3, WHAT));
            }
            return;
        }
        for (var type : List.of(FileType.FIFO, FileType.SOCKET)) {
            var node = at(type.name());
            tree.makeNode(node, type, 0600, 0, 0, WHAT);
            assertEquals(type, status(node).type());
            assertEquals(0600, status(node).mode());
            fails(Reason.EXISTS, () -> tree.makeNode(node, type, 0600, 0, 0, WHAT));
        }
        for (var type : List.of(FileType.BLOCK_DEVICE, FileType.CHARACTER_DEVICE)) {
            var node = at(type.name());
            try {
                tree.makeNode(node, type, 0600, 259, 70_000, WHAT);
            } catch (LocalException refused) {
                assertEquals(Reason.NOT_PERMITTED, refused.reason());
                continue;
            }
            assertEquals(type, status(node).type());
            assertEquals(259, status(node).major());
            assertEquals(70_000, status(node).minor());
            fails(Reason.UNSUPPORTED, () -> tree.makeNode(at("far"), type, 0600, 4096, 0, WHAT));
            fails(Reason.UNSUPPORTED, () -> tree.makeNode(at("far"), type, 0600, 0, 1 << 20, WHAT));
        }
    }

    @Test
    void accessControlListsAreKeptOrUnsupported() throws IOException {
        var file = at("file");
        tree.create(file, 0640, WHAT).close();
        var directory = at("directory");
        tree.makeDirectory(directory, 0755, WHAT);
        tree.setAcls(file, FileType.REGULAR, ExtendedAcls.NONE, WHAT);
        tree.setAcls(directory, FileType.DIRECTORY, ExtendedAcls.NONE, WHAT);
        assertEquals(ExtendedAcls.NONE, tree.acls(file, WHAT));
        var acl =
                new PosixAcl(
                        List.of(
                                new Entry(Tag.USER_OBJ, 6),
                                new Entry(Tag.USER, 4242, 6),
                                new Entry(Tag.GROUP_OBJ, 5),
                                new Entry(Tag.MASK, 6),
                                new Entry(Tag.OTHER, 0)));
        var access = new ExtendedAcls(Optional.of(acl), Optional.empty());
        var both = new ExtendedAcls(Optional.of(acl), Optional.of(acl));
        try {
            tree.setAcls(file, FileType.REGULAR, access, WHAT);
        } catch (LocalException refused) {
            assertEquals(Reason.UNSUPPORTED, refused.reason());
            assertEquals(ExtendedAcls.NONE, tree.acls(file, WHAT));
            fails(
                    Reason.UNSUPPORTED,
                    () -> tree.setAcls(directory, FileType.DIRECTORY, both, WHAT));
            return;
        }
        tree.setAcls(directory, FileType.DIRECTORY, both, WHAT);
        assertEquals(access, tree.acls(file, WHAT));
        assertEquals(both, tree.acls(directory, WHAT));
        assertEquals(0660, tree.status(file, WHAT).mode(), "the group has the mask");
        assertEquals(0640, access.modeWithout(0660));
        try (var opened = tree.read(file, WHAT)) {
            assertEquals(access, opened.acls());
            opened.setAcls(ExtendedAcls.NONE);
            assertEquals(ExtendedAcls.NONE, opened.acls());
        }
        fails(Reason.OTHER, () -> tree.setAcls(file, FileType.DIRECTORY, both, WHAT));
        tree.setAcls(directory, FileType.DIRECTORY, ExtendedAcls.NONE, WHAT);
        assertEquals(ExtendedAcls.NONE, tree.acls(directory, WHAT));
    }
}
