package io.github.rpcrdma4j.nfs.v4.operation;

import static io.github.rpcrdma4j.nfs.v4.operation.ArgumentSamples.CHANNEL;
import static io.github.rpcrdma4j.nfs.v4.operation.ArgumentSamples.DEEP_CHANNEL;
import static io.github.rpcrdma4j.nfs.v4.operation.ArgumentSamples.HANDLE;
import static io.github.rpcrdma4j.nfs.v4.operation.ArgumentSamples.IMPLEMENTATION;
import static io.github.rpcrdma4j.nfs.v4.operation.ArgumentSamples.LOCATIONS;
import static io.github.rpcrdma4j.nfs.v4.operation.ArgumentSamples.MODE;
import static io.github.rpcrdma4j.nfs.v4.operation.ArgumentSamples.NAME;
import static io.github.rpcrdma4j.nfs.v4.operation.ArgumentSamples.OWNER;
import static io.github.rpcrdma4j.nfs.v4.operation.ArgumentSamples.SESSION;
import static io.github.rpcrdma4j.nfs.v4.operation.ArgumentSamples.STATE;
import static io.github.rpcrdma4j.nfs.v4.operation.ArgumentSamples.TIME;
import static io.github.rpcrdma4j.nfs.v4.operation.ArgumentSamples.name;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Ace;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.nfs.v4.type.ChangeInfo;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Results of every operation, with every arm of their unions. */
final class ResultSamples {
    private static final ChangeInfo CHANGE = new ChangeInfo(true, 1, -2);
    private static final MemorySegment BYTES = MemorySegment.ofArray(new byte[] {1, 2, 3, 4, 5});
    private static final AttributeSet SET = AttributeSet.of(Attribute.MODE);

    private ResultSamples() {}

    static List<Result> all() {
        var all = new ArrayList<Result>();
        for (var opcode : Opcode.values()) {
            if (!opcode.operation().hasValues(0) && opcode != Opcode.ILLEGAL) {
                all.add(Result.done(opcode));
            }
            all.add(Result.failed(opcode, Nfs4Status.DELAY));
        }
        all.addAll(sessions());
        all.addAll(states());
        all.addAll(data());
        all.addAll(names());
        return all;
    }

    private static List<Result> sessions() {
        List<SecurityChoice> choices =
                List.of(
                        new SecurityChoice.Flavor(1),
                        new SecurityChoice.Gss(name("oid"), 0, 3),
                        new SecurityChoice.Flavor(0));
        return List.of(
                new SessionResult.ExchangeId(
                        1,
                        2,
                        3,
                        new StateProtection.None(),
                        4,
                        name("major"),
                        name("scope"),
                        Optional.of(IMPLEMENTATION)),
                new SessionResult.ExchangeId(
                        1,
                        2,
                        3,
                        new StateProtection.MachineCredential(Bitmap.EMPTY, Bitmap.of(4)),
                        4,
                        name(""),
                        name(""),
                        Optional.empty()),
                new SessionResult.CreateSession(SESSION, 1, 2, CHANNEL, DEEP_CHANNEL),
                new SessionResult.BindConnToSession(
                        SESSION, SessionResult.BindConnToSession.Direction.BOTH, false),
                new SessionResult.Sequence(SESSION, 1, 2, 3, 4, 5),
                new SessionResult.SetSsv(name("digest")),
                new HandleResult.GetFh(HANDLE),
                new HandleResult.SecInfo(choices),
                new HandleResult.SecInfoNoName(choices));
    }

    private static List<Result> states() {
        var all = new ArrayList<Result>();
        var ace = new Ace(Ace.ALLOW, 0, Ace.READ_DATA, Who.EVERYONE);
        for (var delegation :
                List.of(
                        new OpenDelegation.None(),
                        new OpenDelegation.Refused(OpenDelegation.Refused.NOT_WANTED, false),
                        new OpenDelegation.Refused(OpenDelegation.Refused.CONTENTION, true),
                        new OpenDelegation.Refused(OpenDelegation.Refused.RESOURCE, false),
                        new OpenDelegation.Read(STATE, true, ace, false),
                        new OpenDelegation.Read(STATE, false, ace, true),
                        new OpenDelegation.Write(
                                STATE, false, new OpenDelegation.SpaceLimit.Size(-1), ace, false),
                        new OpenDelegation.Write(
                                STATE,
                                false,
                                new OpenDelegation.SpaceLimit.Blocks(5, 4096),
                                ace,
                                true))) {
            all.add(new StateResult.Open(STATE, CHANGE, 0x24, SET, delegation));
        }
        all.add(new StateResult.Close(StateId.INVALID));
        all.add(new StateResult.OpenDowngrade(STATE));
        all.add(new StateResult.OpenConfirm(STATE));
        all.add(new LeaseResult.SetClientId(7, -8));
        all.add(new LeaseResult.InUse(name("tcp"), name("192.0.2.1.8.1")));
        all.add(
                new StateResult.TestStateId(
                        List.of(Nfs4Status.OK, Nfs4Status.BAD_STATEID, Nfs4Status.EXPIRED)));
        all.add(new LockResult.Lock(STATE));
        all.add(new LockResult.LockU(STATE));
        all.add(new LockResult.Denied(Opcode.LOCK, 1, 2, LockType.WRITE, OWNER));
        all.add(new LockResult.Denied(Opcode.LOCKT, 1, -1, LockType.READ, OWNER));
        return all;
    }

    private static List<Result> data() {
        return List.of(
                new DataResult.Read(true, BYTES, () -> {}),
                new DataResult.Write(5, Stability.FILE_SYNC, 6),
                new DataResult.Commit(7),
                new DataResult.ReadPlus(
                        false,
                        List.of(
                                new DataResult.ReadPlus.Content.Data(0, BYTES),
                                new DataResult.ReadPlus.Content.Hole(5, 6))),
                new DataResult.Seek(true, 8),
                new DataResult.IoAdvise(Bitmap.of(2)),
                new CopyResult.Copy(Optional.of(STATE), 5, Stability.UNSTABLE, 6, true, false),
                new CopyResult.Copy(Optional.empty(), 5, Stability.FILE_SYNC, 6, true, true),
                new CopyResult.Requirements(true, true),
                new CopyResult.CopyNotify(TIME, STATE, LOCATIONS),
                new CopyResult.OffloadStatus(5, Optional.of(Nfs4Status.NOSPC)),
                new CopyResult.OffloadStatus(5, Optional.empty()));
    }

    private static List<Result> names() {
        return List.of(
                new NameResult.Create(CHANGE, SET),
                new NameResult.Remove(CHANGE),
                new NameResult.Rename(CHANGE, CHANGE),
                new NameResult.Link(CHANGE),
                new NameResult.ReadDir(
                        5,
                        List.of(
                                new NameResult.ReadDir.Entry(3, NAME, MODE),
                                new NameResult.ReadDir.Entry(-1, NAME, MODE)),
                        true),
                new NameResult.ReadDir(5, List.of(), false),
                new NameResult.ReadLink(BYTES, () -> {}),
                new AttributeResult.GetAttr(MODE),
                new AttributeResult.SetAttr(Nfs4Status.OK, SET),
                new AttributeResult.SetAttr(Nfs4Status.DQUOT, SET),
                new AttributeResult.Access(0x3f, 0x21),
                new XattrResult.GetXattr(BYTES),
                new XattrResult.SetXattr(CHANGE),
                new XattrResult.RemoveXattr(CHANGE),
                new XattrResult.ListXattrs(5, List.of(NAME, NAME), true));
    }
}
