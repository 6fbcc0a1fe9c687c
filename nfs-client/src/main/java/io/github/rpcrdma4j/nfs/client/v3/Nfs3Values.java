package io.github.rpcrdma4j.nfs.client.v3;

import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileService.Created;
import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.Written;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import java.time.Instant;
import java.util.Optional;

/** The values of a service as those of version 3 (RFC 1813, Section 2.6), and back. */
final class Nfs3Values {
    private Nfs3Values() {}

    static io.github.rpcrdma4j.nfs.v3.FileHandle handle(FileHandle file) {
        return new io.github.rpcrdma4j.nfs.v3.FileHandle(file.bytes());
    }

    static FileHandle handle(io.github.rpcrdma4j.nfs.v3.FileHandle file) {
        return new FileHandle(file.bytes());
    }

    static DirOpArgs place(RemotePlace place) {
        return new DirOpArgs(handle(place.directory()), place.name());
    }

    static FileAttributes attributes(io.github.rpcrdma4j.nfs.v3.FileAttributes file) {
        return new FileAttributes(
                file.type(),
                file.mode(),
                file.links(),
                file.uid(),
                file.gid(),
                file.size(),
                file.used(),
                (int) (file.device() >>> Integer.SIZE),
                (int) file.device(),
                new FileSystemId(file.fileSystemId(), 0),
                file.fileId(),
                file.accessed().instant(),
                file.modified().instant(),
                file.changed().instant());
    }

    static Created created(Nfs3Results.Created made) {
        return new Created(
                made.handle().map(Nfs3Values::handle),
                made.attributes().map(Nfs3Values::attributes));
    }

    static Written written(Nfs3Results.Written written) {
        return new Written(
                Integer.toUnsignedLong(written.count()), written.committed(), written.verifier());
    }

    static DirectoryPage page(io.github.rpcrdma4j.nfs.v3.DirectoryPage page) {
        return new DirectoryPage(
                page.verifier(),
                page.entries().stream().map(Nfs3Values::entry).toList(),
                page.endOfList());
    }

    private static DirectoryPage.Entry entry(io.github.rpcrdma4j.nfs.v3.DirectoryPage.Entry entry) {
        Optional<RemoteFile> file =
                entry.handle().isPresent() && entry.attributes().isPresent()
                        ? Optional.of(
                                new RemoteFile(
                                        handle(entry.handle().get()),
                                        attributes(entry.attributes().get())))
                        : Optional.empty();
        return new DirectoryPage.Entry(entry.name(), entry.cookie(), file);
    }

    static SetAttributes changes(AttributeChanges changes) {
        return new SetAttributes(
                changes.mode(),
                changes.uid(),
                changes.gid(),
                changes.size(),
                time(changes.accessed()),
                time(changes.modified()));
    }

    private static SetAttributes.TimeChange time(AttributeChanges.TimeChange change) {
        return switch (change) {
            case AttributeChanges.TimeChange.Keep _ -> new SetAttributes.TimeChange.Keep();
            case AttributeChanges.TimeChange.Now _ -> new SetAttributes.TimeChange.ToServerTime();
            case AttributeChanges.TimeChange.To(var time) ->
                    new SetAttributes.TimeChange.To(Timestamp.of(time));
        };
    }

    /** Returns the nearest time of version 3: it counts seconds since 1970 in 32 bits. */
    static Instant nearest(Instant time) {
        return Timestamp.of(time).instant();
    }

    /**
     * Returns the status of a failed call.
     *
     * @throws IllegalArgumentException for that of a successful one
     */
    static Status status(io.github.rpcrdma4j.nfs.v3.Status status) {
        return switch (status) {
            case OK -> throw new IllegalArgumentException("no failure");
            case PERM -> Status.PERM;
            case NOENT -> Status.NOENT;
            case IO -> Status.IO;
            case NXIO -> Status.NXIO;
            case ACCES -> Status.ACCES;
            case EXIST -> Status.EXIST;
            case XDEV -> Status.XDEV;
            case NODEV -> Status.NODEV;
            case NOTDIR -> Status.NOTDIR;
            case ISDIR -> Status.ISDIR;
            case INVAL -> Status.INVAL;
            case FBIG -> Status.FBIG;
            case NOSPC -> Status.NOSPC;
            case ROFS -> Status.ROFS;
            case MLINK -> Status.MLINK;
            case NAMETOOLONG -> Status.NAMETOOLONG;
            case NOTEMPTY -> Status.NOTEMPTY;
            case DQUOT -> Status.DQUOT;
            case STALE -> Status.STALE;
            case REMOTE -> Status.REMOTE;
            case BADHANDLE -> Status.BADHANDLE;
            case NOT_SYNC -> Status.NOT_SYNC;
            case BAD_COOKIE -> Status.BAD_COOKIE;
            case NOTSUPP -> Status.NOTSUPP;
            case TOOSMALL -> Status.TOOSMALL;
            case SERVERFAULT -> Status.SERVERFAULT;
            case BADTYPE -> Status.BADTYPE;
            case JUKEBOX -> Status.JUKEBOX;
        };
    }
}
