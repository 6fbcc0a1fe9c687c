package io.github.rpcrdma4j.nfs.nio.attribute;

import io.github.rpcrdma4j.nfs.client.service.AccessEntry;
import io.github.rpcrdma4j.nfs.client.service.AccessEntry.Flag;
import io.github.rpcrdma4j.nfs.client.service.AccessEntry.Right;
import io.github.rpcrdma4j.nfs.client.service.AccessEntry.Type;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.io.IOException;
import java.nio.file.attribute.AclEntry;
import java.nio.file.attribute.AclEntryFlag;
import java.nio.file.attribute.AclEntryPermission;
import java.nio.file.attribute.AclEntryType;
import java.nio.file.attribute.AclFileAttributeView;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/**
 * The access control list of a file of a server. Each method makes calls. Thread-safe.
 *
 * <p>Lists of Java are those of version 4 of NFS, but for a few things. Whether an entry was
 * inherited is not told, and entries that are written are not inherited ones. A list with rights of
 * retention, or with entries for successful or failed accesses, is refused: Java has no words for
 * them, and a program that changes the list would lose them.
 *
 * <p>Tests: {@code AclViewContract}.
 */
public record AclView(ViewedFile file) implements AclFileAttributeView {
    /** The name of the view. */
    public static final String NAME = "acl";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<AclEntry> getAcl() throws IOException {
        return file.use(
                (service, found, what) -> {
                    var entries = new ArrayList<AclEntry>();
                    for (var each : service.accessLists().of(found.handle(), what)) {
                        entries.add(entry(each, what));
                    }
                    return entries;
                });
    }

    /**
     * {@inheritDoc}
     *
     * @throws java.nio.file.ProviderMismatchException if an entry is for a user that no lookup of
     *     this provider returned
     */
    @Override
    public void setAcl(List<AclEntry> entries) throws IOException {
        var all = entries.stream().map(AclView::entry).toList();
        file.use(
                (service, found, what) -> {
                    service.accessLists().replace(found.handle(), all, what);
                    return null;
                });
    }

    @Override
    public UserPrincipal getOwner() throws IOException {
        return new AttributeView(NAME, file).getOwner();
    }

    @Override
    public void setOwner(UserPrincipal owner) throws IOException {
        new AttributeView(NAME, file).setOwner(owner);
    }

    private static AclEntry entry(AccessEntry told, String what) throws NfsException {
        var flags = EnumSet.noneOf(AclEntryFlag.class);
        for (var each : told.flags()) {
            switch (each) {
                case FILE_INHERIT -> flags.add(AclEntryFlag.FILE_INHERIT);
                case DIRECTORY_INHERIT -> flags.add(AclEntryFlag.DIRECTORY_INHERIT);
                case NO_PROPAGATE_INHERIT -> flags.add(AclEntryFlag.NO_PROPAGATE_INHERIT);
                case INHERIT_ONLY -> flags.add(AclEntryFlag.INHERIT_ONLY);
                case SUCCESSFUL_ACCESS, FAILED_ACCESS -> throw unspeakable(what);
                case IDENTIFIER_GROUP, INHERITED -> {}
            }
        }
        var permissions = EnumSet.noneOf(AclEntryPermission.class);
        for (var each : told.rights()) {
            permissions.add(permission(each, what));
        }
        return AclEntry.newBuilder()
                .setType(
                        switch (told.type()) {
                            case ALLOW -> AclEntryType.ALLOW;
                            case DENY -> AclEntryType.DENY;
                            case AUDIT -> AclEntryType.AUDIT;
                            case ALARM -> AclEntryType.ALARM;
                        })
                .setPrincipal(
                        Principals.told(told.who(), told.flags().contains(Flag.IDENTIFIER_GROUP)))
                .setFlags(flags)
                .setPermissions(permissions)
                .build();
    }

    private static NfsException unspeakable(String what) {
        return NfsException.found(
                what, "Java has no words for an entry of its access control list", Status.NOTSUPP);
    }

    private static AclEntryPermission permission(Right right, String what) throws NfsException {
        return switch (right) {
            case READ_DATA -> AclEntryPermission.READ_DATA;
            case WRITE_DATA -> AclEntryPermission.WRITE_DATA;
            case APPEND_DATA -> AclEntryPermission.APPEND_DATA;
            case READ_NAMED_ATTRS -> AclEntryPermission.READ_NAMED_ATTRS;
            case WRITE_NAMED_ATTRS -> AclEntryPermission.WRITE_NAMED_ATTRS;
            case EXECUTE -> AclEntryPermission.EXECUTE;
            case DELETE_CHILD -> AclEntryPermission.DELETE_CHILD;
            case READ_ATTRIBUTES -> AclEntryPermission.READ_ATTRIBUTES;
            case WRITE_ATTRIBUTES -> AclEntryPermission.WRITE_ATTRIBUTES;
            case WRITE_RETENTION, WRITE_RETENTION_HOLD -> throw unspeakable(what);
            case DELETE -> AclEntryPermission.DELETE;
            case READ_ACL -> AclEntryPermission.READ_ACL;
            case WRITE_ACL -> AclEntryPermission.WRITE_ACL;
            case WRITE_OWNER -> AclEntryPermission.WRITE_OWNER;
            case SYNCHRONIZE -> AclEntryPermission.SYNCHRONIZE;
        };
    }

    private static AccessEntry entry(AclEntry wanted) {
        var flags = EnumSet.noneOf(Flag.class);
        for (var each : wanted.flags()) {
            flags.add(
                    switch (each) {
                        case FILE_INHERIT -> Flag.FILE_INHERIT;
                        case DIRECTORY_INHERIT -> Flag.DIRECTORY_INHERIT;
                        case NO_PROPAGATE_INHERIT -> Flag.NO_PROPAGATE_INHERIT;
                        case INHERIT_ONLY -> Flag.INHERIT_ONLY;
                    });
        }
        if (Principals.isGroup(wanted.principal())) {
            flags.add(Flag.IDENTIFIER_GROUP);
        }
        var rights = EnumSet.noneOf(Right.class);
        for (var each : wanted.permissions()) {
            rights.add(right(each));
        }
        var type =
                switch (wanted.type()) {
                    case ALLOW -> Type.ALLOW;
                    case DENY -> Type.DENY;
                    case AUDIT -> Type.AUDIT;
                    case ALARM -> Type.ALARM;
                };
        return new AccessEntry(type, flags, rights, Principals.who(wanted.principal()));
    }

    private static Right right(AclEntryPermission permission) {
        return switch (permission) {
            case READ_DATA -> Right.READ_DATA;
            case WRITE_DATA -> Right.WRITE_DATA;
            case APPEND_DATA -> Right.APPEND_DATA;
            case READ_NAMED_ATTRS -> Right.READ_NAMED_ATTRS;
            case WRITE_NAMED_ATTRS -> Right.WRITE_NAMED_ATTRS;
            case EXECUTE -> Right.EXECUTE;
            case DELETE_CHILD -> Right.DELETE_CHILD;
            case READ_ATTRIBUTES -> Right.READ_ATTRIBUTES;
            case WRITE_ATTRIBUTES -> Right.WRITE_ATTRIBUTES;
            case DELETE -> Right.DELETE;
            case READ_ACL -> Right.READ_ACL;
            case WRITE_ACL -> Right.WRITE_ACL;
            case WRITE_OWNER -> Right.WRITE_OWNER;
            case SYNCHRONIZE -> Right.SYNCHRONIZE;
        };
    }
}
