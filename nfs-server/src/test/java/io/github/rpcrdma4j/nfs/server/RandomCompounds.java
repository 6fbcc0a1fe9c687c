package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.attribute.Ace;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackSecurity;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments.NewFile;
import io.github.rpcrdma4j.nfs.v4.operation.NetworkLocation;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.Timestamp;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Random operations on few files, with arguments of every kind. */
final class RandomCompounds {
    private static final String[] NAMES = {"a", "b", "c", "d", "e", "link", "..", "", "x/y"};
    private static final long[] NUMBERS = {
        0,
        1,
        2,
        3,
        100,
        4096,
        1 << 20,
        Integer.MAX_VALUE,
        1L << 32,
        Long.MAX_VALUE - 1,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        -2,
        -1
    };
    private static final int REMEMBERED = 32;

    private final Random random;
    private final boolean hasHoles;

    /** What the server has answered; random calls name these again. */
    final List<FileHandle> handles = new ArrayList<>();

    final List<StateId> stateIds = new ArrayList<>();

    /**
     * @param hasHoles whether files may be long without taking space
     */
    RandomCompounds(Random random, boolean hasHoles) {
        this.random = random;
        this.hasHoles = hasHoles;
    }

    /** Remembers one of few things that the server answered. */
    <T> void remember(List<T> all, T one) {
        if (all.size() < REMEMBERED) {
            all.add(one);
        } else {
            all.set(random.nextInt(REMEMBERED), one);
        }
    }

    /** Returns operations that begin with a file, most of the time. */
    Arguments[] operations(CompoundClient client) {
        var all = new ArrayList<Arguments>();
        switch (random.nextInt(6)) {
            case 0 -> {}
            case 1 -> all.add(new HandleArguments.PutFh(handle()));
            case 2 -> all.addAll(List.of(Nfs4Calls.at("", Nfs4Calls.saveFh())));
            default -> all.addAll(List.of(Nfs4Calls.at(random.nextBoolean() ? "" : "a")));
        }
        int count = 1 + random.nextInt(6);
        for (int i = 0; i < count; i++) {
            all.add(operation(client));
        }
        return all.toArray(Arguments[]::new);
    }

    private Arguments operation(CompoundClient client) {
        return switch (random.nextInt(9)) {
            case 0, 1 -> onHandles();
            case 2 -> onOpens();
            case 3 -> onLocks();
            case 4 -> onData();
            case 5 -> onNames();
            case 6 -> onAttributes();
            case 7 -> onCopiesAndXattrs();
            default -> random.nextInt(4) == 0 ? onSessions(client) : onNames();
        };
    }

    private FileName name() {
        return random.nextInt(50) == 0
                ? FileName.of("n".repeat(random.nextInt(300)))
                : FileName.of(NAMES[random.nextInt(NAMES.length)]);
    }

    private long number() {
        return random.nextInt(8) == 0 ? random.nextLong() : NUMBERS[random.nextInt(NUMBERS.length)];
    }

    private FileHandle handle() {
        return handles.isEmpty() || random.nextInt(20) == 0
                ? FileHandle.of(bytes(128))
                : handles.get(random.nextInt(handles.size()));
    }

    private StateId stateId() {
        return switch (random.nextInt(8)) {
            case 0 -> StateId.ANONYMOUS;
            case 1 -> StateId.READ_BYPASS;
            case 2, 3, 4 -> StateId.CURRENT;
            case 5 -> new StateId(random.nextInt(4), random.nextLong(), random.nextInt(4));
            default ->
                    stateIds.isEmpty()
                            ? StateId.INVALID
                            : stateIds.get(random.nextInt(stateIds.size()))
                                    .withSequence(random.nextInt(3));
        };
    }

    private byte[] bytes(int most) {
        var bytes = new byte[random.nextInt(most + 1)];
        random.nextBytes(bytes);
        return bytes;
    }

    private Arguments onHandles() {
        return switch (random.nextInt(9)) {
            case 0 -> new HandleArguments.PutRootFh();
            case 1 -> Nfs4Calls.saveFh();
            case 2 -> Nfs4Calls.restoreFh();
            case 3 -> new HandleArguments.LookupP();
            case 4 -> new HandleArguments.SecInfo(name());
            case 5 ->
                    new HandleArguments.SecInfoNoName(
                            HandleArguments.SecInfoNoName.Style.values()[random.nextInt(2)]);
            case 6 -> new HandleArguments.PutPubFh();
            case 7 -> new HandleArguments.Lookup(name());
            default -> Nfs4Calls.getFh();
        };
    }

