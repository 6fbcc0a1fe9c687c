package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.DirectoryPage;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage.Wanted;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lists directories, by READDIR (RFC 8881, Section 18.23). */
record Listings(CompoundCalls calls) {
    /** The longest first page of a directory, in bytes: most directories are no longer. */
    private static final int FIRST_BYTES = 64 << 10;

    /** The longest one of the others. */
    private static final int PAGE_BYTES = 256 << 10;

    private static final AttributeSet NAMES = AttributeSet.of(Attribute.RDATTR_ERROR);
    private static final AttributeSet LINES =
            NAMES.with(Attribute.FILEHANDLE)
                    .with(Attribute.TYPE)
                    .with(Attribute.MODE)
                    .with(Attribute.NUMLINKS)
                    .with(Attribute.OWNER)
                    .with(Attribute.OWNER_GROUP)
                    .with(Attribute.SIZE)
                    .with(Attribute.RAWDEV)
                    .with(Attribute.TIME_MODIFY);
    private static final AttributeSet ALL =
            Nfs4Values.STATUS.with(Attribute.FILEHANDLE).with(Attribute.RDATTR_ERROR);

    DirectoryPage page(FileHandle directory, long cookie, long verifier, Wanted wanted, String what)
            throws IOException, InterruptedException {
        return calls.run(
                Plan.at(Nfs4Values.handle(directory))
                        .list(
                                cookie,
                                verifier,
                                Math.min(
                                        cookie == 0 ? FIRST_BYTES : PAGE_BYTES,
                                        calls.roomForData()),
                                attributes(wanted)),
                what,
                results -> {
                    var page = results.done(1).next(NameResult.ReadDir.class);
                    var entries = new ArrayList<DirectoryPage.Entry>();
                    for (var each : page.entries()) {
                        entries.add(
                                new DirectoryPage.Entry(
                                        each.name(),
                                        each.cookie(),
                                        Results.decoded(() -> file(directory, each, wanted))));
                    }
                    return new DirectoryPage(page.verifier(), entries, page.isLast());
                });
    }

    private static AttributeSet attributes(Wanted wanted) {
        return switch (wanted) {
            case NAMES -> NAMES;
            case LINES -> LINES;
            case ALL -> ALL;
        };
    }

    /** Returns the file of an entry; empty if the server could not tell all of it. */
    private static Optional<RemoteFile> file(
            FileHandle directory, NameResult.ReadDir.Entry entry, Wanted wanted)
            throws XdrException {
        var read = ReadAttributes.decode(entry.attributes());
        var refused = refused(read, new RemotePlace(directory, entry.name()));
        if (refused.isPresent()) {
            var handle = FileHandle.ofRefused(refused.get());
            return Optional.of(new RemoteFile(handle, Nfs4Values.unknown(read)));
        }
        return read.present().has(Attribute.FILEHANDLE) && read.present().has(Attribute.TYPE)
                ? Optional.of(new RemoteFile(handle(read), values(read, wanted)))
                : Optional.empty();
    }

    private static FileAttributes values(ReadAttributes read, Wanted wanted) throws XdrException {
        return wanted == Wanted.ALL ? Nfs4Values.attributes(read) : Nfs4Values.line(read);
    }

    private static FileHandle handle(ReadAttributes read) throws XdrException {
        byte[] bytes = read.bytes(Attribute.FILEHANDLE);
        if (bytes.length > FileHandle.BYTES_MAX) {
            throw new XdrException(
                    "a file handle has more than " + FileHandle.BYTES_MAX + " bytes");
        }
        return new FileHandle(bytes);
    }

    /**
     * Returns an entry at which a file system begins that is at another server (RFC 8881, Section
     * 11.4.2), or that wants another flavor, or whose file the caller may not look at (Section
     * 18.23.3). Such an entry must not hide the others.
     */
    private static Optional<FileHandle.Refused> refused(ReadAttributes read, RemotePlace place) {
        if (!read.present().has(Attribute.RDATTR_ERROR)) {
            return Optional.empty();
        }
        int status = read.word(Attribute.RDATTR_ERROR);
        if (status == Nfs4Status.MOVED.number() || status == Nfs4Status.WRONGSEC.number()) {
            return Optional.of(new FileHandle.Refused(place, Optional.empty()));
        }
        for (var each : List.of(Nfs4Status.ACCESS, Nfs4Status.PERM)) {
            if (status == each.number()) {
                var why = Optional.of(Nfs4Values.status(each));
                return Optional.of(new FileHandle.Refused(place, why));
            }
        }
        return Optional.empty();
    }
}
