package io.github.rpcrdma4j.nfs.client.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of file systems other than the default one. */
class NioTreeInMemoryTest extends LocalTreeContract {
    private FileSystem system;

    @Override
    Set<Trait> traits() {
        return EnumSet.of(Trait.PERMISSIONS, Trait.OLD_NANOSECONDS);
    }

    @Override
    Path makeDirectory() throws IOException {
        system =
                Jimfs.newFileSystem(
                        Configuration.unix().toBuilder()
                                .setAttributeViews("basic", "owner", "posix", "unix")
                                .build());
        return Files.createDirectory(system.getPath("/tree"));
    }

    @Override
    LocalTree open(Path opened) throws IOException {
        return assertInstanceOf(NioTree.class, LocalTree.open(opened, WHAT));
    }

    @AfterEach
    @Override
    void removeTree() throws IOException {
        super.removeTree();
        if (system != null) {
            system.close();
        }
    }

    @Test
    void namesThatWindowsTakesForSomethingElseAreRefused() throws IOException {
        try (var windows = Jimfs.newFileSystem(Configuration.windows());
                var other = open(Files.createDirectory(windows.getPath("C:\\tree")))) {
            other.create(at("x"), 0600, WHAT).close();
            for (var name :
                    List.of(
                            "a\\b",
                            "..\\x",
                            "C:",
                            "C:x",
                            "a:stream",
                            "NUL",
                            "nul",
                            "con.txt",
                            "COM1",
                            "lpt9.a.b",
                            "CONIN$",
                            "ends.",
                            "ends ",
                            "a?",
                            "a*",
                            "\"",
                            "<",
                            "a|b",
                            "tab\t",
                            "COM\u00b9")) {
                fails(Reason.BAD_NAME, () -> other.create(at(name), 0600, WHAT));
                fails(Reason.BAD_NAME, () -> other.makeDirectory(at(name), 0700, WHAT));
                fails(Reason.BAD_NAME, () -> other.rename(at("x"), at(name), WHAT));
            }
            for (var name : List.of("nulls", "COM", "com10", ".hidden", "a b", "ä", "CONX.txt")) {
                other.create(at(name), 0600, WHAT).close();
            }
            assertEquals(8, other.list(LocalPath.ROOT, (_, _) -> {}, WHAT).size());
            other.makeLink(at("link"), PathName.of("up/and/away"), WHAT);
            assertEquals(PathName.of("up/and/away"), other.readLink(at("link"), WHAT));
            fails(Reason.BAD_NAME, () -> other.makeLink(at("y"), PathName.of("a\\b"), WHAT));
        }
    }

    @Test
    void aFileSystemThatIsFullSaysSo() throws IOException {
        try (var small =
                        Jimfs.newFileSystem(
                                Configuration.unix().toBuilder()
                                        .setBlockSize(1024)
                                        .setMaxSize(8 << 10)
                                        .build());
                var other = open(Files.createDirectory(small.getPath("/tree")));
                var file = other.create(at("file"), 0600, WHAT)) {
            var source = MemorySegment.ofArray(new byte[64 << 10]);
            fails(Reason.NO_SPACE, () -> file.write(source, 0));
        }
    }

    @Test
    void anArchiveIsATreeToo(@TempDir Path temporary) throws IOException {
        var archive = URI.create("jar:" + temporary.resolve("a.zip").toUri());
        try (var zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
            var top = zip.getPath("/");
            try (var other = open(top)) {
                other.makeDirectory(at("directory"), 0755, WHAT);
                try (var file = other.create(at("directory", "file"), 0644, WHAT)) {
                    file.write(MemorySegment.ofArray(new byte[] {'a', 'b'}), 0);
                    file.finish();
                }
                assertEquals(
                        List.of(FileName.of("directory")),
                        other.list(LocalPath.ROOT, (_, _) -> {}, WHAT));
                assertEquals(
                        List.of(FileName.of("file")),
                        other.list(at("directory"), (_, _) -> {}, WHAT));
                assertEquals(2, other.status(at("directory", "file"), WHAT).size());
                other.rename(at("directory", "file"), at("moved"), WHAT);
                try (var arena = Arena.ofConfined();
                        var file = other.read(at("moved"), WHAT)) {
                    var memory = arena.allocate(9);
                    assertEquals(2, file.read(memory, 0));
                    assertEquals(1, file.read(memory, 1));
                }
                fails(Reason.UNSUPPORTED, () -> other.makeLink(at("l"), PathName.of("x"), WHAT));
                fails(Reason.UNSUPPORTED, () -> other.link(at("moved"), at("l"), WHAT));
            }
        }
    }
}
