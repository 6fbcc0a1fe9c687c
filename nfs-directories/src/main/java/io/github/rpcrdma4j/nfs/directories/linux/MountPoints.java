package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.UnixPaths;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The mount points in {@code /proc/self/mountinfo} (proc(5)).
 *
 * <pre>
 *   36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
 *   number, parent, device, root in the file system, mount point, ..., type, ...
 * </pre>
 *
 * In paths, a backslash and three octal digits stand for a space, tab, newline or backslash.
 */
public final class MountPoints {
    private static final Path DEVICES = Path.of("/sys/dev/block");
    private static final Path MOUNTINFO = Path.of("/proc/self/mountinfo");
    private static final int NUMBER = 0;
    private static final int DEVICE = 2;
    private static final int MOUNT_POINT = 4;
    private static final int OCTAL_DIGITS = 3;

    private MountPoints() {}

    /**
     * A mount point.
     *
     * @param mount the number of the mount
     * @param path the path relative to the directory of the search
     */
    record Point(long mount, byte[] path) {}

    /** Returns the content of the file, with one character per byte. */
    static String read() throws IOException {
        return Files.readString(MOUNTINFO, StandardCharsets.ISO_8859_1);
    }

    /**
     * Returns whether two files are in different mounts. The two may be on one file system: it may
     * be mounted in several places.
     *
     * @param file an absolute path without links; so is the other one
     * @return false if the system does not report its mounts
     */
    public static boolean separate(Path file, Path other) {
        try {
            return separate(read(), text(file), text(other));
        } catch (IOException _) {
            return false;
        }
    }

    /** Does the same for the content of the file and paths, with one character per byte. */
    static boolean separate(String mountinfo, String file, String other) {
        var points = below(mountinfo, "/");
        return mount(points, file) != mount(points, other);
    }

    /** Returns the number of the mount that holds a file; 0 for the root. */
    private static long mount(List<Point> points, String file) {
        long found = 0;
        for (var point : points) {
            var place = "/" + new String(point.path(), StandardCharsets.ISO_8859_1) + "/";
            // A later mount covers an earlier one.
            if ((file + "/").startsWith(place)) {
                found = point.mount();
            }
        }
        return found;
    }

    /**
     * Returns whether the driver of ext3 and ext4 keeps a journal for a device; false also if the
     * system does not tell.
     *
     * @param device its major number in the upper half, and its minor number in the lower one
     */
    static boolean hasJournal(long device) {
        var numbers = (device >>> Integer.SIZE) + ":" + (device & 0xffffffffL);
        try (var journals = Files.list(Path.of("/proc/fs/jbd2"))) {
            // The name of a device, such as "sda1", and the number of the journal's inode.
            var start = DEVICES.resolve(numbers).toRealPath().getFileName() + "-";
            return journals.anyMatch(each -> each.getFileName().toString().startsWith(start));
        } catch (IOException | UncheckedIOException _) {
            return false;
        }
    }

    /** Returns the bytes of a path, with one character per byte. */
    static String text(Path path) {
        return new String(UnixPaths.bytes(path), StandardCharsets.ISO_8859_1);
    }

    /**
     * Returns the mount points below a directory, relative to it, in the order of mounting. So a
     * mount point precedes those below it.
     *
     * @param mountinfo the content of the file, with one character per byte
     * @param directory an absolute path without escapes, with one character per byte
     */
    static List<Point> below(String mountinfo, String directory) {
        var prefix = directory.endsWith("/") ? directory : directory + "/";
        var found = new ArrayList<Point>();
        for (var line : mountinfo.split("\n")) {
            var fields = line.split(" ");
            if (fields.length > MOUNT_POINT) {
                var path = unescaped(fields[MOUNT_POINT]);
                if (path.startsWith(prefix) && path.length() > prefix.length()) {
                    var relative = path.substring(prefix.length());
                    found.add(
                            new Point(
                                    Long.parseLong(fields[NUMBER]),
                                    relative.getBytes(StandardCharsets.ISO_8859_1)));
                }
            }
        }
        return found;
    }

    /**
     * Returns the name of the type of the file system on a device; empty if it is not mounted here.
     */
    static Optional<String> type(String mountinfo, long major, long minor) {
        var device = major + ":" + minor;
        for (var line : mountinfo.split("\n")) {
            var fields = List.of(line.split(" "));
            // The number of fields before the hyphen varies.
            int hyphen = fields.indexOf("-");
            if (hyphen > MOUNT_POINT
                    && hyphen + 1 < fields.size()
                    && fields.get(DEVICE).equals(device)) {
                return Optional.of(fields.get(hyphen + 1));
            }
        }
        return Optional.empty();
    }

    private static String unescaped(String field) {
        var bytes = new ByteArrayOutputStream();
        for (int i = 0; i < field.length(); i++) {
            char each = field.charAt(i);
            if (each == '\\' && isOctal(field, i + 1)) {
                bytes.write(Integer.parseInt(field.substring(i + 1, i + 1 + OCTAL_DIGITS), 8));
                i += OCTAL_DIGITS;
            } else {
                bytes.write(each);
            }
        }
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    private static boolean isOctal(String field, int from) {
        if (from + OCTAL_DIGITS > field.length()) {
            return false;
        }
        for (int i = from; i < from + OCTAL_DIGITS; i++) {
            if (field.charAt(i) < '0' || field.charAt(i) > '7') {
                return false;
            }
        }
        return true;
    }
}
