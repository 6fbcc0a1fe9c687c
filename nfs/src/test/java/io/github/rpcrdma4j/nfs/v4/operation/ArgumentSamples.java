package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.nfs.v4.type.Timestamp;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Arguments of every operation, with every arm of their unions. */
final class ArgumentSamples {
    static final StateId STATE = new StateId(1, 0x0102030405060708L, 9);
    static final SessionId SESSION = new SessionId(1, -2);
    static final FileHandle HANDLE = FileHandle.of(new byte[] {1, 2, 3});
    static final FileName NAME = FileName.of("file");
    static final StateOwner OWNER = new StateOwner(7, name("owner"));
    static final Timestamp TIME = new Timestamp(-5, 999_999_999);
    static final EncodedAttributes MODE =
            EncodedAttributes.of(AttributeSet.of(Attribute.MODE), new byte[] {0, 0, 1, 0});
    static final ChannelAttributes CHANNEL =
            new ChannelAttributes(0, 1_049_620, 1_049_480, 7_584, 8, 64, OptionalInt.empty());
    static final ChannelAttributes DEEP_CHANNEL =
            new ChannelAttributes(0, 4096, 4096, 0, 2, 16, OptionalInt.of(57));
    static final Implementation IMPLEMENTATION =
            new Implementation(name("example.org"), name("name"), TIME);
    static final List<NetworkLocation> LOCATIONS =
            List.of(
                    new NetworkLocation.Name(name("server")),
                    new NetworkLocation.Url(name("nfs://server")),
                    new NetworkLocation.Address(name("tcp"), name("192.0.2.1.8.1")));

    private ArgumentSamples() {}

