package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.directories.ChildProcess;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: the server makes only expected system calls. Method: a child process under strace(1) makes
 * all calls, with a marker before each; this process reads the trace between the markers.
 */
class SystemCallsTest {
    private static final String MARKER = "/marker-of-this-test/";
    private static final String EXPORT = "export-with-this-very-name";
    private static final String END = "END";
    private static final String BIG = "big";
    private static final int BIG_NAMES = 20_000;
    private static final int USER = 1000;

    private static final Pattern CALL = Pattern.compile("^\\d+ +(\\w+)\\((.*)");
    private static final Pattern BEGIN =
            Pattern.compile("(?<call>(?<thread>\\d+) .*) <unfinished \\.\\.\\.>");
    private static final Pattern REST =
            Pattern.compile("(?<thread>\\d+) +<\\.\\.\\. \\w+ resumed>(?<rest>.*)");
    private static final Pattern TEXT = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern HANDLE = Pattern.compile("f_handle=" + TEXT.pattern());
    private static final Pattern RESULT = Pattern.compile("getdents64.* = (\\d+)$");
    private static final Pattern OWN_DESCRIPTOR = Pattern.compile("/proc/self/fd/\\d+");

    /** The system calls that make, remove or move a name without following a link at it. */
    private static final Set<String> ON_NAMES =
            Set.of("mkdirat", "mknodat", "symlinkat", "unlinkat", "renameat2", "linkat");

    private static final Set<String> CHANGES =
            Set.of(
                    "SETATTR", "CREATE", "MKDIR", "SYMLINK", "MKNOD", "REMOVE", "RMDIR", "RENAME",
                    "LINK");

    private TestDirectory testDirectory;
    private Path trace;

