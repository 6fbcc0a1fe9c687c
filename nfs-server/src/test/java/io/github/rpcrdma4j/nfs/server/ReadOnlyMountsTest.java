package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.directories.ChildProcess;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: who changes something on a file system that is mounted read-only learns that, and is not
 * sent to look for rights. knfsd answers so before it looks at names and rights. Method: a child
 * process with a mount namespace of its own.
 */
class ReadOnlyMountsTest {
    private static final Set<Procedure> CHANGING =
            EnumSet.of(
                    Procedure.SETATTR,
                    Procedure.WRITE,
                    Procedure.CREATE,
                    Procedure.MKDIR,
                    Procedure.SYMLINK,
                    Procedure.MKNOD,
                    Procedure.REMOVE,
                    Procedure.RMDIR,
                    Procedure.RENAME,
                    Procedure.LINK);

    /** The file system as a whole, or the mount of the export alone. */
    @ParameterizedTest
    @ValueSource(strings = {"remount,ro", "remount,bind,ro"})
    void everyChangeIsRefusedAsSuch(String how) throws Exception {
        assumeTrue(LocalCalls.user() == 0, "only root mounts file systems");
        ChildProcess.assumeWorks(
                "file systems cannot be mounted here",
                "unshare",
                "--mount",
                "mount",
                "-t",
                "tmpfs",
                "none",
                "/tmp");
        try (var directory = TestDirectory.of(TestDirectory.Kind.LOCAL)) {
            ChildProcess.run(
                    List.of("unshare", "--mount", "--propagation", "private"),
                    Mounted.class,
                    directory.root().toString(),
                    how);
        }
    }

    /** Serves a file system that is mounted read-only, and changes it in every way. */
    static final class Mounted {
        private Mounted() {}

        public static void main(String[] arguments) throws Exception {
            var root = Path.of(arguments[0]);
            run("mount", "-t", "tmpfs", "none", root.toString());
            Files.writeString(root.resolve(EveryCall.FILE), "text");
            Files.createDirectory(root.resolve(EveryCall.DIRECTORY));
            // Changes of a server that serves already count, too.
            try (var server = TestServer.of(new TestDirectory(root, Optional.empty()))) {
                var top = server.root();
                server.makeDirectory(top, "before");
                if (arguments[1].equals("remount,ro")) {
                    run("mount", "-o", arguments[1], root.toString());
                    requireRefused(server);
                    run("mount", "-o", "remount,rw", root.toString());
                    server.makeDirectory(top, "after");
                }
            }
            run("mount", "-o", arguments[1], root.toString());
            try (var server = TestServer.of(new TestDirectory(root, Optional.empty()))) {
                requireRefused(server);
            }
        }

        private static void run(String... command) throws Exception {
            var process = new ProcessBuilder(command).inheritIO().start();
            assertEquals(0, process.waitFor(), List.of(command).toString());
        }

        private static void requireRefused(TestServer server) throws Exception {
            version2(server);
            version3(server, server.root());
            version4(server, CompoundClient.of(server, "client"));
        }

        private static void version2(TestServer server) throws Exception {
            var client = Nfs2Client.of(server);
            var top = client.root();
            var file = client.lookup(top, EveryCall.FILE);
            var refused = io.github.rpcrdma4j.nfs.v2.Status.ROFS;
            var mode = io.github.rpcrdma4j.nfs.v2.SetAttributes.ofMode(0777);
            for (var name : List.of(EveryCall.FILE, EveryCall.DIRECTORY, EveryCall.MADE)) {
                var place = Nfs2Client.place(top, name);
                var other = Nfs2Client.place(top, "other");
                for (var call :
                        List.<Nfs2Call<?>>of(
                                new Nfs2Call.Create(place, mode),
                                new Nfs2Call.MakeDirectory(place, mode),
                                new Nfs2Call.MakeSymbolicLink(place, PathName.of("text"), mode),
                                new Nfs2Call.Remove(place),
                                new Nfs2Call.RemoveDirectory(place),
                                new Nfs2Call.Rename(place, other),
                                new Nfs2Call.Rename(other, place),
                                new Nfs2Call.Link(file, place))) {
                    assertEquals(refused, client.status(call), call::toString);
                }
            }
            assertEquals(refused, client.status(Nfs2Client.write(file, 0, "x")));
            assertEquals(refused, client.status(new Nfs2Call.ChangeAttributes(file, mode)));
            assertEquals("text", client.read(file, 0, 9));
        }