    private Arguments onOpens() {
        return switch (random.nextInt(9)) {
            case 0 -> Nfs4Calls.close(stateId());
            case 1 ->
                    new StateArguments.OpenDowngrade(
                            stateId(), 0, random.nextInt(5), random.nextInt(5));
            case 2 ->
                    new StateArguments.TestStateId(
                            List.of(stateId(), stateId(), StateId.READ_BYPASS));
            case 3 ->
                    random.nextBoolean()
                            ? new StateArguments.FreeStateId(stateId())
                            : new StateArguments.DelegReturn(stateId());
            default ->
                    new StateArguments.Open(
                            0,
                            random.nextInt(4) | random.nextInt(2) * random.nextInt(1 << 20),
                            random.nextInt(6) == 0 ? random.nextInt(5) : 0,
                            Nfs4Calls.owner("owner" + random.nextInt(3)),
                            creation(),
                            claim());
        };
    }

    private OpenCreation creation() {
        return switch (random.nextInt(6)) {
            case 0 -> new OpenCreation.Guarded(attributes());
            case 1 -> new OpenCreation.Exclusive(random.nextInt(3));
            case 2 -> new OpenCreation.ExclusiveWithAttributes(random.nextInt(3), attributes());
            case 3 -> new OpenCreation.Unchecked(attributes());
            default -> new OpenCreation.None();
        };
    }

    private OpenClaim claim() {
        return switch (random.nextInt(12)) {
            case 0 -> new OpenClaim.Previous(random.nextInt(3));
            case 1 -> new OpenClaim.DelegatedName(stateId(), name());
            case 2 -> new OpenClaim.DelegatedNameBefore(name());
            case 3, 4 -> new OpenClaim.Handle();
            case 5 -> new OpenClaim.DelegatedHandle(stateId());
            case 6 -> new OpenClaim.DelegatedHandleBefore();
            default -> new OpenClaim.Name(name());
        };
    }

    private Arguments onLocks() {
        var type = LockType.values()[random.nextInt(4)];
        long offset = number();
        long length = number();
        var owner = Nfs4Calls.owner("locker" + random.nextInt(3));
        return switch (random.nextInt(4)) {
            case 0 -> new LockArguments.LockT(type, offset, length, owner);
            case 1 -> new LockArguments.LockU(type, 0, stateId(), offset, length);
            default ->
                    new LockArguments.Lock(
                            type,
                            random.nextInt(10) == 0,
                            offset,
                            length,
                            random.nextBoolean()
                                    ? new LockArguments.Locker.NewOwner(0, stateId(), 0, owner)
                                    : new LockArguments.Locker.Existing(stateId(), 0));
        };
    }

    private Arguments onData() {
        long offset = number();
        int count = (int) number();
        return switch (random.nextInt(9)) {
            case 0 ->
                    new DataArguments.Write(
                            stateId(),
                            random.nextInt(4) == 0 ? end() : random.nextInt(5000),
                            Stability.values()[random.nextInt(3)],
                            MemorySegment.ofArray(bytes(3000)));
            case 1 -> new DataArguments.Commit(offset, count);
            case 2 -> new DataArguments.IoAdvise(stateId(), offset, count, Bitmap.of(3));
            case 3 -> new DataArguments.ReadPlus(stateId(), offset, count);
            case 4 -> new DataArguments.Seek(stateId(), offset, random.nextInt(3));
            case 5 -> new DataArguments.Allocate(stateId(), bounded(offset), bounded(number()));
            case 6 -> new DataArguments.Deallocate(stateId(), offset, number());
            default -> new DataArguments.Read(stateId(), offset, count);
        };
    }

    /** Leaves out the numbers that would fill the storage. */
    private static long bounded(long number) {
        return number > 1 << 20 ? -number : number;
    }

    /** Returns a size or an offset that makes a file longer. */
    private long end() {
        return hasHoles ? number() : bounded(number());
    }

    private Arguments onNames() {
        return switch (random.nextInt(9)) {
            case 0 -> new NameArguments.Remove(name());
            case 1 -> new NameArguments.Rename(name(), name());
            case 2 -> new NameArguments.Link(name());
            case 3 -> new NameArguments.ReadLink();
            case 4, 5 ->
                    new NameArguments.ReadDir(
                            random.nextBoolean() ? 0 : number(),
                            random.nextInt(10) == 0 ? 1 : 0,
                            (int) number(),
                            (int) number(),
                            wanted());
            default -> new NameArguments.Create(newFile(), name(), attributes());
        };
    }

    private NewFile newFile() {
        return switch (random.nextInt(9)) {
            case 0 -> new NewFile.BlockDevice(number());
            case 1 -> new NewFile.CharacterDevice(number());
            case 2 -> new NewFile.Socket();
            case 3 -> new NewFile.Fifo();
            case 4 -> new NewFile.Other(random.nextBoolean() ? 1 : 99);
            case 5 -> new NewFile.SymbolicLink(PathName.of(random.nextBoolean() ? "a" : ""));
            default -> new NewFile.Directory();
        };
    }

