package io.github.rpcrdma4j.nfs.directories.linux;

/** The operations on the files of a store, by subject. */
record LinuxCalls(
        AttributeCalls attributes,
        AclCalls acls,
        XattrCalls xattrs,
        NameCalls directories,
        ListCalls lists,
        DataCalls data,
        RangeCalls ranges,
        DataAccess access) {
    static LinuxCalls of(LinuxStore store) {
        var access = new DataAccess(store);
        var acls = new AclCalls(store);
        var attributes = new AttributeCalls(store, access, acls);
        return new LinuxCalls(
                attributes,
                acls,
                new XattrCalls(store, attributes),
                new NameCalls(store),
                new ListCalls(store),
                new DataCalls(store, access),
                new RangeCalls(store, access),
                access);
    }
}
