package io.github.rpcrdma4j.nfs.v2;

import io.github.rpcrdma4j.nfs.v2.Nfs2Binding.Procedure;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply.Nothing;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply.ReplyFormat;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.DirectoryPage;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.Found;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.LinkText;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.ReadData;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.Space;

/** The wire formats of all replies (RFC 1094, Section 2.2). */
final class Formats {
    static final ReplyFormat<FileAttributes> GETATTR = attributes(Procedure.GETATTR);
    static final ReplyFormat<FileAttributes> SETATTR = attributes(Procedure.SETATTR);
    static final ReplyFormat<Found> LOOKUP = found(Procedure.LOOKUP);
    static final ReplyFormat<LinkText> READLINK =
            new ReplyFormat<>(
                    Procedure.READLINK, (out, link) -> link.encode(out), LinkText::decode, true);
    static final ReplyFormat<ReadData> READ =
            new ReplyFormat<>(
                    Procedure.READ, (out, read) -> read.encode(out), ReadData::decode, true);
    static final ReplyFormat<FileAttributes> WRITE = attributes(Procedure.WRITE);
    static final ReplyFormat<Found> CREATE = found(Procedure.CREATE);
    static final ReplyFormat<Nothing> REMOVE = nothing(Procedure.REMOVE);
    static final ReplyFormat<Nothing> RENAME = nothing(Procedure.RENAME);
    static final ReplyFormat<Nothing> LINK = nothing(Procedure.LINK);
    static final ReplyFormat<Nothing> SYMLINK = nothing(Procedure.SYMLINK);
    static final ReplyFormat<Found> MKDIR = found(Procedure.MKDIR);
    static final ReplyFormat<Nothing> RMDIR = nothing(Procedure.RMDIR);
    static final ReplyFormat<DirectoryPage> READDIR =
            new ReplyFormat<>(
                    Procedure.READDIR,
                    (out, page) -> page.encode(out),
                    DirectoryPage::decode,
                    false);
    static final ReplyFormat<Space> STATFS =
            new ReplyFormat<>(
                    Procedure.STATFS, (out, space) -> space.encode(out), Space::decode, false);

    private Formats() {}

    private static ReplyFormat<FileAttributes> attributes(Procedure procedure) {
        return new ReplyFormat<>(
                procedure, (out, file) -> file.encode(out), FileAttributes::decode, false);
    }

    private static ReplyFormat<Found> found(Procedure procedure) {
        return new ReplyFormat<>(procedure, (out, file) -> file.encode(out), Found::decode, false);
    }

    private static ReplyFormat<Nothing> nothing(Procedure procedure) {
        return new ReplyFormat<>(procedure, (_, _) -> {}, _ -> Nothing.NOTHING, false);
    }
}
