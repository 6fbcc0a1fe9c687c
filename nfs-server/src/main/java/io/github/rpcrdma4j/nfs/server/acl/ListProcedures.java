package io.github.rpcrdma4j.nfs.server.acl;

import io.github.rpcrdma4j.nfs.acl.AclLists;
import io.github.rpcrdma4j.nfs.acl.AclLists.Listed;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.Acls;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Node.Basis;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads and replaces the access control lists of a file, in terms of NFSACL. */
final class ListProcedures {
    /** The bits of a mode beside those of its list. */
    private static final int SPECIAL = 07000;

    private ListProcedures() {}

    /**
     * The lists of a file.
     *
     * @param file the status of the file
     */
    record Found(FileStatus file, AclLists lists) {}

    /**
     * Returns lists of a file. Each caller whom the export admits may read them, as attributes.
     *
     * @param mask which lists, and of which the number of entries
     * @throws Refusal INVAL for an unknown bit of the mask
     */
    static Found get(CallTarget file, int mask) throws Refusal, StoreException {
        requireKnown(mask);
        var status = file.node().status();
        var acls = file.node().acls();
        return new Found(
                status,
                new AclLists(
                        mask,
                        listed(
                                Optional.of(acls.access()),
                                status,
                                mask & (AclLists.ACCESS | AclLists.ACCESS_COUNT),
                                AclLists.ACCESS),
                        listed(
                                acls.defaults(),
                                status,
                                mask & (AclLists.DEFAULTS | AclLists.DEFAULTS_COUNT),
                                AclLists.DEFAULTS)));
    }

    private static Listed listed(
            Optional<PosixAcl> acl, FileStatus file, int wanted, int withEntries) {
        if (acl.isEmpty() || wanted == 0) {
            return Listed.NONE;
        }
        var all = Listed.of(acl.get(), file.uid(), file.gid());
        return (wanted & withEntries) != 0 ? all : all.counted();
    }

    private static void requireKnown(int mask) throws Refusal {
        if ((mask & ~AclLists.ALL) != 0) {
            throw new Refusal(Failure.INVAL);
        }
    }

    /**
     * Replaces the lists that the mask names. A list without entries is removed: of the access list
     * the mode remains.
     *
     * @return the status of the file afterwards, if it is known
     * @throws Refusal INVAL if the mask has an unknown bit or names no list, or if entries make up
     *     no list; ROFS if the caller has read-only access
     * @throws StoreException PERM if the caller is not the owner; NOTSUPP if the file system keeps
     *     no lists, and these say more than a mode
     */
    static Optional<FileStatus> set(CallTarget file, AclLists lists)
            throws Refusal, StoreException {
        requireKnown(lists.mask());
        boolean setsAccess = (lists.mask() & AclLists.ACCESS) != 0;
        boolean setsDefaults = (lists.mask() & AclLists.DEFAULTS) != 0;
        if (!setsAccess && !setsDefaults) {
            throw new Refusal(Failure.INVAL);
        }
        var newAccess = setsAccess ? acl(lists.access()) : Optional.<PosixAcl>empty();
        var newDefaults = setsDefaults ? acl(lists.defaults()) : Optional.<PosixAcl>empty();
        file.requireWritable();
        var status = file.node().status();
        var now = setsAccess && setsDefaults ? Acls.ofMode(status.mode()) : file.node().acls();
        var access =
                setsAccess
                        ? newAccess.orElseGet(() -> PosixAcl.ofMode(status.mode()))
                        : now.access();
        var wanted = new Acls(access, setsDefaults ? newDefaults : now.defaults());
        return file.node()
                .setAttributes(
                        file.caller(),
                        Basis.RIGHTS,
                        changes(file, status, wanted),
                        Optional.empty(),
                        file.storage())
                .after();
    }

    /** Returns the list of entries; empty if there are none. */
    private static Optional<PosixAcl> acl(Listed listed) throws Refusal {
        if (listed.count() == 0) {
            return Optional.empty();
        }
        return Optional.of(listed.acl().orElseThrow(() -> new Refusal(Failure.INVAL)));
    }

    private static AttributeChanges changes(CallTarget file, FileStatus status, Acls wanted)
            throws StoreException {
        boolean isMode = wanted.access().isMode() && wanted.defaults().isEmpty();
        boolean asMode = isMode && !file.node().features().acls();
        var none = AttributeChanges.NONE;
        return new AttributeChanges(
                asMode
                        ? OptionalInt.of(status.mode() & SPECIAL | wanted.access().mode())
                        : none.mode(),
                none.umask(),
                none.uid(),
                none.gid(),
                none.size(),
                asMode ? Optional.empty() : Optional.of(wanted),
                none.accessed(),
                none.modified());
    }
}
