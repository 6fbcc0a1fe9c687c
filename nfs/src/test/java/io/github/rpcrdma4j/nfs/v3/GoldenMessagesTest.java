package io.github.rpcrdma4j.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.Golden;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.FileAndWcc;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results.FileSystemInfo;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results.PathConfiguration;
import io.github.rpcrdma4j.nfs.v3.SetAttributes.TimeChange;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Goal: the codecs agree with independently written messages. */
class GoldenMessagesTest {
    private static final FileHandle LONG = handle(32);
    private static final FileHandle SHORT = new FileHandle(new byte[] {10, 11, 12});
    private static final FileAttributes FILE =
            new FileAttributes(
                    FileType.REGULAR,
                    0644,
                    2,
                    1000,
                    100,
                    4999,
                    8192,
                    0,
                    0xfe,
                    0x1_0000_0002L,
                    new Timestamp(0x5f5e1000, 1),
                    new Timestamp(0x5f5e1001, 2),
                    new Timestamp(0x5f5e1002, 3));
    private static final Optional<FileAttributes> NO_FILE = Optional.empty();
    private static final WccData WCC =
            new WccData(
                    Optional.of(
                            new WccData.Before(
                                    5000,
                                    new Timestamp(0x5f5e0fff, 9),
                                    new Timestamp(0x5f5e0ffe, 8))),
                    Optional.of(FILE));

