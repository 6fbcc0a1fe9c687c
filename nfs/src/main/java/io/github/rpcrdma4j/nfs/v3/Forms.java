package io.github.rpcrdma4j.nfs.v3;

import static io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Order.ATTRIBUTES_FIRST;
import static io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Order.VALUE_FIRST;

import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Codec;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.FileAndWcc;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Form;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.TwoWcc;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Optional;

/** The wire forms of all replies: their attributes and value, and the order of these (RFC 1813). */
final class Forms {
    private static final Codec<Nothing> NOTHING = Values.codec((_, _) -> {}, _ -> Nothing.NOTHING);
    private static final Codec<Optional<FileAttributes>> FILE =
            Values.codec(FileAttributes::encodeOptional, FileAttributes::decodeOptional);
    private static final Codec<WccData> WCC =
            Values.codec((out, wcc) -> wcc.encode(out), WccData::decode);
    private static final Codec<TwoWcc> TWO_WCC =
            Values.codec(
                    (out, both) -> {
                        both.from().encode(out);
                        both.to().encode(out);
                    },
                    in -> new TwoWcc(WccData.decode(in), WccData.decode(in)));
    private static final Codec<FileAndWcc> FILE_AND_WCC =
            Values.codec(
                    (out, both) -> {
                        FileAttributes.encodeOptional(out, both.file());
                        both.directory().encode(out);
                    },
                    in -> new FileAndWcc(FileAttributes.decodeOptional(in), WccData.decode(in)));
    private static final Codec<FileAttributes> ATTRIBUTES =
            Values.codec((out, attributes) -> attributes.encode(out), FileAttributes::decode);
    private static final Codec<Integer> WORD = Values.codec(XdrWriter::uint32, XdrReader::uint32);
    private static final Codec<Long> VERIFIER = Values.codec(XdrWriter::uint64, XdrReader::uint64);

    static final Form<Nothing, FileAttributes> GETATTR =
            new Form<>(Procedure.GETATTR, NOTHING, ATTRIBUTES, ATTRIBUTES_FIRST, false);
    static final Form<WccData, Nothing> SETATTR =
            new Form<>(Procedure.SETATTR, WCC, NOTHING, ATTRIBUTES_FIRST, false);
    static final Form<Optional<FileAttributes>, Values.Found> LOOKUP =
            new Form<>(Procedure.LOOKUP, FILE, Values.Found.CODEC, VALUE_FIRST, false);
    static final Form<Optional<FileAttributes>, Integer> ACCESS =
            new Form<>(Procedure.ACCESS, FILE, WORD, ATTRIBUTES_FIRST, false);
    static final Form<Optional<FileAttributes>, Values.LinkText> READLINK =
            new Form<>(Procedure.READLINK, FILE, Values.LinkText.CODEC, ATTRIBUTES_FIRST, true);
    static final Form<Optional<FileAttributes>, Values.ReadData> READ =
            new Form<>(Procedure.READ, FILE, Values.ReadData.CODEC, ATTRIBUTES_FIRST, true);
    static final Form<WccData, Values.Written> WRITE =
            new Form<>(Procedure.WRITE, WCC, Values.Written.CODEC, ATTRIBUTES_FIRST, false);
    static final Form<WccData, Values.Created> CREATE = creation(Procedure.CREATE);
    static final Form<WccData, Values.Created> MKDIR = creation(Procedure.MKDIR);
    static final Form<WccData, Values.Created> SYMLINK = creation(Procedure.SYMLINK);
    static final Form<WccData, Values.Created> MKNOD = creation(Procedure.MKNOD);
    static final Form<WccData, Nothing> REMOVE = removal(Procedure.REMOVE);
    static final Form<WccData, Nothing> RMDIR = removal(Procedure.RMDIR);
    static final Form<TwoWcc, Nothing> RENAME =
            new Form<>(Procedure.RENAME, TWO_WCC, NOTHING, ATTRIBUTES_FIRST, false);
    static final Form<FileAndWcc, Nothing> LINK =
            new Form<>(Procedure.LINK, FILE_AND_WCC, NOTHING, ATTRIBUTES_FIRST, false);
    static final Form<Optional<FileAttributes>, DirectoryPage> READDIR =
            new Form<>(Procedure.READDIR, FILE, DirectoryPage.READDIR, ATTRIBUTES_FIRST, false);
    static final Form<Optional<FileAttributes>, DirectoryPage> READDIRPLUS =
            new Form<>(
                    Procedure.READDIRPLUS,
                    FILE,
                    DirectoryPage.READDIRPLUS,
                    ATTRIBUTES_FIRST,
                    false);
    static final Form<Optional<FileAttributes>, Values.Space> FSSTAT =
            new Form<>(Procedure.FSSTAT, FILE, Values.Space.CODEC, ATTRIBUTES_FIRST, false);
    static final Form<Optional<FileAttributes>, Values.FileSystemInfo> FSINFO =
            new Form<>(
                    Procedure.FSINFO, FILE, Values.FileSystemInfo.CODEC, ATTRIBUTES_FIRST, false);
    static final Form<Optional<FileAttributes>, Values.PathConfiguration> PATHCONF =
            new Form<>(
                    Procedure.PATHCONF,
                    FILE,
                    Values.PathConfiguration.CODEC,
                    ATTRIBUTES_FIRST,
                    false);
    static final Form<WccData, Long> COMMIT =
            new Form<>(Procedure.COMMIT, WCC, VERIFIER, ATTRIBUTES_FIRST, false);

    private Forms() {}

    private static Form<WccData, Values.Created> creation(Procedure procedure) {
        return new Form<>(procedure, WCC, Values.Created.CODEC, VALUE_FIRST, false);
    }

    private static Form<WccData, Nothing> removal(Procedure procedure) {
        return new Form<>(procedure, WCC, NOTHING, ATTRIBUTES_FIRST, false);
    }
}
