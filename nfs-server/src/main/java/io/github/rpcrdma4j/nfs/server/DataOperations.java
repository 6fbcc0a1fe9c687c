package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.server.Tree.Located;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Ok;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Values;
import io.github.rpcrdma4j.nfs.v3.WccData;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.util.Optional;

/**
 * READ, WRITE and COMMIT (RFC 1813, Sections 3.3.6, 3.3.7 and 3.3.21). The path of the file is only
 * needed to open it, so a long transfer keeps nobody from renaming.
 */
final class DataOperations {
    /** How often a call opens a file whose channel goes away with another, interrupted call. */
    private static final int ATTEMPTS_MAX = 8;

    private final Permissions permissions;
    private final OpenFiles openFiles;
    private final AttributeChanges changes;
    private final NfsStatistics statistics;
    private final int transferMax;

    /** Tells clients whether what they wrote UNSTABLE may have been lost: new after each start. */
    private final long writeVerifier;

    DataOperations(
            Permissions permissions,
            OpenFiles openFiles,
            AttributeChanges changes,
            NfsStatistics statistics,
            int transferMax,
            long writeVerifier) {
        this.permissions = permissions;
        this.openFiles = openFiles;
        this.changes = changes;
        this.statistics = statistics;
        this.transferMax = transferMax;
        this.writeVerifier = writeVerifier;
    }

    /** An open file. */
    private record Opened<P>(P place, OpenFiles.Use use) {}

    /** What is done with the octets of a file; it may have to be done again from the start. */
    private interface Transfer<P, R> {
        R run(P place, FileChannel channel) throws IOException;
    }

    private interface Opening<P> {
        Opened<P> open() throws Refusal, IOException;
    }

    private static <P, R> R transfer(Opening<P> opening, Transfer<P, R> transfer)
            throws Refusal, IOException {
        for (int attempt = 1; ; attempt++) {
            var opened = opening.open();
            try (var use = opened.use) {
                return transfer.run(opened.place, use.channel());
            } catch (ClosedByInterruptException interrupted) {
                throw interrupted;
            } catch (ClosedChannelException closed) {
                if (attempt == ATTEMPTS_MAX) {
                    throw closed;
                }
            }
        }
    }

    Ok<Optional<FileAttributes>, Values.ReadData> read(
            Forest forest, Nfs3Call.Read call, Credential caller, SegmentPool pool)
            throws Refusal, IOException {
        return transfer(
                () ->
                        forest.at(
                                call.file(),
                                file -> {
                                    requireRegular(file);
                                    permissions.requireForData(file, caller, Permissions.READ);
                                    return new Opened<>(file, openFiles.open(file, false));
                                }),
                (file, channel) -> read(file, channel, call, pool));
    }

    private Ok<Optional<FileAttributes>, Values.ReadData> read(
            Located file, FileChannel channel, Nfs3Call.Read call, SegmentPool pool)
            throws IOException {
        long offset = call.offset();
        long wanted = Math.min(Integer.toUnsignedLong(call.count()), transferMax);
        // Offsets beyond what a file can have read nothing; nor is memory taken for what is not
        // there.
        long there = offset < 0 ? 0 : Math.max(file.file().size() - offset, 0);
        var lease = pool.lease(Math.min(wanted, there));
        try {
            var data = lease.segment();
            int done = readAll(channel, data.asByteBuffer(), offset);
            var after = file.tree().now(file);
            long size = after.isPresent() ? after.get().size() : channel.size();
            boolean endOfFile = offset < 0 || offset + done >= size;
            statistics.countRead(done);
            return new Ok<>(
                    after,
                    new Values.ReadData(
                            done == data.byteSize() ? data : data.asSlice(0, done),
                            endOfFile,
                            lease::close));
        } catch (IOException | RuntimeException failure) {
            lease.close();
            throw failure;
        }
    }

    /** Reads until the target is full or the file ends. */
    private static int readAll(FileChannel channel, ByteBuffer target, long offset)
            throws IOException {
        int read = 0;
        while (target.hasRemaining() && read >= 0) {
            read = channel.read(target, offset + target.position());
        }
        return target.position();
    }

    Ok<WccData, Values.Written> write(Forest forest, Nfs3Call.Write call, Credential caller)
            throws Refusal, IOException {
        return forest.changeLater(
                call.file(),
                opening ->
                        transfer(
                                () -> opening.at(change -> openToWrite(change, call, caller)),
                                (change, channel) -> write(change, channel, call)));
    }

    private Opened<Change> openToWrite(Change change, Nfs3Call.Write call, Credential caller)
            throws Refusal, IOException {
        var file = change.file();
        file.requireWritable();
        requireRegular(file);
        permissions.requireForData(file, caller, Permissions.WRITE);
        if (call.offset() < 0 || call.offset() + call.data().byteSize() < 0) {
            throw new Refusal(Status.FBIG);
        }
        var mode = permissions.modeAfterWrite(file, caller);
        if (mode.isPresent()) {
            changes.apply(file, SetAttributes.ofMode(mode.getAsInt()));
        }
        return new Opened<>(change, openFiles.open(file, true));
    }

    private Ok<WccData, Values.Written> write(
            Change change, FileChannel channel, Nfs3Call.Write call) throws IOException {
        writeAll(channel, call.data().asByteBuffer(), call.offset());
        switch (call.stability()) {
            case UNSTABLE -> {}
            case DATA_SYNC -> channel.force(false);
            case FILE_SYNC -> channel.force(true);
        }
        statistics.countWritten(call.data().byteSize());
        return new Ok<>(
                change.wcc(),
                new Values.Written((int) call.data().byteSize(), call.stability(), writeVerifier));
    }

    private static void writeAll(FileChannel channel, ByteBuffer source, long offset)
            throws IOException {
        while (source.hasRemaining()) {
            channel.write(source, offset + source.position());
        }
    }

    Ok<WccData, Long> commit(Forest forest, Nfs3Call.Commit call, Credential caller)
            throws Refusal, IOException {
        return forest.changeLater(
                call.file(),
                opening ->
                        transfer(
                                () ->
                                        opening.at(
                                                change -> {
                                                    var file = change.file();
                                                    requireRegular(file);
                                                    permissions.requireForData(
                                                            file, caller, Permissions.WRITE);
                                                    boolean writable = !file.rule().readOnly();
                                                    return new Opened<>(
                                                            change, openFiles.open(file, writable));
                                                }),
                                (change, channel) -> {
                                    if (!change.file().rule().readOnly()) {
                                        channel.force(true);
                                    }
                                    return new Ok<>(change.wcc(), writeVerifier);
                                }));
    }

    private static void requireRegular(Located file) throws Refusal {
        if (file.attributes().isDirectory()) {
            throw new Refusal(Status.ISDIR);
        }
        if (file.file().type() != FileType.REGULAR) {
            throw new Refusal(Status.INVAL);
        }
    }
}