    static OpaqueName name(String text) {
        return OpaqueName.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns arguments of minor version 2. */
    static List<Arguments> all() {
        var all = new ArrayList<Arguments>();
        all.addAll(sessions());
        all.addAll(handles());
        all.addAll(states());
        all.addAll(locks());
        all.addAll(data());
        all.addAll(names());
        all.addAll(attributes());
        return all;
    }

    private static List<Arguments> sessions() {
        var owner = new ClientOwner(5, name("client"));
        var some = Bitmap.of(3, 43, 75);
        List<CallbackSecurity> security =
                List.of(
                        new CallbackSecurity.None(),
                        new CallbackSecurity.Sys(1, name("host"), 2, 3, List.of(4, 5)),
                        new CallbackSecurity.Gss(1, name("a"), name("b")));
        return List.of(
                new SessionArguments.ExchangeId(
                        owner, 0x4001_0103, new StateProtection.None(), Optional.empty()),
                new SessionArguments.ExchangeId(
                        owner,
                        0,
                        new StateProtection.MachineCredential(some, Bitmap.EMPTY),
                        Optional.of(IMPLEMENTATION)),
                new SessionArguments.ExchangeId(
                        owner,
                        0,
                        new StateProtection.Ssv(
                                some, some, List.of(name("sha")), List.of(name("aes")), 4, 1),
                        Optional.of(IMPLEMENTATION)),
                new SessionArguments.CreateSession(1, 2, 3, CHANNEL, DEEP_CHANNEL, 4, security),
                new SessionArguments.DestroySession(SESSION),
                new SessionArguments.DestroyClientId(-1),
                new SessionArguments.BindConnToSession(
                        SESSION, SessionArguments.BindConnToSession.Direction.BACK_OR_BOTH, true),
                new SessionArguments.BackchannelCtl(0x4000_0000, security),
                new SessionArguments.Sequence(SESSION, 1, 2, 3, true),
                new SessionArguments.ReclaimComplete(false),
                new SessionArguments.SetSsv(name("ssv"), name("digest")));
    }

    /** Returns arguments of operations that minor version 0 alone has. */
    static List<Arguments> ofVersion0() {
        var place = new LeaseArguments.CallbackPlace(7, name("tcp"), name("192.0.2.1.8.1"));
        return List.of(
                new LeaseArguments.SetClientId(new ClientOwner(5, name("client")), place, 6),
                new LeaseArguments.SetClientIdConfirm(-1, 2),
                new LeaseArguments.Renew(7),
                new LeaseArguments.ReleaseLockOwner(OWNER),
                new StateArguments.OpenConfirm(STATE, 3));
    }

    private static List<Arguments> handles() {
        return List.of(
                new HandleArguments.PutFh(HANDLE),
                new HandleArguments.PutRootFh(),
                new HandleArguments.PutPubFh(),
                new HandleArguments.GetFh(),
                new HandleArguments.SaveFh(),
                new HandleArguments.RestoreFh(),
                new HandleArguments.Lookup(NAME),
                new HandleArguments.LookupP(),
                new HandleArguments.SecInfo(NAME),
                new HandleArguments.SecInfoNoName(HandleArguments.SecInfoNoName.Style.PARENT));
    }

    private static List<Arguments> states() {
        var all = new ArrayList<Arguments>();
        for (var creation :
                List.of(
                        new OpenCreation.None(),
                        new OpenCreation.Unchecked(MODE),
                        new OpenCreation.Guarded(EncodedAttributes.NONE),
                        new OpenCreation.Exclusive(5),
                        new OpenCreation.ExclusiveWithAttributes(6, MODE))) {
            all.add(
                    new StateArguments.Open(
                            0, 0x0030_0403, 3, OWNER, creation, new OpenClaim.Name(NAME)));
        }
        for (var claim :
                List.of(
                        new OpenClaim.Previous(99),
                        new OpenClaim.DelegatedName(STATE, NAME),
                        new OpenClaim.DelegatedNameBefore(NAME),
                        new OpenClaim.Handle(),
                        new OpenClaim.DelegatedHandle(STATE),
                        new OpenClaim.DelegatedHandleBefore())) {
            all.add(new StateArguments.Open(0, 1, 0, OWNER, new OpenCreation.None(), claim));
        }
        all.add(new StateArguments.Close(0, STATE));
        all.add(new StateArguments.OpenDowngrade(STATE, 0, 1, 0));
        all.add(new StateArguments.DelegReturn(STATE));
        all.add(new StateArguments.TestStateId(List.of(STATE, StateId.CURRENT)));
        all.add(new StateArguments.FreeStateId(STATE));
        return all;
    }

    private static List<Arguments> locks() {
        return List.of(
                new LockArguments.Lock(
                        LockType.WRITE_WAITING,
                        true,
                        0,
                        -1,
                        new LockArguments.Locker.NewOwner(1, STATE, 2, OWNER)),
                new LockArguments.Lock(
                        LockType.READ, false, 5, 6, new LockArguments.Locker.Existing(STATE, 3)),
                new LockArguments.LockT(LockType.WRITE, 1, 2, OWNER),
                new LockArguments.LockU(LockType.READ_WAITING, 1, STATE, 2, 3));
    }

    private static List<Arguments> data() {
        return List.of(
                new DataArguments.Read(STATE, -1, 1 << 20),
                new DataArguments.Write(
                        STATE, 5, Stability.DATA_SYNC, MemorySegment.ofArray(new byte[] {1, 2, 3})),
                new DataArguments.Commit(1, 0),
                new DataArguments.ReadPlus(STATE, 1, 2),
                new DataArguments.Seek(STATE, 0, 99),
                new DataArguments.Allocate(STATE, 1, 2),
                new DataArguments.Deallocate(STATE, 1, 2),
                new DataArguments.IoAdvise(STATE, 1, 2, Bitmap.of(1, 10)),
                new CopyArguments.Copy(STATE, STATE, 1, 2, 3, true, false, LOCATIONS),
                new CopyArguments.Clone(STATE, STATE, 1, 2, 3),
                new CopyArguments.CopyNotify(STATE, LOCATIONS.getLast()),
                new CopyArguments.OffloadStatus(STATE),
                new CopyArguments.OffloadCancel(STATE));
    }

    private static List<Arguments> names() {
        var all = new ArrayList<Arguments>();
        for (var file :
                List.of(
                        new NameArguments.NewFile.Directory(),
                        new NameArguments.NewFile.SymbolicLink(PathName.of("target")),
                        new NameArguments.NewFile.BlockDevice(0x0000_0008_0000_0001L),
                        new NameArguments.NewFile.CharacterDevice(-1),
                        new NameArguments.NewFile.Socket(),
                        new NameArguments.NewFile.Fifo(),
                        new NameArguments.NewFile.Other(1),
                        new NameArguments.NewFile.Other(-1))) {
            all.add(new NameArguments.Create(file, NAME, MODE));
        }
        all.add(new NameArguments.Remove(NAME));
        all.add(new NameArguments.Rename(NAME, FileName.of("x".repeat(5000))));
        all.add(new NameArguments.Link(FileName.of("")));
        all.add(new NameArguments.ReadDir(1, 2, 3, 4, AttributeSet.of(Attribute.FILEID)));
        all.add(new NameArguments.ReadLink());
        return all;
    }

    private static List<Arguments> attributes() {
        return List.of(
                new AttributeArguments.GetAttr(AttributeSet.ofMinorVersion(2)),
                new AttributeArguments.SetAttr(STATE, MODE),
                new AttributeArguments.Verify(MODE),
                new AttributeArguments.NVerify(EncodedAttributes.NONE),
                new AttributeArguments.Access(0xffff),
                new AttributeArguments.OpenAttr(true),
                new XattrArguments.GetXattr(NAME),
                new XattrArguments.SetXattr(
                        XattrArguments.SetXattr.Option.REPLACE,
                        NAME,
                        MemorySegment.ofArray(new byte[] {1})),
                new XattrArguments.ListXattrs(0, 8192),
                new XattrArguments.RemoveXattr(NAME));
    }
}
