package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Ace;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.type.Timestamp;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The values of a service as those of version 4 (RFC 8881, Sections 3 and 5), and back.
 *
 * <p>Tests: {@code FileServiceTest}.
 */
final class Nfs4Values {
    /** What {@link FileAttributes} are made of. */
    static final AttributeSet STATUS =
            AttributeSet.of(
                    Attribute.TYPE,
                    Attribute.SIZE,
                    Attribute.FSID,
                    Attribute.FILEID,
                    Attribute.MODE,
                    Attribute.NUMLINKS,
                    Attribute.OWNER,
                    Attribute.OWNER_GROUP,
                    Attribute.RAWDEV,
                    Attribute.SPACE_USED,
                    Attribute.TIME_ACCESS,
                    Attribute.TIME_METADATA,
                    Attribute.TIME_MODIFY);

    /**
     * The longest name of an owner that is provided for, in bytes, as the binding does: no RFC has
     * a limit (RFC 8267-6.2-1).
     */
    private static final int OWNER_MAX = 256;

    /** The most bytes of the values of {@link #STATUS}. */
    static final int STATUS_BYTES =
            4 + 8 + 16 + 8 + 4 + 4 + 2 * (4 + OWNER_MAX) + 8 + 8 + 3 * Timestamp.BYTES;

    /** The longest text of a link that is read, in bytes. */
    static final int LINK_MAX = 4096;

    /** Who owns a file whose owner is no number: what Linux calls nobody. */
    private static final int NOBODY = 65534;

    private static final int DIRECTORY = FileType.DIRECTORY.number();

    /** Lends memory to attributes while they are encoded. */
    private static final SegmentPool POOL = new SegmentPool(1 << 20);

    private static final Map<Nfs4Status, Status> WORDS =
            new EnumMap<>(
                    Map.ofEntries(
                            Map.entry(Nfs4Status.PERM, Status.PERM),
                            Map.entry(Nfs4Status.NOENT, Status.NOENT),
                            Map.entry(Nfs4Status.IO, Status.IO),
                            Map.entry(Nfs4Status.NXIO, Status.NXIO),
                            Map.entry(Nfs4Status.ACCESS, Status.ACCES),
                            Map.entry(Nfs4Status.WRONGSEC, Status.WRONGSEC),
                            Map.entry(Nfs4Status.EXIST, Status.EXIST),
                            Map.entry(Nfs4Status.XDEV, Status.XDEV),
                            Map.entry(Nfs4Status.NOTDIR, Status.NOTDIR),
                            Map.entry(Nfs4Status.SYMLINK, Status.NOTDIR),
                            Map.entry(Nfs4Status.ISDIR, Status.ISDIR),
                            Map.entry(Nfs4Status.INVAL, Status.INVAL),
                            Map.entry(Nfs4Status.BADNAME, Status.INVAL),
                            Map.entry(Nfs4Status.BADCHAR, Status.INVAL),
                            Map.entry(Nfs4Status.BADOWNER, Status.INVAL),
                            Map.entry(Nfs4Status.FBIG, Status.FBIG),
                            Map.entry(Nfs4Status.NOSPC, Status.NOSPC),
                            Map.entry(Nfs4Status.ROFS, Status.ROFS),
                            Map.entry(Nfs4Status.MLINK, Status.MLINK),
                            Map.entry(Nfs4Status.NAMETOOLONG, Status.NAMETOOLONG),
                            Map.entry(Nfs4Status.NOTEMPTY, Status.NOTEMPTY),
                            Map.entry(Nfs4Status.DQUOT, Status.DQUOT),
                            Map.entry(Nfs4Status.STALE, Status.STALE),
                            Map.entry(Nfs4Status.FHEXPIRED, Status.STALE),
                            Map.entry(Nfs4Status.MOVED, Status.MOVED),
                            Map.entry(Nfs4Status.BADHANDLE, Status.BADHANDLE),
                            Map.entry(Nfs4Status.NOFILEHANDLE, Status.BADHANDLE),
                            Map.entry(Nfs4Status.BAD_COOKIE, Status.BAD_COOKIE),
                            Map.entry(Nfs4Status.SAME, Status.SAME),
                            Map.entry(Nfs4Status.NOT_SAME, Status.NOT_SAME),
                            Map.entry(Nfs4Status.NOTSUPP, Status.NOTSUPP),
                            Map.entry(Nfs4Status.ATTRNOTSUPP, Status.NOTSUPP),
                            Map.entry(Nfs4Status.OP_ILLEGAL, Status.NOTSUPP),
                            Map.entry(Nfs4Status.UNION_NOTSUPP, Status.NOTSUPP),
                            Map.entry(Nfs4Status.OFFLOAD_NO_REQS, Status.NOTSUPP),
                            Map.entry(Nfs4Status.OFFLOAD_DENIED, Status.NOTSUPP),
                            Map.entry(Nfs4Status.WRONG_TYPE, Status.BADTYPE),
                            Map.entry(Nfs4Status.TOOSMALL, Status.TOOSMALL),
                            Map.entry(Nfs4Status.REP_TOO_BIG, Status.TOOSMALL),
                            Map.entry(Nfs4Status.REP_TOO_BIG_TO_CACHE, Status.TOOSMALL),
                            Map.entry(Nfs4Status.BADTYPE, Status.BADTYPE),
                            Map.entry(Nfs4Status.LOCKED, Status.LOCKED),
                            Map.entry(Nfs4Status.SHARE_DENIED, Status.LOCKED),
                            Map.entry(Nfs4Status.FILE_OPEN, Status.LOCKED),
                            Map.entry(Nfs4Status.LOCKS_HELD, Status.LOCKED),
                            Map.entry(Nfs4Status.OPENMODE, Status.ACCES),
                            Map.entry(Nfs4Status.NOXATTR, Status.NOXATTR),
                            Map.entry(Nfs4Status.XATTR2BIG, Status.XATTR2BIG),
                            Map.entry(Nfs4Status.DELAY, Status.JUKEBOX),
                            Map.entry(Nfs4Status.GRACE, Status.GRACE),
                            Map.entry(Nfs4Status.EXPIRED, Status.NOT_OPEN),
                            Map.entry(Nfs4Status.BAD_STATEID, Status.NOT_OPEN),
                            Map.entry(Nfs4Status.STALE_STATEID, Status.NOT_OPEN),
                            Map.entry(Nfs4Status.OLD_STATEID, Status.NOT_OPEN),
                            Map.entry(Nfs4Status.ADMIN_REVOKED, Status.NOT_OPEN),
                            Map.entry(Nfs4Status.DELEG_REVOKED, Status.NOT_OPEN)));

