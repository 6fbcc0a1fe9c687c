package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.SetAttributes.TimeChange;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: a server that runs as root applies the rights of each caller. */
class PermissionsTest {
    private static final Credential OWNER = new Credential.Sys(0, "host", 1001, 2001, List.of());
    private static final Credential MEMBER =
            new Credential.Sys(0, "host", 1002, 2002, List.of(2003, 2001));
    private static final Credential OTHER = new Credential.Sys(0, "host", 1003, 2003, List.of());
    private static final Credential NOBODY = new Credential.None();

    private TestDirectory testDirectory;
    private TestServer server;
    private FileHandle root;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        server = TestServer.of(testDirectory);
        root = server.root();
        assumeTrue(isRoot(), "only root can act for others");
        server.ok(change(root, SetAttributes.ofMode(0777)));
    }

    private boolean isRoot() throws Exception {
        var owner = Files.getAttribute(testDirectory.root(), "unix:uid", LinkOption.NOFOLLOW_LINKS);
        return Integer.valueOf(0).equals(owner);
    }

    @AfterEach
    void stop() throws Exception {
        if (testDirectory != null) {
            server.close();
            testDirectory.close();
        }
    }

    private static Nfs3Call.ChangeAttributes change(FileHandle file, SetAttributes changes) {
        return new Nfs3Call.ChangeAttributes(file, changes, Optional.empty());
    }

    private static SetAttributes owners(OptionalInt uid, OptionalInt gid) {
        var none = SetAttributes.NONE;
        return new SetAttributes(
                none.mode(), uid, gid, none.size(), none.accessed(), none.modified());
    }

    private FileHandle make(Credential caller, FileHandle directory, String name, int mode)
            throws Exception {
        var how = new CreateMode.Guarded(SetAttributes.ofMode(mode));
        return switch (server.call(
                caller, new Nfs3Call.Create(new DirOpArgs(directory, name), how))) {
            case Nfs3Reply.Ok<?, Nfs3Results.Created>(_, var made) -> made.handle().orElseThrow();
            case Nfs3Reply.Failed<?, ?>(var status, _) -> throw new AssertionError(status);
        };
    }

    private FileHandle makeDirectory(Credential caller, String name, int mode) throws Exception {
        var call =
                new Nfs3Call.MakeDirectory(new DirOpArgs(root, name), SetAttributes.ofMode(mode));
        return switch (server.call(caller, call)) {
            case Nfs3Reply.Ok<?, Nfs3Results.Created>(_, var made) -> made.handle().orElseThrow();
            case Nfs3Reply.Failed<?, ?>(var status, _) -> throw new AssertionError(status);
        };
    }

    /**
     * Makes a set-group-ID directory, whose files get its group. Linux needs a second call for the
     * bit.
     */
    private FileHandle makeGroupDirectory() throws Exception {
        var directory = makeDirectory(OWNER, "directory", 0777);
        var mode = SetAttributes.ofMode(02777);
        var change = new Nfs3Call.ChangeAttributes(directory, mode, Optional.empty());
        assertEquals(Status.OK, server.status(OWNER, change));
        return directory;
    }

    @Test
    void newFilesBelongToTheirCaller() throws Exception {
        var file = server.attributes(make(OWNER, root, "file", 0640));
        assertEquals(List.of(1001, 2001, 0640), List.of(file.uid(), file.gid(), file.mode()));
        var directory = server.attributes(makeDirectory(MEMBER, "directory", 0750));
        assertEquals(List.of(1002, 2002), List.of(directory.uid(), directory.gid()));
        var nobodys = server.attributes(make(NOBODY, root, "nobody", 0600));
        assertEquals(List.of(65534, 65534), List.of(nobodys.uid(), nobodys.gid()));
    }

    @Test
    void newFilesBelongToTheGroupOfADirectoryThatSaysSo() throws Exception {
        var directory = makeGroupDirectory();
        assertEquals(2001, server.attributes(make(OTHER, directory, "file", 0644)).gid());
    }

    @Test
    void bitsGrantReadingAndWriting() throws Exception {
        var file = make(OWNER, root, "file", 0640);
        var read = new Nfs3Call.Read(file, 0, 1);
        var write = TestServer.write(file, 0, Stability.UNSTABLE, "x");
        assertEquals(Status.OK, server.status(OWNER, write));
        assertEquals(Status.OK, server.status(MEMBER, read));
        assertEquals(Status.ACCES, server.status(MEMBER, write));
        assertEquals(Status.ACCES, server.status(OTHER, read));
        assertEquals(Status.ACCES, server.status(NOBODY, read));
        assertEquals(Status.OK, server.status(write));
        // The owner made the file, and may write to it if it was opened earlier.
        server.ok(change(file, SetAttributes.ofMode(0)));
        assertEquals(Status.OK, server.status(OWNER, write));
        assertEquals(Status.ACCES, server.status(MEMBER, read));
    }

    @Test
    void accessSaysWhatTheBitsGrant() throws Exception {
        var file = make(OWNER, root, "file", 0751);
        int write = Nfs3.ACCESS_MODIFY | Nfs3.ACCESS_EXTEND;
        assertEquals(Nfs3.ACCESS_READ | write | Nfs3.ACCESS_EXECUTE, access(OWNER, file));
        assertEquals(Nfs3.ACCESS_READ | Nfs3.ACCESS_EXECUTE, access(MEMBER, file));
        assertEquals(Nfs3.ACCESS_EXECUTE, access(OTHER, file));
    }

    private int access(Credential caller, FileHandle file) throws Exception {
        return switch (server.call(caller, new Nfs3Call.Access(file, 0x3f))) {
            case Nfs3Reply.Ok<?, Integer>(_, var granted) -> granted;
            case Nfs3Reply.Failed<?, ?>(var status, _) -> throw new AssertionError(status);
        };
    }

    @Test
    void directoriesKeepTheirNamesFromThoseWhoMayNotSearch() throws Exception {
        var directory = makeDirectory(OWNER, "directory", 0744);
        make(OWNER, directory, "file", 0666);
        var lookup = new Nfs3Call.Lookup(new DirOpArgs(directory, "file"));
        assertEquals(Status.OK, server.status(OWNER, lookup));
        assertEquals(Status.ACCES, server.status(OTHER, lookup));
        var list = new Nfs3Call.ReadDirectoryPlus(directory, 0, 0, 4096, 4096);
        switch (server.call(OTHER, list)) {
            case Nfs3Reply.Ok<?, DirectoryPage>(_, var page) ->
                    page.entries()
                            .forEach(
                                    entry -> {
                                        // The caller already has a handle of the directory.
                                        boolean isDots = entry.name().isDots();
                                        assertEquals(isDots, entry.handle().isPresent());
                                        assertEquals(isDots, entry.attributes().isPresent());
                                    });
            case Nfs3Reply.Failed<?, ?>(var status, _) -> throw new AssertionError(status);
        }
        server.ok(change(directory, SetAttributes.ofMode(0711)));
        assertEquals(Status.OK, server.status(OTHER, lookup));
        assertEquals(Status.ACCES, server.status(OTHER, list));
    }

    @Test
    void directoriesChangeOnlyForThoseWhoMayWrite() throws Exception {
        var directory = makeDirectory(OWNER, "directory", 0755);
        make(OWNER, directory, "file", 0666);
        var there = new DirOpArgs(directory, "file");
        var fresh = new DirOpArgs(directory, "new");
        var here = new DirOpArgs(root, "mine");
        make(OTHER, root, "mine", 0600);
        var how = new CreateMode.Guarded(SetAttributes.NONE);
        List<Nfs3Call<?, ?>> calls =
                List.of(
                        new Nfs3Call.Create(fresh, how),
                        new Nfs3Call.MakeDirectory(fresh, SetAttributes.NONE),
                        new Nfs3Call.MakeSymbolicLink(fresh, SetAttributes.NONE, PathName.of("x")),
                        new Nfs3Call.Remove(there),
                        new Nfs3Call.Rename(there, here),
                        new Nfs3Call.Rename(here, fresh));
        for (var call : calls) {
            assertEquals(Status.ACCES, server.status(OTHER, call), call.toString());
        }
    }

    /**
     * As in Linux: without the right to write, EXIST is still returned, since no file would be
     * made.
     */
    @Test
    void callersWithoutWriteAccessLearnThatAFileExists() throws Exception {
        var directory = makeDirectory(OWNER, "directory", 0755);
        make(OWNER, directory, "file", 0666);
        var there = new DirOpArgs(directory, "file");
        var none = SetAttributes.NONE;
        var guarded = new Nfs3Call.Create(there, new CreateMode.Guarded(none));
        assertEquals(Status.EXIST, server.status(OTHER, guarded));
        var unchecked = new Nfs3Call.Create(there, new CreateMode.Unchecked(none));
        assertEquals(Status.OK, server.status(OTHER, unchecked));
        List<Nfs3Call<?, ?>> others =
                List.of(
                        new Nfs3Call.MakeDirectory(there, none),
                        new Nfs3Call.MakeSymbolicLink(there, none, PathName.of("x")));
        for (var call : others) {
            assertEquals(Status.ACCES, server.status(OTHER, call), call.toString());
        }
        server.ok(change(directory, SetAttributes.ofMode(0766)));
        assertEquals(Status.ACCES, server.status(OTHER, guarded));
    }

    @Test
    void stickyDirectoriesLetOnlyOwnersRemove() throws Exception {
        var directory = makeDirectory(OWNER, "directory", 01777);
        make(MEMBER, directory, "file", 0666);
        make(OTHER, directory, "mine", 0666);
        var remove = new Nfs3Call.Remove(new DirOpArgs(directory, "file"));
        var replace =
                new Nfs3Call.Rename(
                        new DirOpArgs(directory, "mine"), new DirOpArgs(directory, "file"));
        assertEquals(Status.PERM, server.status(OTHER, remove));
        assertEquals(Status.PERM, server.status(OTHER, replace));
        assertEquals(Status.OK, server.status(MEMBER, remove));
        assertEquals(Status.OK, server.status(OTHER, replace));
        assertEquals(Status.OK, server.status(OWNER, remove));
    }

    @Test
    void onlyOwnersSayWhatAFileIs() throws Exception {
        var file = make(OWNER, root, "file", 0666);
        var mode = change(file, SetAttributes.ofMode(0777));
        assertEquals(Status.PERM, server.status(OTHER, mode));
        assertEquals(Status.OK, server.status(OWNER, mode));
        var none = SetAttributes.NONE;
        var past = new TimeChange.To(new Timestamp(1, 0));
        var toPast =
                new SetAttributes(
                        none.mode(), none.uid(), none.gid(), none.size(), past, none.modified());
        assertEquals(Status.PERM, server.status(OTHER, change(file, toPast)));
        var now = new TimeChange.ToServerTime();
        var toNow = new SetAttributes(none.mode(), none.uid(), none.gid(), none.size(), now, now);
        assertEquals(Status.OK, server.status(OTHER, change(file, toNow)));
        assertEquals(Status.OK, server.status(OTHER, change(file, SetAttributes.ofSize(0))));
        server.ok(change(file, SetAttributes.ofMode(0644)));
        assertEquals(Status.ACCES, server.status(OTHER, change(file, toNow)));
        assertEquals(Status.ACCES, server.status(OTHER, change(file, SetAttributes.ofSize(0))));
    }

    @Test
    void filesAreGivenOnlyToOnesOwnGroups() throws Exception {
        var file = make(MEMBER, root, "file", 0666);
        var toOwner = change(file, owners(OptionalInt.of(1001), OptionalInt.empty()));
        assertEquals(Status.PERM, server.status(MEMBER, toOwner));
        var toRoot = change(file, owners(OptionalInt.empty(), OptionalInt.of(0)));
        assertEquals(Status.PERM, server.status(MEMBER, toRoot));
        var toOwn = change(file, owners(OptionalInt.of(1002), OptionalInt.of(2003)));
        assertEquals(Status.OK, server.status(MEMBER, toOwn));
        assertEquals(2003, server.attributes(file).gid());
        assertEquals(Status.OK, server.status(toOwner));
        assertEquals(1001, server.attributes(file).uid());
    }

    @Test
    void nobodyGetsTheRightsOfAnother() throws Exception {
        var file = make(OWNER, root, "file", 0666);
        server.ok(change(file, owners(OptionalInt.empty(), OptionalInt.of(2003))));
        server.status(OWNER, change(file, SetAttributes.ofMode(02755)));
        assertEquals(0755, server.attributes(file).mode());
        server.ok(change(file, SetAttributes.ofMode(06777)));
        assertEquals(06777, server.attributes(file).mode());
        var write = TestServer.write(file, 0, Stability.UNSTABLE, "x");
        assertEquals(Status.OK, server.status(OTHER, write));
        assertEquals(0777, server.attributes(file).mode());
    }

    @Test
    void newFilesDoNotRunAsSomebodyElse() throws Exception {
        var directory = makeGroupDirectory();
        var file = server.attributes(make(OTHER, directory, "foreign", 06777));
        assertEquals(List.of(1003, 2001, 04777), List.of(file.uid(), file.gid(), file.mode()));
        var own = server.attributes(make(OWNER, directory, "own", 06777));
        assertEquals(List.of(1001, 2001, 06777), List.of(own.uid(), own.gid(), own.mode()));
        var ofRoot = owners(OptionalInt.of(0), OptionalInt.of(0));
        var wanted =
                new SetAttributes(
                        OptionalInt.of(06777),
                        ofRoot.uid(),
                        ofRoot.gid(),
                        ofRoot.size(),
                        ofRoot.accessed(),
                        ofRoot.modified());
        for (var how : List.of(new CreateMode.Unchecked(wanted), new CreateMode.Guarded(wanted))) {
            var name = how.getClass().getSimpleName();
            var create = new Nfs3Call.Create(new DirOpArgs(root, name), how);
            assertEquals(Status.OK, server.status(OTHER, create));
            var made = server.attributes(server.lookup(root, name));
            assertEquals(List.of(1003, 2003), List.of(made.uid(), made.gid()), name);
        }
        var make = new Nfs3Call.MakeDirectory(new DirOpArgs(root, "sub"), wanted);
        assertEquals(Status.OK, server.status(OTHER, make));
        var made = server.attributes(server.lookup(root, "sub"));
        assertEquals(List.of(1003, 2003), List.of(made.uid(), made.gid()));
    }

    /** Setting the size of a file clears its set-ID bits, but not for a new file. */
    @Test
    void newFilesHaveTheirModeWhateverTheirSize() throws Exception {
        var none = SetAttributes.NONE;
        var wanted =
                new SetAttributes(
                        OptionalInt.of(06777),
                        none.uid(),
                        none.gid(),
                        OptionalLong.of(5),
                        none.accessed(),
                        none.modified());
        var create =
                new Nfs3Call.Create(new DirOpArgs(root, "file"), new CreateMode.Guarded(wanted));
        assertEquals(Status.OK, server.status(OTHER, create));
        var file = server.attributes(server.lookup(root, "file"));
        assertEquals(List.of(06777, 5L), List.of(file.mode(), file.size()));
        var inGroup =
                new Nfs3Call.Create(
                        new DirOpArgs(makeGroupDirectory(), "file"),
                        new CreateMode.Guarded(wanted));
        assertEquals(Status.OK, server.status(OTHER, inGroup));
        var foreign = server.attributes(server.lookup(inGroup.where().directory(), "file"));
        assertEquals(List.of(2001, 04777), List.of(foreign.gid(), foreign.mode()));
    }

    /** Operating systems read that id as "leave the owner unchanged". */
    @Test
    void noFileIsGivenToTheIdThatIsNone() throws Exception {
        var file = make(OWNER, root, "file", 0644);
        var none = OptionalInt.of(-1);
        for (var wanted :
                List.of(owners(none, OptionalInt.empty()), owners(OptionalInt.empty(), none))) {
            assertEquals(Status.INVAL, server.status(OWNER, change(file, wanted)));
            assertEquals(Status.INVAL, server.status(change(file, wanted)));
            for (var call : making(wanted, "root")) {
                assertEquals(Status.INVAL, server.status(call), call.toString());
            }
        }
        assertEquals(List.of(".", "..", "file"), server.names(root));
    }

    /** From callers other than root, no owner is accepted. */
    @Test
    void newFilesBelongToTheirCallerWhateverOwnerItNames() throws Exception {
        for (int id : new int[] {-1, 0, 1003}) {
            for (var call : making(owners(OptionalInt.of(id), OptionalInt.of(id)), "new-" + id)) {
                assertEquals(Status.OK, server.status(OWNER, call), call.toString());
            }
        }
        var made = server.list(root, 8192, () -> {});
        made.removeIf(each -> each.name().isDots());
        for (var each : made) {
            var attributes = each.attributes().orElseThrow();
            assertEquals(List.of(1001, 2001), List.of(attributes.uid(), attributes.gid()));
        }
        assertEquals(3 * 4, made.size());
    }

    private List<Nfs3Call<?, ?>> making(SetAttributes wanted, String prefix) {
        var unchecked = new DirOpArgs(root, prefix + "-unchecked");
        var guarded = new DirOpArgs(root, prefix + "-guarded");
        var directory = new DirOpArgs(root, prefix + "-directory");
        var link = new DirOpArgs(root, prefix + "-link");
        return List.of(
                new Nfs3Call.Create(unchecked, new CreateMode.Unchecked(wanted)),
                new Nfs3Call.Create(guarded, new CreateMode.Guarded(wanted)),
                new Nfs3Call.MakeDirectory(directory, wanted),
                new Nfs3Call.MakeSymbolicLink(link, wanted, PathName.of("x")));
    }

    @Test
    void exclusiveFilesBelongToTheirCaller() throws Exception {
        var call = new Nfs3Call.Create(new DirOpArgs(root, "file"), new CreateMode.Exclusive(77));
        assertEquals(Status.OK, server.status(OWNER, call));
        Path file = testDirectory.root().resolve("file");
        assertEquals(1001, Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS));
    }
}
