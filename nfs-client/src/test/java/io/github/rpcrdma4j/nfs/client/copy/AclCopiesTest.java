package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: copies with attributes have the access control lists of their sources, or a line says so.
 */
class AclCopiesTest extends CopiedAcls {
    @ParameterizedTest
    @EnumSource(names = {"VERSION_3", "VERSION_4_0", "VERSION_4_1", "VERSION_4_2"})
    @Tag("8267-5.2-1")
    void aTreeKeepsItsListsThereAndBack(NfsVersion by) throws Exception {
        version = by;
        setAcls(file("listed", "rw-------"), OF_FILE);
        file("plain", "rw-r-----");
        var inner = Files.createDirectory(source.resolve("inner"));
        setAcls(inner, OF_DIRECTORY);
        file("inner/child", "r--------");
        Files.createSymbolicLink(source.resolve("link"), Path.of("listed"));
        setAcls(inner.resolve("child"), ExtendedAcls.NONE);
        put(PreservedAttributes.ALL);
        get();
        for (var copy : List.of(exported.resolve("tree"), back)) {
            for (var name : List.of("listed", "plain", "inner", "inner/child")) {
                var original = source.resolve(name);
                assertEquals(acls(original), acls(copy.resolve(name)), copy + "/" + name);
                assertEquals(mode(original), mode(copy.resolve(name)), copy + "/" + name);
            }
        }
        assertEquals(List.of(), failures);
        assertEquals(OF_FILE, acls(back.resolve("listed")));
    }

    /** Goal: version 2 of NFSACL goes with version 2 of NFS. */
    @Test
    void aTreeKeepsItsListsInVersion2() throws Exception {
        version = NfsVersion.VERSION_2;
        setAcls(file("listed", "rw-------"), OF_FILE);
        setAcls(Files.createDirectory(source.resolve("inner")), OF_DIRECTORY);
        put(PreservedAttributes.ALL);
        get();
        for (var copy : List.of(exported.resolve("tree"), back)) {
            assertEquals(OF_FILE, acls(copy.resolve("listed")));
            assertEquals(OF_DIRECTORY, acls(copy.resolve("inner")));
        }
        assertTrue(aclCalls.stream().allMatch(call -> call.version() == 2));
        assertEquals(List.of(), failures);
    }

    @Test
    void copiesThatKeepPermissionsAloneAskForNoLists() throws Exception {
        setAcls(file("listed", "rw-------"), OF_FILE);
        put(PreservedAttributes.PERMISSIONS);
        assertEquals(List.of(), aclCalls);
        assertEquals(ExtendedAcls.NONE, acls(exported.resolve("tree/listed")));
    }

    /** Goal: the users of a list that a copy inherits get no rights to it. */
    @ParameterizedTest
    @EnumSource(names = {"VERSION_3", "VERSION_4_2"})
    void inheritedListsAreTakenAway(NfsVersion by) throws Exception {
        version = by;
        var there = Files.createDirectory(exported.resolve("tree"));
        setAcls(there, OF_DIRECTORY);
        setAcls(directory, OF_DIRECTORY);
        file("plain", "rw-rw----");
        file("closed", "rw-------");
        Files.createDirectory(source.resolve("inner"));
        file("inner/child", "rw-rw-r--");
        for (var each : List.of("plain", "closed", "inner", "inner/child")) {
            setAcls(source.resolve(each), ExtendedAcls.NONE);
        }
        var listed = file("listed", "rw-------");
        setAcls(listed, OF_FILE);
        setAcls(source, ExtendedAcls.NONE);
        put(PreservedAttributes.ALL);
        get();
        for (var copy : List.of(there, back)) {
            for (var name : List.of("plain", "closed", "inner", "inner/child", "listed")) {
                var original = source.resolve(name);
                assertEquals(acls(original), acls(copy.resolve(name)), copy + "/" + name);
                assertEquals(mode(original), mode(copy.resolve(name)), copy + "/" + name);
            }
            assertEquals(ExtendedAcls.NONE, acls(copy), "as its source");
        }
    }

    private PosixAcl longAcl(int users) {
        var entries = new ArrayList<>(ACL.entries());
        for (int i = 0; i < users; i++) {
            entries.add(new Entry(PosixAcl.Tag.USER, 10_000 + i, 4));
        }
        return new PosixAcl(entries);
    }

