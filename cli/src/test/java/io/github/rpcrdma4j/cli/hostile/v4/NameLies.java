package io.github.rpcrdma4j.cli.hostile.v4;

import static io.github.rpcrdma4j.cli.hostile.TrialCommand.CAT_LINK;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET_ARCHIVE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET_OVER;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET_TREE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.LS;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.LS_LONG;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.PUT_TREE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.RM_TREE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.STAT;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.SYNC_DOWN;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.XATTR;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.XattrResult;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** Lies about names, links, attributes, other places and extended attributes. */
final class NameLies {
    private static final int MIB = 1 << 20;
    private static final int ENTRIES = 100;
    private static final int NAME_BYTES = 255;

    private NameLies() {}

    static List<CompoundLie> all() {
        var all = new ArrayList<CompoundLie>();
        all.addAll(listings());
        all.addAll(links());
        all.addAll(attributes());
        all.addAll(places());
        all.addAll(xattrs());
        return all;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Changes the pages of directories. */
    private interface Paging {
        NameResult.ReadDir page(long cookie, List<NameResult.ReadDir.Entry> honest, long verifier);
    }

    private static Supplier<Lying> pages(Paging paging) {
        return () ->
                asked -> {
                    var honest = asked.honestly();
                    var listing = asked.first(NameArguments.ReadDir.class);
                    return listing.isEmpty()
                            ? honest
                            : honest.with(
                                    NameResult.ReadDir.class,
                                    each -> {
                                        var page = (NameResult.ReadDir) each;
                                        return page.entries().isEmpty()
                                                ? page
                                                : paging.page(
                                                        listing.get().cookie(),
                                                        page.entries(),
                                                        page.verifier());
                                    });
                };
    }

    private static Supplier<Lying> name(String name) {
        return name(bytes(name));
    }

    private static Supplier<Lying> name(byte[] name) {
        return pages(
                (_, honest, verifier) ->
                        new NameResult.ReadDir(
                                verifier, List.of(entry(9, name, honest.getFirst())), true));
    }

    private static NameResult.ReadDir.Entry entry(
            long cookie, byte[] name, NameResult.ReadDir.Entry like) {
        return new NameResult.ReadDir.Entry(cookie, new FileName(name), like.attributes());
    }

    private static Supplier<Lying> cookies(LongFunction<Long> next) {
        return pages(
                (cookie, honest, verifier) ->
                        new NameResult.ReadDir(
                                verifier,
                                List.of(
                                        entry(
                                                next.apply(cookie),
                                                bytes("n" + cookie),
                                                honest.getFirst())),
                                false));
    }

    private static Supplier<Lying> endless(int count, int nameBytes) {
        var next = new AtomicLong();
        return pages(
                (_, honest, verifier) -> {
                    var entries = new ArrayList<NameResult.ReadDir.Entry>();
                    for (int i = 0; i < count; i++) {
                        long number = next.incrementAndGet();
                        var name = "n" + number + "-";
                        entries.add(
                                entry(
                                        number + 2,
                                        bytes(name + "x".repeat(nameBytes - name.length())),
                                        honest.getFirst()));
                    }
                    return new NameResult.ReadDir(verifier, entries, false);
                });
    }

    private static List<CompoundLie> listings() {
        return List.of(
                CompoundLie.of("cookies-stay", cookies(_ -> 7L), LS, GET_TREE),
                CompoundLie.of("cookies-circle", cookies(cookie -> (cookie + 1) % 4 + 3), LS),
                CompoundLie.of("cookies-zero", cookies(_ -> 0L), LS, RM_TREE),
                CompoundLie.of(
                        "pages-empty",
                        pages(
                                (_, _, verifier) ->
                                        new NameResult.ReadDir(verifier, List.of(), false)),
                        LS,
                        SYNC_DOWN),
                CompoundLie.large("names-without-end", endless(20, NAME_BYTES), LS),
                CompoundLie.large("names-of-64-kib", endless(1, 64 << 10), LS_LONG),
                CompoundLie.of("names-of-60-mib", endless(150_000, NAME_BYTES), LS),
                CompoundLie.of("listing-verifiers", verifiers(), GET_TREE),
                CompoundLie.of(
                        "name-error",
                        AttributeChange.of(Attribute.RDATTR_ERROR, new byte[] {0, 0, 0, 5}),
                        LS_LONG,
                        GET_TREE),
                CompoundLie.of("name-empty", name(""), GET_TREE, LS, RM_TREE),
                CompoundLie.believed("name-dot", name("."), GET_TREE, RM_TREE),
                CompoundLie.believed("name-dots", name(".."), GET_TREE, RM_TREE, SYNC_DOWN),
                CompoundLie.of("name-up", name("../canary/kept"), GET_TREE, GET_OVER, SYNC_DOWN),
                CompoundLie.of("name-absolute", name("/etc/passwd"), GET_TREE),
                CompoundLie.of("name-nul", name("kept\0x"), GET_TREE, LS),
                CompoundLie.believed(
                        "name-controls",
                        name("\u001b]0;owned\u0007\u001b[2J\r\n\u202erm"),
                        LS,
                        GET_TREE),
                CompoundLie.believed(
                        "name-bytes",
                        name(new byte[] {(byte) 0x9b, '3', '1', 'm', (byte) 0xff}),
                        LS));
    }

    private static Supplier<Lying> verifiers() {
        var next = new AtomicLong();
        return Lies.each(
                NameResult.ReadDir.class,
                each ->
                        new NameResult.ReadDir(
                                next.incrementAndGet(), each.entries(), each.isLast()));
    }

    private static Supplier<Lying> text(byte[] text) {
        return Lies.each(
                NameResult.ReadLink.class,
                _ -> new NameResult.ReadLink(MemorySegment.ofArray(text), () -> {}));
    }

    private static List<CompoundLie> links() {
        return List.of(
                CompoundLie.of("link-64-mib", text(new byte[60 * MIB]), CAT_LINK, LS_LONG),
                CompoundLie.of("link-64-kib", text(new byte[64 << 10]), CAT_LINK, GET_ARCHIVE),
                CompoundLie.of("link-empty", text(new byte[0]), CAT_LINK, GET_TREE),
                CompoundLie.of("link-nul", text(bytes("file\0x")), CAT_LINK, GET_TREE),
                CompoundLie.believed(
                        "link-up", text(bytes("../../canary/kept")), GET_ARCHIVE, CAT_LINK),
                CompoundLie.of("link-itself", text(bytes("link")), CAT_LINK),
                CompoundLie.of(
                        "link-wide", text(bytes("directory/../".repeat(300) + "link")), CAT_LINK));
    }

    private static byte[] word(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    private static byte[] hyper(long value) {
        return ByteBuffer.allocate(8).putLong(value).array();
    }

    /** Tells an owner of some bytes, and nothing else. */
    private static Supplier<Lying> owner(int bytes) {
        byte[] value = new byte[4 + bytes];
        ByteBuffer.wrap(value).putInt(bytes);
        var lie = EncodedAttributes.of(AttributeSet.of(Attribute.OWNER), value);
        return AttributeChange.all(
                honest -> honest.attributes().has(Attribute.OWNER) ? lie : honest);
    }

    private static List<CompoundLie> attributes() {
        return List.of(
                CompoundLie.of("owner-64-kib", owner(64 << 10), LS_LONG, GET),
                CompoundLie.of("owner-1-mib", owner(MIB), LS_LONG, GET),
                CompoundLie.of("owner-60-mib", owner(60 * MIB), LS_LONG, GET),
                CompoundLie.of(
                        "attributes-none",
                        AttributeChange.all(_ -> EncodedAttributes.NONE),
                        GET,
                        LS_LONG),
                CompoundLie.of(
                        "type-unknown", AttributeChange.of(Attribute.TYPE, word(99)), GET, LS_LONG),
                CompoundLie.of(
                        "type-directory",
                        AttributeChange.of(Attribute.TYPE, word(2)),
                        GET,
                        GET_TREE),
                CompoundLie.of(
                        "type-link",
                        AttributeChange.of(Attribute.TYPE, word(5)),
                        GET_TREE,
                        PUT_TREE),
                CompoundLie.believed(
                        "size-0", AttributeChange.of(Attribute.SIZE, hyper(0)), GET, GET_TREE),
                CompoundLie.of(
                        "size-2-63",
                        AttributeChange.of(Attribute.SIZE, hyper(Long.MIN_VALUE)),
                        GET),
                CompoundLie.of(
                        "size-2-64-1", AttributeChange.of(Attribute.SIZE, hyper(-1)), GET, STAT),
                CompoundLie.of(
                        "one-fileid",
                        AttributeChange.of(Attribute.FILEID, hyper(7)),
                        GET_ARCHIVE,
                        GET_TREE),
                CompoundLie.of("handle-empty", handle(0), LS_LONG, GET_TREE, RM_TREE),
                CompoundLie.of("handle-of-1000", handle(1000), LS_LONG, GET_TREE, RM_TREE),
                CompoundLie.believed(
                        "times-latest",
                        times(Long.MAX_VALUE, 999_999_999),
                        LS_LONG,
                        GET_ARCHIVE,
                        SYNC_DOWN),
                CompoundLie.believed(
                        "times-earliest",
                        times(Long.MIN_VALUE, 0),
                        LS_LONG,
                        GET_ARCHIVE,
                        SYNC_DOWN),
                CompoundLie.of("times-nanos", times(0, -1), LS_LONG, GET_ARCHIVE),
                CompoundLie.of("many-fsids", fsids(), LS_LONG, GET_TREE, PUT_TREE),
                CompoundLie.of(
                        "values-cut", values(honest -> honest.uint32(1).uint32(-1).uint32(0)), GET),
                CompoundLie.of(
                        "values-of-4-gib",
                        values(honest -> honest.uint32(1).uint32(2).uint32(-1)),
                        GET),
                CompoundLie.of(
                        "bitmap-of-4-gib", values(honest -> honest.uint32(-1)), GET, LS_LONG));
    }

    private static Supplier<Lying> values(Consumer<XdrWriter> body) {
        return Lies.body(Opcode.GETATTR, body);
    }

    /** Tells other attributes of regular files. */
    private static Supplier<Lying> regular(EncodedAttributes lie) {
        return AttributeChange.all(honest -> AttributeChange.isRegular(honest) ? lie : honest);
    }

    private static Supplier<Lying> handle(int bytes) {
        var values = ByteBuffer.allocate(4 + 8 + 16 + 4 + bytes);
        values.putInt(1).putLong(5).putLong(1).putLong(2).putInt(bytes);
        return regular(
                EncodedAttributes.of(
                        AttributeSet.of(
                                Attribute.TYPE,
                                Attribute.SIZE,
                                Attribute.FSID,
                                Attribute.FILEHANDLE),
                        values.array()));
    }

    private static Supplier<Lying> times(long seconds, int nanos) {
        var values = ByteBuffer.allocate(4 + 8 + 16 + 3 * 12);
        values.putInt(1).putLong(5).putLong(1).putLong(2);
        for (int i = 0; i < 3; i++) {
            values.putLong(seconds).putInt(nanos);
        }
        return regular(
                EncodedAttributes.of(
                        AttributeSet.of(
                                Attribute.TYPE,
                                Attribute.SIZE,
                                Attribute.FSID,
                                Attribute.TIME_ACCESS,
                                Attribute.TIME_METADATA,
                                Attribute.TIME_MODIFY),
                        values.array()));
    }

    private static Supplier<Lying> fsids() {
        return () -> {
            var next = new AtomicLong();
            return asked ->
                    AttributeChange.of(
                                    Attribute.FSID,
                                    ByteBuffer.allocate(16).putLong(next.incrementAndGet()).array())
                            .get()
                            .tell(asked);
        };
    }

    /** Says of each name that it is elsewhere, and where. */
    private static Supplier<Lying> moved(Consumer<XdrWriter> where) {
        return () ->
                asked -> {
                    boolean isAskedWhere =
                            asked.first(AttributeArguments.GetAttr.class)
                                    .filter(each -> each.wanted().has(Attribute.FS_LOCATIONS))
                                    .isPresent();
                    return isAskedWhere
                            ? asked.honestly().withBody(Opcode.GETATTR, where)
                            : asked.honestly()
                                    .failingAt(Opcode.LOOKUP, Nfs4Status.MOVED.number())
                                    .failingAt(Opcode.OPEN, Nfs4Status.MOVED.number());
                };
    }

    private static Consumer<XdrWriter> locations(Consumer<XdrWriter> values) {
        return out -> {
            AttributeSet.of(Attribute.FS_LOCATIONS).encode(out);
            try (var inner = new XdrWriter(new SegmentPool(1 << 16))) {
                values.accept(inner);
                out.opaque(inner.reducedStream());
            }
        };
    }

    private static XdrWriter path(XdrWriter out, String... names) {
        out.uint32(names.length);
        for (var each : names) {
            out.opaque(bytes(each));
        }
        return out;
    }

    private static List<CompoundLie> places() {
        return List.of(
                CompoundLie.of(
                        "moved-here",
                        moved(
                                locations(
                                        out -> {
                                            path(out, "data").uint32(1);
                                            out.uint32(1).opaque(bytes("127.0.0.1"));
                                            path(out, "data");
                                        })),
                        LS_LONG,
                        GET),
                CompoundLie.of(
                        "moved-controls",
                        moved(
                                locations(
                                        out -> {
                                            path(out, "data").uint32(1);
                                            out.uint32(1).opaque(bytes("\u001b[2J\r\n"));
                                            path(out, "..", "a\0b", "\u001b]0;x\u0007");
                                        })),
                        LS_LONG,
                        GET),
                CompoundLie.of(
                        "moved-to-many",
                        moved(
                                locations(
                                        out -> {
                                            path(out, "data").uint32(1000);
                                            for (int i = 0; i < 1000; i++) {
                                                out.uint32(1).opaque(bytes("host" + i));
                                                path(out, "x".repeat(50));
                                            }
                                        })),
                        LS_LONG,
                        PUT_TREE),
                CompoundLie.of(
                        "moved-nowhere",
                        moved(locations(out -> path(out, "data").uint32(0))),
                        LS_LONG),
                CompoundLie.of("moved-4-gib", moved(locations(out -> out.uint32(-1))), LS_LONG));
    }

    private static Supplier<Lying> list(LongFunction<XattrResult.ListXattrs> pages) {
        var next = new AtomicLong();
        return Lies.each(XattrResult.ListXattrs.class, _ -> pages.apply(next.incrementAndGet()));
    }

    private static XattrResult.ListXattrs list(long cookie, boolean isLast, String... names) {
        return new XattrResult.ListXattrs(
                cookie,
                Arrays.stream(names).map(each -> new FileName(bytes(each))).toList(),
                isLast);
    }

    private static List<CompoundLie> xattrs() {
        return List.of(
                CompoundLie.of("xattrs-empty", list(n -> list(n, false)), XATTR, GET_ARCHIVE),
                CompoundLie.of("xattrs-same", list(_ -> list(1, false, "a")), XATTR, GET_ARCHIVE),
                CompoundLie.of(
                        "xattrs-without-end",
                        list(n -> list(n, false, "a" + n, "x".repeat(200) + n)),
                        XATTR,
                        GET_ARCHIVE),
                CompoundLie.of(
                        "xattrs-names",
                        list(n -> list(n, true, "", "a\0b", "../x", "\u001b[2J\r\n")),
                        XATTR,
                        GET_ARCHIVE),
                CompoundLie.of(
                        "xattrs-of-60-mib",
                        list(n -> list(n, true, "x".repeat(60 * MIB))),
                        XATTR,
                        GET_ARCHIVE),
                CompoundLie.of(
                        "xattr-of-60-mib",
                        Lies.each(
                                XattrResult.GetXattr.class,
                                _ ->
                                        new XattrResult.GetXattr(
                                                MemorySegment.ofArray(new byte[60 * MIB]))),
                        XATTR,
                        GET_ARCHIVE));
    }
}
