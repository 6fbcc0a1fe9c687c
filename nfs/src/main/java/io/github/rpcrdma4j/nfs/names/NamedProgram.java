package io.github.rpcrdma4j.nfs.names;

import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The names in one version of NFS, or of a program beside NFS: its procedures, and the statuses
 * with which their results begin. The programs are rpcbind (RFC 1833), NFS (RFC 1094, 1813, 7530
 * and 8881), MOUNT, NLM and NSM (RFC 1813, and "Protocols for Interworking: XNFS" of The Open
 * Group) and NFSACL, which has no document of its own. Immutable.
 */
public final class NamedProgram {
    /** The longest cookie of NLM that is read, in bytes; {@code netobj} allows 1024. */
    private static final int COOKIE_MAX = 1024;

    /** Where the status is in results that have one. */
    private enum StatusPlace {
        FIRST,
        BEHIND_A_COOKIE
    }

    /** The statuses of a version. */
    private enum Statuses {
        NONE(Map.of()),
        NFSSTAT(
                named(
                        io.github.rpcrdma4j.nfs.v2.Status.values(),
                        io.github.rpcrdma4j.nfs.v2.Status::number)),
        NFSSTAT3(named(Status.values(), Status::number)),
        NFSSTAT4(named(Nfs4Status.values(), Nfs4Status::number)),
        /** RFC 1094, A.5: other statuses are numbers of the server's operating system. */
        FHSTATUS(named("0 OK")),
        MOUNTSTAT3(named(Mount3.MountStatus.values(), Mount3.MountStatus::number)),
        /** Versions 1 and 3 have the first six. */
        NLM_STATS(
                named(
                        "0 GRANTED 1 DENIED 2 DENIED_NOLOCKS 3 BLOCKED 4 DENIED_GRACE_PERIOD"
                                + " 5 DEADLCK 6 ROFS 7 STALE_FH 8 FBIG 9 FAILED")),
        /** The type {@code res} of NSM. */
        NSM_RES(named("0 SUCC 1 FAIL"));

        private final Map<Integer, String> names;

        Statuses(Map<Integer, String> names) {
            this.names = names;
        }

        private static Map<Integer, String> named(String text) {
            var words = text.split(" ");
            var names = new HashMap<Integer, String>();
            for (int i = 0; i < words.length; i += 2) {
                names.put(Integer.parseInt(words[i]), words[i + 1]);
            }
            return Map.copyOf(names);
        }

        private static <E extends Enum<E>> Map<Integer, String> named(
                E[] values, ToIntFunction<E> number) {
            return Stream.of(values)
                    .collect(Collectors.toUnmodifiableMap(number::applyAsInt, Enum::name));
        }

        private StatusPlace place() {
            return this == NLM_STATS ? StatusPlace.BEHIND_A_COOKIE : StatusPlace.FIRST;
        }
    }

    private record ProcedureName(String name, boolean hasStatus) {}

    /**
     * The rows: program, version, name, statuses, and the procedures in the order of their numbers.
     * A colon follows the procedures whose results have a status, and a dash is a number without a
     * procedure.
     */
    private static final String ROWS =
            """
            100000 2 PORTMAP NONE NULL SET UNSET GETPORT DUMP CALLIT
            100000 3 RPCBIND NONE NULL SET UNSET GETADDR DUMP CALLIT GETTIME UADDR2TADDR TADDR2UADDR
            100000 4 RPCBIND NONE NULL SET UNSET GETADDR DUMP BCAST GETTIME UADDR2TADDR TADDR2UADDR \
            GETVERSADDR INDIRECT GETADDRLIST GETSTAT
            100003 2 NFS NFSSTAT NULL GETATTR: SETATTR: ROOT LOOKUP: READLINK: READ: WRITECACHE \
            WRITE: CREATE: REMOVE: RENAME: LINK: SYMLINK: MKDIR: RMDIR: READDIR: STATFS:
            100003 3 NFS NFSSTAT3 NULL GETATTR: SETATTR: LOOKUP: ACCESS: READLINK: READ: WRITE: \
            CREATE: MKDIR: SYMLINK: MKNOD: REMOVE: RMDIR: RENAME: LINK: READDIR: READDIRPLUS: \
            FSSTAT: FSINFO: PATHCONF: COMMIT:
            100003 4 NFS NFSSTAT4 NULL COMPOUND:
            100005 1 MOUNT FHSTATUS NULL MNT: DUMP UMNT UMNTALL EXPORT EXPORTALL
            100005 2 MOUNT FHSTATUS NULL MNT: DUMP UMNT UMNTALL EXPORT EXPORTALL PATHCONF
            100005 3 MOUNT MOUNTSTAT3 NULL MNT: DUMP UMNT UMNTALL EXPORT
            100021 1 NLM NLM_STATS NULL TEST: LOCK: CANCEL: UNLOCK: GRANTED: TEST_MSG LOCK_MSG \
            CANCEL_MSG UNLOCK_MSG GRANTED_MSG TEST_RES LOCK_RES CANCEL_RES UNLOCK_RES GRANTED_RES
            100021 3 NLM NLM_STATS NULL TEST: LOCK: CANCEL: UNLOCK: GRANTED: TEST_MSG LOCK_MSG \
            CANCEL_MSG UNLOCK_MSG GRANTED_MSG TEST_RES LOCK_RES CANCEL_RES UNLOCK_RES GRANTED_RES \
            - - - - SHARE: UNSHARE: NM_LOCK: FREE_ALL
            100021 4 NLM NLM_STATS NULL TEST: LOCK: CANCEL: UNLOCK: GRANTED: TEST_MSG LOCK_MSG \
            CANCEL_MSG UNLOCK_MSG GRANTED_MSG TEST_RES LOCK_RES CANCEL_RES UNLOCK_RES GRANTED_RES \
            - - - - SHARE: UNSHARE: NM_LOCK: FREE_ALL
            100024 1 NSM NSM_RES NULL STAT: MON: UNMON UNMON_ALL SIMU_CRASH NOTIFY
            100227 2 NFSACL NFSSTAT NULL GETACL: SETACL: GETATTR: ACCESS: GETXATTRDIR:
            100227 3 NFSACL NFSSTAT3 NULL GETACL: SETACL: GETXATTRDIR:
            """;

