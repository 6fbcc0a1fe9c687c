package io.github.rpcrdma4j.bench.files;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The file handles of the export. Thread-safe.
 *
 * @param root the root of the export, in which calls create files
 * @param directory a directory with many empty files
 * @param data the file that all users read and write
 */
record ServedFiles(
        FileHandle root,
        FileHandle directory,
        FileHandle data,
        List<FileHandle> files,
        AtomicLong created) {
    static final long DATA_BYTES = 64L << 20;

    private static final String DATA = "data";
    private static final String DIRECTORY = "directory";

    /** The names from the root of the server to the directory with many files. */
    static final List<String> PATH = List.of(ServerProcess.EXPORT.substring(1), DIRECTORY);

    private static final String CREATED = "created-";
    private static final int FILES = 1000;

    /**
     * The step between the files of successive calls, so that these are not neighbors in the
     * directory.
     */
    private static final long STRIDE = 31;

    /** Makes the files, readable and writable for all users. */
    static void make(Path export) throws IOException {
        Files.setPosixFilePermissions(export, PosixFilePermissions.fromString("rwxrwxrwx"));
        var data = export.resolve(DATA);
        var bytes = new byte[1 << 20];
        try (var out = Files.newOutputStream(data)) {
            for (long done = 0; done < DATA_BYTES; done += bytes.length) {
                out.write(bytes);
            }
        }
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rw-rw-rw-"));
        var directory = Files.createDirectory(export.resolve(DIRECTORY));
        for (int i = 0; i < FILES; i++) {
            Files.createFile(directory.resolve(name(i)));
        }
    }

    /** Removes the files that calls created. */
    static void removeCreated(Path export) throws IOException {
        try (var created = Files.newDirectoryStream(export, CREATED + "*")) {
            for (var file : created) {
                Files.delete(file);
            }
        }
    }

    private static String name(long number) {
        return "file-" + number;
    }

    /** Looks up the files by name, at a newly started server. */
    static ServedFiles find(Nfs3Client client) throws IOException, InterruptedException {
        var root = client.mount(ServerProcess.EXPORT);
        var directory = lookUp(client, root, DIRECTORY);
        var files = new ArrayList<FileHandle>();
        for (int i = 0; i < FILES; i++) {
            files.add(lookUp(client, directory, name(i)));
        }
        var data = lookUp(client, root, DATA);
        return new ServedFiles(root, directory, data, files, new AtomicLong());
    }

    private static FileHandle lookUp(Nfs3Client client, FileHandle directory, String name)
            throws IOException, InterruptedException {
        var place = new DirOpArgs(directory, FileName.of(name));
        return client.call(new Nfs3Call.Lookup(place)).handle();
    }

    FileHandle file(long number) {
        return files.get((int) (number * STRIDE % FILES));
    }

    /** Returns the name of the same file in the directory. */
    String nameOf(long number) {
        return name(number * STRIDE % FILES);
    }

    DirOpArgs place(long number) {
        return new DirOpArgs(directory, FileName.of(nameOf(number)));
    }

    String newName() {
        return CREATED + created.incrementAndGet();
    }
}
