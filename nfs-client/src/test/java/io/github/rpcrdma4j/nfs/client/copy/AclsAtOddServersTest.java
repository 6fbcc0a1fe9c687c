package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.acl.Acl3Call;
import io.github.rpcrdma4j.nfs.acl.NfsAcl;
import io.github.rpcrdma4j.nfs.client.RefusedCalls;
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a server whose NFSACL is missing, busy or wrong costs a line, and opens no file. */
class AclsAtOddServersTest extends CopiedAcls {
    /**
     * Copies files into a directory whose list they inherit, from a server that refuses the first
     * call of a procedure of NFSACL, as a busy one may.
     *
     * @return the copies that there are
     */
    private List<Path> putWhileBusy(int procedure, AcceptStatus status) throws Exception {
        var there = Files.createDirectory(exported.resolve("tree"));
        setAcls(there, OF_DIRECTORY);
        setAcls(Files.createDirectory(source.resolve("inner")), OF_DIRECTORY);
        for (int i = 0; i < 20; i++) {
            setAcls(file("inner/f" + i, "rw-rw----"), ExtendedAcls.NONE);
        }
        setAcls(Files.createDirectory(there.resolve("inner")), OF_DIRECTORY);
        var left = new AtomicInteger(1);
        restart(
                programs().stream()
                        .<RpcProgram>map(
                                each ->
                                        isOfAcls(each)
                                                ? new RefusedCalls(each, procedure, status, left)
                                                : each)
                        .toList());
        try {
            put(PreservedAttributes.ALL);
        } catch (IncompleteTreeException _) {
            // The failures tell what failed.
        }
        try (var all = Files.list(there.resolve("inner"))) {
            return all.toList();
        }
    }

    /** Goal: after a refusal, no other file is open to the users of a list that it inherits. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aRefusalLeavesNoOtherFileItsInheritedList(int procedure) throws Exception {
        for (var each : putWhileBusy(procedure, AcceptStatus.SYSTEM_ERR)) {
            assertEquals(ExtendedAcls.NONE, acls(each), each + " " + mode(each));
        }
        assertFalse(failures.isEmpty());
    }

    private List<RpcProgram> programsWithoutAcls() {
        return programs().stream().filter(each -> !isOfAcls(each)).toList();
    }

    private static boolean isOfAcls(RpcProgram program) {
        return program.id().number() == NfsAcl.PROGRAM;
    }

    /** Goal: without its list, a file is not open to the group as wide as its mask. */
    @Test
    void aServerWithoutAclsIsAskedOnceAndTheLossIsReported() throws Exception {
        restart(programsWithoutAcls());
        setAcls(file("listed", "rw-------"), OF_FILE);
        setAcls(file("other", "rw-------"), OF_FILE);
        file("plain", "rw-r-----");
        var incomplete =
                assertThrows(IncompleteTreeException.class, () -> put(PreservedAttributes.ALL));
        assertEquals(1, failures.size(), failures::toString);
        assertTrue(
                failures.getFirst()
                        .matches(
                                "cannot keep the access control list of tree/(listed|other) and 1"
                                        + " more: the server has no NFSACL"),
                failures::toString);
        assertEquals(1, incomplete.failures());
        assertEquals("rw-r-----", mode(exported.resolve("tree/listed")));
        assertEquals("rw-r-----", mode(exported.resolve("tree/plain")));
        // Files that are copied at the same time may ask before the first answer.
        assertTrue(aclCalls.size() <= 4, "calls: " + aclCalls.size());
        aclCalls.clear();
        get();
        assertTrue(aclCalls.size() <= 4, "calls: " + aclCalls.size());
    }

    /** A program whose every reply is longer than any list. */
    private record Endless() implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(NfsAcl.PROGRAM, Acl3Call.VERSION);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) {
            results.opaque(new byte[100_000]);
            return AcceptStatus.SUCCESS;
        }
    }

    @Test
    void aServerWhoseReplyNeverFitsIsAskedTwice() throws Exception {
        var programs = new ArrayList<>(programsWithoutAcls());
        programs.add(new Endless());
        restart(programs);
        Files.writeString(exported.resolve("tree"), "a file");
        assertThrows(IncompleteTreeException.class, this::get);
        assertEquals(2, aclCalls.size());
        assertEquals(List.of("cannot read tree: its access control list is too long"), failures);
    }

    /** A program whose lists make no sense. */
    private record Malformed() implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(NfsAcl.PROGRAM, Acl3Call.VERSION);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) {
            // No attributes, one entry of a user, no default list.
            for (int word : new int[] {0, 0, 1, 1, 1, 2, 4242, 7, 0, 0}) {
                results.uint32(word);
            }
            return AcceptStatus.SUCCESS;
        }
    }

    @Test
    void aMalformedListIsOneLine() throws Exception {
        var programs = new ArrayList<>(programsWithoutAcls());
        programs.add(new Malformed());
        restart(programs);
        Files.writeString(exported.resolve("tree"), "a file");
        var malformed = assertThrows(RpcException.BadReply.class, this::get);
        assertEquals("the server's access control list is malformed", malformed.getMessage());
        assertTrue(Files.notExists(back));
    }
}
