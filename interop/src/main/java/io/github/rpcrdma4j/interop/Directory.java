package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * A directory on the server, made for one run and removed with its files at the end. Its own calls
 * move all data inline and use no chunk, so the shapes can be compared with them.
 *
 * <p>Tests: {@code ShapesTest}.
 */
final class Directory {
    /**
     * The bytes of one READ or WRITE; a message with so much data fits inline in both directions.
     */
    private static final int PIECE_BYTES = 3000;

    private static final int LONGEST = 1 << 20;

    private static final SetAttributes MODE = SetAttributes.ofMode(0700);

    private final Caller plain;
    private final DirOpArgs entry;
    private final FileHandle handle;
    private final ArrayDeque<DirOpArgs> files = new ArrayDeque<>();
    private int names;

    private Directory(Caller plain, DirOpArgs entry, FileHandle handle) {
        this.plain = plain;
        this.entry = entry;
        this.handle = handle;
    }

    /**
     * Makes the directory.
     *
     * @param plain makes the calls of the directory; the directory does not close it
     */
    static Directory make(Caller plain, FileHandle root, String name)
            throws Mismatch, InterruptedException {
        var entry = new DirOpArgs(root, name);
        var made = value(plain, new Nfs3Call.MakeDirectory(entry, MODE));
        return new Directory(
                plain,
                entry,
                made.handle().orElseThrow(() -> new Mismatch("MKDIR gave no handle")));
    }

    FileHandle handle() {
        return handle;
    }

    /** Returns a harmless call without bulk items: GETATTR of the directory. */
    Nfs3Call.GetAttributes getAttributes() {
        return new Nfs3Call.GetAttributes(handle);
    }

    /** Requires that a reply to GETATTR has the attributes of the directory. */
    void requireAttributes(Reply reply) throws Mismatch, InterruptedException {
        var call = getAttributes();
        Mismatch.requireSame("the attributes", value(call), reply.value(call));
    }

    /** Returns the length of the longest WRITE that the server takes, at most 1 MiB, in bytes. */
    int longestWrite() throws Mismatch, InterruptedException {
        return Math.min(value(new Nfs3Call.FsInfo(handle)).writeMax(), LONGEST);
    }

    /** Returns the length of the longest READ that the server answers, at most 1 MiB, in bytes. */
    int longestRead() throws Mismatch, InterruptedException {
        return Math.min(value(new Nfs3Call.FsInfo(handle)).readMax(), LONGEST);
    }

    /** Returns an unused name in the directory. {@link #remove} removes a file of this name. */
    DirOpArgs newName() {
        var file = new DirOpArgs(handle, "shape-" + ++names);
        files.add(file);
        return file;
    }

    FileHandle newFile() throws Mismatch, InterruptedException {
        var call =
                new Nfs3Call.Create(newName(), new CreateMode.Guarded(SetAttributes.ofMode(0600)));
        return value(plain, call).handle().orElseThrow(() -> new Mismatch("CREATE gave no handle"));
    }

    /** Makes a file with the given content. */
    FileHandle newFile(byte[] content) throws Mismatch, InterruptedException {
        var file = newFile();
        for (int at = 0; at < content.length; at += PIECE_BYTES) {
            var piece = Arrays.copyOfRange(content, at, Math.min(at + PIECE_BYTES, content.length));
            var call =
                    new Nfs3Call.Write(file, at, Stability.UNSTABLE, MemorySegment.ofArray(piece));
            Mismatch.requireSame("bytes written", piece.length, value(plain, call).count());
        }
        return file;
    }

    /**
     * Makes empty files.
     *
     * @return the printable names of all files made so far
     */
    Set<String> withNames(int count) throws Mismatch, InterruptedException {
        for (int i = 0; i < count; i++) {
            newFile();
        }
        return files.stream().map(file -> file.name().escaped()).collect(Collectors.toSet());
    }

    /** Reads a whole file, in small pieces that fit inline. */
    byte[] content(FileHandle file) throws Mismatch, InterruptedException {
        var content = new ByteArrayOutputStream();
        while (true) {
            var call = new Nfs3Call.Read(file, content.size(), PIECE_BYTES);
            var read = value(plain, call);
            content.writeBytes(read.data().toArray(ValueLayout.JAVA_BYTE));
            if (read.endOfFile()) {
                return content.toByteArray();
            }
            if (read.data().byteSize() == 0) {
                throw new Mismatch("a READ before the end of the file gave nothing");
            }
        }
    }

    /** Makes a call without chunks and returns its results. */
    <T> T value(Nfs3Call<?, T> call) throws Mismatch, InterruptedException {
        return value(plain, call);
    }

    private static <A, T> T value(Caller plain, Nfs3Call<A, T> call)
            throws Mismatch, InterruptedException {
        var message = CallMessage.of(call);
        return plain.call(message, message.whole(), CallChunks.NONE).value(call);
    }

    /** Returns pseudo-random bytes, alike for equal counts. */
    static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new SplittableRandom(count).nextBytes(bytes);
        return bytes;
    }

    /** Removes the directory and the files made in it. */
    void remove() throws Mismatch, InterruptedException {
        while (!files.isEmpty()) {
            var call = new Nfs3Call.Remove(files.removeLast());
            var message = CallMessage.of(call);
            // REMOVE may fail: a failed shape may not have made its file.
            plain.call(message, message.whole(), CallChunks.NONE).header();
        }
        value(new Nfs3Call.RemoveDirectory(entry));
    }
}
