package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes.TimeChange;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments.Locker;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments.SetXattr.Option;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.Timestamp;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The steps of cases, other than OPEN. A stateid is that of the first open unless named. */
final class Steps {
    /** What an extended attribute of a case is called. */
    static final String XATTR = "mark";

    private static final String LOCK_OWNER = "lock owner";
    private static final Timestamp GIVEN =
            new Timestamp(Change.GIVEN.seconds(), Change.GIVEN.nanos());
    private static final SegmentPool POOL = new SegmentPool(1 << 16);
    private static final int LIST_BYTES = 8192;

    private Steps() {}

    /** Makes one operation from a stateid. */
    private interface Made {
        Arguments of(StateId stateId);
    }

    private static Step by(String words, String path, Held held, Made made) {
        return Step.of(
                words + (held == Held.OPEN ? "" : " by " + held.words()),
                holding -> List.of(holding.put(path), made.of(holding.stateId(held))));
    }

    /** Returns a step that has one operation on a file. */
    private static Step on(String path, String words, Arguments operation) {
        return Step.of(words, holding -> List.of(holding.put(path), operation));
    }

    static Step read(String path, Held held) {
        return by("READ " + path, path, held, id -> new DataArguments.Read(id, 0, 100));
    }

    static Step write(String path, Held held) {
        var data = MemorySegment.ofArray("abcd".getBytes(StandardCharsets.UTF_8));
        return by(
                "WRITE " + path,
                path,
                held,
                id -> new DataArguments.Write(id, 8, Stability.FILE_SYNC, data));
    }

    static Step truncate(String path, Held held) {
        return by("SETATTR " + path + " size=2", path, held, id -> setattr(id, size(2)));
    }

    static Step readPlus(String path, Held held) {
        return by("READ_PLUS " + path, path, held, id -> new DataArguments.ReadPlus(id, 0, 100));
    }

    static Step seek(String path, Held held) {
        return by(
                "SEEK " + path,
                path,
                held,
                id -> new DataArguments.Seek(id, 0, DataArguments.Seek.DATA));
    }

    static Step allocate(String path, Held held) {
        return by("ALLOCATE " + path, path, held, id -> new DataArguments.Allocate(id, 0, 20));
    }

    static Step deallocate(String path, Held held) {
        return by("DEALLOCATE " + path, path, held, id -> new DataArguments.Deallocate(id, 0, 4));
    }

    static Step commit(String path) {
        return on(path, "COMMIT " + path, new DataArguments.Commit(0, 0));
    }

    /** Returns a COPY of all of a file, with the stateids of the first and the second open. */
    static Step copy(String from, Held source, String to, Held target) {
        return Step.of(
                "COPY %s to %s".formatted(from, to),
                holding ->
                        List.of(
                                holding.put(from),
                                new HandleArguments.SaveFh(),
                                holding.put(to),
                                new CopyArguments.Copy(
                                        holding.stateId(source),
                                        holding.stateId(target),
                                        0,
                                        0,
                                        10,
                                        true,
                                        true,
                                        List.of())));
    }

    static Step cloned(String from, Held source, String to, Held target) {
        return Step.of(
                "CLONE %s to %s".formatted(from, to),
                holding ->
                        List.of(
                                holding.put(from),
                                new HandleArguments.SaveFh(),
                                holding.put(to),
                                new CopyArguments.Clone(
                                        holding.stateId(source),
                                        holding.stateId(target),
                                        0,
                                        0,
                                        0)));
    }

    static Step close(String path) {
        return Step.of(
                "CLOSE " + path,
                holding ->
                        List.of(
                                holding.put(path),
                                new StateArguments.Close(
                                        holding.count(holding.ownerOf(Held.OPEN)),
                                        holding.stateId(Held.OPEN))));
    }

    /** Returns a DELEGRETURN of the delegation of a file. */
    static Step delegreturn(String path) {
        return by("DELEGRETURN " + path, path, Held.DELEGATION, StateArguments.DelegReturn::new);
    }

