package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.Place;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Values.Stability;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * A directory on the server, made for one run and removed with all that is in it. Everything goes
 * inline in small pieces, so nothing here depends on a chunk: it is the yardstick for those that
 * do.
 */
final class Directory {
    /** Fits inline in both directions, with all that is around it. */
    private static final int PIECE_BYTES = 3000;

    private static final int LONGEST = 1 << 20;

    private static final SetAttributes MODE = SetAttributes.ofMode(0700);

    private final Caller plain;
    private final Place place;
    private final FileHandle handle;
    private final ArrayDeque<Place> files = new ArrayDeque<>();
    private int names;

    private Directory(Caller plain, Place place, FileHandle handle) {
        this.plain = plain;
        this.place = place;
        this.handle = handle;
    }

    /**
     * Makes the directory.
     *
     * @param plain makes the calls of the directory, and outlives it
     */
    static Directory make(Caller plain, FileHandle root, String name)
            throws Mismatch, InterruptedException {
        var place = new Place(root, name);
        var made = value(plain, new Nfs3Call.MakeDirectory(place, MODE));
        return new Directory(
                plain,
                place,
                made.handle().orElseThrow(() -> new Mismatch("MKDIR gave no handle")));
    }

    FileHandle handle() {
        return handle;
    }

    /** A call without bulk items that does no harm: GETATTR of the directory. */
    Nfs3Call.GetAttributes getAttributes() {
        return new Nfs3Call.GetAttributes(handle);
    }

    /** Requires that a reply to it tells what is so. */
    void requireAttributes(Reply reply) throws Mismatch, InterruptedException {
        var call = getAttributes();
        Mismatch.requireSame("the attributes", value(call), reply.value(call));
    }

    /** The longest WRITE that the server takes, at most 1 MiB, in bytes. */
    int longestWrite() throws Mismatch, InterruptedException {
        return Math.min(value(new Nfs3Call.InfoOf(handle)).writeMax(), LONGEST);
    }

    /** The longest READ that the server answers, at most 1 MiB, in bytes. */
    int longestRead() throws Mismatch, InterruptedException {
        return Math.min(value(new Nfs3Call.InfoOf(handle)).readMax(), LONGEST);
    }

    /** A name that is not taken; what is made under it is removed with the directory. */
    Place newPlace() {
        var file = new Place(handle, "shape-" + ++names);
        files.add(file);
        return file;
    }

    FileHandle newFile() throws Mismatch, InterruptedException {
        var call =
                new Nfs3Call.Create(newPlace(), new CreateMode.Guarded(SetAttributes.ofMode(0600)));
        return value(plain, call).handle().orElseThrow(() -> new Mismatch("CREATE gave no handle"));
    }

    /** A new file that holds these bytes. */
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
     * @return their names, as a person may see them
     */
    Set<String> withNames(int count) throws Mismatch, InterruptedException {
        for (int i = 0; i < count; i++) {
            newFile();
        }
        return files.stream().map(file -> file.name().escaped()).collect(Collectors.toSet());
    }

    /** All bytes of a file. */
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

    /** What a call gives that is made without any chunk. */
    <T> T value(Nfs3Call<?, T> call) throws Mismatch, InterruptedException {
        return value(plain, call);
    }

    private static <A, T> T value(Caller plain, Nfs3Call<A, T> call)
            throws Mismatch, InterruptedException {
        var message = CallMessage.of(call);
        return plain.call(message, message.whole(), Offer.NOTHING).value(call);
    }

    /** Bytes that look like nothing else. */
    static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new SplittableRandom(count).nextBytes(bytes);
        return bytes;
    }

    /** Removes the directory and what was made in it. */
    void remove() throws Mismatch, InterruptedException {
        while (!files.isEmpty()) {
            var call = new Nfs3Call.Remove(files.removeLast());
            var message = CallMessage.of(call);
            // A shape that failed may not have made its file.
            plain.call(message, message.whole(), Offer.NOTHING).header();
        }
        value(new Nfs3Call.RemoveDirectory(place));
    }
}
