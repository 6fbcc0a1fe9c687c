package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Operations of NFS version 4 with the arguments that tests need. */
final class Nfs4Calls {
    private static final SegmentPool POOL = new SegmentPool(1 << 20);

    private Nfs4Calls() {}

    /** Returns the operations that make a file of the export the current one, and then others. */
    static Arguments[] at(String path, Arguments... then) {
        return at(List.of(TestServer.EXPORT.substring(1)), path, then);
    }

    /** Returns the operations that make a file below the root of the server the current one. */
    static Arguments[] fromRoot(String path, Arguments... then) {
        return at(List.of(), path, then);
    }

    private static Arguments[] at(List<String> first, String path, Arguments... then) {
        var names = new ArrayList<>(first);
        if (!path.isEmpty()) {
            names.addAll(List.of(path.split("/")));
        }
        return join(CompoundClient.walk(names.toArray(String[]::new)), List.of(then));
    }

    static Arguments[] join(List<Arguments> first, List<Arguments> then) {
        var all = new ArrayList<>(first);
        all.addAll(then);
        return all.toArray(Arguments[]::new);
    }

    static Arguments[] join(Arguments[] first, Arguments... then) {
        return join(List.of(first), List.of(then));
    }

    static Arguments lookup(String name) {
        return new HandleArguments.Lookup(FileName.of(name));
    }

    static Arguments getFh() {
        return new HandleArguments.GetFh();
    }

    static Arguments saveFh() {
        return new HandleArguments.SaveFh();
    }

    static Arguments restoreFh() {
        return new HandleArguments.RestoreFh();
    }

    static Arguments getAttr(Attribute... attributes) {
        return new AttributeArguments.GetAttr(AttributeSet.of(attributes));
    }

    static Arguments setAttr(StateId stateId, SetAttributes changes) {
        return new AttributeArguments.SetAttr(stateId, encoded(changes));
    }

    static EncodedAttributes encoded(SetAttributes changes) {
        return changes.encoded(POOL);
    }

    static Arguments makeDirectory(String name) {
        return new NameArguments.Create(
                new NameArguments.NewFile.Directory(),
                FileName.of(name),
                encoded(SetAttributes.ofMode(0755)));
    }

    static Arguments remove(String name) {
        return new NameArguments.Remove(FileName.of(name));
    }

    static Arguments rename(String from, String to) {
        return new NameArguments.Rename(FileName.of(from), FileName.of(to));
    }

    static Arguments readDir(long cookie, int countMax, Attribute... attributes) {
        return new NameArguments.ReadDir(
                cookie, 0, countMax, countMax, AttributeSet.of(attributes));
    }

    static Arguments read(StateId stateId, long offset, int count) {
        return new DataArguments.Read(stateId, offset, count);
    }

    static Arguments write(StateId stateId, long offset, String text) {
        return new DataArguments.Write(
                stateId, offset, Stability.FILE_SYNC, MemorySegment.ofArray(text.getBytes()));
    }

    static OpaqueName name(String text) {
        return OpaqueName.of(text.getBytes());
    }

    static StateOwner owner(String text) {
        // The server takes the client of the session.
        return new StateOwner(0, name(text));
    }

    static Arguments open(
            String owner, int access, int deny, OpenCreation creation, OpenClaim claim) {
        return new StateArguments.Open(0, access, deny, owner(owner), creation, claim);
    }

    /** Returns the OPEN of a name that exists. */
    static Arguments open(String name, int access, int deny) {
        return open("owner", access, deny, new OpenCreation.None(), claim(name));
    }

    /** Returns the OPEN of the current file that was open for all before a restart. */
    static Arguments reclaim() {
        var previous = new OpenClaim.Previous(0);
        return open("owner", StateArguments.Open.BOTH, 0, new OpenCreation.None(), previous);
    }

    static Arguments reclaimComplete() {
        return new SessionArguments.ReclaimComplete(false);
    }

    /** Returns the OPEN of a name that need not exist. */
    static Arguments create(String name) {
        return open(
                "owner",
                StateArguments.Open.BOTH,
                0,
                new OpenCreation.Unchecked(encoded(SetAttributes.ofMode(0644))),
                claim(name));
    }

    static OpenClaim claim(String name) {
        return new OpenClaim.Name(FileName.of(name));
    }

    static Arguments close(StateId open) {
        return new StateArguments.Close(0, open);
    }

    /** Returns the LOCK of an owner that has no lock of the file. */
    static Arguments lock(StateId open, String owner, LockType type, long offset, long length) {
        return lock(open, owner, type, offset, length, false);
    }

    /** Returns the LOCK of an owner that has no lock of the file now. */
    static Arguments lock(
            StateId open,
            String owner,
            LockType type,
            long offset,
            long length,
            boolean isReclaim) {
        return new LockArguments.Lock(
                type,
                isReclaim,
                offset,
                length,
                new LockArguments.Locker.NewOwner(0, open, 0, owner(owner)));
    }

    static Arguments lock(StateId locks, LockType type, long offset, long length) {
        return new LockArguments.Lock(
                type, false, offset, length, new LockArguments.Locker.Existing(locks, 0));
    }

    static Arguments testLock(String owner, LockType type, long offset, long length) {
        return new LockArguments.LockT(type, offset, length, owner(owner));
    }

    static Arguments unlock(StateId locks, long offset, long length) {
        return new LockArguments.LockU(LockType.WRITE, 0, locks, offset, length);
    }
}
