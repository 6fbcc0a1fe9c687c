package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Goal: who may know whom. Method: read the module descriptors and the compiled classes. */
class ArchitectureTest {
    private static final Pattern REQUIRES =
            Pattern.compile("requires (?:transitive )?io\\.github\\.rpcrdma4j\\.([\\w.]+);");

    /** Folder of a module, and the modules of ours that it may require. */
    private static final Map<String, Set<String>> MAY_REQUIRE =
            Map.ofEntries(
                    Map.entry("memory", Set.of()),
                    Map.entry("xdr", Set.of("memory")),
                    Map.entry("linux", Set.of()),
                    Map.entry("oncrpc", Set.of("xdr")),
                    Map.entry("verbs", Set.of()),
                    Map.entry("capture", Set.of()),
                    Map.entry("sim", Set.of("capture", "verbs")),
                    Map.entry("iwarp", Set.of("verbs")),
                    Map.entry("rpc-rdma", Set.of("oncrpc", "verbs")),
                    Map.entry("nfs", Set.of("rpcrdma")),
                    Map.entry("nfs-server", Set.of("linux", "nfs")),
                    Map.entry("nfs-client", Set.of("linux", "nfs")),
                    Map.entry("interop", Set.of("capture", "dissect", "iwarp", "nfs.client")),
                    Map.entry("dissect", Set.of("capture", "iwarp", "nfs")),
                    Map.entry("cli", Set.of("dissect", "iwarp", "nfs.client", "nfs.server")));

    /** Packages that touch no socket, thread, clock or chance, by module and package. */
    private static final Map<String, List<String>> PURE =
            Map.of(
                    "rpc-rdma",
                            List.of(
                                    "rpcrdma/wire",
                                    "rpcrdma/wire/v2",
                                    "rpcrdma/transmission",
                                    "rpcrdma/exchange",
                                    "rpcrdma/pull",
                                    "rpcrdma/chunk",
                                    "rpcrdma/credit"),
                    "iwarp", List.of("iwarp/mpa", "iwarp/ddp", "iwarp/rdmap", "iwarp/observe"),
                    "nfs", List.of("nfs", "nfs/v2", "nfs/v3", "nfs/mount"),
                    "capture", List.of("capture"),
                    "dissect", List.of("dissect", "dissect/draft07"));

    /** Classes that are pure although their package is not. */
    private static final Map<String, List<String>> PURE_CLASSES =
            Map.of(
                    "oncrpc",
                    List.of(
                            "oncrpc/BackOff",
                            "oncrpc/DuplicateRequestCache",
                            "oncrpc/KeptReply",
                            "oncrpc/Tries",
                            "oncrpc/gss/GssCredential",
                            "oncrpc/gss/GssInitResult",
                            "oncrpc/gss/GssBody",
                            "oncrpc/gss/SequenceWindow",
                            "oncrpc/gss/SequenceNumbers",
                            "oncrpc/gss/ContextStore",
                            "oncrpc/gss/OwnedContexts",
                            "oncrpc/gss/ClientContextState",
                            "oncrpc/gss/ServerContextState",
                            "oncrpc/gss/ServerContext"),
                    "rpc-rdma",
                    List.of(
                            "rpcrdma/requester/CallState",
                            "rpcrdma/requester/CallShape",
                            "rpcrdma/requester/GivenUp",
                            "rpcrdma/requester/Requester",
                            "rpcrdma/responder/BrokenCalls",
                            "rpcrdma/responder/ServedState",
                            "rpcrdma/responder/NoRoom",
                            "rpcrdma/responder/ReplyPlan",
                            "rpcrdma/responder/ReadReplyPlan",
                            "rpcrdma/responder/ExposureState",
                            "rpcrdma/responder/Exposures",
                            "rpcrdma/responder/Rfc5666Responder",
                            "rpcrdma/requester/Rfc5666Requester",
                            "rpcrdma/responder/Fetcher",
                            "rpcrdma/responder/Responder"));

    private static final List<String> FORBIDDEN =
            List.of(
                    "java/net/",
                    "java/nio/channels/",
                    "java/util/concurrent/",
                    "java/lang/Thread",
                    "java/util/Random",
                    "java/security/",
                    "java/time/Clock");
    private static final List<String> ALLOWED = List.of("java/net/InetSocketAddress");
    private static final Set<String> CLOCKS = Set.of("nanoTime", "currentTimeMillis");

