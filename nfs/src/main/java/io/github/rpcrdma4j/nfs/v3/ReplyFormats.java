package io.github.rpcrdma4j.nfs.v3;

import static io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Order.ATTRIBUTES_FIRST;
import static io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Order.VALUE_FIRST;

import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Codec;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.FileAndWcc;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.ReplyFormat;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.TwoWcc;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Optional;

/**
 * The wire formats of all replies: their attributes and value, and the order of these (RFC 1813).
 */
final class ReplyFormats {
    private static final Codec<Nothing> NOTHING =
            Nfs3Results.codec((_, _) -> {}, _ -> Nothing.NOTHING);
    private static final Codec<Optional<FileAttributes>> FILE =
            Nfs3Results.codec(FileAttributes::encodeOptional, FileAttributes::decodeOptional);
    private static final Codec<WccData> WCC =
            Nfs3Results.codec((out, wcc) -> wcc.encode(out), WccData::decode);
    private static final Codec<TwoWcc> TWO_WCC =
            Nfs3Results.codec(
                    (out, both) -> {
                        both.from().encode(out);
                        both.to().encode(out);
                    },
                    in -> new TwoWcc(WccData.decode(in), WccData.decode(in)));
    private static final Codec<FileAndWcc> FILE_AND_WCC =
            Nfs3Results.codec(
                    (out, both) -> {
                        FileAttributes.encodeOptional(out, both.file());
                        both.directory().encode(out);
                    },
                    in -> new FileAndWcc(FileAttributes.decodeOptional(in), WccData.decode(in)));
    private static final Codec<FileAttributes> ATTRIBUTES =
            Nfs3Results.codec((out, attributes) -> attributes.encode(out), FileAttributes::decode);
    private static final Codec<Integer> WORD =
            Nfs3Results.codec(XdrWriter::uint32, XdrReader::uint32);
    private static final Codec<Long> VERIFIER =
            Nfs3Results.codec(XdrWriter::uint64, XdrReader::uint64);

    static final ReplyFormat<Nothing, FileAttributes> GETATTR =
            new ReplyFormat<>(Procedure.GETATTR, NOTHING, ATTRIBUTES, ATTRIBUTES_FIRST, false);
    static final ReplyFormat<WccData, Nothing> SETATTR =
            new ReplyFormat<>(Procedure.SETATTR, WCC, NOTHING, ATTRIBUTES_FIRST, false);
    static final ReplyFormat<Optional<FileAttributes>, Nfs3Results.Found> LOOKUP =
            new ReplyFormat<>(Procedure.LOOKUP, FILE, Nfs3Results.Found.CODEC, VALUE_FIRST, false);
    static final ReplyFormat<Optional<FileAttributes>, Integer> ACCESS =
            new ReplyFormat<>(Procedure.ACCESS, FILE, WORD, ATTRIBUTES_FIRST, false);
    static final ReplyFormat<Optional<FileAttributes>, Nfs3Results.LinkText> READLINK =
            new ReplyFormat<>(
                    Procedure.READLINK, FILE, Nfs3Results.LinkText.CODEC, ATTRIBUTES_FIRST, true);
    static final ReplyFormat<Optional<FileAttributes>, Nfs3Results.ReadData> READ =
            new ReplyFormat<>(
                    Procedure.READ, FILE, Nfs3Results.ReadData.CODEC, ATTRIBUTES_FIRST, true);
    static final ReplyFormat<WccData, Nfs3Results.Written> WRITE =
            new ReplyFormat<>(
                    Procedure.WRITE, WCC, Nfs3Results.Written.CODEC, ATTRIBUTES_FIRST, false);
    static final ReplyFormat<WccData, Nfs3Results.Created> CREATE = creation(Procedure.CREATE);
    static final ReplyFormat<WccData, Nfs3Results.Created> MKDIR = creation(Procedure.MKDIR);
    static final ReplyFormat<WccData, Nfs3Results.Created> SYMLINK = creation(Procedure.SYMLINK);
    static final ReplyFormat<WccData, Nfs3Results.Created> MKNOD = creation(Procedure.MKNOD);
    static final ReplyFormat<WccData, Nothing> REMOVE = removal(Procedure.REMOVE);
    static final ReplyFormat<WccData, Nothing> RMDIR = removal(Procedure.RMDIR);
    static final ReplyFormat<TwoWcc, Nothing> RENAME =
            new ReplyFormat<>(Procedure.RENAME, TWO_WCC, NOTHING, ATTRIBUTES_FIRST, false);
    static final ReplyFormat<FileAndWcc, Nothing> LINK =
            new ReplyFormat<>(Procedure.LINK, FILE_AND_WCC, NOTHING, ATTRIBUTES_FIRST, false);
    static final ReplyFormat<Optional<FileAttributes>, DirectoryPage> READDIR =
            new ReplyFormat<>(
                    Procedure.READDIR, FILE, DirectoryPage.READDIR, ATTRIBUTES_FIRST, false);
    static final ReplyFormat<Optional<FileAttributes>, DirectoryPage> READDIRPLUS =
            new ReplyFormat<>(
                    Procedure.READDIRPLUS,
                    FILE,
                    DirectoryPage.READDIRPLUS,
                    ATTRIBUTES_FIRST,
                    false);
    static final ReplyFormat<Optional<FileAttributes>, Nfs3Results.Space> FSSTAT =
            new ReplyFormat<>(
                    Procedure.FSSTAT, FILE, Nfs3Results.Space.CODEC, ATTRIBUTES_FIRST, false);
    static final ReplyFormat<Optional<FileAttributes>, Nfs3Results.FileSystemInfo> FSINFO =
            new ReplyFormat<>(
                    Procedure.FSINFO,
                    FILE,
                    Nfs3Results.FileSystemInfo.CODEC,
                    ATTRIBUTES_FIRST,
                    false);
    static final ReplyFormat<Optional<FileAttributes>, Nfs3Results.PathConfiguration> PATHCONF =
            new ReplyFormat<>(
                    Procedure.PATHCONF,
                    FILE,
                    Nfs3Results.PathConfiguration.CODEC,
                    ATTRIBUTES_FIRST,
                    false);
    static final ReplyFormat<WccData, Long> COMMIT =
            new ReplyFormat<>(Procedure.COMMIT, WCC, VERIFIER, ATTRIBUTES_FIRST, false);

    private ReplyFormats() {}

    private static ReplyFormat<WccData, Nfs3Results.Created> creation(Procedure procedure) {
        return new ReplyFormat<>(procedure, WCC, Nfs3Results.Created.CODEC, VALUE_FIRST, false);
    }

    private static ReplyFormat<WccData, Nothing> removal(Procedure procedure) {
        return new ReplyFormat<>(procedure, WCC, NOTHING, ATTRIBUTES_FIRST, false);
    }
}
