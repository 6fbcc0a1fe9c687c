package io.github.rpcrdma4j.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.Golden;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.FileAndWcc;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.ReplyFormat;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.TwoWcc;
import io.github.rpcrdma4j.nfs.v3.SetAttributes.TimeChange;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.xdr.XdrException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Goal: every message is equal after encoding and decoding. Method: random messages. */
class RandomMessagesTest {
    private static final int RUNS = 300;

    /** Generates random parts of messages. */
    private record Draw(RandomGenerator random) {
        int word() {
            return random.nextInt();
        }

        byte[] bytes(int max) {
            byte[] bytes = new byte[random.nextInt(max + 1)];
            random.nextBytes(bytes);
            return bytes;
        }

        FileHandle handle() {
            return new FileHandle(bytes(Nfs3.HANDLE_MAX));
        }

        /** Returns random bytes, which are seldom valid UTF-8. */
        FileName name() {
            return new FileName(bytes(100));
        }

        DirOpArgs dirOpArgs() {
            return new DirOpArgs(handle(), name());
        }

        Timestamp time() {
            return new Timestamp(word(), word());
        }

        <T> Optional<T> maybe(Supplier<T> value) {
            return random.nextBoolean() ? Optional.of(value.get()) : Optional.empty();
        }

        <T> T one(T[] values) {
            return values[random.nextInt(values.length)];
        }

        OptionalInt maybeWord() {
            return random.nextBoolean() ? OptionalInt.of(word()) : OptionalInt.empty();
        }

        TimeChange timeChange() {
            return switch (random.nextInt(3)) {
                case 0 -> new TimeChange.Keep();
                case 1 -> new TimeChange.ToServerTime();
                default -> new TimeChange.To(time());
            };
        }

        SetAttributes changes() {
            return new SetAttributes(
                    maybeWord(),
                    maybeWord(),
                    maybeWord(),
                    random.nextBoolean()
                            ? OptionalLong.of(random.nextLong())
                            : OptionalLong.empty(),
                    timeChange(),
                    timeChange());
        }

        FileAttributes attributes() {
            return new FileAttributes(
                    one(FileType.values()),
                    word(),
                    word(),
                    word(),
                    word(),
                    random.nextLong(),
                    random.nextLong(),
                    random.nextLong(),
                    random.nextLong(),
                    random.nextLong(),
                    time(),
                    time(),
                    time());
        }

        Optional<FileAttributes> file() {
            return maybe(this::attributes);
        }

        WccData wcc() {
            return new WccData(
                    maybe(() -> new WccData.Before(random.nextLong(), time(), time())), file());
        }

        CreateMode mode() {
            return switch (random.nextInt(3)) {
                case 0 -> new CreateMode.Unchecked(changes());
                case 1 -> new CreateMode.Guarded(changes());
                default -> new CreateMode.Exclusive(random.nextLong());
            };
        }

        Nfs3Call<?, ?> node() {
            var type = one(FileType.values());
            return switch (type) {
                case BLOCK_DEVICE, CHARACTER_DEVICE ->
                        new Nfs3Call.MakeNode(dirOpArgs(), type, changes(), random.nextLong());
                case SOCKET, FIFO -> new Nfs3Call.MakeNode(dirOpArgs(), type, changes(), 0);
                case REGULAR, DIRECTORY, SYMBOLIC_LINK ->
                        new Nfs3Call.MakeNode(dirOpArgs(), type, SetAttributes.NONE, 0);
            };
        }