    static Step downgrade(String path, int access) {
        return Step.of(
                "OPEN_DOWNGRADE %s %s".formatted(path, Opening.words(access)),
                holding ->
                        List.of(
                                holding.put(path),
                                new StateArguments.OpenDowngrade(
                                        holding.stateId(Held.OPEN),
                                        holding.count(holding.ownerOf(Held.OPEN)),
                                        access,
                                        0)));
    }

    /** Returns a LOCK of the whole file by a lock owner of the first open. */
    static Step lock(String path, LockType type) {
        return Step.of(
                "LOCK %s %s".formatted(path, type),
                holding -> {
                    int open = holding.count(holding.ownerOf(Held.OPEN));
                    return List.of(
                            holding.put(path),
                            new LockArguments.Lock(
                                    type,
                                    false,
                                    0,
                                    -1,
                                    new Locker.NewOwner(
                                            open,
                                            holding.stateId(Held.OPEN),
                                            holding.count(LOCK_OWNER),
                                            holding.owner(LOCK_OWNER))));
                });
    }

    static Step locked(String path, LockType type) {
        return Step.of(
                "LOCKT %s %s".formatted(path, type),
                holding ->
                        List.of(
                                holding.put(path),
                                new LockArguments.LockT(type, 0, -1, holding.owner("asks"))));
    }

    static Step unlock(String path) {
        return Step.of(
                "LOCKU " + path,
                holding ->
                        List.of(
                                holding.put(path),
                                new LockArguments.LockU(
                                        LockType.WRITE,
                                        holding.count(LOCK_OWNER),
                                        holding.stateId(Held.LOCK),
                                        0,
                                        -1)));
    }

    static Step setattr(String path, SetAttributes changes) {
        return on(
                path,
                "SETATTR %s %s".formatted(path, words(changes)),
                setattr(StateId.ANONYMOUS, changes));
    }

    private static Arguments setattr(StateId stateId, SetAttributes changes) {
        return new AttributeArguments.SetAttr(stateId, encoded(changes));
    }

    static Step getattr(String path) {
        return on(
                path, "GETATTR " + path, new AttributeArguments.GetAttr(CompoundWords.ATTRIBUTES));
    }

    /** Returns a VERIFY that the file has a size. */
    static Step verify(String path, long size) {
        return on(
                path,
                "VERIFY %s size=%d".formatted(path, size),
                new AttributeArguments.Verify(encoded(size(size))));
    }

    static Step nverify(String path, long size) {
        return on(
                path,
                "NVERIFY %s size=%d".formatted(path, size),
                new AttributeArguments.NVerify(encoded(size(size))));
    }

    /** Returns an ACCESS of all rights that there are, those of extended attributes included. */
    static Step access(String path) {
        return on(path, "ACCESS " + path, new AttributeArguments.Access(0x1ff));
    }

    static Step lookup(String directory, String name) {
        return on(
                directory,
                "LOOKUP %s in %s".formatted(name, directory),
                new HandleArguments.Lookup(FileName.of(name)));
    }

    static Step lookupParent(String directory) {
        return on(directory, "LOOKUPP " + directory, new HandleArguments.LookupP());
    }

    static Step secinfo(String directory, String name) {
        return on(
                directory,
                "SECINFO %s in %s".formatted(name, directory),
                new HandleArguments.SecInfo(FileName.of(name)));
    }

    static Step secinfoParent(String directory) {
        return on(
                directory,
                "SECINFO_NO_NAME above " + directory,
                new HandleArguments.SecInfoNoName(HandleArguments.SecInfoNoName.Style.PARENT));
    }

    static Step readdir(String directory) {
        return on(
                directory,
                "READDIR " + directory,
                new NameArguments.ReadDir(0, 0, LIST_BYTES, LIST_BYTES, CompoundWords.ATTRIBUTES));
    }

    static Step readlink(String path) {
        return on(path, "READLINK " + path, new NameArguments.ReadLink());
    }

