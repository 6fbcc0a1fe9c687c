package io.github.rpcrdma4j.nfs.nio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a program uses files of a server as those of any file system. Method: the methods of {@link
 * Files}, with the project's server; what they did is looked at in the served directory.
 */
@Timeout(120)
abstract class ProviderContract {
    private static final int LONG = (3 << 20) + 17;
    private static final int MANY = 2000;

    @TempDir private Path directory;
    private final Transport transport;
    private ServedDirectory served;
    private FileSystem files;
    private Path data;

    ProviderContract(Transport transport) {
        this.transport = transport;
    }

    @BeforeEach
    void connect() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        served = new ServedDirectory(directory, transport);
        files = served.open();
        data = files.getPath("/data");
    }

    @AfterEach
    void close() throws Exception {
        files.close();
        served.close();
    }

    private static byte[] bytes(int length) {
        var bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void filesOfAnyLengthAreWrittenAndRead() throws Exception {
        for (int length : new int[] {0, 1, 4096, LONG}) {
            var file = Files.write(data.resolve("file-" + length), bytes(length));
            assertArrayEquals(
                    bytes(length), Files.readAllBytes(directory.resolve("file-" + length)));
            assertArrayEquals(bytes(length), Files.readAllBytes(file));
            assertEquals(length, Files.size(file));
            try (var in = Files.newInputStream(file)) {
                assertArrayEquals(bytes(length), in.readAllBytes());
            }
        }
        assertEquals("rw-r--r--", mode(directory.resolve("file-0")));
    }

    @Test
    void relativePathsBeginInTheDirectoryOfTheUri() throws Exception {
        Files.writeString(directory.resolve("file"), "here");
        var file = files.getPath("file");
        assertEquals("here", Files.readString(file));
        assertEquals(data.resolve("file"), file.toAbsolutePath());
        assertEquals(file.toAbsolutePath(), Path.of(file.toUri()));
        assertTrue(Files.isSameFile(file, data.resolve("file")));
    }

    @Test
    void namesOfAnyBytesAreFiles() throws Exception {
        var name = "caf\udce9 %?#\n";
        Files.writeString(data.resolve(name), "x");
        try (var names = Files.newDirectoryStream(data)) {
            var path = names.iterator().next();
            assertEquals(name, path.getFileName().toString());
            assertEquals(path, Path.of(path.toUri()));
            assertEquals("x", Files.readString(Path.of(path.toUri())));
        }
    }

    @Test
    void directoriesOfAnyLengthAreListed() throws Exception {
        var expected = new HashSet<String>();
        for (int i = 0; i < MANY; i++) {
            var name = "a name of some length, so that there are many pages " + i;
            Files.createFile(directory.resolve(name));
            expected.add(name);
        }
        var found = new HashSet<String>();
        try (var names = Files.newDirectoryStream(data)) {
            names.forEach(each -> found.add(each.getFileName().toString()));
        }
        assertEquals(expected, found);
        try (var names = Files.newDirectoryStream(data, "*11")) {
            names.forEach(each -> assertTrue(each.toString().endsWith("11")));
        }
    }

    /** Goal: attributes of files come with the listing. */
    @Test
    void aWalkMakesNoCallForAFile() throws Exception {
        int directories = 5;
        int each = 100;
        long size = 0;
        for (int i = 0; i < directories; i++) {
            var below = Files.createDirectory(directory.resolve("directory-" + i));
            for (int j = 0; j < each; j++) {
                Files.write(below.resolve("file-" + j), bytes(j));
                size += j;
            }
        }
        int before = served.calls();
        var visited = new ArrayList<Path>();
        var sum = new AtomicLong();
        Files.walkFileTree(
                data,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        visited.add(file);
                        sum.addAndGet(attributes.size());
                        return FileVisitResult.CONTINUE;
                    }
                });
        assertEquals(directories * each, visited.size());
        assertEquals(size, sum.get());
        int calls = served.calls() - before;
        assertTrue(calls <= 10 * (directories + 1), calls + " calls");
    }

    @Test
    void attributesOfAListingAreUsedOnce() throws Exception {
        Files.write(directory.resolve("file"), bytes(3));
        Path listed;
        try (var names = Files.newDirectoryStream(data)) {
            listed = names.iterator().next();
        }
        Files.write(directory.resolve("file"), bytes(5));
        assertEquals(3, Files.size(listed));
        assertEquals(5, Files.size(listed));
    }

    @Test
    void attributesOfAListingEndWithAChangeByTheirPath() throws Exception {
        Files.writeString(files.getPath("file"), "x");
        Path listed;
        try (var names = Files.newDirectoryStream(files.getPath(""))) {
            listed = names.iterator().next();
        }
        Files.writeString(listed, "longer");
        assertEquals(6, Files.size(listed));
        try (var names = Files.newDirectoryStream(files.getPath(""))) {
            listed = names.iterator().next();
        }
        Files.delete(listed);
        assertFalse(Files.isRegularFile(listed));
    }

    @Test
    void directoriesAreMadeAndRemoved() throws Exception {
        var deep = data.resolve("a/b/c");
        assertThrows(NoSuchFileException.class, () -> Files.createDirectory(deep));
        Files.createDirectories(deep);
        Files.createDirectories(deep);
        assertThrows(FileAlreadyExistsException.class, () -> Files.createDirectory(deep));
        assertThrows(FileAlreadyExistsException.class, () -> Files.createDirectory(data.getRoot()));
        var narrow = PosixFilePermissions.fromString("rwx-w-rwx");
        Files.createDirectory(data.resolve("narrow"), PosixFilePermissions.asFileAttribute(narrow));
        assertEquals("rwx---r-x", mode(directory.resolve("narrow")));
        assertThrows(DirectoryNotEmptyException.class, () -> Files.delete(data.resolve("a")));
        Files.delete(deep);
        assertFalse(Files.exists(directory.resolve("a/b/c")));
        assertFalse(Files.deleteIfExists(deep));
        assertThrows(NoSuchFileException.class, () -> Files.delete(deep));
        assertThrows(FileSystemException.class, () -> Files.delete(data.getRoot()));
    }

    @Test
    void failuresHaveTheirClasses() throws Exception {
        Files.createFile(directory.resolve("file"));
        var missing = data.resolve("missing");
        var file = data.resolve("file");
        assertThrows(NoSuchFileException.class, () -> Files.readString(missing));
        assertThrows(NoSuchFileException.class, () -> Files.newDirectoryStream(missing).close());
        assertThrows(NotDirectoryException.class, () -> Files.newDirectoryStream(file).close());
        assertThrows(FileSystemException.class, () -> Files.readAttributes(file.resolve("x"), "*"));
        assertThrows(FileSystemException.class, () -> Files.writeString(data, "x"));
        var named = assertThrows(NoSuchFileException.class, () -> Files.size(missing));
        assertEquals("/data/missing", named.getFile());
        assertFalse(Files.exists(missing));
        assertTrue(Files.notExists(missing));
        assertTrue(Files.exists(data));
    }

    @Test
    void symbolicLinksAreFollowed() throws Exception {
        Files.createDirectory(data.resolve("below"));
        Files.writeString(data.resolve("below/file"), "x");
        var relative = Files.createSymbolicLink(data.resolve("relative"), files.getPath("below"));
        var absolute =
                Files.createSymbolicLink(data.resolve("absolute"), data.resolve("below/file"));
        assertEquals("x", Files.readString(relative.resolve("file")));
        assertEquals("x", Files.readString(absolute));
        assertEquals(data.resolve("below/file"), Files.readSymbolicLink(absolute));
        assertEquals(files.getPath("below"), Files.readSymbolicLink(relative));
        assertEquals(
                data.resolve("below/file"), files.getPath("relative/./../absolute").toRealPath());
        assertEquals(absolute, absolute.toRealPath(LinkOption.NOFOLLOW_LINKS));
        assertTrue(Files.isSymbolicLink(relative));
        assertTrue(Files.isDirectory(relative));
        assertFalse(Files.isDirectory(relative, LinkOption.NOFOLLOW_LINKS));
        assertThrows(NotLinkException.class, () -> Files.readSymbolicLink(data.resolve("below")));
        assertTrue(Files.isSameFile(absolute, data.resolve("below/file")));
        var loop = Files.createSymbolicLink(data.resolve("loop"), files.getPath("loop"));
        assertThrows(FileSystemException.class, () -> Files.readString(loop));
        Files.delete(absolute);
        assertEquals("x", Files.readString(data.resolve("below/file")));
    }

    @Test
    void hardLinksAreNamesOfOneFile() throws Exception {
        var file = Files.writeString(data.resolve("file"), "x");
        var link = Files.createLink(data.resolve("link"), file);
        assertTrue(Files.isSameFile(file, link));
        assertEquals(2, Files.getAttribute(file, "unix:nlink"));
        assertThrows(FileAlreadyExistsException.class, () -> Files.createLink(link, file));
    }

    @Test
    void filesAreCopiedByTheServer() throws Exception {
        var from = Files.write(data.resolve("from"), bytes(LONG));
        Files.setPosixFilePermissions(from, PosixFilePermissions.fromString("rw-r-----"));
        var time = FileTime.from(Instant.parse("2020-01-02T03:04:05Z"));
        Files.setLastModifiedTime(from, time);
        var to = data.resolve("to");
        Files.copy(from, to);
        assertArrayEquals(bytes(LONG), Files.readAllBytes(directory.resolve("to")));
        assertEquals("rw-r-----", mode(directory.resolve("to")));
        assertThrows(FileAlreadyExistsException.class, () -> Files.copy(from, to));
        Files.copy(
                from, to, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
        assertEquals(time, Files.getLastModifiedTime(to));
        Files.copy(from, from);
        try (var names = Files.list(directory)) {
            assertEquals(2, names.count(), "no temporary file is left");
        }
        assertThrows(
                UnsupportedOperationException.class,
                () -> Files.copy(from, to, StandardCopyOption.ATOMIC_MOVE));
        assertThrows(NoSuchFileException.class, () -> Files.copy(data.resolve("missing"), to));
    }

    @Test
    void directoriesAndLinksAreCopiedThemselves() throws Exception {
        var full = Files.createDirectory(data.resolve("full"));
        Files.createFile(full.resolve("file"));
        var link = Files.createSymbolicLink(data.resolve("link"), files.getPath("full"));
        var empty = Files.copy(full, data.resolve("empty"));
        assertTrue(Files.isDirectory(directory.resolve("empty")));
        assertFalse(Files.exists(empty.resolve("file")));
        Files.copy(link, data.resolve("copied"), LinkOption.NOFOLLOW_LINKS);
        assertEquals(Path.of("full"), Files.readSymbolicLink(directory.resolve("copied")));
        assertThrows(
                DirectoryNotEmptyException.class,
                () -> Files.copy(empty, full, StandardCopyOption.REPLACE_EXISTING));
        Files.copy(full.resolve("file"), empty, StandardCopyOption.REPLACE_EXISTING);
        assertTrue(Files.isRegularFile(directory.resolve("empty")));
    }

    @Test
    void filesAreCopiedFromAndToThisMachine(@TempDir Path local) throws Exception {
        var here = Files.write(local.resolve("file"), bytes(LONG));
        Files.copy(here, data.resolve("file"));
        Files.copy(data.resolve("file"), local.resolve("back"));
        assertArrayEquals(bytes(LONG), Files.readAllBytes(local.resolve("back")));
        Files.move(data.resolve("file"), local.resolve("moved"));
        assertFalse(Files.exists(data.resolve("file")));
    }

    @Test
    void filesAreMoved() throws Exception {
        var from = Files.writeString(data.resolve("from"), "from");
        var to = Files.writeString(data.resolve("to"), "to");
        assertThrows(FileAlreadyExistsException.class, () -> Files.move(from, to));
        Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
        assertEquals("from", Files.readString(to));
        Files.move(to, from, StandardCopyOption.ATOMIC_MOVE);
        assertFalse(Files.exists(to));
        var full = Files.createDirectory(data.resolve("full"));
        Files.createFile(full.resolve("file"));
        assertThrows(
                DirectoryNotEmptyException.class,
                () -> Files.move(from, full, StandardCopyOption.REPLACE_EXISTING));
        Files.move(full, from, StandardCopyOption.REPLACE_EXISTING);
        assertTrue(Files.exists(directory.resolve("from/file")));
        Files.move(from, from);
        assertThrows(NoSuchFileException.class, () -> Files.move(to, data.resolve("x")));
        var loop = Files.createSymbolicLink(data.resolve("loop"), files.getPath("loop"));
        assertThrows(NoSuchFileException.class, () -> Files.move(to, loop.resolve("x")));
    }

    @Test
    void noPathIsNoOtherPath() {
        assertThrows(NullPointerException.class, () -> data.startsWith((Path) null));
        assertThrows(NullPointerException.class, () -> data.endsWith((Path) null));
        assertThrows(NullPointerException.class, () -> data.resolve((Path) null));
        assertThrows(NullPointerException.class, () -> data.relativize(null));
        assertThrows(NullPointerException.class, () -> data.compareTo(null));
        assertThrows(NullPointerException.class, () -> Files.isSameFile(data, null));
    }

    @Test
    void aCopyIsInterruptibleInAnyCase() throws Exception {
        var from = Files.writeString(data.resolve("from"), "bytes");
        // The compiler warns of a use of this class by its name.
        var options = Class.forName("com.sun.nio.file.ExtendedCopyOption").getEnumConstants();
        Files.copy(from, data.resolve("to"), (CopyOption) options[0]);
        assertEquals("bytes", Files.readString(directory.resolve("to")));
    }

    @Test
    void aMovedFileTakesThePlaceOfTheLinkThatLeadsToIt() throws Exception {
        Files.writeString(Files.createDirectory(data.resolve("a")).resolve("x"), "bytes");
        var link = Files.createSymbolicLink(data.resolve("c"), files.getPath("a"));
        Files.move(link.resolve("x"), link, StandardCopyOption.REPLACE_EXISTING);
        assertEquals("bytes", Files.readString(directory.resolve("c")));
        assertFalse(Files.exists(data.resolve("a/x")));
    }

    @Test
    void attributesAreReadAndChanged() throws Exception {
        var file = Files.write(data.resolve("file"), bytes(100));
        var local = directory.resolve("file");
        var told = Files.readAttributes(file, PosixFileAttributes.class);
        var there = Files.readAttributes(local, PosixFileAttributes.class);
        assertEquals(there.size(), told.size());
        assertEquals(there.lastModifiedTime(), told.lastModifiedTime());
        assertEquals(there.permissions(), told.permissions());
        assertTrue(told.isRegularFile());
        assertEquals(Files.getAttribute(local, "unix:uid").toString(), told.owner().getName());
        for (var name : List.of("unix:mode", "unix:ino", "unix:nlink", "unix:uid", "unix:gid")) {
            assertEquals(Files.getAttribute(local, name), Files.getAttribute(file, name), name);
        }
        var time = FileTime.from(Instant.parse("2021-02-03T04:05:06.789Z"));
        Files.getFileAttributeView(file, BasicFileAttributeView.class).setTimes(time, null, null);
        assertEquals(time, Files.getLastModifiedTime(local));
        assertEquals(there.lastAccessTime(), Files.getAttribute(local, "lastAccessTime"));
        var view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        view.setPermissions(PosixFilePermissions.fromString("rw-rw----"));
        assertEquals("rw-rw----", mode(local));
        Files.setAttribute(file, "unix:mode", 0400);
        assertEquals("r--------", mode(local));
        view.setOwner(view.getOwner());
        assertEquals(Map.of("size", 100L), Files.readAttributes(file, "size"));
        assertTrue(Files.readAttributes(file, "posix:*").containsKey("group"));
        assertThrows(IllegalArgumentException.class, () -> Files.getAttribute(file, "no"));
        assertThrows(
                UnsupportedOperationException.class, () -> Files.getAttribute(file, "dos:hidden"));
        assertEquals(
                view.getOwner(),
                files.getUserPrincipalLookupService()
                        .lookupPrincipalByName(view.getOwner().getName()));
    }

    @Test
    void extendedAttributesAreKept() throws Exception {
        var file = Files.createFile(data.resolve("file"));
        if (Files.getFileStore(directory).supportsFileAttributeView("user")) {
            assertTrue(Files.getFileStore(file).supportsFileAttributeView("user"));
            var view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
            assertEquals(3, view.write("color", ByteBuffer.wrap("red".getBytes())));
            assertEquals(List.of("color"), view.list());
            assertEquals(3, view.size("color"));
            assertArrayEquals("red".getBytes(), (byte[]) Files.getAttribute(file, "user:color"));
            assertThrows(IOException.class, () -> view.read("color", ByteBuffer.allocate(2)));
            var readOnly = ByteBuffer.allocate(3).asReadOnlyBuffer();
            assertThrows(IllegalArgumentException.class, () -> view.read("color", readOnly));
            view.delete("color");
            assertThrows(FileSystemException.class, () -> view.size("color"));
        }
    }

    @Test
    void rightsAreAskedFor() throws Exception {
        var file = Files.createFile(data.resolve("file"));
        assertTrue(Files.isReadable(file));
        assertTrue(Files.isWritable(file));
        assertFalse(Files.isExecutable(file));
        assertTrue(Files.isExecutable(data));
        assertThrows(
                AccessDeniedException.class,
                () -> file.getFileSystem().provider().checkAccess(file, AccessMode.EXECUTE));
        assertFalse(Files.isHidden(file));
        assertTrue(Files.isHidden(data.resolve(".file")));
    }

    @Test
    void aFileStoreTellsItsSpace() throws Exception {
        var store = Files.getFileStore(data);
        assertTrue(store.getTotalSpace() >= store.getUsableSpace());
        assertTrue(store.type().startsWith("nfs4"), store.type());
        assertEquals(store, Files.getFileStore(Files.createFile(data.resolve("file"))));
        assertNotEquals(store, Files.getFileStore(data.getRoot()));
        assertTrue(store.supportsFileAttributeView(PosixFileAttributeView.class));
    }

    @Test
    void temporaryFilesAreMade() throws Exception {
        var file = Files.createTempFile(data, "a", ".b");
        assertTrue(Files.exists(directory.resolve(file.getFileName().toString())));
        assertTrue(Files.isDirectory(Files.createTempDirectory(data, "c")));
    }

    @Test
    void aClosedFileSystemHasNoFiles() throws Exception {
        var channel = Files.newByteChannel(Files.createFile(data.resolve("file")));
        files.close();
        assertFalse(channel.isOpen());
        assertFalse(files.isOpen());
        assertThrows(ClosedFileSystemException.class, () -> Files.exists(data));
        assertThrows(ClosedFileSystemException.class, () -> Files.readString(data));
        files.close();
        files = served.open();
        assertTrue(Files.exists(files.getPath("/data/file")));
    }

    @Test
    void aTreeIsCopiedByAProgramThatKnowsNoServer() throws Exception {
        Files.createDirectories(directory.resolve("tree/a/b"));
        Files.writeString(directory.resolve("tree/a/b/file"), "x");
        var from = data.resolve("tree");
        try (var tree = Files.walk(from)) {
            tree.forEach(
                    each -> {
                        try {
                            Files.copy(each, data.resolve("copy").resolve(from.relativize(each)));
                        } catch (IOException failure) {
                            throw new UncheckedIOException(failure);
                        }
                    });
        }
        assertEquals("x", Files.readString(directory.resolve("copy/a/b/file")));
    }
}