    @Test
    @Tag("8267-5.2-2")
    @Tag("8267-5.2-3")
    void aListThatDoesNotFitIsAskedForWithALongerReplyChunk() throws Exception {
        var acls = new ExtendedAcls(Optional.of(longAcl(150)), Optional.empty());
        setAcls(Files.writeString(exported.resolve("tree"), "a file"), acls);
        get();
        assertEquals(acls, acls(back));
        assertEquals(2, aclCalls.size());
        var first = aclCalls.getFirst();
        var second = aclCalls.getLast();
        assertNotEquals(first.xid(), second.xid());
        assertTrue(first.resultsMax() < INLINE, "no Reply chunk at first");
        assertEquals(4 + 88 + 4 + 2 * (4 + 4) + 12 * 2048, second.resultsMax());
        assertEquals(1, rdma.statistics().value(Counter.CHUNK_ERRORS));
        assertEquals(1, rdma.statistics().value(Counter.REPLY_CHUNKS));
        // The list travels to the server as well.
        Files.move(exported.resolve("tree"), source.resolve("file"));
        setAcls(source.resolve("file"), acls);
        put(PreservedAttributes.ALL);
        assertEquals(acls, acls(exported.resolve("tree/file")));
    }

    /**
     * Goal: a list of version 4 has no bound but that of the session, so none is asked for twice.
     */
    @Test
    @Tag("8267-3.1-4")
    @Tag("8267-6.2-2")
    void aLongListOfVersion4HasRoomAtOnce() throws Exception {
        version = NfsVersion.VERSION_4_2;
        var acls = new ExtendedAcls(Optional.of(longAcl(150)), Optional.empty());
        setAcls(Files.writeString(exported.resolve("tree"), "a file"), acls);
        get();
        assertEquals(acls, acls(back));
        assertEquals(0, rdma.statistics().value(Counter.CHUNK_ERRORS));
        Files.move(exported.resolve("tree"), source.resolve("file"));
        setAcls(source.resolve("file"), acls);
        put(PreservedAttributes.ALL);
        assertEquals(acls, acls(exported.resolve("tree/file")));
        assertEquals(List.of(), failures);
    }

    /** Goal: what the source does not grant is gone before the first new file is there. */
    @ParameterizedTest
    @ValueSource(strings = {"put", "get", "copy"})
    void aDirectoryThatBecamePrivateIsNarrowedBeforeItIsFilled(String way) throws Exception {
        var inner = Files.createDirectory(source.resolve("inner"));
        file("inner/old", "rw-r--r--");
        put(PreservedAttributes.ALL);
        get();
        copyOnServer();
        var from = way.equals("put") ? inner : exported.resolve("tree/inner");
        var filled =
                switch (way) {
                    case "put" -> exported.resolve("tree/inner");
                    case "get" -> back.resolve("inner");
                    default -> exported.resolve("second/inner");
                };
        setAcls(filled, new ExtendedAcls(Optional.of(ACL), Optional.of(DEFAULTS)));
        boolean isRoot = Files.getAttribute(exported, "unix:uid").equals(0);
        if (isRoot) {
            Files.setAttribute(filled, "unix:uid", 7000);
            Files.setAttribute(filled, "unix:gid", 7001);
        }
        Files.setPosixFilePermissions(filled, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setPosixFilePermissions(from, PosixFilePermissions.fromString("r-x-w--w-"));
        var seen = Collections.synchronizedList(new ArrayList<String>());
        copied =
                name -> {
                    try {
                        if (name.endsWith("/old")) {
                            seen.add(
                                    mode(filled) + " " + acls(filled).isNone() + " " + ids(filled));
                        }
                    } catch (IOException unreadable) {
                        seen.add(unreadable.toString());
                    }
                };
        switch (way) {
            case "put" -> put(PreservedAttributes.ALL);
            case "get" -> get();
            default -> copyOnServer();
        }
        assertEquals(List.of("rwx-w--w- true " + ids(from)), seen);
        assertEquals("r-x-w--w-", mode(filled));
        assertEquals(List.of(), failures);
    }

    private static String ids(Path file) throws IOException {
        return Files.getAttribute(file, "unix:uid") + ":" + Files.getAttribute(file, "unix:gid");
    }
}
