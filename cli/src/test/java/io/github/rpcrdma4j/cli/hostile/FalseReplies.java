package io.github.rpcrdma4j.cli.hostile;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import io.github.rpcrdma4j.nfs.v3.WccData;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/** Makes invalid or unusual replies, except for listings. */
final class FalseReplies {
    private static final int UNKNOWN_STATUS = 4711;
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int UNKNOWN_TYPE = 99;

    private FalseReplies() {}

    private static Nfs3Reply<?, ?> ok(Object value) {
        return new Nfs3Reply.Ok<>(Optional.<FileAttributes>empty(), value);
    }

    private static Nfs3Reply<?, ?> changed(Object value) {
        return new Nfs3Reply.Ok<>(WccData.UNKNOWN, value);
    }

    static Deviations linkText(String text) {
        return Deviations.reply(
                (_, call) -> call instanceof Nfs3Call.ReadLink ? ok(HonestFiles.text(text)) : null);
    }

    /** Refuses to read any link. */
    static Deviations refusedLinks() {
        return Deviations.reply(
                (_, call) ->
                        call instanceof Nfs3Call.ReadLink
                                ? HonestFiles.failed(call, Status.IO)
                                : null);
    }

    /** Resolves every name to a symbolic link with the given text. */
    static Deviations allLinks(String text) {
        return Deviations.reply(
                (files, call) ->
                        switch (call) {
                            case Nfs3Call.Lookup _ ->
                                    ok(
                                            new Nfs3Results.Found(
                                                    HonestFiles.LINK,
                                                    Optional.of(
                                                            files.attributes(HonestFiles.LINK))));
                            case Nfs3Call.ReadLink _ -> ok(HonestFiles.text(text));
                            default -> null;
                        });
    }

    /** Replies to READ with a given number of bytes, for files of a given size. */
    static Deviations read(long size, int bytes, boolean end) {
        var deviations =
                Deviations.reply(
                        (_, call) ->
                                call instanceof Nfs3Call.Read
                                        ? ok(
                                                new Nfs3Results.ReadData(
                                                        HonestFiles.bytes(new byte[bytes]),
                                                        end,
                                                        () -> {}))
                                        : null);
        return new Deviations(
                deviations.nfs(),
                deviations.mount(),
                size(size),
                deviations.cut(),
                deviations.stalls());
    }

    /** Replies to READ with a count that differs from its data. */
    static boolean readCount(HonestFiles files, Nfs3Call<?, ?> call, XdrWriter out) {
        if (!(call instanceof Nfs3Call.Read)) {
            return false;
        }
        out.uint32(0).bool(false).uint32(-1).bool(true).bulk(HonestFiles.bytes(new byte[4]));
        return true;
    }

    /** Gives regular files a size, and no storage. */
    static UnaryOperator<FileAttributes> size(long size) {
        return plain ->
                plain.type() == FileType.REGULAR
                        ? attributes(plain, plain.mode(), plain.links(), size, plain.fileId())
                        : plain;
    }

    static FileAttributes attributes(
            FileAttributes plain, int mode, int links, long size, long fileId) {
        return new FileAttributes(
                plain.type(),
                mode,
                links,
                plain.uid(),
                plain.gid(),
                size,
                0,
                plain.device(),
                plain.fileSystemId(),
                fileId,
                plain.accessed(),
                plain.modified(),
                plain.changed());
    }

    /** Sets all bits of modes, link counts, owners, devices and times. */
    static FileAttributes allBits(FileAttributes plain) {
        var time = new Timestamp(-1, -1);
        return new FileAttributes(
                plain.type(), -1, -1, -1, -1, plain.size(), -1, -1, -1, -1, time, time, time);
    }

    /** Omits attributes from LOOKUP, and changes the type of the file with each GETATTR. */
    static Deviations changingTypes() {
        var count = new AtomicLong();
        return Deviations.reply(
                (_, call) ->
                        switch (call) {
                            case Nfs3Call.Lookup(var what) ->
                                    what.name().equals(FileName.of("file"))
                                            ? ok(
                                                    new Nfs3Results.Found(
                                                            HonestFiles.FILE, Optional.empty()))
                                            : null;
                            case Nfs3Call.GetAttributes(var file) ->
                                    file.equals(HonestFiles.FILE)
                                            ? new Nfs3Reply.Ok<>(
                                                    Nfs3Reply.Nothing.NOTHING,
                                                    HonestFiles.plain(
                                                            HonestFiles.handle(
                                                                    type(count.getAndIncrement()),
                                                                    2)))
                                            : null;
                            default -> null;
                        });
    }