        private static void version3(TestServer server, FileHandle top) throws Exception {
            var file = server.lookup(top, EveryCall.FILE);
            var seen = EnumSet.noneOf(Procedure.class);
            for (var calls :
                    List.of(EveryCall.in(top, file), EveryCall.on(file, 0), EveryCall.on(top, 0))) {
                for (var call : calls) {
                    if (CHANGING.contains(call.procedure())) {
                        assertEquals(Status.ROFS, server.status(call), call::toString);
                        seen.add(call.procedure());
                    }
                }
            }
            assertEquals(CHANGING, seen);
            assertEquals("text", server.read(file, 0, 9));
        }

        private static void version4(TestServer server, CompoundClient client) throws Exception {
            var none = SetAttributes.ofMode(0700);
            var refused = Nfs4Status.ROFS;
            for (var name : List.of(EveryCall.FILE, EveryCall.DIRECTORY, EveryCall.MADE)) {
                for (var call : inDirectory(name, none)) {
                    var all = at("", Nfs4Calls.saveFh(), call);
                    assertEquals(refused, client.status(all), call::toString);
                }
                for (var call : creations(name, none)) {
                    assertEquals(refused, client.status(at("", call)), call::toString);
                }
                var link = new NameArguments.Link(FileName.of(name));
                assertEquals(
                        refused,
                        client.status(
                                Nfs4Calls.join(
                                        at(EveryCall.FILE, Nfs4Calls.saveFh()), at("", link))));
            }
            for (var call :
                    List.of(
                            Nfs4Calls.write(StateId.ANONYMOUS, 0, "x"),
                            Nfs4Calls.setAttr(StateId.ANONYMOUS, none),
                            Nfs4Calls.setAttr(StateId.ANONYMOUS, SetAttributes.ofSize(1)),
                            new XattrArguments.SetXattr(
                                    XattrArguments.SetXattr.Option.EITHER,
                                    FileName.of("x"),
                                    MemorySegment.ofArray(new byte[1])),
                            new XattrArguments.RemoveXattr(FileName.of("x")))) {
                assertEquals(refused, client.status(at(EveryCall.FILE, call)), call::toString);
            }
            for (var call :
                    List.of(
                            Nfs4Calls.open(EveryCall.FILE, Open.BOTH, 0),
                            Nfs4Calls.create(EveryCall.FILE),
                            Nfs4Calls.create(EveryCall.MADE))) {
                assertEquals(refused, client.status(at("", call)), call::toString);
            }
            assertEquals(
                    Nfs4Status.OK,
                    client.status(at("", Nfs4Calls.open(EveryCall.FILE, Open.READ, 0))));
            var user = CompoundClient.of(server, "user", 1000);
            assertEquals(refused, user.status(at("", Nfs4Calls.makeDirectory(EveryCall.FILE))));
            assertNotEquals(
                    refused, client.status(at("", Nfs4Calls.lookup("nosuch"))), "nothing changes");
        }

        private static List<Arguments> inDirectory(String name, SetAttributes attributes) {
            var encoded = Nfs4Calls.encoded(attributes);
            return List.of(
                    Nfs4Calls.makeDirectory(name),
                    new NameArguments.Create(
                            new NameArguments.NewFile.Fifo(), FileName.of(name), encoded),
                    Nfs4Calls.remove(name),
                    Nfs4Calls.rename(name, "other"),
                    Nfs4Calls.rename("other", name));
        }

        private static List<Arguments> creations(String name, SetAttributes attributes) {
            return List.of(
                    Nfs4Calls.open(
                            "owner",
                            Open.BOTH,
                            0,
                            new OpenCreation.Guarded(Nfs4Calls.encoded(attributes)),
                            Nfs4Calls.claim(name)),
                    Nfs4Calls.open(
                            "owner",
                            Open.BOTH,
                            0,
                            new OpenCreation.Exclusive(7),
                            Nfs4Calls.claim(name)));
        }
    }
}
