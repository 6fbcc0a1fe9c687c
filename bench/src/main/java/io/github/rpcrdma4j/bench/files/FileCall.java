package io.github.rpcrdma4j.bench.files;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Locale;

/** An NFS call to measure. */
enum FileCall {
    GETATTR,
    LOOKUP,
    READ_4K,
    READ_1M,
    WRITE_4K,
    WRITE_1M,
    CREATE,
    /** Of version 4.1, with CLOSE. */
    OPEN;

    private static final int PAGE = 4 << 10;
    private static final int FILE_MODE = 0644;

    /** Returns the name for the command line, such as {@code read-4k}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Makes the call once.
     *
     * @param number the number of the call, from 0; unique within a measurement
     * @param memory the memory of the thread for data, as long as {@link #READ_1M} needs it
     */
    void make(Clients.User user, ServedFiles files, long number, MemorySegment memory)
            throws IOException, InterruptedException {
        var client = user.files();
        switch (this) {
            case GETATTR -> client.call(new Nfs3Call.GetAttributes(files.file(number)));
            case LOOKUP -> client.call(new Nfs3Call.Lookup(files.place(number)));
            case READ_4K -> read(client, files, number, memory.asSlice(0, PAGE));
            case READ_1M -> read(client, files, number, memory);
            case WRITE_4K -> write(client, files, number, memory.asSlice(0, PAGE));
            case WRITE_1M -> write(client, files, number, memory);
            case CREATE -> create(client, files);
            case OPEN -> user.opens().open(ServedFiles.PATH, files.nameOf(number));
        }
    }

    private static void read(
            Nfs3Client client, ServedFiles files, long number, MemorySegment target)
            throws IOException, InterruptedException {
        int length = (int) target.byteSize();
        int read =
                client.call(
                        new Nfs3Call.Read(files.data(), offset(number, length), length),
                        List.of(target),
                        (_, value) -> (int) value.data().byteSize());
        if (read != length) {
            throw new IOException("READ gave " + read + " bytes of " + length);
        }
    }

    private static void write(Nfs3Client client, ServedFiles files, long number, MemorySegment data)
            throws IOException, InterruptedException {
        long offset = offset(number, (int) data.byteSize());
        client.call(new Nfs3Call.Write(files.data(), offset, Stability.UNSTABLE, data));
    }

    private static long offset(long number, int length) {
        return number * length % ServedFiles.DATA_BYTES;
    }

    private static void create(Nfs3Client client, ServedFiles files)
            throws IOException, InterruptedException {
        var place = new DirOpArgs(files.root(), FileName.of(files.newName()));
        var mode = new CreateMode.Guarded(SetAttributes.ofMode(FILE_MODE));
        client.call(new Nfs3Call.Create(place, mode));
    }
}