    private Nfs4Values() {}

    static io.github.rpcrdma4j.nfs.v4.type.FileHandle handle(FileHandle file) {
        return io.github.rpcrdma4j.nfs.v4.type.FileHandle.of(file.bytes());
    }

    static FileHandle handle(io.github.rpcrdma4j.nfs.v4.type.FileHandle file) {
        return new FileHandle(file.bytes());
    }

    /**
     * Returns the attributes of a file.
     *
     * @throws XdrException if they are malformed, or if those are missing that each server has
     */
    static FileAttributes attributes(EncodedAttributes encoded) throws XdrException {
        return attributes(ReadAttributes.decode(encoded));
    }

    static FileAttributes attributes(ReadAttributes read) throws XdrException {
        require(read, Attribute.FSID);
        return line(read);
    }

    /**
     * Returns the attributes of a file, of which some may not have been asked for.
     *
     * @throws XdrException as {@link #attributes}; it may have no file system
     */
    static FileAttributes line(ReadAttributes read) throws XdrException {
        require(read, Attribute.TYPE, Attribute.SIZE);
        var type = FileType.of(read.word(Attribute.TYPE));
        long device = hyper(read, Attribute.RAWDEV, 0);
        long size = read.hyper(Attribute.SIZE);
        return new FileAttributes(
                type,
                word(read, Attribute.MODE, 0),
                word(read, Attribute.NUMLINKS, 1),
                owner(read, Attribute.OWNER),
                owner(read, Attribute.OWNER_GROUP),
                size,
                hyper(read, Attribute.SPACE_USED, size),
                (int) (device >>> Integer.SIZE),
                (int) device,
                fileSystem(read),
                hyper(read, Attribute.FILEID, 0),
                time(read, Attribute.TIME_ACCESS),
                time(read, Attribute.TIME_MODIFY),
                time(read, Attribute.TIME_METADATA));
    }

    /** Throws if a server does not tell what each server has. */
    static void require(ReadAttributes read, Attribute... needed) throws XdrException {
        for (var each : needed) {
            if (!read.present().has(each)) {
                throw new XdrException("the server does not tell " + each);
            }
        }
    }

    /** Returns what is known of a file that the server does not let this client use. */
    static FileAttributes unknown(ReadAttributes read) throws XdrException {
        return FileAttributes.unknown(fileSystem(read), hyper(read, Attribute.FILEID, 0));
    }