    private static FileHandle handle(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
        }
        return new FileHandle(bytes);
    }

    private static void isCall(String name, Nfs3Call<?, ?> call) throws XdrException {
        byte[] bytes = Golden.bytes(name);
        assertEquals(call, Nfs3CallDecoder.decode(call.procedure(), Golden.reader(bytes)));
        assertArrayEquals(bytes, Golden.flat(call::encode));
    }

    private static <A, T> void isReply(String name, Nfs3Call<A, T> call, Nfs3Reply<A, T> reply)
            throws XdrException {
        byte[] bytes = Golden.bytes(name);
        assertEquals(reply, call.replyFormat().decode(Golden.reader(bytes)));
        assertArrayEquals(bytes, Golden.flat(out -> call.replyFormat().encode(out, reply)));
    }

    @Test
    void knowsCallsOnOneFile() throws Exception {
        isCall("call-read", new Nfs3Call.Read(LONG, 0, 8192));
        var changes =
                new SetAttributes(
                        OptionalInt.of(0755),
                        OptionalInt.empty(),
                        OptionalInt.of(-1),
                        OptionalLong.of(1L << 32),
                        new TimeChange.ToServerTime(),
                        new TimeChange.To(new Timestamp(0x5f5e1000, 5)));
        var guard = Optional.of(new Timestamp(0x5f5e1002, 3));
        isCall("call-setattr", new Nfs3Call.ChangeAttributes(SHORT, changes, guard));
    }

    @Test
    void knowsCallsOnNames() throws Exception {
        isCall(
                "call-create-exclusive",
                new Nfs3Call.Create(
                        new DirOpArgs(SHORT, "name1"),
                        new CreateMode.Exclusive(0x0102_0304_0506_0708L)));
        isCall(
                "call-symlink",
                new Nfs3Call.MakeSymbolicLink(
                        new DirOpArgs(SHORT, "l"), SetAttributes.NONE, PathName.of("../abc")));
        isCall(
                "call-mknod-block",
                new Nfs3Call.MakeNode(
                        new DirOpArgs(SHORT, "sd"),
                        FileType.BLOCK_DEVICE,
                        SetAttributes.ofMode(0600),
                        8L << 32 | 1));
        isCall(
                "call-rename",
                new Nfs3Call.Rename(
                        new DirOpArgs(SHORT, "a"),
                        new DirOpArgs(new FileHandle(new byte[] {13}), "\u00e4b")));
    }

    @Test
    void knowsCallsThatList() throws Exception {
        isCall("call-readdir", new Nfs3Call.ReadDirectory(LONG, 0, 0, 8192));
        isCall(
                "call-readdirplus",
                new Nfs3Call.ReadDirectoryPlus(SHORT, 7, Long.MIN_VALUE + 1, 1024, 32768));
    }

    @Test
    void knowsRepliesThatChangeNothing() throws Exception {
        isReply(
                "reply-getattr",
                new Nfs3Call.GetAttributes(SHORT),
                new Nfs3Reply.Ok<>(Nothing.NOTHING, FILE));
        isReply(
                "reply-lookup",
                new Nfs3Call.Lookup(new DirOpArgs(SHORT, "f")),
                new Nfs3Reply.Ok<>(NO_FILE, new Nfs3Results.Found(SHORT, Optional.of(FILE))));
        isReply(
                "reply-fsinfo",
                new Nfs3Call.FsInfo(SHORT),
                new Nfs3Reply.Ok<>(
                        NO_FILE,
                        new FileSystemInfo(
                                1 << 20,
                                1 << 19,
                                4096,
                                1 << 21,
                                1 << 18,
                                512,
                                65536,
                                Long.MAX_VALUE,
                                new Timestamp(0, 1),
                                FileSystemInfo.HARD_LINKS
                                        | FileSystemInfo.SYMBOLIC_LINKS
                                        | FileSystemInfo.HOMOGENEOUS
                                        | FileSystemInfo.CAN_SET_TIME)));
        isReply(
                "reply-pathconf",
                new Nfs3Call.PathConf(SHORT),
                new Nfs3Reply.Ok<>(
                        NO_FILE, new PathConfiguration(32000, 255, true, true, false, true)));
    }

    @Test
    void knowsRepliesThatChangeSomething() throws Exception {
        isReply(
                "reply-setattr-not-sync",
                new Nfs3Call.ChangeAttributes(SHORT, SetAttributes.NONE, Optional.empty()),
                new Nfs3Reply.Failed<>(Status.NOT_SYNC, WCC));
        isReply(
                "reply-write",
                new Nfs3Call.Write(SHORT, 0, Stability.FILE_SYNC, MemorySegment.NULL),
                new Nfs3Reply.Ok<>(
                        WCC,
                        new Nfs3Results.Written(
                                4093, Stability.FILE_SYNC, 0x0123_4567_89ab_cdefL)));
        isReply(
                "reply-create",
                new Nfs3Call.MakeDirectory(new DirOpArgs(SHORT, "d"), SetAttributes.NONE),
                new Nfs3Reply.Ok<>(
                        WCC, new Nfs3Results.Created(Optional.of(SHORT), Optional.of(FILE))));
        isReply(
                "reply-link",
                new Nfs3Call.Link(SHORT, new DirOpArgs(SHORT, "l")),
                new Nfs3Reply.Ok<>(new FileAndWcc(Optional.of(FILE), WCC), Nothing.NOTHING));
        isReply(
                "reply-commit",
                new Nfs3Call.Commit(SHORT, 0, 0),
                new Nfs3Reply.Ok<>(WccData.UNKNOWN, 0xfedc_ba98_7654_3210L));
    }

    @Test
    void knowsAPageOfADirectory() throws Exception {
        var parent =
                new DirectoryPage.Entry(
                        0x1_0000_0002L, FileName.PARENT, 2, Optional.empty(), Optional.empty());
        var file =
                new DirectoryPage.Entry(
                        0x1_0000_0002L, FileName.of("f"), 3, Optional.of(FILE), Optional.of(SHORT));
        isReply(
                "reply-readdirplus",
                new Nfs3Call.ReadDirectoryPlus(SHORT, 0, 0, 1024, 32768),
                new Nfs3Reply.Ok<>(NO_FILE, new DirectoryPage(42, List.of(parent, file), true)));
    }

    /** RFC 8267, Section 4: the data of a READ is in a Write chunk, outside the payload stream. */
    @Test
    void takesTheDataOfAReadFromWhereItWasPlaced() throws Exception {
        byte[] bytes = Golden.bytes("reply-read-reduced");
        var placed = MemorySegment.ofArray(new byte[4999]);
        placed.fill((byte) 0x55);
        var format = new Nfs3Call.Read(LONG, 0, 8192).replyFormat();
        var reply = format.decode(new XdrReader(MemorySegment.ofArray(bytes), new Once(placed)));
        var ok = assertInstanceOf(Nfs3Reply.Ok.class, reply);
        var read = assertInstanceOf(Nfs3Results.ReadData.class, ok.value());
        assertEquals(-1, placed.mismatch(read.data()));
        assertEquals(true, read.endOfFile());
        try (var out = new XdrWriter(Golden.POOL)) {
            format.encode(out, reply);
            assertArrayEquals(bytes, out.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /** Provides a single placed item, at any position. */
    private record Once(MemorySegment placed) implements Placements {
        @Override
        public MemorySegment take(long position, long count) throws XdrException {
            if (count != placed.byteSize()) {
                throw new XdrException("other bytes were placed");
            }
            return placed;
        }

        @Override
        public void skipAbsent() {}

        @Override
        public void finish() {}
    }

    /** RFC 1813, Section 3, defines the numbers; the order of the constants does not matter. */
    @Test
    void numbersProceduresTypesAndStatuses() {
        assertEquals(
                "NULL=0 GETATTR=1 SETATTR=2 LOOKUP=3 ACCESS=4 READLINK=5 READ=6 WRITE=7 CREATE=8"
                        + " MKDIR=9 SYMLINK=10 MKNOD=11 REMOVE=12 RMDIR=13 RENAME=14 LINK=15"
                        + " READDIR=16 READDIRPLUS=17 FSSTAT=18 FSINFO=19 PATHCONF=20 COMMIT=21",
                Stream.of(Procedure.values())
                        .map(each -> each + "=" + each.number())
                        .collect(Collectors.joining(" ")));
        assertEquals(
                "REGULAR=1 DIRECTORY=2 BLOCK_DEVICE=3 CHARACTER_DEVICE=4 SYMBOLIC_LINK=5 SOCKET=6"
                        + " FIFO=7",
                Stream.of(FileType.values())
                        .map(each -> each + "=" + each.number())
                        .collect(Collectors.joining(" ")));
        assertEquals(
                "OK=0 PERM=1 NOENT=2 IO=5 NXIO=6 ACCES=13 EXIST=17 XDEV=18 NODEV=19 NOTDIR=20"
                        + " ISDIR=21 INVAL=22 FBIG=27 NOSPC=28 ROFS=30 MLINK=31 NAMETOOLONG=63"
                        + " NOTEMPTY=66 DQUOT=69 STALE=70 REMOTE=71 BADHANDLE=10001"
                        + " NOT_SYNC=10002 BAD_COOKIE=10003 NOTSUPP=10004 TOOSMALL=10005"
                        + " SERVERFAULT=10006 BADTYPE=10007 JUKEBOX=10008",
                Stream.of(Status.values())
                        .map(each -> each + "=" + each.number())
                        .collect(Collectors.joining(" ")));
        assertEquals(Status.SERVERFAULT, Status.of(4711));
    }

    /** RFC 1813 defines no character set for names, so any bytes of names are valid. */
    @Test
    void takesNamesAndPathsOfAnyBytes() throws Exception {
        byte[] bytes = Golden.bytes("call-rename");
        bytes[bytes.length - 3] = (byte) 0xff;
        var rename =
                assertInstanceOf(
                        Nfs3Call.Rename.class,
                        Nfs3CallDecoder.decode(Procedure.RENAME, Golden.reader(bytes)));
        assertFalse(rename.to().name().isUtf8());
        assertArrayEquals(bytes, Golden.flat(rename::encode));
        byte[] link = Golden.bytes("call-symlink");
        link[link.length - 3] = (byte) 0xff;
        var symlink =
                assertInstanceOf(
                        Nfs3Call.MakeSymbolicLink.class,
                        Nfs3CallDecoder.decode(Procedure.SYMLINK, Golden.reader(link)));
        assertFalse(symlink.text().isUtf8());
        assertArrayEquals(link, Golden.flat(symlink::encode));
    }

    /** Checks the limit of the decoder; file systems have limits of their own. */
    @Test
    void takesNamesUpToTheirLimit() throws Exception {
        for (int length : new int[] {0, Nfs3.PATH_MAX, Nfs3.PATH_MAX + 1}) {
            var name = new FileName(new byte[length]);
            var lookup = new Nfs3Call.Lookup(new DirOpArgs(SHORT, name));
            byte[] bytes = Golden.flat(lookup::encode);
            if (length > Nfs3.PATH_MAX) {
                assertThrows(
                        XdrException.class,
                        () -> Nfs3CallDecoder.decode(Procedure.LOOKUP, Golden.reader(bytes)));
            } else {
                assertEquals(
                        lookup, Nfs3CallDecoder.decode(Procedure.LOOKUP, Golden.reader(bytes)));
            }
        }
    }

    @Test
    void readsALinkWhateverItsBytes() {
        byte[] text = "caf\u00e9".getBytes(StandardCharsets.ISO_8859_1);
        var path = new Nfs3Results.LinkText(MemorySegment.ofArray(text), () -> {}).path();
        assertArrayEquals(text, path.bytes());
        assertEquals("caf\ufffd", path.toString());
    }
}
