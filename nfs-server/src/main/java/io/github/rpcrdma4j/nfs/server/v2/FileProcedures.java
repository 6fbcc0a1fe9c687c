package io.github.rpcrdma4j.nfs.server.v2;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.server.metrics.NfsStatistics;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Node.Basis;
import io.github.rpcrdma4j.nfs.store.Node.ReadBytes;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v2.FileAttributes;
import io.github.rpcrdma4j.nfs.v2.Nfs2;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** The procedures on a file or on its file system (RFC 1094, Section 2.2). */
public final class FileProcedures {
    private final NfsStatistics statistics;

    public FileProcedures(NfsStatistics statistics) {
        this.statistics = statistics;
    }

    FileAttributes getAttributes(CallTarget file) throws StoreException {
        return Translation.attributes(file.node().status());
    }

    FileAttributes changeAttributes(CallTarget file, Nfs2Call.ChangeAttributes call)
            throws Refusal, StoreException {
        file.requireWritable();
        var changed =
                file.node()
                        .setAttributes(
                                file.caller(),
                                Basis.RIGHTS,
                                Translation.changes(call.changes()),
                                Optional.empty(),
                                file.storage());
        return after(file, changed.after());
    }

    private static FileAttributes after(CallTarget file, Optional<FileStatus> after)
            throws StoreException {
        return Translation.attributes(after.isPresent() ? after.get() : file.node().status());
    }

    Nfs2Results.LinkText readLink(CallTarget link, SegmentPool pool)
            throws Refusal, StoreException {
        byte[] text = link.node().readLink(link.caller());
        if (text.length > Nfs2.PATH_MAX) {
            throw new Refusal(Failure.NAMETOOLONG);
        }
        var lease = pool.lease(text.length);
        lease.segment().copyFrom(MemorySegment.ofArray(text));
        return new Nfs2Results.LinkText(lease.segment(), lease::close);
    }

    /**
     * Reads up to the largest size of version 2. A file that is larger fails there, so that a
     * client that reads to the end does not take its beginning for all of it.
     *
     * @throws Refusal FBIG if the file goes on, but no offset can reach its rest
     */
    Nfs2Results.ReadData read(CallTarget file, Nfs2Call.Read call, SegmentPool pool)
            throws Refusal, StoreException {
        long offset = Integer.toUnsignedLong(call.offset());
        long wanted = Math.min(Integer.toUnsignedLong(call.count()), Nfs2.DATA_MAX);
        var status = file.node().status();
        if (offset == Nfs2.SIZE_MAX && status.size() > offset) {
            throw new Refusal(Failure.FBIG);
        }
        long size = Math.min(status.size(), Nfs2.SIZE_MAX);
        boolean isRegular = status.type() == FileType.REGULAR;
        var lease = pool.lease(isRegular ? ReadBytes.room(wanted, offset, size) : 0);
        try {
            var data = lease.segment();
            var read = file.node().read(file.caller(), offset, data);
            statistics.countRead(read.bytes());
            file.openExport().bytes().countRead(read.bytes());
            return new Nfs2Results.ReadData(
                    after(file, read.status()),
                    read.bytes() == data.byteSize() ? data : data.asSlice(0, read.bytes()),
                    lease::close);
        } catch (StoreException | RuntimeException | Error failure) {
            lease.close();
            throw failure;
        }
    }

    /**
     * Writes all data, because a reply cannot say how much was written. It is on storage when this
     * returns, unless the export is asynchronous (RFC 1094, Section 2.2.9).
     */
    FileAttributes write(CallTarget file, Nfs2Call.Write call) throws Refusal, StoreException {
        file.requireWritable();
        var data = call.data();
        long offset = Integer.toUnsignedLong(call.offset());
        if (offset + data.byteSize() > Nfs2.SIZE_MAX) {
            throw new Refusal(Failure.FBIG);
        }
        long done = 0;
        while (true) {
            var changed =
                    file.node()
                            .write(
                                    file.caller(),
                                    offset + done,
                                    data.asSlice(done),
                                    Stability.FILE_SYNC,
                                    file.storage());
            int written = changed.value().bytes();
            statistics.countWritten(written);
            file.openExport().bytes().countWritten(written);
            done += written;
            if (done == data.byteSize()) {
                return after(file, changed.after());
            }
            if (written == 0) {
                throw new Refusal(Failure.IO);
            }
        }
    }

    Nfs2Results.Space space(CallTarget file) throws StoreException {
        return Translation.space(file.node().space());
    }
}