    private static FileSystemId fileSystem(ReadAttributes read) throws XdrException {
        return read.present().has(Attribute.FSID)
                ? new FileSystemId(read.fileSystem().major(), read.fileSystem().minor())
                : new FileSystemId(0, 0);
    }

    private static int word(ReadAttributes read, Attribute attribute, int missing) {
        return read.present().has(attribute) ? read.word(attribute) : missing;
    }

    static long hyper(ReadAttributes read, Attribute attribute, long missing) {
        return read.present().has(attribute) ? read.hyper(attribute) : missing;
    }

    private static int owner(ReadAttributes read, Attribute attribute) {
        return read.present().has(attribute)
                ? Who.of(read.bytes(attribute)).id().orElse(NOBODY)
                : NOBODY;
    }

    private static Instant time(ReadAttributes read, Attribute attribute) throws XdrException {
        return read.present().has(attribute) ? instant(read.time(attribute)) : Instant.EPOCH;
    }

    private static Instant instant(Timestamp time) throws XdrException {
        if (!time.isValid()) {
            throw new XdrException("a time has more than 999,999,999 nanoseconds");
        }
        long seconds =
                Math.clamp(
                        time.seconds(), Instant.MIN.getEpochSecond(), Instant.MAX.getEpochSecond());
        return Instant.ofEpochSecond(seconds, time.nanos());
    }

    /** Returns the time between two times that the server can tell apart. */
    static Duration step(ReadAttributes read) throws XdrException {
        return Duration.between(Instant.EPOCH, time(read, Attribute.TIME_DELTA));
    }

    static EncodedAttributes changes(AttributeChanges changes) {
        return new SetAttributes(
                        changes.size(),
                        Optional.empty(),
                        changes.mode(),
                        OptionalInt.empty(),
                        who(changes.uid()),
                        who(changes.gid()),
                        time(changes.accessed()),
                        time(changes.modified()))
                .encoded(POOL);
    }

    /** Returns a change of the access control list. */
    static EncodedAttributes acl(List<Ace> aces) {
        var none = SetAttributes.NONE;
        return new SetAttributes(
                        none.size(),
                        Optional.of(aces),
                        none.mode(),
                        none.umask(),
                        none.owner(),
                        none.group(),
                        none.accessed(),
                        none.modified())
                .encoded(POOL);
    }

    private static Optional<Who> who(OptionalInt id) {
        return id.isPresent() ? Optional.of(Who.ofId(id.getAsInt())) : Optional.empty();
    }

    private static SetAttributes.TimeChange time(AttributeChanges.TimeChange change) {
        return switch (change) {
            case AttributeChanges.TimeChange.Keep _ -> new SetAttributes.TimeChange.Keep();
            case AttributeChanges.TimeChange.Now _ -> new SetAttributes.TimeChange.ToServerTime();
            case AttributeChanges.TimeChange.To(var time) ->
                    new SetAttributes.TimeChange.To(
                            new Timestamp(time.getEpochSecond(), time.getNano()));
        };
    }

    /** Returns what the size of a file is verified by. */
    static EncodedAttributes size(long size) {
        return changes(AttributeChanges.ofSize(size));
    }

    /** Returns what a file itself is verified by. */
    static EncodedAttributes identity(io.github.rpcrdma4j.nfs.v4.type.FileHandle file) {
        byte[] bytes = file.bytes();
        var values = ByteBuffer.allocate(Integer.BYTES + (int) XdrWriter.roundUp(bytes.length));
        return EncodedAttributes.of(
                AttributeSet.of(Attribute.FILEHANDLE),
                values.putInt(bytes.length).put(bytes).array());
    }

    /** Returns what a directory is verified by. */
    static EncodedAttributes directory() {
        return EncodedAttributes.of(
                AttributeSet.of(Attribute.TYPE), new byte[] {0, 0, 0, (byte) DIRECTORY});
    }

    /**
     * Returns the word for a status of version 4 other than OK. Those that have none say that the
     * server, or this side, is wrong.
     */
    static Status status(Nfs4Status status) {
        return WORDS.getOrDefault(status, Status.SERVERFAULT);
    }

    /**
     * Returns the text of a link. Over TCP, nothing else keeps a server to the room that it was
     * offered.
     *
     * @throws NfsException if it is longer than a path may be
     */
    static PathName linkText(NameResult.ReadLink link, String what) throws NfsException {
        if (link.text().byteSize() > LINK_MAX) {
            throw new NfsException(what, Status.NAMETOOLONG);
        }
        return new PathName(link.text());
    }
}
