package io.github.rpcrdma4j.nfs.server.v3;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.server.metrics.NfsStatistics;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.FileRights;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Node.Basis;
import io.github.rpcrdma4j.nfs.store.Node.ReadBytes;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.Time;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Ok;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import io.github.rpcrdma4j.nfs.v3.WccData;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** The procedures on a file or on its file system (RFC 1813, Section 3.3). */
public final class FileProcedures {
    private static final int PREFERRED_LIST = 64 << 10;
    private static final int MULTIPLE = 4096;
    private static final int SECOND = 1_000_000_000;

    private final NfsStatistics statistics;
    private final int transferMax;

    /**
     * @param transferMax the most data of a READ or WRITE, in bytes
     */
    public FileProcedures(NfsStatistics statistics, int transferMax) {
        this.statistics = statistics;
        this.transferMax = transferMax;
    }

    private static Optional<FileAttributes> now(CallTarget file) throws StoreException {
        return Optional.of(StatusTranslation.attributes(file.node().status()));
    }

    Ok<Nothing, FileAttributes> getAttributes(CallTarget file) throws StoreException {
        return new Ok<>(Nothing.NOTHING, StatusTranslation.attributes(file.node().status()));
    }

    Ok<WccData, Nothing> changeAttributes(CallTarget file, Nfs3Call.ChangeAttributes call)
            throws Refusal, StoreException {
        file.requireWritable();
        Optional<Time> guard =
                call.guard().isPresent()
                        ? Optional.of(StatusTranslation.time(call.guard().get()))
                        : Optional.empty();
        var changed =
                file.node()
                        .setAttributes(
                                file.caller(),
                                Basis.RIGHTS,
                                StatusTranslation.changes(call.changes()),
                                guard,
                                file.storage());
        return new Ok<>(StatusTranslation.wcc(changed), Nothing.NOTHING);
    }

    Ok<Optional<FileAttributes>, Integer> access(CallTarget file, Nfs3Call.Access call)
            throws StoreException {
        var rights = FileRights.of(file, call.wanted() & Nfs3.ACCESS_ALL);
        return new Ok<>(Optional.of(StatusTranslation.attributes(rights.file())), rights.granted());
    }

    Ok<Optional<FileAttributes>, Nfs3Results.LinkText> readLink(CallTarget link, SegmentPool pool)
            throws StoreException {
        byte[] text = link.node().readLink(link.caller());
        var attributes = now(link);
        var lease = pool.lease(text.length);
        lease.segment().copyFrom(MemorySegment.ofArray(text));
        return new Ok<>(attributes, new Nfs3Results.LinkText(lease.segment(), lease::close));
    }

    Ok<Optional<FileAttributes>, Nfs3Results.ReadData> read(
            CallTarget file, Nfs3Call.Read call, SegmentPool pool) throws StoreException {
        // Reads beyond the largest possible file return no bytes.
        long offset = call.offset() < 0 ? Long.MAX_VALUE : call.offset();
        long wanted = Math.min(Integer.toUnsignedLong(call.count()), transferMax);
        var status = file.node().status();
        var lease =
                pool.lease(isRegular(status) ? ReadBytes.room(wanted, offset, status.size()) : 0);
        try {
            var data = lease.segment();
            var read = file.node().read(file.caller(), offset, data);
            statistics.countRead(read.bytes());
            file.openExport().bytes().countRead(read.bytes());
            return new Ok<>(
                    read.status().map(StatusTranslation::attributes),
                    new Nfs3Results.ReadData(
                            read.bytes() == data.byteSize() ? data : data.asSlice(0, read.bytes()),
                            read.endOfFile(),
                            lease::close));
        } catch (StoreException | RuntimeException | Error failure) {
            lease.close();
            throw failure;
        }
    }

    private static boolean isRegular(FileStatus status) {
        return status.type() == FileType.REGULAR;
    }

    Ok<WccData, Nfs3Results.Written> write(CallTarget file, Nfs3Call.Write call)
            throws Refusal, StoreException {
        file.requireWritable();
        if (call.offset() < 0 || call.offset() + call.data().byteSize() < 0) {
            throw new Refusal(Failure.FBIG);
        }
        var changed =
                file.node()
                        .write(
                                file.caller(),
                                call.offset(),
                                call.data(),
                                call.stability(),
                                file.storage());
        var written = changed.value();
        statistics.countWritten(written.bytes());
        file.openExport().bytes().countWritten(written.bytes());
        return new Ok<>(
                StatusTranslation.wcc(changed),
                new Nfs3Results.Written(written.bytes(), written.stability(), written.verifier()));
    }

    Ok<WccData, Long> commit(CallTarget file) throws Refusal, StoreException {
        file.requireWritable();
        var changed = file.node().commit(file.caller(), file.storage());
        return new Ok<>(StatusTranslation.wcc(changed), changed.value());
    }

    Ok<Optional<FileAttributes>, Nfs3Results.Space> space(CallTarget file) throws StoreException {
        var space = file.node().space();
        return new Ok<>(
                now(file),
                new Nfs3Results.Space(
                        space.totalBytes(),
                        space.freeBytes(),
                        space.availableBytes(),
                        space.totalFiles(),
                        space.freeFiles(),
                        space.availableFiles(),
                        0));
    }

    Ok<Optional<FileAttributes>, Nfs3Results.FileSystemInfo> info(CallTarget file)
            throws StoreException {
        var limits = file.node().features().limits();
        int properties =
                Nfs3Results.FileSystemInfo.HOMOGENEOUS
                        | Nfs3Results.FileSystemInfo.CAN_SET_TIME
                        | (limits.hasHardLinks() ? Nfs3Results.FileSystemInfo.HARD_LINKS : 0)
                        | (limits.hasSymbolicLinks()
                                ? Nfs3Results.FileSystemInfo.SYMBOLIC_LINKS
                                : 0);
        return new Ok<>(
                now(file),
                new Nfs3Results.FileSystemInfo(
                        transferMax,
                        transferMax,
                        MULTIPLE,
                        transferMax,
                        transferMax,
                        MULTIPLE,
                        PREFERRED_LIST,
                        limits.bytesMax(),
                        Timestamp.of(
                                limits.timeStepNanos() / SECOND,
                                (int) (limits.timeStepNanos() % SECOND)),
                        properties));
    }

    Ok<Optional<FileAttributes>, Nfs3Results.PathConfiguration> pathConfiguration(CallTarget file)
            throws StoreException {
        var space = file.node().space();
        var limits = file.node().features().limits();
        return new Ok<>(
                now(file),
                new Nfs3Results.PathConfiguration(
                        space.linksMax(),
                        space.nameMax(),
                        true,
                        true,
                        limits.foldsCase(),
                        limits.keepsCase()));
    }
}
