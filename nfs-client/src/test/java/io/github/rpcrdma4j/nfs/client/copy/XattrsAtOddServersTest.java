package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments;
import io.github.rpcrdma4j.nfs.v4.operation.XattrResult;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Goal: what a server does not keep is told, and one that lies reaches nothing else. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class XattrsAtOddServersTest extends CopiedXattrs {
    private void refusing(Opcode opcode, Nfs4Status status, String name) {
        bend =
                (call, result) ->
                        call.opcode() == opcode && call.toString().contains(name)
                                ? Result.failed(opcode, status)
                                : result;
    }

    /**
     * Goal: one that the server does not take costs a line, and neither the file nor the others.
     */
    @Test
    void oneThatIsRefusedIsToldAndTheRestIsCopied() throws Exception {
        Files.writeString(source.resolve("file"), "file");
        set(source.resolve("file"), Map.of("big", "1", "a", "2", "z", "3"));
        bend =
                (call, result) ->
                        call instanceof XattrArguments.SetXattr set
                                        && set.name().equals(FileName.of("big"))
                                ? Result.failed(Opcode.SETXATTR, Nfs4Status.XATTR2BIG)
                                : result;
        put();
        assertEquals(
                List.of(
                        "cannot keep the extended attribute user.big of tree/file:"
                                + " the extended attribute is longer than the server takes"),
                failures);
        assertEquals("file", Files.readString(exported.resolve("tree/file")));
        // The server has set it: only its reply was another one.
        assertTrue(xattrs(exported.resolve("tree/file")).keySet().containsAll(List.of("a", "z")));
    }

    @Test
    void aFileSystemOfTheServerWithoutThemIsToldOnce() throws Exception {
        for (var name : List.of("one", "two")) {
            set(Files.writeString(source.resolve(name), name), Map.of("a", "1", "b", "2"));
        }
        bend = (call, _) -> Result.failed(call.opcode(), Nfs4Status.NOTSUPP);
        put();
        assertEquals(1, failures.size());
        assertTrue(
                failures.getFirst()
                        .matches(
                                "cannot keep the extended attributes of tree/(one|two) and 1 more:"
                                        + " the file system of the server does not keep them"),
                failures::toString);
        assertEquals(2, calls.size(), "one for each file");
    }

    @Test
    void oneThatCannotBeReadIsToldAndTheFileIsCopied() throws Exception {
        var tree = Files.createDirectory(exported.resolve("tree"));
        set(Files.writeString(tree.resolve("file"), "file"), SOME);
        refusing(Opcode.GETXATTR, Nfs4Status.IO, "");
        get();
        assertEquals(
                List.of(
                        "cannot read the extended attributes of tree/file:"
                                + " input/output error on the server"),
                failures);
        assertEquals("file", Files.readString(back.resolve("file")));
        // It is gone when it is read.
        refusing(Opcode.GETXATTR, Nfs4Status.NOXATTR, "");
        get();
        assertEquals(List.of(), failures);
        assertEquals(Map.of(), xattrs(back.resolve("file")));
    }

    @Test
    void aSingleFileTellsItToo() throws Exception {
        var file = Files.writeString(source.resolve("file"), "file");
        set(file, SOME);
        run((mount, _) -> copier(mount).put(file, mount.place("/data/one"), "one"));
        assertEquals(SOME, xattrs(exported.resolve("one")));
        refusing(Opcode.SETXATTR, Nfs4Status.NOSPC, "");
        try (var mount = mount()) {
            assertThrows(
                    IncompleteTreeException.class,
                    () -> copier(mount).put(file, mount.place("/data/two"), "two"));
        }
        assertEquals(1, failures.size());
        assertEquals("file", Files.readString(exported.resolve("two")));
    }

    private void getListed(List<FileName> names, byte[] value) throws Exception {
        bend =
                (call, result) ->
                        switch (call) {
                            case XattrArguments.ListXattrs _ ->
                                    new XattrResult.ListXattrs(1, names, true);
                            case XattrArguments.GetXattr _ ->
                                    new XattrResult.GetXattr(MemorySegment.ofArray(value));
                            default -> result;
                        };
        get();
    }

    private List<String> ofFile() {
        return failures.stream().filter(each -> each.contains("file:")).toList();
    }

    /** The transport refuses such a reply. */
    @Test
    void aListOrAValueThatIsLongerThanItsRoomCostsItsFileAlone() throws Exception {
        var tree = Files.createDirectory(exported.resolve("tree"));
        Files.writeString(tree.resolve("file"), "file");
        var many = new ArrayList<FileName>();
        for (int i = 0; i < 5000; i++) {
            many.add(FileName.of("a name of twenty bytes " + i));
        }
        var tooLong =
                List.of(
                        "cannot read the extended attributes of tree/file: the server's list of"
                                + " extended attributes is longer than it was asked for");
        getListed(many, new byte[1]);
        assertEquals(tooLong, ofFile());
        assertEquals("file", Files.readString(back.resolve("file")));
        bend =
                (call, _) ->
                        ((XattrArguments.ListXattrs) call).cookie() == 0
                                ? new XattrResult.ListXattrs(1, many.subList(0, 1), false)
                                : new XattrResult.ListXattrs(2, many, true);
        get();
        assertEquals(tooLong, ofFile());
        getListed(many.subList(0, 1), new byte[80 << 10]);
        assertEquals(
                List.of(
                        "cannot read the extended attributes of tree/file: the extended attribute"
                                + " is too long for this client"),
                ofFile());
        assertEquals("file", Files.readString(back.resolve("file")));
    }

    /** Goal: a server gives a file nothing but attributes of users, and a bounded amount. */
    @Test
    void aHostileServerReachesNothingElse() throws Exception {
        var tree = Files.createDirectory(exported.resolve("tree"));
        Files.writeString(tree.resolve("file"), "file");
        getListed(List.of(new FileName("security.x\0".getBytes())), new byte[1]);
        assertEquals(
                List.of(
                        "cannot read the extended attributes of tree/file: the server's list of"
                                + " extended attributes has a name that none can have"),
                failures.stream().filter(each -> each.contains("file:")).toList());
        var many = new ArrayList<FileName>();
        for (int i = 0; i < 20; i++) {
            many.add(FileName.of("n" + i));
        }
        getListed(many, new byte[64 << 10]);
        assertEquals(
                List.of(
                        "cannot read the extended attributes of tree/file:"
                                + " its extended attributes have more bytes than 1 MiB"),
                failures.stream().filter(each -> each.contains("file:")).toList());
        assertEquals(Map.of(), xattrs(back.resolve("file")));
        var names =
                List.of("security.selinux", "trusted.x", "system.posix_acl_access", "user.user.y");
        getListed(names.stream().map(FileName::of).toList(), new byte[] {'v'});
        assertEquals(List.of(), failures);
        assertEquals(
                names.stream().sorted().toList(),
                List.copyOf(xattrs(back.resolve("file")).keySet()));
        getListed(List.of(FileName.of("x".repeat(251)), FileName.of("short")), new byte[] {'v'});
        assertEquals(List.of("short"), List.copyOf(xattrs(back.resolve("file")).keySet()));
        assertTrue(
                failures.stream()
                        .anyMatch(each -> each.endsWith("of " + back + "/file: name too long")),
                failures::toString);
        assertEquals(Optional.of("file"), Optional.of(Files.readString(back.resolve("file"))));
    }
}
