package io.github.rpcrdma4j.interop.matrix;

/**
 * A check. The report lists the checks in the order of these constants.
 *
 * <p>Tests: {@code ReportTest}, {@code LastRunsTest}.
 */
public enum Check {
    GUEST("guest", "The guest lives until its cell ends."),
    MOUNT(
            "mount",
            "`mount -o proto=rdma`, of version 3 with `nolock` and MOUNT over TCP; df; a small file;"
                    + " unmount."),
    DEFAULT_MOUNT(
            "default mount",
            "`mount -o rdma SERVER:/` and nothing else: Linux and our server agree on version 4.2,"
                    + " AUTH_SYS and 1 MiB for a READ or WRITE; the root lists the export, a file"
                    + " in it is written."),
    LARGE_FILE(
            "large file",
            "20 MB written and read back through the page cache, with caches dropped and with direct"
                    + " I/O; the server holds the same bytes; Read and Write chunks were used and no"
                    + " READ data was copied into place."),
    ODD_SIZES(
            "odd sizes",
            "Lengths 0 to 9000 (every 7th as shipped, every 301st elsewhere) by direct I/O at offsets"
                    + " of every remainder by four around edges of 4 KiB and 64 KiB."),
    HOLES("holes", "Append, truncate, holes, a file longer than 4 GiB."),
    NAMES(
            "names",
            "A directory of 2000 entries (300 elsewhere) listed through Reply chunks, a storm of renames, hard and"
                    + " symbolic links, names of 255 bytes and beyond ASCII, modes and times."),
    WRITERS("writers", "Eight writers at once, four writers into one file, four readers."),
    COPIED_TREE(
            "copied tree",
            "`cp -a` of files, links, a FIFO, modes, owners and times: `diff` and `stat` show the"
                    + " same on both sides; a directory is renamed, all is removed."),
    REMOUNT("remount", "What was written is there after unmount and mount."),
    NCONNECT("nconnect", "One mount over four connections."),
    SERVER_KILLED(
            "server killed",
            "Our server is killed and started again while the client writes: the hard mount finishes,"
                    + " with the right data and no error."),
    SPACE(
            "data operations",
            "ALLOCATE, DEALLOCATE, SEEK and COPY by `fallocate` and `cp`: the server's file has the"
                    + " bytes, the length and the blocks."),
    REFLINK(
            "reflink",
            "Of files on an xfs, CLONE of whole files and of ranges shares the blocks on the server's"
                    + " disk, and a change of a clone leaves its source alone; ranges beyond the"
                    + " source or beside its blocks give EINVAL. On an ext4, `cp --reflink=always`"
                    + " gives EOPNOTSUPP, `--reflink=auto` copies. COPY of odd ranges has the data"
                    + " on both. Needs root and a host with xfs."),
    REFERRAL(
            "referral and long copy",
            "Our server says that an export is at another server of ours: the client mounts it from"
                    + " there, over RDMA. With `--async-copies`, `cp` of 25 MB is one COPY, which"
                    + " ends when CB_OFFLOAD has come."),
    RELOADS(
            "50 reloads",
            "Our server reads its config file again 50 times while the client writes, reads, makes and"
                    + " removes files, and holds an open file and a lock. The rule of its export"
                    + " changes, another export comes and goes, every tenth file has a mistake, and the"
                    + " log is renamed before every fifth reload: no process sees an error, nothing is"
                    + " retransmitted, and no line of the log is missing. A mount of the export that"
                    + " has gone is stale."),
    XATTRS(
            "extended attributes",
            "Set, changed, listed, read by another mount and removed, on a file and a directory;"
                    + " 2000 bytes; names of others than users are refused."),
    ENTRIES("100,000 entries", "One directory, listed with attributes and without."),
    RECLAIM(
            "reclaim",
            "Our server is killed and started again while a file is open and two are locked: a write"
                    + " to the open file succeeds, other owners are still refused the locks, and get"
                    + " them after the release."),
    LOST_REPLIES(
            "lost replies",
            "The connection is cut between the carrying out and the reply of MKDIR, SYMLINK, LINK,"
                    + " CREATE, RENAME, REMOVE and RMDIR: the client sees no error, and each was"
                    + " done once."),
    LOCKS_OF_GUESTS(
            "locks of two guests",
            "Two guests with names of their own: locks of flock and fcntl of one are refused to the"
                    + " other, which waits and gets them, both ways."),
    MANY_MOUNTS("50 mounts", "50 mounts and unmounts in a row, each with a file in and out."),
    OUR_DELEGATIONS(
            "our delegations",
            "Our server grants delegations for reading and for writing, under leases of the host's"
                    + " kernel: the client opens files again without it. As a process of the host, and"
                    + " our own client with version 3, open the files, the server recalls them: both are"
                    + " served, and see what the client wrote. After the connection is cut, the client"
                    + " can be called back over the next one. Times that `cp -a` and `touch` set on"
                    + " delegated files are there on the host, and after the next mount."),
    DELEGATIONS_WITHOUT_SESSIONS(
            "delegations of 4.0",
            "Delegations of our server for reading with version 4.0: the server calls the client"
                    + " back at its address. Nothing is cut."),
    DELEGATIONS_OF_GUESTS(
            "delegations of guests",
            "A second guest writes to a file that the first has delegated: the server recalls it."),
    POWER_CUT(
            "power cut",
            "The guest loses its power with a mount in use: connections, calls, windows, buffers,"
                    + " threads and descriptors of our server return to what they were. As shipped,"
                    + " the emulator closes the guest's connections; with large segments no"
                    + " component closes them."),
    LOST_CLIENT(
            "locks after a power cut",
            "A second guest waits for a lock of the guest without power, and gets it once the lease"
                    + " has ended; then all descriptors of our server have returned."),
    OVER_TCP("over TCP", "The copied tree, holes, and locks of two mounts, without RDMA."),
    KERBEROS(
            "krb5, krb5i, krb5p",
            "With a realm of MIT Kerberos and rpc.gssd: a file, a directory and another user under each"
                    + " flavor; nothing is placed under krb5i and krb5p; access without"
                    + " a ticket is refused."),
    KERBEROS_4(
            "krb5, krb5i, krb5p of version 4",
            "Versions 4.2 and 4.1 in the same way, with the sessions of the machine's own key."),
    KNFSD_KERBEROS("knfsd's krb5, krb5i, krb5p", "`put` and `get` under each; contexts over RDMA."),
    KNFSD("knfsd", "The kernel's server starts with an RDMA listener."),
    TREE(
            "tree",
            "`put -r` and `get -r` of files of 0 to 5,000,001 bytes, links, directories and modes:"
                    + " checksums of the kernel and of the copy are equal."),
    ATTRIBUTES(
            "attributes",
            "`put -a` and `get -a` of modes, owners, times in nanoseconds, names of every byte, hard"
                    + " links, holes, FIFOs and, as root, devices: `stat` shows equal attributes of"
                    + " the tree, of the server's copy and of the returned copy. Then `sync"
                    + " --delete`, three times each way, transfers and removes nothing."),
    METADATA_COMMANDS(
            "metadata commands", "`stat`, `ls`, `mkdir`, `mv`, `rm`, `ping`, and a missing file."),
    NEWEST_VERSION(
            "newest version",
            "`put` and `get` with `--rpcrdma-version auto`: a message of version 2 is answered with"
                    + " ERR_VERS, and the calls go on in version 1, on the same connection."),
    CLIENT_VERSIONS(
            "client versions",
            "By versions 4.2 and 4.1 (quick: 4.2), over RDMA and TCP: a tree put and got, a large file"
                    + " copied on the server, a lock that another client is refused, the tree"
                    + " removed; 500 small files there and back."),
    EVERY_COMMAND(
            "every command",
            "`dev/versions`: the commands that use files by versions 4.2, 4.1, 4.0 and 3, over RDMA and"
                    + " TCP; Ganesha by its versions 4 straight and through our gateway."),
    MANY_FILES("many files", "2000 small files put, listed and removed."),
    SHAPES(
            "chunk shapes",
            "91 shapes of calls that our requester would not pick, sent by hand: several Read chunks,"
                    + " Position-Zero and data chunks, multi-segment and unused chunks, Reply chunks on"
                    + " small replies, COMPOUNDs of several reads and writes, and what a responder has to refuse."),
    KNFSD_RESTARTS(
            "knfsd restarts",
            "knfsd stops and starts while `put --retry` writes: the command finishes with the right"
                    + " data."),
    MANY_CONNECTIONS(
            "50 connections", "50 connections in a row, each with its first reply at once."),
    VERSION_3("version 3", Texts.VERSION),
    VERSION_4_0("version 4.0", Texts.VERSION),
    VERSION_4_1("version 4.1", Texts.VERSION),
    VERSION_4_2("version 4.2", Texts.VERSION),
    LOCKS(
            "locks",
            "Locks of flock and fcntl from two mounts with caches of their own, which only the server"
                    + " can decide: conflicts are refused, and a waiting owner gets the lock."),
    LOCKS_3(
            "locks of version 3",
            "Locks of version 3, of version 4.2 and of a process on the server's host exclude each"
                    + " other, and those that wait get them; `sm-notify` of the client frees its"
                    + " locks. Version 3 locks by NLM and NSM, in the checks beside this one too."
                    + " Needs root."),
    RESTARTED_HOST(
            "host restarted",
            "A second guest with locks of version 3 loses its power: they stay. It boots again with"
                    + " what its statd has on a disk, its notice frees them, and the first guest,"
                    + " which waits for them, gets them. The second one can lock anew. Needs root."),
    VERSION_2(
            "version 2",
            "Over RDMA and TCP: the copied tree, with times in microseconds; READ and WRITE of 8 KiB,"
                    + " in chunks; files of 2 GiB less one byte; a longer file of the server's host"
                    + " shows its length, or 4 GiB less one byte."),
    ACLS(
            "access control lists",
            "`setfacl` and `getfacl` with version 3, on an ext4: entries of users and groups, default"
                    + " ones and what files and directories get of them are as in memory, and as the"
                    + " server's host sees them. They decide about access with version 4.2 too, which"
                    + " shows the same modes. Needs root."),
    GATEWAY_KILLED(
            "gateway killed",
            "The gateway is killed twice and started again while four processes use a mount: once as"
                    + " it is, and once when the server has carried out calls of all of them and no"
                    + " reply has come back. No process sees an error. In versions 4.1 and 4.2 they"
                    + " create exclusively, link, rename, remove and append, and each is done once;"
                    + " in versions 3 and 4.0, whose calls a server may carry out twice, they write"
                    + " whole files and read them."),
    KNFSD_RDMA_OVER_TCP(
            "knfsd's RDMA port over TCP",
            "Versions 3, 4.1 and 4.2 over TCP to a gateway that speaks RDMA to knfsd: checksums of"
                    + " both kernels, links, renames, a listing."),
    KNFSD_TCP_OVER_RDMA("knfsd's TCP port over RDMA", "The same files, over RDMA to a gateway."),
    DELEGATIONS(
            "delegations",
            "knfsd grants delegations for reading and for writing, and recalls them by CB_RECALL in the"
                    + " reverse direction, as a program of its own machine and another client open the files:"
                    + " both are served in time, and see what the client wrote; the server lists the"
                    + " delegation no more, and the client has sent DELEGRETURN."),
    GATEWAY_KERBEROS(
            "krb5, krb5i, krb5p through the gateway",
            "Versions 3 and 4.1 under each flavor, over RDMA, with the gateway's name in the server's"
                    + " keytab: the same files; nothing is placed under krb5i and krb5p."),
    GATEWAY_TRACE(
            "gateway's trace",
            "`dissect` finds no fault in what the gateway sent and received, and with knfsd it shows a"
                    + " CB_RECALL of each delegation, answered with NFS4_OK, and the DELEGRETURN."),
    SOAK(
            "work of a quarter of an hour",
            "By `interop/soak` alone: on two mounts of version 4.2 or 4.1, a kernel module is compiled, a"
                    + " repository is cloned, packed and checked, and money is moved between accounts under"
                    + " locks, while our server is killed and started again three times. The module is as"
                    + " one that was compiled in memory, the repository is whole, no money is lost, and in"
                    + " the end the server holds no client, open or lock."),
    ADAPTER(
            "adapter",
            "Java in the guest, on a soft adapter: Linux mounts our server over RDMA, writes and reads;"
                    + " our `put` and `get` in versions 1 and 2, over siw also against the end in Java;"
                    + " no region, window, queue or connection of the adapter is left. The quick run has"
                    + " version 3 and one copy."),
    COPIES(
            "copies",
            "No trace event of the guest's kernel says that it copied a message of 512 bytes or more"
                    + " together."),
    LEFTOVERS("leftovers", "Nothing is left in the export; what the kernel counted."),
    KERNEL_LOG("kernel log", "The guest's kernel has not warned of anything that we did."),
    CAPTURE(
            "capture",
            "Every frame of both sides is whole and has the right CRC; no first reply took a second;"
                    + " tshark finds nothing malformed in what we sent.");

    /** Texts that several checks have in common. */
    private static final class Texts {
        private static final String VERSION =
                "Mount, 20 MB in and out, names, directories, links, holes and concurrent writers;"
                        + " `xprt` of the mount is rdma, and the server's files have the same bytes.";
    }

    private final String words;
    private final String proves;

    Check(String words, String proves) {
        this.words = words;
        this.proves = proves;
    }

    /** Returns the name in the report. */
    public String words() {
        return words;
    }

    /** Returns a sentence that says what the check proves. */
    String proves() {
        return proves;
    }
}