    @Test
    void modulesKnowOnlyWhatTheyMay() throws IOException {
        var wanted = new TreeMap<String, Set<String>>();
        var found = new TreeMap<String, Set<String>>();
        for (var entry : MAY_REQUIRE.entrySet()) {
            var descriptor =
                    ProjectTree.ROOT
                            .resolve(entry.getKey())
                            .resolve("src/main/java/module-info.java");
            var matcher = REQUIRES.matcher(Files.readString(descriptor));
            var requires = new TreeSet<String>();
            while (matcher.find()) {
                requires.add(matcher.group(1));
            }
            wanted.put(entry.getKey(), new TreeSet<>(entry.getValue()));
            found.put(entry.getKey(), requires);
        }
        assertEquals(wanted, found);
    }

    @Test
    void everyModuleWithSourcesIsInTheTable() throws IOException {
        try (var folders = Files.list(ProjectTree.ROOT)) {
            var modules =
                    folders.filter(
                                    folder ->
                                            Files.exists(
                                                    folder.resolve(
                                                            "src/main/java/module-info.java")))
                            .map(folder -> folder.getFileName().toString())
                            .filter(name -> !name.equals("bench"))
                            .sorted()
                            .toList();
            assertEquals(new TreeSet<>(MAY_REQUIRE.keySet()), new TreeSet<>(modules));
        }
    }

    @Test
    void theProductNeverNamesAProvider() {
        var offences = new ArrayList<String>();
        for (var file : ProjectTree.mainSources()) {
            if (file.startsWith(ProjectTree.ROOT.resolve("rpc-rdma"))) {
                for (var line : ProjectTree.lines(file)) {
                    if (line.contains("rpcrdma4j.iwarp") || line.contains("rpcrdma4j.sim")) {
                        offences.add(ProjectTree.name(file) + ": " + line.strip());
                    }
                }
            }
        }
        assertEquals(List.of(), offences);
    }

    @Test
    void pureCodeTouchesNoSocketThreadClockOrChance() throws IOException {
        var offences = new ArrayList<String>();
        int seen = 0;
        for (var entry : PURE.entrySet()) {
            for (var name : entry.getValue()) {
                seen += checkAll(entry.getKey(), name + "/", offences);
            }
        }
        for (var entry : PURE_CLASSES.entrySet()) {
            for (var name : entry.getValue()) {
                int classes = checkAll(entry.getKey(), name, offences);
                assertTrue(classes > 0, name + " was not found");
                seen += classes;
            }
        }
        assertEquals(List.of(), offences);
        assertTrue(seen > 50, "compiled classes were found: " + seen);
    }

    private static int checkAll(String module, String prefix, List<String> offences)
            throws IOException {
        var classes = ProjectTree.ROOT.resolve(module).resolve("target/classes");
        var start = "io/github/rpcrdma4j/" + prefix;
        int count = 0;
        try (Stream<Path> all = Files.walk(classes)) {
            for (var file : all.filter(path -> path.toString().endsWith(".class")).toList()) {
                var name = classes.relativize(file).toString();
                boolean isWanted =
                        start.endsWith("/")
                                ? name.startsWith(start) && name.indexOf('/', start.length()) < 0
                                : name.equals(start + ".class") || name.startsWith(start + "$");
                if (isWanted) {
                    count++;
                    check(file, name, offences);
                }
            }
        }
        return count;
    }

    private static void check(Path file, String name, List<String> offences) throws IOException {
        for (var constant : ClassFile.of().parse(file).constantPool()) {
            switch (constant) {
                case ClassEntry known -> {
                    var used = known.asInternalName();
                    if (isForbidden(used)) {
                        offences.add(name + " uses " + used);
                    }
                }
                case MemberRefEntry member -> {
                    if (member.owner().asInternalName().equals("java/lang/System")
                            && CLOCKS.contains(member.name().stringValue())) {
                        offences.add(name + " asks the clock");
                    }
                }
                default -> {}
            }
        }
    }

    private static boolean isForbidden(String used) {
        return FORBIDDEN.stream().anyMatch(used::startsWith)
                && ALLOWED.stream().noneMatch(used::equals);
    }
}