    private AttributeSet wanted() {
        var set = AttributeSet.NONE;
        var all = Attribute.values();
        int count = random.nextInt(8);
        for (int i = 0; i < count; i++) {
            set = set.with(all[random.nextInt(all.length)]);
        }
        return random.nextInt(10) == 0 ? AttributeSet.READABLE : set;
    }

    private EncodedAttributes attributes() {
        if (random.nextInt(10) == 0) {
            return EncodedAttributes.of(wanted(), bytes(60));
        }
        var set = SetAttributes.NONE;
        if (random.nextBoolean()) {
            set = set.withMode(random.nextInt(010000) | 0600);
        }
        if (random.nextInt(6) == 0) {
            set = set.withSize(end());
        }
        if (random.nextInt(6) == 0) {
            set = set.withOwner(Optional.of(Who.ofId(random.nextInt(3))), Optional.empty());
        }
        if (random.nextInt(10) == 0) {
            set = set.withAcl(List.of(ace(), ace(), ace()));
        }
        if (random.nextInt(8) == 0) {
            set =
                    set.withTimes(
                            new SetAttributes.TimeChange.To(
                                    new Timestamp(number(), random.nextInt(1_000_000_000))),
                            new SetAttributes.TimeChange.ToServerTime());
        }
        return Nfs4Calls.encoded(set);
    }

    private Ace ace() {
        var whos = List.of(Who.OWNER, Who.GROUP, Who.EVERYONE, Who.ofId(5), Who.of("no one"));
        return new Ace(
                random.nextInt(3),
                random.nextInt(0x80),
                random.nextInt(),
                whos.get(random.nextInt(whos.size())));
    }

    private Arguments onAttributes() {
        return switch (random.nextInt(6)) {
            case 0, 1 -> new AttributeArguments.GetAttr(wanted());
            case 2 -> new AttributeArguments.SetAttr(stateId(), attributes());
            case 3 -> new AttributeArguments.Verify(attributes());
            case 4 -> new AttributeArguments.NVerify(attributes());
            default ->
                    random.nextInt(4) == 0
                            ? new AttributeArguments.OpenAttr(random.nextBoolean())
                            : new AttributeArguments.Access(random.nextInt());
        };
    }

    private Arguments onCopiesAndXattrs() {
        var name = FileName.of("x" + random.nextInt(3));
        return switch (random.nextInt(9)) {
            case 0, 1 ->
                    new CopyArguments.Copy(
                            stateId(),
                            stateId(),
                            number(),
                            bounded(number()),
                            bounded(number()),
                            true,
                            random.nextBoolean(),
                            random.nextInt(8) == 0
                                    ? List.of(new NetworkLocation.Name(Nfs4Calls.name("box")))
                                    : List.of());
            case 2 ->
                    new CopyArguments.Clone(
                            stateId(), stateId(), number(), bounded(number()), number());
            case 3 ->
                    new CopyArguments.CopyNotify(
                            stateId(), new NetworkLocation.Url(Nfs4Calls.name("nfs://box")));
            case 4 -> new CopyArguments.OffloadStatus(stateId());
            case 5 ->
                    new XattrArguments.SetXattr(
                            XattrArguments.SetXattr.Option.values()[random.nextInt(3)],
                            random.nextInt(10) == 0 ? name() : name,
                            MemorySegment.ofArray(bytes(100)));
            case 6 -> new XattrArguments.GetXattr(random.nextInt(10) == 0 ? name() : name);
            case 7 ->
                    new XattrArguments.ListXattrs(
                            random.nextInt(3) == 0 ? number() : 0, (int) number());
            default -> new XattrArguments.RemoveXattr(name);
        };
    }

    private Arguments onSessions(CompoundClient client) {
        return switch (random.nextInt(7)) {
            case 0 -> new SessionArguments.ReclaimComplete(random.nextBoolean());
            case 1 -> client.next(random.nextBoolean());
            case 2 ->
                    new SessionArguments.ExchangeId(
                            new ClientOwner(random.nextInt(3), Nfs4Calls.name("other")),
                            random.nextInt(),
                            new StateProtection.None(),
                            Optional.empty());
            case 3 ->
                    new SessionArguments.CreateSession(
                            random.nextInt(5),
                            random.nextInt(5),
                            random.nextInt(8),
                            CompoundClient.CHANNEL,
                            CompoundClient.CHANNEL,
                            1,
                            List.of(new CallbackSecurity.None()));
            case 4 -> new SessionArguments.DestroyClientId(random.nextInt(5));
            case 5 -> new SessionArguments.BackchannelCtl(2, List.of(new CallbackSecurity.None()));
            default -> new Arguments.Illegal(random.nextInt(100));
        };
    }
}