    /**
     * The program by which a server of NFS version 4 calls back a client (RFC 7530, Section 16.1;
     * RFC 8881, Section 20). Each client chooses its number, so {@link #of} does not return it.
     */
    public static final NamedProgram CALLBACK =
            new NamedProgram("NFS", 4, Statuses.NFSSTAT4, List.of("CB_NULL", "CB_COMPOUND:"));

    /** The programs by number, and their versions in order. */
    private static final Map<Integer, TreeMap<Integer, NamedProgram>> PROGRAMS = new HashMap<>();

    static {
        for (var row : ROWS.lines().toList()) {
            var words = row.split(" ");
            PROGRAMS.computeIfAbsent(Integer.parseInt(words[0]), _ -> new TreeMap<>())
                    .put(Integer.parseInt(words[1]), of(words));
        }
    }

    private final String name;
    private final int version;
    private final Statuses statuses;
    private final Map<Integer, ProcedureName> procedures = new TreeMap<>();

    private NamedProgram(String name, int version, Statuses statuses, List<String> names) {
        this.name = name;
        this.version = version;
        this.statuses = statuses;
        for (int i = 0; i < names.size(); i++) {
            var word = names.get(i);
            if (!word.equals("-")) {
                boolean hasStatus = word.endsWith(":");
                procedures.put(
                        i,
                        new ProcedureName(
                                hasStatus ? word.substring(0, word.length() - 1) : word,
                                hasStatus));
            }
        }
    }

    private static NamedProgram of(String[] words) {
        return new NamedProgram(
                words[2],
                Integer.parseInt(words[1]),
                Statuses.valueOf(words[3]),
                Arrays.asList(words).subList(4, words.length));
    }

    /** Returns a version of a program, or nothing if it is not known. */
    public static Optional<NamedProgram> of(int program, int version) {
        return versions(program).map(known -> known.get(version));
    }

    /**
     * Returns the name of a program in all its versions, such as "NLM", or nothing if the program
     * is not known.
     */
    public static Optional<String> name(int program) {
        return versions(program).map(known -> known.lastEntry().getValue().name);
    }

    private static Optional<TreeMap<Integer, NamedProgram>> versions(int program) {
        return Optional.ofNullable(PROGRAMS.get(program));
    }

    /** Returns the name of the program, such as "NLM". */
    public String name() {
        return name;
    }

    /** Returns the version of the program. */
    public int version() {
        return version;
    }

    /**
     * Returns the name of a procedure, or nothing if the version has no procedure of the number.
     */
    public Optional<String> procedure(int number) {
        return Optional.ofNullable(procedures.get(number)).map(ProcedureName::name);
    }

    /** Returns the names of all procedures by number, in the order of their numbers. */
    public Map<Integer, String> procedures() {
        var names = new TreeMap<Integer, String>();
        procedures.forEach((number, procedure) -> names.put(number, procedure.name()));
        return names;
    }

    /**
     * Reads the status of results.
     *
     * @param results positioned at the results of the procedure
     * @return empty if results of the procedure have no status
     * @throws XdrException if the results end before their status
     */
    public OptionalInt status(int procedure, XdrReader results) throws XdrException {
        var known = procedures.get(procedure);
        if (known == null || !known.hasStatus()) {
            return OptionalInt.empty();
        }
        if (statuses.place() == StatusPlace.BEHIND_A_COOKIE) {
            results.opaque(COOKIE_MAX);
        }
        return OptionalInt.of(results.uint32());
    }

    /** Returns the name of a status, such as "NOENT", or nothing if the status is not defined. */
    public Optional<String> statusName(int status) {
        return Optional.ofNullable(statuses.names.get(status));
    }
}
