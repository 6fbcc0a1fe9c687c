package io.github.rpcrdma4j.cli.hostile;

import static io.github.rpcrdma4j.cli.hostile.HonestFiles.handle;
import static io.github.rpcrdma4j.cli.hostile.HonestFiles.number;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.stream.IntStream;

/** Makes invalid or unusual directories. */
final class Listings {
    private static final int MANY = 100;
    private static final int LONG_NAME = 255;

    private Listings() {}

    /** Supplies the pages of directories. */
    private interface Pages {
        DirectoryPage page(HonestFiles files, FileHandle directory, long cookie);
    }

    private static Deviations listing(Pages pages) {
        return Deviations.reply(
                (files, call) ->
                        switch (call) {
                            case Nfs3Call.ReadDirectory(var directory, var cookie, _, _) ->
                                    ok(pages.page(files, directory, cookie));
                            case Nfs3Call.ReadDirectoryPlus(var directory, var cookie, _, _, _) ->
                                    ok(pages.page(files, directory, cookie));
                            default -> null;
                        });
    }

    private static Nfs3Reply<?, ?> ok(Object value) {
        return new Nfs3Reply.Ok<>(Optional.<FileAttributes>empty(), value);
    }

    static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    private static DirectoryPage page(boolean end, DirectoryPage.Entry... entries) {
        return new DirectoryPage(HonestFiles.VERIFIER, List.of(entries), end);
    }

    private static FileHandle file(long number) {
        return handle(FileType.REGULAR, MANY + number);
    }

    /** Lists one file of a given name in every directory. */
    static Deviations name(byte[] name) {
        return listing((files, _, _) -> page(true, files.entry(name, HonestFiles.FILE, 1)));
    }

    static Deviations name(String name) {
        return name(bytes(name));
    }

    /** Lists pages without end, each with one name; the cookies repeat with a given period. */
    static Deviations names(LongFunction<String> name, int circle) {
        return listing(
                (files, _, cookie) ->
                        page(
                                false,
                                files.entry(
                                        bytes(name.apply(cookie)),
                                        file(cookie),
                                        (cookie + 1) % circle)));
    }

    static Deviations endless(String filling) {
        return names(Long.MAX_VALUE, filling);
    }

    /** Lists a given number of names of 255 bytes in each directory. */
    static Deviations names(long count, String filling) {
        return listing((files, _, cookie) -> page(files, cookie, count, filling, Listings::file));
    }

    private static DirectoryPage page(
            HonestFiles files,
            long cookie,
            long count,
            String filling,
            LongFunction<FileHandle> handle) {
        var entries =
                IntStream.range(0, MANY)
                        .mapToObj(
                                i ->
                                        files.entry(
                                                longName(cookie + i, filling),
                                                handle.apply(cookie + i),
                                                cookie + i + 1))
                        .toList();
        return new DirectoryPage(HonestFiles.VERIFIER, entries, cookie + MANY >= count);
    }

    /** Lists a given number of links in each directory, with texts of the greatest length. */
    static Deviations links(long count) {
        return Deviations.reply(
                (files, call) ->
                        switch (call) {
                            case Nfs3Call.ReadDirectoryPlus(_, var cookie, _, _, _) ->
                                    ok(
                                            page(
                                                    files,
                                                    cookie,
                                                    count,
                                                    "x",
                                                    each ->
                                                            handle(
                                                                    FileType.SYMBOLIC_LINK,
                                                                    MANY + each)));
                            case Nfs3Call.ReadLink _ ->
                                    ok(HonestFiles.text("x".repeat(Nfs3.PATH_MAX)));
                            default -> null;
                        });
    }

    private static byte[] longName(long number, String filling) {
        var name = "n" + number + "-";
        return bytes(name + filling.repeat((LONG_NAME - name.length()) / bytes(filling).length));
    }

    static Deviations emptyPages() {
        return listing((_, _, _) -> page(false));
    }

    static Deviations selfHolding() {
        return listing(
                (files, directory, _) -> page(true, files.entry(bytes("self"), directory, 1)));
    }

    /** Lists a number of new directories in each directory; the number must be odd. */
    static Deviations deep(String name, int count) {
        return listing(
                (files, directory, _) -> {
                    var entries =
                            IntStream.range(0, count)
                                    .mapToObj(
                                            i ->
                                                    files.entry(
                                                            bytes(name + i),
                                                            handle(
                                                                    FileType.DIRECTORY,
                                                                    number(directory) * count
                                                                            + MANY
                                                                            + i),
                                                            i + 1))
                                    .toList();
                    return new DirectoryPage(HonestFiles.VERIFIER, entries, true);
                });
    }