    static Step remove(String directory, String name) {
        return on(
                directory,
                "REMOVE %s in %s".formatted(name, directory),
                new NameArguments.Remove(FileName.of(name)));
    }

    static Step create(
            String directory, String name, NameArguments.NewFile file, SetAttributes attributes) {
        return on(
                directory,
                "CREATE %s in %s %s"
                        .formatted(file.getClass().getSimpleName(), directory, words(attributes))
                        .strip(),
                new NameArguments.Create(file, FileName.of(name), encoded(attributes)));
    }

    static Step rename(String from, String name, String to, String newName) {
        return pair(
                "RENAME %s in %s to %s in %s".formatted(name, from, newName, to),
                from,
                to,
                new NameArguments.Rename(FileName.of(name), FileName.of(newName)));
    }

    static Step link(String path, String to, String name) {
        return pair(
                "LINK %s to %s in %s".formatted(path, name, to),
                path,
                to,
                new NameArguments.Link(FileName.of(name)));
    }

    /** Returns a step that has one operation on a saved and a current file. */
    private static Step pair(String words, String saved, String current, Arguments operation) {
        return Step.of(
                words,
                holding ->
                        List.of(
                                holding.put(saved),
                                new HandleArguments.SaveFh(),
                                holding.put(current),
                                operation));
    }

    static Step getxattr(String path) {
        return on(path, "GETXATTR " + path, new XattrArguments.GetXattr(FileName.of(XATTR)));
    }

    static Step setxattr(String path) {
        var value = MemorySegment.ofArray("value".getBytes(StandardCharsets.UTF_8));
        return on(
                path,
                "SETXATTR " + path,
                new XattrArguments.SetXattr(Option.EITHER, FileName.of(XATTR), value));
    }

    static Step listxattrs(String path) {
        return on(path, "LISTXATTRS " + path, new XattrArguments.ListXattrs(0, LIST_BYTES));
    }

    static Step removexattr(String path) {
        return on(path, "REMOVEXATTR " + path, new XattrArguments.RemoveXattr(FileName.of(XATTR)));
    }

    static SetAttributes mode(int mode) {
        return SetAttributes.ofMode(mode);
    }

    static SetAttributes size(long size) {
        return SetAttributes.ofSize(size);
    }

    static SetAttributes owner(int uid) {
        return SetAttributes.NONE.withOwner(Optional.of(Who.ofId(uid)), Optional.empty());
    }

    static SetAttributes group(int gid) {
        return SetAttributes.NONE.withOwner(Optional.empty(), Optional.of(Who.ofId(gid)));
    }

    static SetAttributes timesNow() {
        return SetAttributes.NONE.withTimes(
                new TimeChange.ToServerTime(), new TimeChange.ToServerTime());
    }

    static SetAttributes timesGiven() {
        return SetAttributes.NONE.withTimes(new TimeChange.To(GIVEN), new TimeChange.To(GIVEN));
    }

    static EncodedAttributes encoded(SetAttributes attributes) {
        return attributes.encoded(POOL);
    }

    /** Returns the text of attributes for a line of the table. */
    static String words(SetAttributes attributes) {
        var words = new ArrayList<String>();
        attributes.size().ifPresent(size -> words.add("size=" + size));
        attributes.mode().ifPresent(mode -> words.add("mode=%04o".formatted(mode)));
        attributes.owner().ifPresent(who -> words.add("owner=" + who));
        attributes.group().ifPresent(who -> words.add("group=" + who));
        time(words, "atime", attributes.accessed());
        time(words, "mtime", attributes.modified());
        return String.join(" ", words);
    }

    private static void time(List<String> words, String name, TimeChange change) {
        switch (change) {
            case TimeChange.Keep() -> {}
            case TimeChange.ToServerTime() -> words.add(name + "=now");
            case TimeChange.To _, TimeChange.Delegated _ -> words.add(name + "=given");
        }
    }
}
