package io.github.rpcrdma4j.nfs.client.v4.plan;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Ace;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments;
import io.github.rpcrdma4j.nfs.v4.operation.XattrResult;
import io.github.rpcrdma4j.nfs.v4.type.ChangeInfo;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;

/** Results that a server may send for operations, of random lengths up to the longest ones. */
final class RandomResults {
    private static final StateId STATE = new StateId(1, 2, 3);
    private static final ChangeInfo CHANGE = new ChangeInfo(true, 1, 2);
    private static final OpaqueName NO_TAG = OpaqueName.of(new byte[0]);

    /** Cookie, length of the name, bitmap and length of the values, and that an entry follows. */
    private static final int ENTRY = 8 + 4 + 4 + 4 + 4;

    /** Verifier, that no entry follows, and whether the directory ends. */
    private static final int PAGE = 8 + 4 + 4;

    private RandomResults() {}

    /**
     * Returns how many bytes such results of a plan have, with status, tag and count, and without
     * data that is placed.
     */
    static long bytes(Plan plan, Random random) {
        var results = new ArrayList<Result>();
        for (var each : plan.operations()) {
            results.add(result(each, random));
        }
        try (var out = new XdrWriter(new SegmentPool(1 << 20))) {
            new CompoundResult(Nfs4Status.OK, NO_TAG, results).encode(out);
            if (plan.targets().isEmpty()) {
                out.inlineBulkItems();
            }
            return out.reducedLength();
        }
    }

    private static Result result(Arguments operation, Random random) {
        return switch (operation) {
            case HandleArguments.GetFh _ ->
                    new HandleResult.GetFh(FileHandle.of(bytes(FileHandle.BYTES_MAX, random)));
            case AttributeArguments.GetAttr(var wanted) -> attributes(wanted);
            case AttributeArguments.SetAttr _ ->
                    new AttributeResult.SetAttr(
                            random.nextBoolean() ? Nfs4Status.OK : Nfs4Status.DQUOT, set(random));
            case AttributeArguments.Access _ -> new AttributeResult.Access(0x3f, 1);
            case NameArguments.ReadDir list -> page(list.countMax(), random);
            case NameArguments.ReadLink _ -> new NameResult.ReadLink(data(4096, random), () -> {});
            case DataArguments.Read _ ->
                    new DataResult.Read(random.nextBoolean(), data(1000, random), () -> {});
            case DataArguments.Seek _ -> new DataResult.Seek(true, 8);
            case CopyArguments.Copy _ ->
                    new CopyResult.Copy(
                            random.nextBoolean() ? Optional.of(STATE) : Optional.empty(),
                            5,
                            Stability.UNSTABLE,
                            6,
                            true,
                            true);
            case CopyArguments.OffloadStatus _ ->
                    new CopyResult.OffloadStatus(
                            5,
                            random.nextBoolean() ? Optional.of(Nfs4Status.IO) : Optional.empty());
            case DataArguments.Write _ -> new DataResult.Write(5, Stability.FILE_SYNC, 6);
            case DataArguments.Commit _ -> new DataResult.Commit(7);
            case StateArguments.Open _ ->
                    new StateResult.Open(STATE, CHANGE, 0x24, set(random), delegation(random));
            case StateArguments.Close _ -> new StateResult.Close(STATE);
            case StateArguments.OpenConfirm _ -> new StateResult.OpenConfirm(STATE);
            case StateArguments.TestStateId(var tested) ->
                    new StateResult.TestStateId(
                            tested.stream().map(_ -> Nfs4Status.BAD_STATEID).toList());
            case LockArguments.Lock _ -> locked(random);
            case LockArguments.LockU _ -> new LockResult.LockU(STATE);
            case NameArguments.Create _ -> new NameResult.Create(CHANGE, set(random));
            case NameArguments.Remove _ -> new NameResult.Remove(CHANGE);
            case NameArguments.Rename _ -> new NameResult.Rename(CHANGE, CHANGE);
            case NameArguments.Link _ -> new NameResult.Link(CHANGE);
            case XattrArguments.ListXattrs list -> names(list.countMax(), random);
            case XattrArguments.SetXattr _ -> new XattrResult.SetXattr(CHANGE);
            case XattrArguments.RemoveXattr _ -> new XattrResult.RemoveXattr(CHANGE);
            default -> Result.done(operation.opcode());
        };
    }