        Nfs3Call<?, ?> call(Procedure procedure) {
            return switch (procedure) {
                case NULL -> throw new IllegalArgumentException("NULL has no arguments");
                case GETATTR -> new Nfs3Call.GetAttributes(handle());
                case SETATTR ->
                        new Nfs3Call.ChangeAttributes(handle(), changes(), maybe(this::time));
                case LOOKUP -> new Nfs3Call.Lookup(dirOpArgs());
                case ACCESS -> new Nfs3Call.Access(handle(), word());
                case READLINK -> new Nfs3Call.ReadLink(handle());
                case READ -> new Nfs3Call.Read(handle(), random.nextLong(), word());
                case WRITE ->
                        new Nfs3Call.Write(
                                handle(),
                                random.nextLong(),
                                one(Stability.values()),
                                MemorySegment.ofArray(bytes(99)));
                case CREATE -> new Nfs3Call.Create(dirOpArgs(), mode());
                case MKDIR -> new Nfs3Call.MakeDirectory(dirOpArgs(), changes());
                case SYMLINK ->
                        new Nfs3Call.MakeSymbolicLink(
                                dirOpArgs(), changes(), new PathName(bytes(100)));
                case MKNOD -> node();
                case REMOVE -> new Nfs3Call.Remove(dirOpArgs());
                case RMDIR -> new Nfs3Call.RemoveDirectory(dirOpArgs());
                case RENAME -> new Nfs3Call.Rename(dirOpArgs(), dirOpArgs());
                case LINK -> new Nfs3Call.Link(handle(), dirOpArgs());
                case READDIR ->
                        new Nfs3Call.ReadDirectory(
                                handle(), random.nextLong(), random.nextLong(), word());
                case READDIRPLUS ->
                        new Nfs3Call.ReadDirectoryPlus(
                                handle(), random.nextLong(), random.nextLong(), word(), word());
                case FSSTAT -> new Nfs3Call.FsStat(handle());
                case FSINFO -> new Nfs3Call.FsInfo(handle());
                case PATHCONF -> new Nfs3Call.PathConf(handle());
                case COMMIT -> new Nfs3Call.Commit(handle(), random.nextLong(), word());
            };
        }

        /** Returns the attributes of a reply. */
        Object attributes(Procedure procedure) {
            return switch (procedure) {
                case NULL, GETATTR -> Nothing.NOTHING;
                case LOOKUP,
                        ACCESS,
                        READLINK,
                        READ,
                        READDIR,
                        READDIRPLUS,
                        FSSTAT,
                        FSINFO,
                        PATHCONF ->
                        file();
                case SETATTR, WRITE, CREATE, MKDIR, SYMLINK, MKNOD, REMOVE, RMDIR, COMMIT -> wcc();
                case RENAME -> new TwoWcc(wcc(), wcc());
                case LINK -> new FileAndWcc(file(), wcc());
            };
        }

        /** Returns the value of a reply. */
        Object value(Procedure procedure) {
            return switch (procedure) {
                case NULL, SETATTR, REMOVE, RMDIR, RENAME, LINK -> Nothing.NOTHING;
                case GETATTR -> attributes();
                case LOOKUP -> new Nfs3Results.Found(handle(), file());
                case ACCESS -> word();
                case READLINK ->
                        new Nfs3Results.LinkText(MemorySegment.ofArray(bytes(99)), () -> {});
                case READ ->
                        new Nfs3Results.ReadData(
                                MemorySegment.ofArray(bytes(99)), random.nextBoolean(), () -> {});
                case WRITE ->
                        new Nfs3Results.Written(word(), one(Stability.values()), random.nextLong());
                case CREATE, MKDIR, SYMLINK, MKNOD ->
                        new Nfs3Results.Created(maybe(this::handle), file());
                case READDIR, READDIRPLUS -> page(procedure == Procedure.READDIRPLUS);
                case FSSTAT ->
                        new Nfs3Results.Space(
                                random.nextLong(),
                                random.nextLong(),
                                random.nextLong(),
                                random.nextLong(),
                                random.nextLong(),
                                random.nextLong(),
                                word());
                case FSINFO ->
                        new Nfs3Results.FileSystemInfo(
                                word(),
                                word(),
                                word(),
                                word(),
                                word(),
                                word(),
                                word(),
                                random.nextLong(),
                                time(),
                                word());
                case PATHCONF ->
                        new Nfs3Results.PathConfiguration(
                                word(),
                                word(),
                                random.nextBoolean(),
                                random.nextBoolean(),
                                random.nextBoolean(),
                                random.nextBoolean());
                case COMMIT -> random.nextLong();
            };
        }

