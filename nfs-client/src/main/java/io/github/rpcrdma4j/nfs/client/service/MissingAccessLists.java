package io.github.rpcrdma4j.nfs.client.service;

import java.util.List;

/** Refuses what needs access control lists, because the version of NFS has none. */
record MissingAccessLists(NfsVersion version) implements AccessLists {
    private NfsException refusal(String what) {
        return NfsException.found(
                what,
                "version " + version.words() + " of NFS has no such access control lists",
                Status.NOTSUPP);
    }

    @Override
    public boolean exist() {
        return false;
    }

    @Override
    public boolean areKept(FileHandle file, String what) {
        return false;
    }

    @Override
    public List<AccessEntry> of(FileHandle file, String what) throws NfsException {
        throw refusal(what);
    }

    @Override
    public void replace(FileHandle file, List<AccessEntry> entries, String what)
            throws NfsException {
        throw refusal(what);
    }
}
