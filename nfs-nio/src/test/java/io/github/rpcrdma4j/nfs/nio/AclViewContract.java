package io.github.rpcrdma4j.nfs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.attribute.AclEntry;
import java.nio.file.attribute.AclEntryFlag;
import java.nio.file.attribute.AclEntryPermission;
import java.nio.file.attribute.AclEntryType;
import java.nio.file.attribute.AclFileAttributeView;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: the access control lists of files of a server are those that Java programs know. */
abstract class AclViewContract extends ChannelUser {
    private static final Set<AclEntryPermission> READ = EnumSet.of(AclEntryPermission.READ_DATA);
    private static final Set<AclEntryPermission> READ_AND_WRITE =
            EnumSet.of(
                    AclEntryPermission.READ_DATA,
                    AclEntryPermission.WRITE_DATA,
                    AclEntryPermission.APPEND_DATA);

    AclViewContract(Transport transport) {
        super(transport);
    }

    private UserPrincipal user(String name) throws Exception {
        return files.getUserPrincipalLookupService().lookupPrincipalByName(name);
    }

    private GroupPrincipal group(String name) throws Exception {
        return files.getUserPrincipalLookupService().lookupPrincipalByGroupName(name);
    }

    private static AclEntry allow(UserPrincipal who, Set<AclEntryPermission> permissions) {
        return AclEntry.newBuilder()
                .setType(AclEntryType.ALLOW)
                .setPrincipal(who)
                .setPermissions(permissions)
                .build();
    }

    private static AclFileAttributeView view(Path path) {
        return Files.getFileAttributeView(path, AclFileAttributeView.class);
    }

    /** Returns what an entry allows of reading and writing. */
    private static Set<AclEntryPermission> allowed(List<AclEntry> entries, UserPrincipal who) {
        var all = EnumSet.noneOf(AclEntryPermission.class);
        for (var each : entries) {
            if (each.type() == AclEntryType.ALLOW && each.principal().equals(who)) {
                all.addAll(each.permissions());
            }
        }
        all.retainAll(READ_AND_WRITE);
        return all;
    }

    private List<AclEntry> entries() throws Exception {
        return List.of(
                allow(user("OWNER@"), READ_AND_WRITE),
                allow(user("77"), READ_AND_WRITE),
                allow(group("88"), READ),
                allow(group("GROUP@"), Set.of()),
                allow(user("EVERYONE@"), Set.of()));
    }

    @Test
    void aListThatIsWrittenIsReadBack() throws Exception {
        Files.createFile(local);
        view(file).setAcl(entries());
        var now = view(file).getAcl();
        assertEquals(READ_AND_WRITE, allowed(now, user("OWNER@")));
        assertEquals(READ_AND_WRITE, allowed(now, user("77")));
        assertEquals(READ, allowed(now, group("88")));
        assertEquals(Set.of(), allowed(now, user("EVERYONE@")));
        assertFalse(Files.getPosixFilePermissions(local).contains(PosixFilePermission.OTHERS_READ));
        // A program changes one entry of the list that it has read.
        var changed =
                now.stream()
                        .map(
                                each ->
                                        each.principal().getName().equals("88")
                                                ? AclEntry.newBuilder(each)
                                                        .setPermissions(Set.of())
                                                        .build()
                                                : each)
                        .toList();
        view(file).setAcl(changed);
        assertEquals(Set.of(), allowed(view(file).getAcl(), group("88")));
        assertEquals(READ_AND_WRITE, allowed(view(file).getAcl(), user("77")));
    }

    @Test
    void aDirectoryTellsWhatNewFilesInherit() throws Exception {
        Files.createDirectory(local);
        var inherited =
                AclEntry.newBuilder(allow(user("77"), READ))
                        .setFlags(
                                AclEntryFlag.FILE_INHERIT,
                                AclEntryFlag.DIRECTORY_INHERIT,
                                AclEntryFlag.INHERIT_ONLY)
                        .build();
        var all = new ArrayList<>(entries());
        all.add(inherited);
        view(file).setAcl(all);
        assertTrue(
                view(file).getAcl().stream()
                        .anyMatch(
                                each ->
                                        each.flags().contains(AclEntryFlag.FILE_INHERIT)
                                                && each.principal().getName().equals("77")));
        Files.createFile(file.resolve("child"));
        assertEquals(READ, allowed(view(file.resolve("child")).getAcl(), user("77")));
    }

    @Test
    void aListIsAnAttributeByItsName() throws Exception {
        Files.createFile(local);
        Files.setAttribute(file, "acl:acl", entries());
        assertEquals(view(file).getAcl(), Files.getAttribute(file, "acl:acl"));
        assertEquals(Set.of("acl", "owner"), Files.readAttributes(file, "acl:*").keySet());
        assertEquals(Files.getOwner(file), Files.getAttribute(file, "acl:owner"));
        assertThrows(
                IllegalArgumentException.class, () -> Files.getAttribute(file, "acl:permissions"));
        assertThrows(
                IllegalArgumentException.class,
                () -> Files.setAttribute(file, "acl:permissions", Set.of()));
        assertThrows(ClassCastException.class, () -> Files.setAttribute(file, "acl:acl", Set.of()));
    }

    @Test
    void whatTheServerCannotKeepIsRefusedAndChangesNothing() throws Exception {
        Files.createFile(local);
        view(file).setAcl(entries());
        var before = view(file).getAcl();
        var audit =
                AclEntry.newBuilder(allow(user("77"), READ)).setType(AclEntryType.AUDIT).build();
        var unknown = allow(user("nobody@nowhere.example"), READ);
        for (var each : List.of(audit, unknown)) {
            assertThrows(FileSystemException.class, () -> view(file).setAcl(List.of(each)));
        }
        var foreign = allow(() -> "77", READ);
        assertThrows(ProviderMismatchException.class, () -> view(file).setAcl(List.of(foreign)));
        assertEquals(before, view(file).getAcl());
    }

    @Test
    void usersAreNumbersOrNamesWithADomain() throws Exception {
        assertEquals("77", user("77").getName());
        assertEquals("ann@example.org", group("ann@example.org").getName());
        for (var name : List.of("ann", "@example.org", "", "077", "-1", "4294967296")) {
            assertThrows(UserPrincipalNotFoundException.class, () -> user(name), name);
            assertThrows(UserPrincipalNotFoundException.class, () -> group(name), name);
        }
        Files.createFile(local);
        assertThrows(
                ProviderMismatchException.class,
                () -> Files.setOwner(file, user("ann@example.org")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"3", "4.1"})
    void theViewIsThereIfTheVersionHasLists(String version) throws Exception {
        files.close();
        try (var other = FileSystems.newFileSystem(served.uri(), Map.of("vers", version))) {
            var export = other.getPath("/data");
            boolean hasLists = !version.equals("3");
            assertEquals(hasLists, other.supportedFileAttributeViews().contains("acl"));
            var store = Files.getFileStore(export);
            assertEquals(hasLists, store.supportsFileAttributeView("acl"));
            assertEquals(hasLists, store.supportsFileAttributeView(AclFileAttributeView.class));
            if (hasLists) {
                assertNotNull(view(export).getAcl());
            } else {
                assertNull(view(export));
                assertThrows(
                        FileSystemException.class, () -> Files.getAttribute(export, "acl:acl"));
            }
        }
    }
}
