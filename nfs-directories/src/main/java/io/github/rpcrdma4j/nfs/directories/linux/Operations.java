package io.github.rpcrdma4j.nfs.directories.linux;

/** The operations on the files of a store, by subject. */
record Operations(
        AttributeOperations attributes,
        AclOperations acls,
        XattrOperations xattrs,
        DirectoryOperations directories,
        ListOperations lists,
        DataOperations data,
        RangeOperations ranges,
        DataAccess access) {
    static Operations of(LinuxStore store) {
        var access = new DataAccess(store);
        var acls = new AclOperations(store);
        var attributes = new AttributeOperations(store, access, acls);
        return new Operations(
                attributes,
                acls,
                new XattrOperations(store, attributes),
                new DirectoryOperations(store),
                new ListOperations(store),
                new DataOperations(store, access),
                new RangeOperations(store, access),
                access);
    }
}
