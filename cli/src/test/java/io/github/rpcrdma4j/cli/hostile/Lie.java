package io.github.rpcrdma4j.cli.hostile;

import static io.github.rpcrdma4j.cli.hostile.TrialCommand.CAT;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.CAT_LINK;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.FIND_PATTERN;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET_ARCHIVE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET_OVER;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET_PATTERN;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET_TREE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.LS;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.LS_EXPORTS;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.LS_JSON;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.PUT;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.PUT_ARCHIVE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.PUT_OVER;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.PUT_TREE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.RM_PATTERN;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.RM_TREE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.STAT;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.TREE;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The lies of a hostile server. It tells one at a time, and is honest in everything else. */
enum Lie implements TriedLie {
    NONE(Deviations.nothing(), GET_OVER),

    // Listings.
    COOKIES_STAY(Listings.names(cookie -> "n" + cookie, 1)),
    COOKIES_CIRCLE(Listings.names(cookie -> "n" + cookie, 4)),
    NAMES_WITHOUT_END(Listings.endless("x"), LS),
    CONTROLS_WITHOUT_END(Listings.endless("\u001b")),
    NAMES_THAT_FIT(Listings.names(25_000, "\u001b"), LS_JSON),
    LINKS_THAT_FIT(Listings.links(20_000)),
    NAME_WITHOUT_END(Listings.names(_ -> "always", Integer.MAX_VALUE)),
    DOTS_WITHOUT_END(Listings.names(_ -> ".", Integer.MAX_VALUE)),
    EMPTY_PAGES(Listings.emptyPages()),
    SELF_HOLDING(Listings.selfHolding(), TREE),
    DEEP(Listings.deep("d", 1)),
    DEEP_LONG_NAMES(Listings.deep("d".repeat(254), 1), RM_TREE),
    DEEP_AND_WIDE(Listings.deep("d", 201)),
    TWICE_ON_A_PAGE(Listings.twiceOnAPage()),
    TWICE_ON_TWO_PAGES(Listings.twiceOnTwoPages(), GET_ARCHIVE),
    DIRECTORY_IS_LINK(Listings.otherwise(FileType.DIRECTORY, FileType.SYMBOLIC_LINK), GET_TREE),
    LINK_IS_DIRECTORY(Listings.otherwise(FileType.SYMBOLIC_LINK, FileType.DIRECTORY), GET_OVER),
    NAME_EMPTY(Listings.name("")),
    NAME_DOT(Listings.name(".")),
    NAME_DOTS(Listings.name(".."), RM_TREE, RM_PATTERN),
    NAME_UP(Listings.name("../canary/kept"), GET_TREE, GET_PATTERN),
    NAME_ABSOLUTE(Listings.name("/etc/passwd")),
    NAME_NUL(Listings.name("kept\0x")),
    NAME_LONG(Listings.name("x".repeat(300))),
    NAME_LONGEST(Listings.name("\u001b".repeat(4096)), GET_TREE),
    NAME_CONTROLS(Listings.name("\u001b]0;owned\u0007\u001b[2J\r\n\u009b31m\u202erm"), GET_TREE),
    NAME_BYTES(Listings.name(new byte[] {(byte) 0x9b, '3', '1', 'm', (byte) 0xff}), LS),
    NAME_TEMPORARY(Listings.name(".x.rpcrdma-1-1-1-1.part"), PUT_OVER),
    NAME_ALONE(Listings.withoutAttributes()),
    NO_PLUS(Listings.withoutPlus()),
    NAME_OF_4_GIB(Deviations.nfs(Listings::longestName)),

    // Exports and mounts.
    EXPORT_CONTROLS(FalseMounts.exports("/\u001b[2J\r\n\u009b31m", "/x"), LS_EXPORTS),
    EXPORT_OF_64_KIB(FalseMounts.longPath(65_000)),
    EXPORTS_OF_60_KIB(FalseMounts.many(3_000)),
    EXPORTS_OF_2_MIB(FalseMounts.many(100_000), LS_EXPORTS),
    MOUNT_HANDLE_OF_200(FalseMounts.handle(200, 200), LS),
    MOUNT_HANDLE_OF_4_GIB(FalseMounts.handle(8, -1)),
    MOUNT_FLAVORS_OF_4_GIB(FalseMounts.flavors(-1)),
    MOUNT_STATUS(FalseMounts.status()),
    MOUNT_SILENT(FalseMounts.silent()),

