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
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Goal: pure code stays pure. Method: read the compiled classes. DrawingTest checks the
 * dependencies of packages.
 */
class ArchitectureTest {
    /** Pure classes in packages that are not pure. */
    private static final Map<String, List<String>> PURE_CLASSES =
            Map.of(
                    "oncrpc",
                    List.of(
                            "oncrpc/BackOff",
                            "oncrpc/spi/DuplicateRequestCache",
                            "oncrpc/spi/CachedReply",
                            "oncrpc/ReconnectingCall",
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
                            "rpcrdma/requester/CallPlan",
                            "rpcrdma/requester/Requester",
                            "rpcrdma/responder/BrokenCalls",
                            "rpcrdma/responder/ServedState",
                            "rpcrdma/responder/CallQuota",
                            "rpcrdma/responder/Execution",
                            "rpcrdma/responder/ServedCall",
                            "rpcrdma/responder/ReplyPlan",
                            "rpcrdma/responder/Responder"),
                    "iwarp",
                    List.of(
                            "iwarp/rdmap/Fault",
                            "iwarp/rdmap/ReadRequest",
                            "iwarp/rdmap/Terminate",
                            "iwarp/rdmap/Placement",
                            "iwarp/rdmap/SendElement"),
                    "rpc-rdma-5666",
                    List.of(
                            "rpcrdma/rfc5666/fetched/ExposedReplies",
                            "rpcrdma/rfc5666/fetched/ReadReplyPlan",
                            "rpcrdma/rfc5666/fetched/ExposureState",
                            "rpcrdma/rfc5666/fetched/ExposedReplyMemory",
                            "rpcrdma/rfc5666/wire/Rfc5666HeaderCodec",
                            "rpcrdma/rfc5666/wire/Rfc5666Received",
                            "rpcrdma/rfc5666/Rfc5666Requester",
                            "rpcrdma/rfc5666/Rfc5666Responder"),
                    "rpc-rdma-v2",
                    List.of(
                            "rpcrdma/v2/requester/PendingDoneNotices",
                            "rpcrdma/v2/requester/RequestPlan"));

    private static final Pattern DIALECT =
            Pattern.compile(
                    "(?i)version[ _]?2|rfc5666|RFC 5666(?![-,])|edition|piggyback|continuation");

    /** All of the client but what stands behind a service, and the commands that use it. */
    private static final Pattern VERSION_FREE =
            Pattern.compile(
                    "^nfs-client/(?!.*/(v3/|v4/|service/NfsVersion))|^cli/.*/cli/(files|connect|terminal|pattern)/");

    private static final Pattern OF_VERSION =
            Pattern.compile("rpcrdma4j\\.nfs\\.(v2|v3|v4|mount)\\b");

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

    /**
     * Goal: a reader of RFC 8166 finds nothing else in the engine, except for citations of other
     * ledgers and the exports of the module descriptor.
     */
    @Test
    void theEngineKnowsNoDialect() {
        var offences = new ArrayList<String>();
        for (var file : ProjectTree.mainSources()) {
            boolean isEngine = file.startsWith(ProjectTree.ROOT.resolve("rpc-rdma"));
            isEngine &= !file.endsWith("module-info.java");
            for (var line : isEngine ? ProjectTree.lines(file) : List.<String>of()) {
                if (DIALECT.matcher(line).find()) {
                    offences.add(ProjectTree.name(file) + ": " + line.strip());
                }
            }
        }
        assertEquals(List.of(), offences);
    }

    /** Goal: commands, copies and mounts work with all versions of NFS alike. */
    @Test
    void nothingAboveTheServiceOfFilesImportsAVersionOfNfs() {
        var offences = new ArrayList<String>();
        int seen = 0;
        for (var file : ProjectTree.mainSources()) {
            var name = ProjectTree.name(file);
            if (VERSION_FREE.matcher(name).find()) {
                seen++;
                for (var line : ProjectTree.lines(file)) {
                    if (OF_VERSION.matcher(line).find()) {
                        offences.add(name + ": " + line.strip());
                    }
                }
            }
        }
        assertEquals(List.of(), offences);
        assertTrue(seen > 100, "sources were found: " + seen);
    }

    @Test
    void pureCodeTouchesNoSocketThreadClockOrChance() throws IOException {
        var offences = new ArrayList<String>();
        int seen = 0;
        for (var entry : Drawing.read().modules().entrySet()) {
            var module = DrawingTest.ofModule(entry.getKey());
            for (var name : entry.getValue().pure()) {
                var directory = (module + name).replace('.', '/') + "/";
                int classes = checkAll(entry.getKey(), directory, offences);
                assertTrue(classes > 0, directory + " was not found");
                seen += classes;
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