    private static byte[] bytes(int most, Random random) {
        return new byte[random.nextInt(4) == 0 ? most : random.nextInt(most + 1)];
    }

    private static MemorySegment data(int most, Random random) {
        return MemorySegment.ofArray(bytes(most, random));
    }

    /** Each attribute in its set has so many bytes, as numbers and times have. */
    private static Result attributes(AttributeSet wanted) {
        int bytes = 0;
        for (var each : Attribute.values()) {
            if (wanted.has(each)) {
                bytes +=
                        switch (each.layout()) {
                            case BOOL, WORD -> 4;
                            case HYPER -> 8;
                            case TIME -> 12;
                            case FILE_SYSTEM -> 16;
                            case BYTES, ATTRIBUTES, ACES, LOCATIONS, OPEN_ARGUMENTS, OTHER ->
                                    throw new IllegalArgumentException(each.name());
                        };
            }
        }
        return new AttributeResult.GetAttr(EncodedAttributes.of(wanted, new byte[bytes]));
    }

    private static AttributeSet set(Random random) {
        var set = AttributeSet.NONE;
        for (var each : Attribute.values()) {
            set = random.nextBoolean() ? set.with(each) : set;
        }
        return set;
    }

    /** As many entries as the page may have. */
    private static Result page(int bytesMax, Random random) {
        var entries = new ArrayList<NameResult.ReadDir.Entry>();
        int left = bytesMax - PAGE;
        var name = name(random);
        while (left >= ENTRY + XdrWriter.roundUp(name.length())) {
            entries.add(new NameResult.ReadDir.Entry(1, name, EncodedAttributes.NONE));
            left -= ENTRY + (int) XdrWriter.roundUp(name.length());
        }
        return new NameResult.ReadDir(5, entries, true);
    }

    /** As many names as the page may have: cookie, count, names, and whether the list ends. */
    private static Result names(int bytesMax, Random random) {
        var names = new ArrayList<FileName>();
        int left = bytesMax - 8 - 4 - 4;
        var name = name(random);
        while (left >= 4 + XdrWriter.roundUp(name.length())) {
            names.add(name);
            left -= 4 + (int) XdrWriter.roundUp(name.length());
        }
        return new XattrResult.ListXattrs(5, names, true);
    }

    private static FileName name(Random random) {
        return FileName.of("x".repeat(1 + random.nextInt(FileName.BYTES_MAX)));
    }

    private static Result locked(Random random) {
        return random.nextBoolean()
                ? new LockResult.Lock(STATE)
                : new LockResult.Denied(
                        Opcode.LOCK,
                        1,
                        2,
                        LockType.WRITE,
                        new StateOwner(7, OpaqueName.of(bytes(OpaqueName.BYTES_MAX, random))));
    }

    private static OpenDelegation delegation(Random random) {
        var name = bytes(1024, random);
        Arrays.fill(name, (byte) 'x');
        var ace = new Ace(Ace.ALLOW, 0, Ace.READ_DATA, Who.of(name));
        return switch (random.nextInt(4)) {
            case 0 -> new OpenDelegation.None();
            case 1 -> new OpenDelegation.Refused(OpenDelegation.Refused.CONTENTION, true);
            case 2 -> new OpenDelegation.Read(STATE, true, ace, false);
            default ->
                    new OpenDelegation.Write(
                            STATE, false, new OpenDelegation.SpaceLimit.Blocks(5, 6), ace, false);
        };
    }
}