    static Deviations twiceOnAPage() {
        return listing(
                (files, _, _) ->
                        page(
                                true,
                                files.entry(bytes("twice"), HonestFiles.LINK, 1),
                                files.entry(bytes("twice"), handle(FileType.DIRECTORY, 9), 2)));
    }

    /**
     * Lists a name twice: first as a link out of the tree, then as a directory with a file in it.
     */
    static Deviations twiceOnTwoPages() {
        return Deviations.reply(
                (files, call) ->
                        switch (call) {
                            case Nfs3Call.ReadDirectoryPlus(var directory, var cookie, _, _, _) ->
                                    ok(
                                            number(directory) == 9
                                                    ? page(
                                                            true,
                                                            files.entry(
                                                                    bytes("kept"),
                                                                    HonestFiles.FILE,
                                                                    1))
                                                    : cookie == 0
                                                            ? page(
                                                                    false,
                                                                    files.entry(
                                                                            bytes("twice"),
                                                                            HonestFiles.LINK,
                                                                            1))
                                                            : page(
                                                                    true,
                                                                    files.entry(
                                                                            bytes("twice"),
                                                                            handle(
                                                                                    FileType
                                                                                            .DIRECTORY,
                                                                                    9),
                                                                            2)));
                            case Nfs3Call.ReadLink _ -> ok(HonestFiles.text("../../canary"));
                            default -> null;
                        });
    }

    /** Lists a file as one type; LOOKUP and GETATTR report another. */
    static Deviations otherwise(FileType listed, FileType found) {
        return Deviations.reply(
                (files, call) ->
                        switch (call) {
                            case Nfs3Call.ReadDirectoryPlus(var directory, _, _, _, _) ->
                                    number(directory) == 1
                                            ? ok(
                                                    page(
                                                            true,
                                                            files.entry(
                                                                    bytes("directory"),
                                                                    handle(listed, 9),
                                                                    1)))
                                            : null;
                            case Nfs3Call.Lookup(var what) ->
                                    what.name().toString().equals("directory")
                                            ? ok(
                                                    new Nfs3Results.Found(
                                                            handle(found, 9),
                                                            Optional.of(
                                                                    files.attributes(
                                                                            handle(found, 9)))))
                                            : null;
                            case Nfs3Call.ReadLink _ -> ok(HonestFiles.text("../../canary"));
                            default -> null;
                        });
    }

    /** Lists names without attributes and without end, so that each must be looked up. */
    static Deviations withoutAttributes() {
        return Deviations.reply(
                (files, call) ->
                        switch (call) {
                            case Nfs3Call.ReadDirectoryPlus(_, var cookie, _, _, _) -> {
                                var entries =
                                        IntStream.range(0, MANY)
                                                .mapToObj(
                                                        i ->
                                                                new DirectoryPage.Entry(
                                                                        cookie + i,
                                                                        new FileName(
                                                                                longName(
                                                                                        cookie + i,
                                                                                        "x")),
                                                                        cookie + i + 1,
                                                                        Optional.empty(),
                                                                        Optional.empty()))
                                                .toList();
                                yield ok(new DirectoryPage(HonestFiles.VERIFIER, entries, false));
                            }
                            case Nfs3Call.Lookup(var what) ->
                                    what.name().length() == LONG_NAME
                                            ? ok(
                                                    new Nfs3Results.Found(
                                                            HonestFiles.FILE, Optional.empty()))
                                            : null;
                            default -> null;
                        });
    }

    /** Refuses READDIRPLUS, and answers READDIR honestly. */
    static Deviations withoutPlus() {
        return Deviations.reply(
                (_, call) ->
                        call instanceof Nfs3Call.ReadDirectoryPlus
                                ? HonestFiles.failed(call, Status.NOTSUPP)
                                : null);
    }

    /** Sends a name with a length of 4 GiB. */
    static boolean longestName(HonestFiles files, Nfs3Call<?, ?> call, XdrWriter out) {
        if (!(call instanceof Nfs3Call.ReadDirectoryPlus)) {
            return false;
        }
        out.uint32(0).bool(false).uint64(0).bool(true).uint64(1).uint32(-1).uint32(0).uint64(0);
        return true;
    }
}