        DirectoryPage page(boolean plus) {
            var entries =
                    Stream.generate(
                                    () ->
                                            new DirectoryPage.Entry(
                                                    random.nextLong(),
                                                    name(),
                                                    random.nextLong(),
                                                    plus ? file() : Optional.empty(),
                                                    plus ? maybe(this::handle) : Optional.empty()))
                            .limit(random.nextInt(6))
                            .toList();
            return new DirectoryPage(random.nextLong(), entries, random.nextBoolean());
        }
    }

    @Test
    void bringsEveryCallBack() throws Exception {
        var draw = new Draw(new SplittableRandom(Seeds.one()));
        for (int run = 0; run < RUNS; run++) {
            for (var procedure : Procedure.values()) {
                if (procedure != Procedure.NULL) {
                    var call = draw.call(procedure);
                    byte[] bytes = Golden.flat(call::encode);
                    var back = Nfs3CallDecoder.decode(procedure, Golden.reader(bytes));
                    assertArrayEquals(bytes, Golden.flat(back::encode), call::toString);
                    if (procedure != Procedure.WRITE) {
                        assertEquals(call, back);
                    }
                }
            }
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    void bringsEveryReplyBack() throws Exception {
        var draw = new Draw(new SplittableRandom(Seeds.one()));
        for (int run = 0; run < RUNS; run++) {
            for (var procedure : Procedure.values()) {
                if (procedure != Procedure.NULL) {
                    var format = (ReplyFormat<Object, Object>) draw.call(procedure).replyFormat();
                    var status = draw.one(Status.values());
                    var attributes = draw.attributes(procedure);
                    Nfs3Reply<Object, Object> reply =
                            status == Status.OK || run % 2 == 0
                                    ? new Nfs3Reply.Ok<>(attributes, draw.value(procedure))
                                    : new Nfs3Reply.Failed<>(status, attributes);
                    byte[] bytes = Golden.flat(out -> format.encode(out, reply));
                    var back = format.decode(Golden.reader(bytes));
                    assertArrayEquals(bytes, Golden.flat(out -> format.encode(out, back)));
                    if (procedure != Procedure.READ && procedure != Procedure.READLINK) {
                        assertEquals(reply, back);
                    }
                }
            }
        }
    }

    /** Goal: random bytes decode to a value or cause an XdrException. */
    @Test
    void survivesRandomBytes() {
        var draw = new Draw(new SplittableRandom(Seeds.one()));
        for (int run = 0; run < RUNS; run++) {
            for (var procedure : Procedure.values()) {
                if (procedure != Procedure.NULL) {
                    byte[] bytes = draw.bytes(300);
                    // Small words form lengths and union discriminants that let decoding go on;
                    // random ones end it at once.
                    for (int at = 0; at + 3 < bytes.length; at += 4) {
                        if (draw.random.nextInt(4) > 0) {
                            bytes[at] = 0;
                            bytes[at + 1] = 0;
                            bytes[at + 2] = 0;
                            bytes[at + 3] &= 3;
                        }
                    }
                    var format = draw.call(procedure).replyFormat();
                    survives(() -> Nfs3CallDecoder.decode(procedure, Golden.reader(bytes)));
                    survives(() -> format.decode(Golden.reader(bytes)));
                }
            }
        }
    }

    private interface Decoding {
        Object decode() throws XdrException;
    }

    private static void survives(Decoding decoding) {
        try {
            decoding.decode();
        } catch (XdrException expected) {
            assertFalse(expected.getMessage().isEmpty());
        }
    }
}