    // Links.
    LINK_ABSOLUTE(FalseReplies.linkText("/etc/passwd")),
    LINK_UP(FalseReplies.linkText("../../canary/kept"), GET_ARCHIVE, FIND_PATTERN),
    LINK_CONTROLS(FalseReplies.linkText("/\u001b[2J\r\n\u009b31m"), CAT_LINK),
    LINK_EMPTY(FalseReplies.linkText("")),
    LINK_NUL(FalseReplies.linkText("file\0x"), GET_TREE),
    LINK_LONG(FalseReplies.linkText("x".repeat(5000))),
    LINK_REFUSED(FalseReplies.refusedLinks()),
    LINK_LOOP(FalseReplies.allLinks("file"), PUT),
    LINK_WIDE(FalseReplies.allLinks("a/".repeat(2000))),

    // Contents.
    READ_MORE(FalseReplies.read(4, 100, false), GET),
    READ_FEWER(FalseReplies.read(20_000, 1, false)),
    READ_NOTHING(FalseReplies.read(4, 0, false)),
    READ_NOTHING_AT_END(FalseReplies.read(1L << 40, 0, true)),
    READ_END_TOO_EARLY(FalseReplies.read(20_000, 1000, true)),
    READ_COUNT(Deviations.nfs(FalseReplies::readCount), GET),
    SIZE_2_32(Deviations.attributes(FalseReplies.size(1L << 32))),
    SIZE_2_63_1(Deviations.attributes(FalseReplies.size(Long.MAX_VALUE))),
    SIZE_2_63(Deviations.attributes(FalseReplies.size(Long.MIN_VALUE)), STAT),
    SIZE_2_64_1(Deviations.attributes(FalseReplies.size(-1)), GET_TREE),

    // Attributes.
    TYPE_CHANGES(FalseReplies.changingTypes(), GET),
    ALL_BITS(Deviations.attributes(FalseReplies::allBits), GET_ARCHIVE),
    ONE_FILE(
            Deviations.attributes(
                    plain -> FalseReplies.attributes(plain, plain.mode(), 2, plain.size(), 1)),
            GET_ARCHIVE),
    TYPE_UNKNOWN(Deviations.nfs(FalseReplies::unknownType)),

    // Limits and changes.
    TRANSFER_0(FalseReplies.transfers(0), PUT),
    TRANSFER_1(FalseReplies.transfers(1)),
    TRANSFER_2_32_1(FalseReplies.transfers(-1)),
    WRITE_NOTHING(FalseReplies.writeCount(0)),
    WRITE_MORE(FalseReplies.writeCount(-1)),
    WRITE_FEW(FalseReplies.writesAtMost(10_000)),
    VERIFIER_CHANGES(FalseReplies.changingVerifiers()),
    CREATES_WITHOUT_HANDLE(FalseReplies.created(Optional.empty()), PUT),
    CREATES_ANOTHER(FalseReplies.created(Optional.of(HonestFiles.ROOT))),
    EXISTS_AND_IS_MISSING(FalseReplies.existsAndIsMissing(), PUT_ARCHIVE),

    // Any reply.
    STATUS_UNKNOWN(Deviations.nfs(FalseReplies::unknownStatus)),
    STALE(Deviations.refuse(Status.STALE)),
    JUKEBOX(Deviations.refuse(Status.JUKEBOX)),
    NOTHING(Deviations.nfs(FalseReplies::nothing)),
    MORE(Deviations.nfs(FalseReplies::more)),
    BITS(Deviations.nfs(FalseReplies::bits), LS),
    HANDLE_OF_4_GIB(Deviations.nfs(FalseReplies::longestHandle), CAT),
    SILENT(Deviations.nfs((_, _, _) -> Deviations.never()), GET),
    SILENT_LATER(
            Deviations.nfs(
                    (_, call, _) ->
                            (call instanceof Nfs3Call.Read
                                            || call instanceof Nfs3Call.Write
                                            || call instanceof Nfs3Call.Rename)
                                    && Deviations.never()),
            PUT_TREE),
    CUT_AT_ONCE(Deviations.cut(250), LS),
    CUT_IN_REPLY(Deviations.cut(700), GET_TREE),
    STALLS_IN_REPLY(Deviations.stall(700), LS);

    final Deviations deviations;

    /** The commands that this lie targets; every build tries them. */
    final Set<TrialCommand> first;

    Lie(Deviations deviations, TrialCommand... first) {
        this.deviations = deviations;
        this.first = first.length == 0 ? Set.of() : EnumSet.copyOf(List.of(first));
    }

    @Override
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public boolean lasts(TrialCommand command) {
        return switch (this) {
            case SIZE_2_63_1, SIZE_2_32 ->
                    command == CAT
                            || command == CAT_LINK
                            || command == GET
                            || command == GET_TREE
                            || command == GET_ARCHIVE
                            || command == GET_OVER
                            || command == GET_PATTERN;
            case DEEP, DEEP_LONG_NAMES, DEEP_AND_WIDE ->
                    command.isTree() && command != PUT_TREE && command != PUT_ARCHIVE;
            case NAMES_THAT_FIT, LINKS_THAT_FIT -> command.isTree();
            default -> false;
        };
    }
}