    private static FileType type(long number) {
        return FileType.values()[(int) (number % FileType.values().length)];
    }

    static Deviations transfers(int transfer) {
        return Deviations.reply(
                (_, call) ->
                        call instanceof Nfs3Call.FsInfo ? ok(HonestFiles.info(transfer)) : null);
    }

    static Deviations writeCount(int count) {
        return Deviations.reply(
                (_, call) ->
                        call instanceof Nfs3Call.Write write
                                ? changed(new Nfs3Results.Written(count, write.stability(), 0))
                                : null);
    }

    /** Lets each WRITE write at most a number of bytes. */
    static Deviations writesAtMost(int count) {
        return Deviations.reply(
                (_, call) ->
                        call instanceof Nfs3Call.Write write
                                ? changed(
                                        new Nfs3Results.Written(
                                                (int) Math.min(count, write.data().byteSize()),
                                                write.stability(),
                                                0))
                                : null);
    }

    static Deviations changingVerifiers() {
        var verifier = new AtomicLong();
        return Deviations.reply(
                (_, call) ->
                        switch (call) {
                            case Nfs3Call.Write(_, _, _, var data) ->
                                    changed(
                                            new Nfs3Results.Written(
                                                    (int) data.byteSize(),
                                                    Stability.UNSTABLE,
                                                    verifier.incrementAndGet()));
                            case Nfs3Call.Commit _ -> changed(verifier.incrementAndGet());
                            default -> null;
                        });
    }

    private static boolean makes(Nfs3Call<?, ?> call) {
        return call instanceof Nfs3Call.Create
                || call instanceof Nfs3Call.MakeDirectory
                || call instanceof Nfs3Call.MakeSymbolicLink
                || call instanceof Nfs3Call.MakeNode;
    }

    /**
     * Returns a given handle for each new file. A file without a handle cannot be looked up either.
     */
    static Deviations created(Optional<FileHandle> handle) {
        return Deviations.reply(
                (_, call) ->
                        makes(call)
                                ? changed(new Nfs3Results.Created(handle, Optional.empty()))
                                : null);
    }

    /** Reports that each new file exists already, although a lookup does not find it. */
    static Deviations existsAndIsMissing() {
        return Deviations.reply(
                (_, call) -> makes(call) ? HonestFiles.failed(call, Status.EXIST) : null);
    }

    private static boolean isOfMount(Nfs3Call<?, ?> call) {
        return call instanceof Nfs3Call.GetAttributes;
    }

    static boolean unknownStatus(HonestFiles files, Nfs3Call<?, ?> call, XdrWriter out) {
        if (isOfMount(call)) {
            return false;
        }
        long start = out.reducedLength();
        HonestFiles.encode(call, HonestFiles.failed(call, Status.IO), out);
        out.reducedStream().set(UINT32, start, UNKNOWN_STATUS);
        return true;
    }

    static boolean unknownType(HonestFiles files, Nfs3Call<?, ?> call, XdrWriter out) {
        if (!(call instanceof Nfs3Call.GetAttributes)) {
            return false;
        }
        out.uint32(0).uint32(UNKNOWN_TYPE);
        out.fixedOpaque(new byte[FileAttributes.BYTES - Integer.BYTES]);
        return true;
    }

    /** Sends no results at all. */
    static boolean nothing(HonestFiles files, Nfs3Call<?, ?> call, XdrWriter out) {
        return !isOfMount(call);
    }

    /** Sends extra bytes after the results. */
    static boolean more(HonestFiles files, Nfs3Call<?, ?> call, XdrWriter out) {
        HonestFiles.encode(call, files.reply(call), out);
        out.uint64(-1);
        return true;
    }

    /** Sends words of 1 and -1 after the status. */
    static boolean bits(HonestFiles files, Nfs3Call<?, ?> call, XdrWriter out) {
        if (isOfMount(call)) {
            return false;
        }
        out.uint32(0);
        for (int i = 0; i < 16; i++) {
            out.uint32(i % 2 == 0 ? 1 : -1);
        }
        return true;
    }

    /** Sends a file handle with a length of 4 GiB. */
    static boolean longestHandle(HonestFiles files, Nfs3Call<?, ?> call, XdrWriter out) {
        if (!(call instanceof Nfs3Call.Lookup)) {
            return false;
        }
        out.uint32(0).uint32(-1).uint64(0);
        return true;
    }
}
