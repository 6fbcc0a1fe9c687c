package io.github.rpcrdma4j.nfs.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;

/** Who may use a copy: no others than may use what it is a copy of. */
final class Permissions {
    private static final int FILE = 0644;
    private static final int FOLDER = 0755;

    /** Java does not tell the umask; nearly everywhere it has at least this. */
    private static final int USUAL = 0755;

    /** What it takes to fill a copy. */
    private static final int OF_OWNER = 0600;

    private static final int OF_OWNER_OF_FOLDER = 0700;

    private Permissions() {}

    /** The mode that a copy of a local file has on a server. */
    static int ofFile(Path source) throws IOException {
        return hasPermissions(source) ? mode(source) & USUAL | OF_OWNER : FILE;
    }

    /** The mode that a copy of a local folder has on a server. */
    static int ofFolder(Path source) throws IOException {
        return hasPermissions(source) ? mode(source) & USUAL | OF_OWNER_OF_FOLDER : FOLDER;
    }

    /** What a local copy of a server's file is made with; the umask takes its part. */
    static FileAttribute<?>[] forFile(Path target, int mode) {
        return made(target, mode | OF_OWNER);
    }

    /** What a local copy of a server's folder is made with; the umask takes its part. */
    static FileAttribute<?>[] forFolder(Path target, int mode) {
        return made(target, mode | OF_OWNER_OF_FOLDER);
    }

    private static boolean hasPermissions(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    private static int mode(Path source) throws IOException {
        int mode = 0;
        for (var permission : Files.getPosixFilePermissions(source)) {
            mode |= bit(permission);
        }
        return mode;
    }

    private static FileAttribute<?>[] made(Path target, int mode) {
        if (!hasPermissions(target)) {
            return new FileAttribute<?>[0];
        }
        var permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (var each : PosixFilePermission.values()) {
            if ((mode & bit(each)) != 0) {
                permissions.add(each);
            }
        }
        return new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)};
    }

    private static int bit(PosixFilePermission permission) {
        return switch (permission) {
            case OWNER_READ -> 0400;
            case OWNER_WRITE -> 0200;
            case OWNER_EXECUTE -> 0100;
            case GROUP_READ -> 0040;
            case GROUP_WRITE -> 0020;
            case GROUP_EXECUTE -> 0010;
            case OTHERS_READ -> 0004;
            case OTHERS_WRITE -> 0002;
            case OTHERS_EXECUTE -> 0001;
        };
    }
}
