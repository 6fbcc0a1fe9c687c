package io.github.rpcrdma4j.nfs.server.export;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.util.List;

/**
 * The access of hosts to an export, and the users that their callers act as. The names of the
 * options are those of exports(5).
 *
 * <p>Tests: {@code ExportRulesTest}.
 *
 * @param clients the hosts
 * @param readOnly whether the hosts must not change anything
 * @param squash which callers become the anonymous user
 * @param anonymousUid the user of squashed callers and of callers without a user
 * @param anonymousGid the group of that user
 * @param ports what the port of a call without Kerberos says of its user
 * @param sync whether a reply waits until its changes are on storage
 * @param crossMounts whether clients see the file systems that are mounted below the export's
 *     directory
 * @param moved where the hosts find the files, if this server does not have them: these hosts get
 *     no access here. Clients of version 4 go there by themselves.
 */
public record ExportRule(
        Clients clients,
        boolean readOnly,
        Squash squash,
        int anonymousUid,
        int anonymousGid,
        Ports ports,
        boolean sync,
        boolean crossMounts,
        List<FileSystemLocation> moved) {
    /** The id of the user and of the group that own no files. */
    public static final int NOBODY = 65534;

    /**
     * The reserved id of no user and no group. Operating systems read it as "leave the owner
     * unchanged", so it never reaches them.
     */
    static final int NO_ID = -1;

    /** What the port of a call without Kerberos says of its user. */
    public enum Ports {
        /** Nothing: those who reach the server may be each user. */
        ANY,
        /**
         * A process of the server's machine that has a port from 1024 on is its own user, and has
         * the groups of that user; if it says otherwise, it is the anonymous user. Other hosts may
         * use all ports.
         */
        OWN_USER,
        /**
         * Only ports below 1024 are accepted, which only root of a Unix host may use. This includes
         * clients over RDMA, unlike in Linux: the Linux client calls over RDMA from high ports, so
         * this excludes it.
         */
        PRIVILEGED
    }

    /** The callers that become the anonymous user. */
    public enum Squash {
        /** None: every caller is the user that it claims to be. */
        NONE,
        /** User 0 and group 0, so that root of a client is not root of the server. */
        ROOT,
        /** All callers. */
        ALL
    }

    /**
     * @throws IllegalArgumentException if the anonymous user or group is 4294967295, which is no id
     */
    public ExportRule {
        if (anonymousUid == NO_ID || anonymousGid == NO_ID) {
            throw new IllegalArgumentException(
                    "4294967295 is reserved and cannot be a user or group id");
        }
        moved = List.copyOf(moved);
    }

    /**
     * Returns the usual rule for these hosts: they may read and change files and call from any
     * port, but processes of this machine as their own users alone; root acts as the anonymous
     * user; replies wait for storage; mounts below the export are hidden.
     */
    public static ExportRule of(Clients clients) {
        return new ExportRule(
                clients,
                false,
                Squash.ROOT,
                NOBODY,
                NOBODY,
                Ports.OWN_USER,
                true,
                false,
                List.of());
    }

    /** Returns a rule for all hosts, where every caller is the user that it claims to be. */
    public static ExportRule trusting(boolean readOnly) {
        return of(new Clients.Everybody())
                .withReadOnly(readOnly)
                .withSquash(Squash.NONE)
                .withPorts(Ports.ANY);
    }

    /** Returns this rule with another choice of whether the hosts must not change anything. */
    public ExportRule withReadOnly(boolean other) {
        return new ExportRule(
                clients,
                other,
                squash,
                anonymousUid,
                anonymousGid,
                ports,
                sync,
                crossMounts,
                moved);
    }

    /** Returns this rule with other squashed callers. */
    public ExportRule withSquash(Squash other) {
        return new ExportRule(
                clients,
                readOnly,
                other,
                anonymousUid,
                anonymousGid,
                ports,
                sync,
                crossMounts,
                moved);
    }

    /**
     * Returns this rule with another anonymous user and group.
     *
     * @throws IllegalArgumentException if one of them is 4294967295
     */
    public ExportRule withAnonymous(int uid, int gid) {
        return new ExportRule(clients, readOnly, squash, uid, gid, ports, sync, crossMounts, moved);
    }

    /** Returns this rule with another choice of what ports say of users. */
    public ExportRule withPorts(Ports other) {
        return new ExportRule(
                clients,
                readOnly,
                squash,
                anonymousUid,
                anonymousGid,
                other,
                sync,
                crossMounts,
                moved);
    }

    /** Returns this rule with another choice of whether replies wait for storage. */
    public ExportRule withSync(boolean other) {
        return new ExportRule(
                clients,
                readOnly,
                squash,
                anonymousUid,
                anonymousGid,
                ports,
                other,
                crossMounts,
                moved);
    }

    /** Returns this rule with another choice of whether mounts below the export are visible. */
    public ExportRule withCrossMounts(boolean other) {
        return new ExportRule(
                clients, readOnly, squash, anonymousUid, anonymousGid, ports, sync, other, moved);
    }

    /** Returns this rule for files that are elsewhere, or here if there are no locations. */
    public ExportRule withMoved(List<FileSystemLocation> locations) {
        return new ExportRule(
                clients,
                readOnly,
                squash,
                anonymousUid,
                anonymousGid,
                ports,
                sync,
                crossMounts,
                locations);
    }

    /** Returns whether the files are elsewhere. */
    public boolean isMoved() {
        return !moved.isEmpty();
    }

    /**
     * Returns whether calls of a flavor may come from a caller. Calls with Kerberos may come from
     * everyone.
     *
     * @param isPrivileged whether the caller is root of its host, as far as its port tells (RFC
     *     2623, Section 2.1)
     */
    public boolean accepts(SecurityFlavor flavor, boolean isPrivileged) {
        return switch (flavor) {
            case NONE, SYS -> ports != Ports.PRIVILEGED || isPrivileged;
            case KRB5, KRB5I, KRB5P -> true;
        };
    }

    /**
     * Returns the user that a caller acts as. The result never contains the id 4294967295,
     * regardless of squashing. A caller with that user id becomes the anonymous user. A caller with
     * that group id gets the anonymous group. A supplementary group of that id is dropped.
     */
    public Credential.Sys user(Credential caller) {
        if (squash == Squash.ALL || !(caller instanceof Credential.Sys sys)) {
            return new Credential.Sys(0, "", anonymousUid, anonymousGid, List.of());
        }
        boolean asItIs = isBelieved(sys.uid()) && isBelieved(sys.gid());
        for (int i = 0; asItIs && i < sys.gids().size(); i++) {
            asItIs = isBelieved(sys.gids().get(i));
        }
        if (asItIs) {
            return sys;
        }
        return new Credential.Sys(
                sys.stamp(),
                sys.machine(),
                isBelieved(sys.uid()) ? sys.uid() : anonymousUid,
                group(sys.gid()),
                sys.gids().stream().filter(gid -> gid != NO_ID).map(this::group).toList());
    }

    /** Returns whether a caller may claim this user or group id. */
    private boolean isBelieved(int id) {
        return id != NO_ID && (id != 0 || squash == Squash.NONE);
    }

    private int group(int group) {
        return isBelieved(group) ? group : anonymousGid;
    }
}
