package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.BentCalls;
import io.github.rpcrdma4j.nfs.client.BentReplies;
import io.github.rpcrdma4j.nfs.client.FileOwner;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Comparison;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Deletion;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: if a server replies otherwise than ours, a tree is copied as it is, or each file that is
 * not is named; no file has wrong contents. Method: copies over RDMA, there, again, and back.
 */
class BentRepliesTest {
    private static final CopyRules SYNC =
            new CopyRules(
                    CopyRules.ALL,
                    Comparison.SIZE_AND_TIME,
                    new Deletion.Everything(),
                    false,
                    true,
                    false);

    private static final int ATTRIBUTES_BYTES = 84;

    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** What is called again without harm if its reply says that the server is busy. */
    private static final Set<Procedure> IDEMPOTENT =
            EnumSet.of(
                    Procedure.GETATTR,
                    Procedure.SETATTR,
                    Procedure.LOOKUP,
                    Procedure.ACCESS,
                    Procedure.WRITE,
                    Procedure.READDIRPLUS,
                    Procedure.FSINFO,
                    Procedure.COMMIT);

    /** How replies are bent. */
    private enum Bent {
        /** As of a server that restarts after each WRITE. */
        VERIFIERS_CHANGE(
                false, (procedure, results, _, count) -> verifier(procedure, results, count)),
        /** As of a server that has restarted once. */
        ONE_VERIFIER_CHANGES(
                true,
                (procedure, results, _, count) -> {
                    if (procedure == Procedure.WRITE && count == 2) {
                        verifier(procedure, results, count);
                    }
                }),
        BUSY(
                true,
                (procedure, results, start, count) -> {
                    if (IDEMPOTENT.contains(procedure) && count % 4 == 1) {
                        BentReplies.refuse(procedure, results, start, Status.JUKEBOX);
                    }
                }),
        SMALL_TRANSFERS(
                true, (procedure, results, start, _) -> transfers(procedure, results, start)),
        NO_PREFERENCES(
                true, (procedure, results, start, _) -> preferences(procedure, results, start)),
        NO_ACCESS(
                false,
                (procedure, results, _, _) -> {
                    if (procedure == Procedure.ACCESS) {
                        results.overwrite(results.reducedLength() - Integer.BYTES, 0);
                    }
                }),
        WRITE_FAILS(false, refusing(Procedure.WRITE, Status.NOSPC)),
        COMMIT_FAILS(false, refusing(Procedure.COMMIT, Status.IO)),
        LISTING_FAILS(false, refusing(Procedure.READDIRPLUS, Status.IO)),
        ATTRIBUTES_FAIL(false, refusing(Procedure.SETATTR, Status.IO)),
        RENAME_FAILS(false, refusing(Procedure.RENAME, Status.IO)),
        FILES_ARE_STALE(false, refusing(Procedure.GETATTR, Status.STALE)),
        NAMES_ARE_MISSING(false, refusing(Procedure.LOOKUP, Status.NOENT)),
        /** Less was written than was sent. */
        SHORT_WRITES(
                true,
                (procedure, results, _, _) -> {
                    if (procedure == Procedure.WRITE) {
                        shorten(results);
                    }
                }),
        SHORT_READS(true, BentCalls.Kind.SHORT_READS),
        FAILING_READS(false, BentCalls.Kind.FAILING_READS),
        SMALL_PAGES(true, BentCalls.Kind.SMALL_PAGES),
        FAILING_PAGES(false, BentCalls.Kind.FAILING_PAGES);

        private interface Bend {
            /**
             * Changes the results of a call.
             *
             * @param count how many calls of the procedure there were
             */
            void bend(Procedure procedure, XdrWriter results, long start, int count);
        }

        /** Whether a copy has to come through. */
        private final boolean isHarmless;

        private final Bend bend;
        private final BentCalls.Kind calls;

        Bent(boolean isHarmless, Bend bend) {
            this(isHarmless, bend, BentCalls.Kind.NONE);
        }

        Bent(boolean isHarmless, BentCalls.Kind calls) {
            this(isHarmless, (_, _, _, _) -> {}, calls);
        }

        Bent(boolean isHarmless, Bend bend, BentCalls.Kind calls) {
            this.isHarmless = isHarmless;
            this.bend = bend;
            this.calls = calls;
        }

        private static Bend refusing(Procedure which, Status status) {
            return (procedure, results, start, count) -> {
                if (procedure == which && count % 3 == 2) {
                    BentReplies.refuse(procedure, results, start, status);
                }
            };
        }

        private static void verifier(Procedure procedure, XdrWriter results, int count) {
            if (procedure == Procedure.WRITE || procedure == Procedure.COMMIT) {
                results.overwrite(results.reducedLength() - Integer.BYTES, count);
            }
        }

        /** Halves the count of a WRITE, which is before how it was stored and the verifier. */
        private static void shorten(XdrWriter results) {
            long at = results.reducedLength() - 2 * Integer.BYTES - Long.BYTES;
            int count = results.reducedStream().get(UINT32, at);
            results.overwrite(at, Math.max(1, count / 2));
        }

        /** Returns where the sizes of FSINFO are. */
        private static long sizes(XdrWriter results, long start) {
            boolean hasAttributes = results.reducedLength() - start > ATTRIBUTES_BYTES;
            return start + 2 * Integer.BYTES + (hasAttributes ? ATTRIBUTES_BYTES : 0);
        }