    @BeforeEach
    void make() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        Files.setAttribute(testDirectory.root(), "unix:mode", 0755);
        trace = Files.createTempFile("nfs-server", ".strace");
    }

    @AfterEach
    void remove() throws Exception {
        Files.delete(trace);
        testDirectory.close();
    }

    /** The child process. */
    static final class Child {
        private static Credential caller;

        private Child() {}

        private static void mark(String text) {
            Files.exists(Path.of(MARKER + text));
        }

        private static void call(TestServer server, String name, Nfs3Call<?, ?> call)
                throws Exception {
            mark(name + "/" + call.procedure());
            var status = server.status(caller, call);
            mark(name + "/" + call.procedure() + "/" + status);
        }

        public static void main(String[] arguments) throws Exception {
            int uid = LocalCalls.user() == 0 ? USER : LocalCalls.user();
            caller = new Credential.Sys(0, "test", uid, uid, List.of());
            var export = new Export(TestServer.EXPORT, Path.of(arguments[0]), false);
            try (var server = TestServer.of(List.of(export))) {
                var root = server.root();
                // The first round loads classes, which the trace should not contain.
                for (int i = 0; i < EveryCall.in(root, root).size(); i++) {
                    makeAll(server, root, uid, i);
                }
                mark("START");
                for (int i = 0; i < EveryCall.in(root, root).size(); i++) {
                    makeAll(server, root, uid, i);
                }
                changeAfterRemoval(server, root);
                list(server, root);
                mark(END);
            }
        }

        private static void makeAll(TestServer server, FileHandle root, int uid, int i)
                throws Exception {
            for (var each : EveryCall.preparing(root)) {
                server.status(caller, each);
            }
            var file = server.lookup(root, EveryCall.FILE);
            call(server, "name-" + i, EveryCall.in(root, file).get(i));
            if (i == 0) {
                int number = 0;
                for (var each : EveryCall.on(file, uid)) {
                    call(server, "file-" + number++, each);
                }
            }
        }

        private static void changeAfterRemoval(TestServer server, FileHandle root)
                throws Exception {
            var mode = new CreateMode.Unchecked(SetAttributes.ofMode(0600));
            server.status(caller, new Nfs3Call.Create(new DirOpArgs(root, "linked"), mode));
            var file = server.lookup(root, "linked");
            call(server, "walk", new Nfs3Call.Link(file, new DirOpArgs(root, "other")));
            call(server, "walk", new Nfs3Call.Remove(new DirOpArgs(root, "other")));
            call(server, "walk", new Nfs3Call.GetAttributes(file));
        }

        private static void list(TestServer server, FileHandle root) throws Exception {
            var big = server.lookup(root, BIG);
            call(server, BIG, new Nfs3Call.ReadDirectory(big, 0, 0, 200));
        }
    }

    /** Returns the lines of the trace after each marker. */
    private Map<String, List<String>> traced() throws Exception {
        ChildProcess.assumeWorks(
                "strace cannot be used here", "strace", "-f", "--seccomp-bpf", "true");
        // strace cannot read the memory, and so the paths, of a process that has changed its user.
        assumeTrue(
                !Capability.SETUID.isThere() || Capability.SYS_PTRACE.isThere(),
                "strace cannot look into a process that acts for others");
        var export = Files.createDirectory(testDirectory.root().resolve(EXPORT));
        Files.setAttribute(export, "unix:mode", 0777);
        var big = Files.createDirectory(export.resolve(BIG));
        for (int i = 0; i < BIG_NAMES; i++) {
            Files.createFile(big.resolve("a-name-of-some-length-" + i));
        }
        var wanted = "%file,getdents64,fsync,fdatasync,syncfs,fchown,fchmod,?fchmodat2";
        ChildProcess.run(
                List.of(
                        "strace",
                        "-f",
                        "--seccomp-bpf",
                        "-qq",
                        "-s",
                        "4096",
                        "-e",
                        "trace=" + wanted,
                        "-e",
                        "signal=none",
                        "-o",
                        trace.toString()),
                Child.class,
                export.toString());
        var sections = new LinkedHashMap<String, List<String>>();
        List<String> section = new ArrayList<>();
        for (var line : wholeCalls(Files.readAllLines(trace))) {
            int marker = line.indexOf(MARKER);
            if (marker >= 0) {
                var name = line.substring(marker + MARKER.length(), line.indexOf('"', marker));
                if (name.equals("START")) {
                    sections.clear();
                }
                section = sections.computeIfAbsent(name, _ -> new ArrayList<>());
            } else {
                section.add(line);
            }
        }
        sections.remove(END);
        assertTrue(sections.containsKey("START"), "nothing was traced");
        return sections;
    }

    /**
     * Returns each call in one line, where it begins. strace writes a call in two if another thread
     * makes one meanwhile.
     */
    private static List<String> wholeCalls(List<String> lines) {
        var whole = new ArrayList<String>();
        var unfinished = new HashMap<String, Integer>();
        for (var line : lines) {
            var begin = BEGIN.matcher(line);
            var end = REST.matcher(line);
            if (begin.matches()) {
                unfinished.put(begin.group("thread"), whole.size());
                whole.add(begin.group("call"));
            } else if (end.matches() && unfinished.containsKey(end.group("thread"))) {
                int at = unfinished.remove(end.group("thread"));
                whole.set(at, whole.get(at) + end.group("rest"));
            } else {
                whole.add(line);
            }
        }
        return whole;
    }

    @Test
    void joinsTheHalvesOfCalls() {
        var lines =
                List.of(
                        "7 fsync(3 <unfinished ...>",
                        "8 fsync(4) = 0",
                        "7 <... fsync resumed>) = 0",
                        "8 <... getdents64 resumed>) = 0");
        assertEquals(
                List.of("7 fsync(3) = 0", "8 fsync(4) = 0", "8 <... getdents64 resumed>) = 0"),
                wholeCalls(lines));
    }

    @Test
    void reachNothingByPath() throws Exception {
        var sections = traced();
        int seen = 0;
        for (var section : sections.entrySet()) {
            for (var line : section.getValue()) {
                var call = CALL.matcher(line);
                if (call.find()) {
                    seen++;
                    requireByDescriptor(section.getKey(), call.group(1), call.group(2), line);
                }
            }
        }
        assertTrue(seen > 100, "there are only " + seen + " calls in the trace");
        requireForced(sections);
        requireMadeInOneStep(sections);
        requireCheap(sections);
    }

    private static void requireByDescriptor(String during, String name, String rest, String line) {
        var text = TEXT.matcher(HANDLE.matcher(rest).replaceAll(""));
        for (int index = 0; text.find(); index++) {
            var path = text.group(1);
            var cause = during + ": " + line;
            assertFalse(path.contains(EXPORT), cause);
            if (name.equals("symlinkat") && index == 0
                    || name.equals("getxattr") && index == 1
                    || name.startsWith("readlink") && index == 1) {
                continue;
            }
            if (path.startsWith("/")) {
                boolean ofOwn = OWN_DESCRIPTOR.matcher(path).matches();
                assertTrue(ofOwn || !name.equals("linkat"), cause);
            } else if (path.isEmpty()) {
                boolean ofDescriptor = rest.contains("AT_EMPTY_PATH") || name.equals("readlinkat");
                assertTrue(ofDescriptor, cause);
            } else {
                assertFalse(path.contains("/"), cause);
                assertFalse(rest.startsWith("AT_FDCWD") && !rest.contains("/proc/self"), cause);
                assertTrue(followsNothing(name, rest, path), cause);
            }
        }
    }

    private static boolean followsNothing(String name, String rest, String path) {
        return switch (name) {
            case "openat2" ->
                    rest.contains("RESOLVE_BENEATH")
                            && rest.contains("RESOLVE_NO_SYMLINKS")
                            && rest.contains("RESOLVE_NO_MAGICLINKS");
            case "openat" -> path.equals(".") || rest.contains("O_NOFOLLOW");
            default -> ON_NAMES.contains(name);
        };
    }

    /** Checks that each successful change is on storage before the reply. */
    private static void requireForced(Map<String, List<String>> sections) {
        int changes = 0;
        for (var section : sections.entrySet()) {
            var parts = section.getKey().split("/");
            if (parts.length != 2
                    || !CHANGES.contains(parts[1])
                    || !sections.containsKey(section.getKey() + "/OK")) {
                continue;
            }
            changes++;
            assertTrue(
                    section.getValue().stream()
                            .anyMatch(line -> line.contains("fsync") || line.contains("syncfs")),
                    section.toString());
        }
        assertTrue(changes > 10, changes + " changes");
    }

    /** Checks that a new file has its owner and mode from the start. */
    private static void requireMadeInOneStep(Map<String, List<String>> sections) {
        assumeTrue(LocalCalls.user() == 0, "another user has the umask of its process");
        int made = 0;
        for (var section : sections.entrySet()) {
            if (!section.getKey().matches("name-\\d+/(CREATE|MKDIR|MKNOD)")) {
                continue;
            }
            for (var line : section.getValue()) {
                assertFalse(line.contains("chown") || line.contains("chmod"), section.toString());
                made += line.contains("O_CREAT") || line.contains("O_TMPFILE") ? 1 : 0;
            }
        }
        assertTrue(made >= 2, made + " files");
    }

    /** Checks that the cost of a reply does not depend on the size of the export. */
    private static void requireCheap(Map<String, List<String>> sections) {
        int bytes = 0;
        for (var line : sections.get(BIG + "/READDIR")) {
            var result = RESULT.matcher(line);
            bytes += result.find() ? Integer.parseInt(result.group(1)) : 0;
        }
        assertTrue(bytes > 0 && bytes <= 64 << 10, bytes + " bytes of entries for 200");
        if (LocalCalls.user() == 0) {
            var walk =
                    sections.entrySet().stream()
                            .filter(section -> section.getKey().startsWith("walk/"))
                            .flatMap(section -> section.getValue().stream())
                            .filter(line -> line.contains("getdents64"))
                            .toList();
            assertEquals(List.of(), walk);
        }
    }
}
