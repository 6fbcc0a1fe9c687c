package io.github.rpcrdma4j.nfs.client.v4.plan;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments;
import io.github.rpcrdma4j.nfs.v4.operation.XattrResult;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The operations of a COMPOUND behind its SEQUENCE, and the most bytes of their results without the
 * data of READ. A client knows the bound when it makes the plan (RFC 8267-3.1-1), so each method
 * adds an operation with its bound. Its data has one chunk at most in each direction, which every
 * server takes (RFC 8267-6.4.2-1). Immutable.
 *
 * @param resultsMax in bytes, with number and status of each result
 * @param isRepeatable whether the server may carry out the plan twice
 * @param targets the caller's memory for the data of READ; empty if it comes inline
 */
public record Plan(
        List<Arguments> operations,
        long resultsMax,
        boolean isRepeatable,
        List<MemorySegment> targets) {
    /** Nothing but SEQUENCE. */
    public static final Plan EMPTY = new Plan(List.of(), 0, true, List.of());

    /** Number and status of a result. */
    private static final int HEAD = 8;

    private static final int STATE_ID = 16;
    private static final int CHANGE_INFO = 20;

    /** The most words of a bitmap that is accepted, and their count. */
    private static final int BITMAP = 5 * Integer.BYTES;

    /** What LOCK says of the lock of another owner, whose name may be long. */
    private static final int DENIED = 3 * Long.BYTES + 2 * Integer.BYTES + 1024;

    private static final int HANDLE = Integer.BYTES + FileHandle.BYTES_MAX;

    /**
     * The longest delegation that OPEN may give, with a name of 1024 bytes in its ACE: servers give
     * some although none is wanted.
     */
    private static final int DELEGATION = 1200;

    /** Copies the lists. */
    public Plan {
        operations = List.copyOf(operations);
        targets = List.copyOf(targets);
    }

    /**
     * Returns whether the plan must not be made again while the server may still work on an earlier
     * copy: that could undo what was written after it.
     */
    public boolean mayUndoLater() {
        return !isRepeatable
                || operations.stream()
                        .anyMatch(
                                each ->
                                        each instanceof DataArguments.Write
                                                || each instanceof AttributeArguments.SetAttr);
    }

    /** Returns the files with which its operations begin. */
    public Set<FileHandle> files() {
        var files = new HashSet<FileHandle>();
        for (var each : operations) {
            if (each instanceof HandleArguments.PutFh(var file)) {
                files.add(file);
            }
        }
        return files;
    }

    /** Returns the files that a copy which the server carries out late may change. */
    public Set<FileHandle> changed() {
        return mayUndoLater() ? files() : Set.of();
    }

    private Plan with(Arguments operation, long more) {
        var all = new ArrayList<>(operations);
        all.add(operation);
        return new Plan(all, resultsMax + HEAD + more, isRepeatable, targets);
    }

    private Plan once() {
        return new Plan(operations, resultsMax, false, targets);
    }

    private Plan into(MemorySegment target) {
        return new Plan(operations, resultsMax, isRepeatable, List.of(target));
    }

    /** Begins with a file. */
    public static Plan at(FileHandle file) {
        return EMPTY.file(file);
    }

    /** Begins with the root of the server. */
    public static Plan atRoot() {
        return EMPTY.with(new HandleArguments.PutRootFh(), 0);
    }

    /** Adds PUTFH. */
    public Plan file(FileHandle file) {
        return with(new HandleArguments.PutFh(file), 0);
    }

    /** Adds SAVEFH. */
    public Plan save() {
        return with(new HandleArguments.SaveFh(), 0);
    }

    /** Adds LOOKUP. */
    public Plan lookup(FileName name) {
        return with(new HandleArguments.Lookup(name), 0);
    }

    /**
     * Adds SECINFO, behind which version 4.1 has no current file.
     *
     * @param listMax the most bytes of the flavors
     */
    public Plan flavors(FileName name, int listMax) {
        return with(new HandleArguments.SecInfo(name), listMax);
    }

    /** Adds SECINFO_NO_NAME of the current file, which is none any more behind it. */
    public Plan flavors(int listMax) {
        var style = HandleArguments.SecInfoNoName.Style.CURRENT_FH;
        return with(new HandleArguments.SecInfoNoName(style), listMax);
    }

    /** Adds LOOKUPP. */
    public Plan parent() {
        return with(new HandleArguments.LookupP(), 0);
    }

    /** Adds GETFH. */
    public Plan handle() {
        return with(new HandleArguments.GetFh(), HANDLE);
    }

    /**
     * Adds GETATTR.
     *
     * @param valuesMax the most bytes of the values
     */
    public Plan attributes(AttributeSet wanted, int valuesMax) {
        return with(
                new AttributeArguments.GetAttr(wanted), BITMAP + Integer.BYTES + (long) valuesMax);
    }

    /** Adds SETATTR. */
    public Plan change(EncodedAttributes changes) {
        return change(StateId.ANONYMOUS, changes);
    }

    /** Adds SETATTR of a file that is open, which is for a change of its size. */
    public Plan change(StateId open, EncodedAttributes changes) {
        return with(new AttributeArguments.SetAttr(open, changes), BITMAP);
    }

    /** Adds VERIFY: the rest is carried out only if the file has these attributes. */
    public Plan require(EncodedAttributes wanted) {
        return with(new AttributeArguments.Verify(wanted), 0);
    }

    /** Adds NVERIFY: the rest is carried out only if the file has other attributes. */
    public Plan requireOther(EncodedAttributes unwanted) {
        return with(new AttributeArguments.NVerify(unwanted), 0);
    }

    /** Adds ACCESS. */
    public Plan access(int wanted) {
        return with(new AttributeArguments.Access(wanted), 2 * Integer.BYTES);
    }

    /**
     * Adds READDIR.
     *
     * @param bytesMax the most bytes of the page
     */
    public Plan list(long cookie, long verifier, int bytesMax, AttributeSet wanted) {
        return with(
                new NameArguments.ReadDir(cookie, verifier, bytesMax, bytesMax, wanted),
                // The count of the RFC begins behind number and status.
                bytesMax);
    }

    /**
     * Adds READLINK. Its text is not placed, although it is eligible: knfsd sends a malformed reply
     * if a Write chunk is there for it.
     *
     * @param bytesMax the longest text; a multiple of 4
     */
    public Plan link(int bytesMax) {
        return with(new NameArguments.ReadLink(), Integer.BYTES + (long) bytesMax);
    }

    /** Adds READ, for as many bytes as the target has. */
    public Plan read(StateId open, long offset, MemorySegment target) {
        return with(
                        new DataArguments.Read(open, offset, (int) target.byteSize()),
                        2 * Integer.BYTES)
                .into(target);
    }

    /** Adds WRITE. */
    public Plan write(StateId open, long offset, Stability stability, MemorySegment data) {
        return with(
                new DataArguments.Write(open, offset, stability, data),
                2 * Integer.BYTES + Long.BYTES);
    }

    /** Adds COMMIT. */
    public Plan commit(long offset, int count) {
        return with(new DataArguments.Commit(offset, count), Long.BYTES);
    }

    /** Adds OPEN. */
    public Plan open(StateArguments.Open open) {
        return with(open, STATE_ID + CHANGE_INFO + Integer.BYTES + BITMAP + DELEGATION).once();
    }

    /** Adds CLOSE. */
    public Plan close(StateId open) {
        return with(new StateArguments.Close(0, open), STATE_ID).once();
    }

    /** Adds OPEN_CONFIRM. */
    public Plan confirm(StateId open) {
        return with(new StateArguments.OpenConfirm(open, 0), STATE_ID).once();
    }

    /** Adds TEST_STATEID. */
    public Plan test(List<StateId> stateIds) {
        return with(
                new StateArguments.TestStateId(stateIds),
                Integer.BYTES + (long) Integer.BYTES * stateIds.size());
    }

    /** Adds FREE_STATEID. */
    public Plan free(StateId stateId) {
        return with(new StateArguments.FreeStateId(stateId), 0);
    }

    /** Adds LOCK. */
    public Plan lock(LockArguments.Lock lock) {
        return with(lock, Math.max(STATE_ID, DENIED)).once();
    }

    /** Adds LOCKU. */
    public Plan unlock(LockArguments.LockU unlock) {
        return with(unlock, STATE_ID).once();
    }

    /** Adds CLONE, from the saved file to the current one. */
    public Plan share(CopyArguments.Clone range) {
        return with(range, 0).once();
    }

    /** Adds COPY, from the saved file to the current one. */
    public Plan copy(CopyArguments.Copy range) {
        return with(range, Integer.BYTES + STATE_ID + 2 * Long.BYTES + 3 * Integer.BYTES).once();
    }

    /** Adds OFFLOAD_STATUS, for a copy to the current file. */
    public Plan progress(StateId copy) {
        return with(new CopyArguments.OffloadStatus(copy), Long.BYTES + 2 * (long) Integer.BYTES);
    }

    /** Adds OFFLOAD_CANCEL, for a copy to the current file. */
    public Plan cancel(StateId copy) {
        return with(new CopyArguments.OffloadCancel(copy), 0);
    }

    /** Adds SEEK. */
    public Plan seek(DataArguments.Seek seek) {
        return with(seek, Integer.BYTES + Long.BYTES);
    }

    /** Adds DELEGRETURN. */
    public Plan returned(StateId delegation) {
        return with(new StateArguments.DelegReturn(delegation), 0).once();
    }

    /** Adds CREATE. */
    public Plan create(NameArguments.Create create) {
        return with(create, CHANGE_INFO + BITMAP).once();
    }

    /** Adds REMOVE. */
    public Plan remove(FileName name) {
        return with(new NameArguments.Remove(name), CHANGE_INFO).once();
    }

    /** Adds RENAME, from the saved directory to the current one. */
    public Plan rename(FileName from, FileName to) {
        return with(new NameArguments.Rename(from, to), 2 * CHANGE_INFO).once();
    }

    /** Adds LINK, of the saved file in the current directory. */
    public Plan link(FileName name) {
        return with(new NameArguments.Link(name), CHANGE_INFO).once();
    }

    /**
     * Adds GETXATTR.
     *
     * @param valueMax the most bytes of the value that there is room for
     */
    public Plan xattr(FileName name, int valueMax) {
        return with(new XattrArguments.GetXattr(name), Integer.BYTES + XdrWriter.roundUp(valueMax));
    }

    /**
     * Adds LISTXATTRS.
     *
     * @param bytesMax the most bytes of the page
     */
    public Plan xattrs(long cookie, int bytesMax) {
        // Linux counts the names alone, and not what is beside them.
        return with(
                new XattrArguments.ListXattrs(cookie, bytesMax),
                XattrResult.ListXattrs.EMPTY_BYTES + (long) bytesMax);
    }

    /** Adds SETXATTR. */
    public Plan xattr(XattrArguments.SetXattr set) {
        return with(set, CHANGE_INFO).once();
    }

    /** Adds REMOVEXATTR. */
    public Plan removeXattr(FileName name) {
        return with(new XattrArguments.RemoveXattr(name), CHANGE_INFO).once();
    }

    /** Adds an operation on clients or sessions. */
    public Plan session(Arguments operation, int more) {
        return with(operation, more);
    }
}
