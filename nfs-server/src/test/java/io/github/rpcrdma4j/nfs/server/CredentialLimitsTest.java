package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Squash;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results.Created;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: files that callers make belong to them, and no file gets the owner or the rights of another
 * user, above all those of root. Method: callers with ids at the limits of 32 bits make and change
 * files.
 */
class CredentialLimitsTest {
    private static final int[] EDGES = {0, 65534, 1 << 31, -2, -1};
    private static final int ANONYMOUS_UID = 7001;
    private static final int ANONYMOUS_GID = 7002;
    private static final int FOREIGN_GID = 7003;
    private static final int SET_GROUP = 02000;
    private static final int EVERYTHING = 06777;
    private static final List<String> DIRECTORIES = List.of("open", "setgid");

    /** The user and groups that a caller must act as. */
    private record User(int uid, Set<Integer> groups) {}

    private TestDirectory testDirectory;
    private TestServer server;
    private FileHandle root;

    @BeforeEach
    void make() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        if (LocalCalls.user() != 0) {
            testDirectory.close();
            assumeTrue(false, "only root acts for callers");
        }
        Files.setAttribute(testDirectory.root(), "unix:mode", 0755);
        for (var name : DIRECTORIES) {
            var directory = Files.createDirectory(testDirectory.root().resolve(name));
            Files.setAttribute(directory, "unix:gid", FOREIGN_GID);
            Files.setAttribute(directory, "unix:mode", name.equals("open") ? 0777 : 02777);
        }
    }

    @AfterEach
    void stop() throws Exception {
        if (server != null) {
            server.close();
            testDirectory.close();
        }
    }

    private void serve(Squash squash) throws Exception {
        var rule =
                ExportRule.trusting(false)
                        .withSquash(squash)
                        .withAnonymous(ANONYMOUS_UID, ANONYMOUS_GID)
                        .withSync(false);
        server = TestServer.of(testDirectory, List.of(rule), SecurityFlavor.SYS);
        root = server.root();
    }

    /**
     * Returns the user that a credential must become by the rule; written independently of the
     * server.
     */
    private static User taken(Squash squash, int uid, int gid, int further) {
        if (squash == Squash.ALL) {
            return new User(ANONYMOUS_UID, Set.of(ANONYMOUS_GID));
        }
        var groups = new HashSet<Integer>();
        groups.add(isSquashed(squash, gid) ? ANONYMOUS_GID : gid);
        if (further != -1) {
            groups.add(isSquashed(squash, further) ? ANONYMOUS_GID : further);
        }
        return new User(isSquashed(squash, uid) ? ANONYMOUS_UID : uid, groups);
    }

    private static boolean isSquashed(Squash squash, int id) {
        return id == -1 || id == 0 && squash == Squash.ROOT;
    }

    @ParameterizedTest
    @EnumSource
    void giveNothingThatIsNotTheirs(Squash squash) throws Exception {
        serve(squash);
        int edges = EDGES.length;
        for (int i = 0; i < edges * edges; i++) {
            int row = i / edges;
            // Each combination of values of any two of the four ids occurs.
            int uid = EDGES[i % edges];
            int gid = EDGES[row];
            int further = EDGES[(i + row) % edges];
            int owner = EDGES[(i + 2 * row) % edges];
            var caller = new Credential.Sys(0, "test", uid, gid, List.of(further));
            var user = taken(squash, uid, gid, further);
            makeAll(caller, user, OptionalInt.empty());
            makeAll(caller, user, OptionalInt.of(owner));
            changeForeign(caller, user);
        }
    }

    /** Makes a file in every way, with all mode bits and optionally with an owner. */
    private void makeAll(Credential caller, User user, OptionalInt owner) throws Exception {
        for (var name : DIRECTORIES) {
            var path = testDirectory.root().resolve(name);
            var directory = server.lookup(root, name);
            for (var call : creations(directory, owner)) {
                var made = path.resolve("new");
                if (server.call(caller, call)
                                instanceof Nfs3Reply.Ok<?, ?>(_, Created(var handle, _))
                        && handle.isPresent()) {
                    requireOwn(made, user, call.toString());
                    change(caller, handle.get(), owner.orElse(0));
                    requireOwn(made, user, call + ", and changed");
                }
                requireAllOwn(path, user, call.toString());
                Files.deleteIfExists(made);
            }
        }
    }

    private static List<Nfs3Call<?, Created>> creations(FileHandle directory, OptionalInt owner) {
        var entry = new DirOpArgs(directory, "new");
        var wanted = EveryCall.owner(owner, owner, OptionalInt.of(EVERYTHING));
        return List.of(
                new Nfs3Call.Create(entry, new CreateMode.Unchecked(wanted)),
                new Nfs3Call.Create(entry, new CreateMode.Guarded(wanted)),
                new Nfs3Call.Create(entry, new CreateMode.Exclusive(1)),
                new Nfs3Call.MakeDirectory(entry, wanted),
                new Nfs3Call.MakeSymbolicLink(entry, wanted, PathName.of("text")),
                new Nfs3Call.MakeNode(entry, FileType.FIFO, wanted, 0),
                new Nfs3Call.MakeNode(entry, FileType.CHARACTER_DEVICE, wanted, 0x107));
    }

    /** Tries to give a file to another owner and to set its mode bits, separately and together. */
    private void change(Credential caller, FileHandle file, int owner) throws Exception {
        var id = OptionalInt.of(owner);
        var keep = OptionalInt.empty();
        var bits = OptionalInt.of(EVERYTHING);
        for (var changes :
                List.of(
                        EveryCall.owner(keep, id, bits),
                        EveryCall.owner(keep, id, keep),
                        EveryCall.owner(keep, keep, bits),
                        EveryCall.owner(id, keep, bits),
                        EveryCall.owner(id, id, bits))) {
            server.status(caller, EveryCall.change(file, changes));
        }
    }

    private void requireAllOwn(Path directory, User user, String cause) throws IOException {
        try (var names = Files.list(directory)) {
            for (var each : names.toList()) {
                requireOwn(each, user, cause);
            }
        }
    }

    private static int attribute(Path file, String name) throws IOException {
        return (int) Files.getAttribute(file, "unix:" + name, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Checks that a file belongs to the user that made it. Root is exempt, as it may give files
     * away.
     */
    private static void requireOwn(Path file, User user, String cause) throws IOException {
        if (user.uid == 0) {
            return;
        }
        int mode = attribute(file, "mode");
        int gid = attribute(file, "gid");
        assertEquals(user.uid, attribute(file, "uid"), cause);
        boolean ofDirectory = file.getParent().endsWith("setgid") && gid == FOREIGN_GID;
        assertTrue(user.groups.contains(gid) || ofDirectory, cause + ": group " + gid);
        boolean setsForeignGroup =
                (mode & SET_GROUP) != 0
                        && !user.groups.contains(gid)
                        && !Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS);
        assertTrue(!setsForeignGroup, cause + ": mode " + Integer.toOctalString(mode));
    }

    /** Checks that a set-ID program of another user loses these bits when a caller writes to it. */
    private void changeForeign(Credential caller, User user) throws Exception {
        for (var call : List.of("write", "cut", "create", "bits", "give")) {
            var path = Files.writeString(testDirectory.root().resolve("foreign"), "text");
            Files.setAttribute(path, "unix:gid", FOREIGN_GID);
            Files.setAttribute(path, "unix:mode", EVERYTHING);
            var file = server.lookup(root, "foreign");
            switch (call) {
                case "write" ->
                        server.status(
                                caller, TestServer.write(file, 0, Stability.UNSTABLE, "mine"));
                case "cut" ->
                        server.status(caller, EveryCall.change(file, SetAttributes.ofSize(0)));
                case "create" ->
                        server.status(
                                caller,
                                new Nfs3Call.Create(
                                        new DirOpArgs(root, "foreign"),
                                        new CreateMode.Unchecked(SetAttributes.ofSize(0))));
                case "bits" ->
                        server.status(caller, EveryCall.change(file, SetAttributes.ofMode(07777)));
                default -> change(caller, file, user.uid);
            }
            if (user.uid != 0) {
                int mode = attribute(path, "mode") & 07777;
                assertEquals(0, attribute(path, "uid"), call);
                assertEquals(FOREIGN_GID, attribute(path, "gid"), call);
                boolean isChanged = !Files.readString(path).equals("text");
                assertEquals(isChanged ? 0777 : EVERYTHING, mode, call + " by " + user);
                assertEquals(!call.equals("bits") && !call.equals("give"), isChanged, call);
            }
            Files.delete(path);
        }
    }
}
