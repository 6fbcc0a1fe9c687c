package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.RandomAccessFile;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: the short way gives what the plain one gives. Method: both, on all kinds of files. */
class StatxTest {
    private static final int TRIES_MAX = 100;

    private Ground ground;
    private Path root;
    private Statx statx;
    private AttributeReader plain;

    @BeforeEach
    void make() throws Exception {
        var found = Statx.of(FileSystems.getDefault());
        assumeTrue(found.isPresent(), "there is no statx here");
        statx = found.get();
        ground = Ground.of(Ground.Kind.LOCAL);
        root = ground.root().toRealPath();
        plain = new AttributeReader(root, 7, Optional.empty());
    }

    @AfterEach
    void remove() throws Exception {
        if (ground != null) {
            ground.close();
        }
    }

    /** Others use files too: a comparison counts if nothing changed while it was made. */
    private void agreeOn(Path file) throws Exception {
        for (int tries = 0; tries < TRIES_MAX; tries++) {
            var before = plain.read(file);
            var found = statx.read(file, plain);
            if (before.equals(plain.read(file))) {
                assertEquals(Optional.of(before), found, file::toString);
                return;
            }
        }
        throw new AssertionError(file + " changes all the time");
    }

    private Path file(String name) throws Exception {
        return Files.writeString(root.resolve(name), "some octets");
    }

    @Test
    void agreesOnTypesModesAndLinks() throws Exception {
        var file = file("file");
        agreeOn(file);
        for (var mode : List.of("---------", "rwxrwxrwx", "rw-r-----")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
            agreeOn(file);
        }
        Files.setAttribute(file, "unix:mode", 06755, LinkOption.NOFOLLOW_LINKS);
        agreeOn(file);
        agreeOn(Files.createLink(root.resolve("second name"), file));
        agreeOn(Files.createSymbolicLink(root.resolve("link"), file));
        agreeOn(Files.createSymbolicLink(root.resolve("to nothing"), Path.of("nothing")));
        agreeOn(Files.createDirectory(root.resolve("folder")));
        agreeOn(root);
    }

    @Test
    void agreesOnTimesAndSizes() throws Exception {
        var file = file("file");
        for (var time :
                List.of(
                        Instant.ofEpochSecond(-1, 999_999_999),
                        Instant.EPOCH,
                        Instant.ofEpochSecond(1, 1),
                        Instant.ofEpochSecond(1L << 31, 123_456_789))) {
            Files.getFileAttributeView(file, BasicFileAttributeView.class)
                    .setTimes(FileTime.from(time), FileTime.from(time.plusSeconds(1)), null);
            agreeOn(file);
        }
        try (var sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(5L << 32);
        }
        agreeOn(file);
    }

    /** Devices, and file systems that tell no time of birth. */
    @Test
    void agreesOnWhatIsElsewhere() throws Exception {
        for (var name : List.of("/dev/null", "/dev/zero", "/proc/version", "/")) {
            var path = Path.of(name);
            if (Files.exists(path)) {
                agreeOn(path);
            }
        }
    }

    @Test
    void leavesNamesThatAreNotAsciiToThePlainOne() throws Exception {
        var name = "\u00e4\u00df.txt";
        assumeTrue("UTF-8".equals(System.getProperty("sun.jnu.encoding")), "no such names here");
        var file = file(name);
        assertEquals(Optional.empty(), statx.read(file, plain));
        assertEquals(plain.read(file), new AttributeReader(root, 7).read(file));
    }

    @Test
    void leavesFailuresToThePlainOne() throws Exception {
        var missing = root.resolve("missing");
        assertEquals(Optional.empty(), statx.read(missing, plain));
        assertEquals(Optional.empty(), statx.read(root.resolve("x".repeat(300)), plain));
        assertEquals(Optional.empty(), statx.read(Path.of("/" + "x/".repeat(4096)), plain));
        var reader = new AttributeReader(root, 7);
        assertThrows(NoSuchFileException.class, () -> reader.read(missing));
        agreeOn(file("y".repeat(255)));
    }

    @Test
    void isForTheOperatingSystemsFilesAlone() throws Exception {
        try (var other = Ground.of(Ground.Kind.POSIX)) {
            assertEquals(Optional.empty(), Statx.of(other.root().getFileSystem()));
        }
    }
}