        private static void transfers(Procedure procedure, XdrWriter results, long start) {
            if (procedure == Procedure.FSINFO) {
                for (int i = 0; i < 6; i++) {
                    results.overwrite(sizes(results, start) + i * Integer.BYTES, 4096);
                }
            }
        }

        private static void preferences(Procedure procedure, XdrWriter results, long start) {
            if (procedure == Procedure.FSINFO) {
                for (int i : List.of(1, 2, 4, 5, 6)) {
                    results.overwrite(sizes(results, start) + i * Integer.BYTES, 0);
                }
            }
        }
    }

    @TempDir private Path directory;
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final Map<Procedure, Integer> counts = new EnumMap<>(Procedure.class);

    private void bend(Bent how, Procedure procedure, XdrWriter results, long start) {
        synchronized (counts) {
            how.bend.bend(procedure, results, start, counts.merge(procedure, 1, Integer::sum));
        }
    }

    private NfsMount mount(InetSocketAddress server) throws Exception {
        var caller = FileOwner.of(directory);
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider())
                                .credential(caller)
                                .binding(Nfs3Binding.BINDING)
                                .connect(server);
        return NfsMount.of(
                NfsClient.connect(
                        connector,
                        connector,
                        ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3)),
                "/data");
    }

    private interface Copy {
        void run(TreeCopier copier) throws IOException, InterruptedException;
    }

    private void run(NfsMount mount, Copy copy) throws Exception {
        var listener =
                new CopyListener() {
                    @Override
                    public void failed(IOException why) {
                        failures.add(why.getMessage());
                    }
                };
        var kept = PreservedAttributes.ATTRIBUTES;
        try {
            copy.run(
                    new TreeCopier(
                            new Copier(
                                    mount,
                                    ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3),
                                    listener,
                                    kept),
                            SYNC));
        } catch (IncompleteTreeException _) {
            assertTrue(!failures.isEmpty());
        } catch (NfsException whole) {
            failures.add(whole.getMessage());
        }
    }

    private static TreeMap<String, byte[]> files(Path top) throws IOException {
        var files = new TreeMap<String, byte[]>();
        if (Files.exists(top)) {
            try (var all = Files.walk(top)) {
                for (var each : all.filter(Files::isRegularFile).toList()) {
                    files.put(top.relativize(each).toString(), Files.readAllBytes(each));
                }
            }
        }
        return files;
    }

    /**
     * Checks a copy: each file is that of the source, or that of before, or missing, and named if
     * it is not that of the source. So may be the directory that holds it.
     */
    private void check(
            Map<String, byte[]> source, Map<String, byte[]> before, Path target, String what)
            throws IOException {
        var copied = files(target);
        for (var name : source.keySet()) {
            var copy = copied.get(name);
            if (copy != null && Arrays.equals(copy, source.get(name))) {
                continue;
            }
            assertArrayEquals(before.get(name), copy, () -> what + ": " + name);
            var end = name.contains("/") ? name.substring(0, name.indexOf('/')) : name;
            assertTrue(
                    failures.stream()
                            .anyMatch(each -> each.contains(end) || each.contains("tree:")),
                    () -> what + ": " + name + " is not named by " + failures);
        }
        for (var name : copied.keySet()) {
            assertTrue(
                    source.containsKey(name) || before.containsKey(name),
                    () -> what + " leaves " + name);
        }
    }

    @ParameterizedTest
    @EnumSource
    void noReplyBringsWrongContents(Bent how) throws Exception {
        var source = Files.createDirectories(directory.resolve("source"));
        Files.createDirectory(source.resolve("inner"));
        byte[] large = new byte[(3 << 20) + 5];
        new Random(1).nextBytes(large);
        Files.write(source.resolve("large"), large);
        for (int i = 0; i < 9; i++) {
            Files.writeString(source.resolve((i % 3 == 0 ? "inner/f" : "f") + i), "file " + i);
        }
        var exported = Files.createDirectory(directory.resolve("exported"));
        try (var nfs = new NfsServer(List.of(new Export("/data", exported, false)), new byte[32]);
                var rdma =
                        RpcRdmaServer.builder()
                                .provider(new IwarpProvider())
                                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .programs(
                                        nfs.programs().stream()
                                                .map(
                                                        each ->
                                                                BentReplies.of(
                                                                        BentCalls.of(
                                                                                each, how.calls),
                                                                        (procedure,
                                                                                results,
                                                                                start) ->
                                                                                bend(
                                                                                        how,
                                                                                        procedure,
                                                                                        results,
                                                                                        start)))
                                                .toList())
                                .start();
                var mount = mount(rdma.address())) {
            var there = exported.resolve("tree");
            for (int i = 0; i < 3; i++) {
                var before = files(there);
                failures.clear();
                run(mount, copier -> copier.put(source, mount.place("/data/tree"), "tree"));
                check(files(source), before, there, how + ", put " + i);
                assertTrue(!how.isHarmless || failures.isEmpty(), failures::toString);
                var changed = Files.writeString(source.resolve("f1"), "changed " + i);
                Files.setLastModifiedTime(changed, FileTime.from(Instant.ofEpochSecond(i + 1)));
                Files.deleteIfExists(source.resolve("f" + (4 + i)));
            }
            var back = directory.resolve("back");
            for (int i = 0; i < 2; i++) {
                var before = files(back);
                failures.clear();
                run(mount, copier -> copier.get(mount.resolve("/data/tree"), "tree", back));
                check(files(there), before, back, how + ", get " + i);
                assertTrue(!how.isHarmless || failures.isEmpty(), failures::toString);
            }
        }
    }
}
