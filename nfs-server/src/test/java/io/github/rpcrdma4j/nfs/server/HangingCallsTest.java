package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.create;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.fromRoot;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.remove;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.rename;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.saveFh;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.directories.linux.HangingDisk;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.served.StoreChooser;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.rpcbind.RpcbindClient;
import io.github.rpcrdma4j.xdr.XdrException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: calls that hang in one directory hold up no others, of any connection, host, directory or
 * export. Method: servers of both transports, and stores whose calls the test lets go on.
 */
@Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HangingCallsTest {
    /** How many calls one connection makes. More would take all credits of one over RDMA. */
    private static final int OF_CONNECTION = 64;

    private static final int CALLS_MAX = 150;

    /** How many moves hang. Each would count in two directories. */
    private static final int MOVES = 31;

    private static final int PATIENCE_SECONDS = 40;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /** Those that hang. */
    private final List<Callable<String>> begun = new ArrayList<>();

    private final CompletionService<String> ended = new ExecutorCompletionService<>(threads);
    private Runnable goOn = () -> {};
    private TestDirectory slow;
    private TestDirectory good;
    private HostServer server;
    private int connections;

    private void serve(HostServer.Transport transport, StoreChooser stores, Runnable letGo)
            throws Exception {
        goOn = letGo;
        slow = TestDirectory.of(TestDirectory.Kind.LOCAL);
        good = TestDirectory.of(TestDirectory.Kind.LOCAL);
        var hanging = Files.createDirectory(slow.root().resolve("hanging"));
        for (int i = 0; i < CALLS_MAX; i++) {
            Files.writeString(hanging.resolve("file" + i), "");
        }
        var other = Files.createDirectory(slow.root().resolve("other"));
        Files.writeString(other.resolve("file"), "");
        for (int i = 0; i < MOVES; i++) {
            Files.writeString(other.resolve("moved" + i), "");
        }
        Files.createDirectory(slow.root().resolve("third"));
        Files.writeString(good.root().resolve("file"), "");
        var exports =
                List.of(
                        new Export("/slow", slow.root(), false),
                        new Export("/good", good.root(), false));
        var nfs =
                new NfsServer(
                        exports,
                        TestServer.KEY,
                        KerberosUsers.NONE,
                        Nfs4Options.DEFAULT,
                        stores,
                        RpcbindClient.PORT);
        server = new HostServer(transport, nfs);
    }

    /** Everything that calls took is given back. */
    @AfterEach
    void stop() throws Exception {
        goOn.run();
        threads.close();
        if (server != null) {
            server.close();
            good.close();
            slow.close();
        }
    }

    private static Status status(Results host, Nfs3Call<?, ?> call) throws Exception {
        return reply(host, call) instanceof Nfs3Reply.Failed<?, ?>(var status, _)
                ? status
                : Status.OK;
    }

    private static <A, T> Nfs3Reply<A, T> reply(Results host, Nfs3Call<A, T> call)
            throws XdrException, InterruptedException {
        int procedure = call.procedure().number();
        return call.replyFormat()
                .decode(
                        host.results(
                                Nfs3.PROGRAM,
                                Nfs3.VERSION,
                                procedure,
                                CompoundClient.ROOT,
                                call::encode));
    }

    private static FileHandle root(Results host, String export) throws Exception {
        var mounted =
                Mount3.MountResult.decode(
                        host.results(
                                Mount3.PROGRAM,
                                Mount3.VERSION,
                                Mount3.Procedure.MNT.number(),
                                CompoundClient.ROOT,
                                out -> out.string(export)));
        return new FileHandle(((Mount3.MountResult.Ok) mounted).handle());
    }

    private static FileHandle find(Results host, FileHandle directory, String name)
            throws Exception {
        var found = reply(host, new Nfs3Call.Lookup(new DirOpArgs(directory, name)));
        return ((Nfs3Reply.Ok<?, Nfs3Results.Found>) found).value().handle();
    }

    private String nextName(boolean creates) {
        return (creates ? "new" : "file") + begun.size();
    }

    /** What a host asks by one connection, by one version. */
    private interface Asking {
        /** Returns a call in the directory that hangs, which returns its status. */
        Callable<String> hanging(boolean creates) throws Exception;

        /** Returns a call that moves a file between two other directories. */
        Callable<String> moving(int number) throws Exception;

        /** Returns the statuses of calls that make files in these two. */
        Set<String> making() throws Exception;

        /** Returns the statuses of calls of another export, and in another directory. */
        Set<String> others() throws Exception;
    }

    private final class Version3 implements Asking {
        private final Results host;
        private final FileHandle hanging;
        private final FileHandle other;
        private final FileHandle third;
        private final FileHandle good;

        Version3(Results host) throws Exception {
            this.host = host;
            var slow = root(host, "/slow");
            hanging = find(host, slow, "hanging");
            other = find(host, slow, "other");
            third = find(host, slow, "third");
            good = root(host, "/good");
        }

        @Override
        public Callable<String> hanging(boolean creates) {
            var name = new DirOpArgs(hanging, nextName(creates));
            var call =
                    creates
                            ? new Nfs3Call.Create(
                                    name, new CreateMode.Unchecked(SetAttributes.ofMode(0644)))
                            : new Nfs3Call.Remove(name);
            return () -> status(host, call).name();
        }

        @Override
        public Callable<String> moving(int number) {
            var name = "moved" + number;
            var call = new Nfs3Call.Rename(new DirOpArgs(other, name), new DirOpArgs(third, name));
            return () -> status(host, call).name();
        }

        @Override
        public Set<String> making() throws Exception {
            var all = new HashSet<String>();
            for (var directory : List.of(other, third)) {
                var call =
                        new Nfs3Call.Create(
                                new DirOpArgs(directory, "made"),
                                new CreateMode.Unchecked(SetAttributes.ofMode(0644)));
                all.add(status(host, call).name());
            }
            return all;
        }

        /** Returns a call that sets a time of a symbolic link. */
        Callable<String> touching(int number, SetAttributes.TimeChange time) throws Exception {
            var changes = SetAttributes.NONE.withTimes(time, time);
            var link = find(host, other, "link" + number);
            return () ->
                    status(host, new Nfs3Call.ChangeAttributes(link, changes, Optional.empty()))
                            .name();
        }

        @Override
        public Set<String> others() throws Exception {
            var all = new HashSet<String>();
            all.add(status(host, new Nfs3Call.GetAttributes(good)).name());
            all.add(status(host, new Nfs3Call.Lookup(new DirOpArgs(other, "file"))).name());
            return all;
        }
    }

    private final class Version4 implements Asking {
        private final Results host;
        private final CompoundClient client;

        Version4(Results host, String name) throws Exception {
            this.host = host;
            client = CompoundClient.of(host, CompoundClient.ROOT, 1, name, CompoundClient.CHANNEL);
        }

        /** A session of its own: each has one slot. */
        @Override
        public Callable<String> hanging(boolean creates) throws Exception {
            var name = nextName(creates);
            var user =
                    CompoundClient.of(host, CompoundClient.ROOT, 1, name, CompoundClient.CHANNEL);
            var call = creates ? create(name) : remove(name);
            return () -> user.status(fromRoot("slow/hanging", call)).name();
        }

        @Override
        public Callable<String> moving(int number) throws Exception {
            var name = "moved" + number;
            var owner = name + connections++;
            var user =
                    CompoundClient.of(host, CompoundClient.ROOT, 1, owner, CompoundClient.CHANNEL);
            var from = Nfs4Calls.join(CompoundClient.walk("slow", "other"), List.of(saveFh()));
            var to = fromRoot("slow/third", rename(name, name));
            var both = Nfs4Calls.join(List.of(from), List.of(to));
            return () -> user.status(both).name();
        }

        @Override
        public Set<String> making() throws Exception {
            var all = new HashSet<String>();
            all.add(client.status(fromRoot("slow/third", create("made"))).name());
            all.add(client.status(fromRoot("slow/other", create("made"))).name());
            return all;
        }

        @Override
        public Set<String> others() throws Exception {
            var all = new HashSet<String>();
            all.add(client.status().name());
            all.add(client.status(fromRoot("good/file", getFh())).name());
            all.add(client.status(fromRoot("slow/other/file", getFh())).name());
            return all;
        }
    }

    private Asking connect(String host, int version) throws Exception {
        var results = server.connect(host);
        return version == 3
                ? new Version3(results)
                : new Version4(results, "client" + connections++);
    }

    private void hang(Asking host, int calls, boolean creates) throws Exception {
        var all = new ArrayList<Callable<String>>();
        for (int i = 0; i < calls; i++) {
            all.add(host.hanging(creates));
            begun.add(all.getLast());
        }
        all.forEach(ended::submit);
    }

    private Set<String> others(Asking host) throws Exception {
        return answers(host::others);
    }

    private Set<String> answers(Callable<Set<String>> ask) throws Exception {
        Future<Set<String>> asked = threads.submit(ask);
        return asked.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private String nextEnd() throws Exception {
        var next = ended.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertTrue(next != null, "a call has no answer");
        return next.get();
    }

    @ParameterizedTest
    @CsvSource({
        "TCP, 3, 16",
        "TCP, 3, 136",
        "TCP, 4, 16",
        "TCP, 4, 136",
        "RDMA, 3, 136",
        "RDMA, 4, 136"
    })
    void holdUpNoOthersOfAnyConnection(HostServer.Transport transport, int version, int calls)
            throws Exception {
        var stores = new HangingStores("/slow", Set.of("Node.remove"));
        serve(transport, stores, stores::goOn);
        var hosts = new ArrayList<Asking>();
        for (int left = calls; left > 0; left -= OF_CONNECTION) {
            hosts.add(connect("127.0.0.2", version));
        }
        hosts.add(connect("127.0.0.2", version));
        hosts.add(connect("127.0.0.3", version));
        stores.hang();
        for (int i = 0, left = calls; left > 0; i++, left -= OF_CONNECTION) {
            hang(hosts.get(i), Math.min(left, OF_CONNECTION), false);
        }
        for (int i = 0; i < Math.min(calls, 128); i++) {
            stores.awaitBlocked();
        }
        for (var host : hosts) {
            assertEquals(Set.of("OK"), others(host));
        }
        stores.goOn();
        for (int i = 0; i < calls; i++) {
            assertEquals("OK", nextEnd());
        }
    }

    /** Each has as many calls as a host may have in progress, in more than the most of all. */
    @ParameterizedTest
    @EnumSource(HostServer.Transport.class)
    void ofTwoHostsHoldUpNoThirdOne(HostServer.Transport transport) throws Exception {
        var stores = new HangingStores("/slow", Set.of("Node.remove"));
        serve(transport, stores, stores::goOn);
        stores.hang();
        for (var host : List.of("127.0.0.2", "127.0.0.3")) {
            for (int i = 0; i < 5; i++) {
                hang(connect(host, 3), 14, false);
            }
        }
        var third = connect("127.0.0.4", 3);
        hang(third, 2, false);
        for (int i = 0; i < begun.size(); i++) {
            stores.awaitBlocked();
        }
        assertEquals(Set.of("OK"), others(third));
        stores.goOn();
        for (int i = 0; i < begun.size(); i++) {
            assertEquals("OK", nextEnd());
        }
    }

    /** The client comes back, until the directory does. */
    @ParameterizedTest
    @CsvSource({"TCP, 3, JUKEBOX", "TCP, 4, DELAY", "RDMA, 3, JUKEBOX", "RDMA, 4, DELAY"})
    void areFollowedByNoOthersInTheirDirectory(
            HostServer.Transport transport, int version, String later) throws Exception {
        var disk = new HangingDisk();
        serve(transport, on(disk), disk::goOn);
        var host = connect("127.0.0.2", version);
        disk.hangCreations(1);
        hang(host, OF_CONNECTION, true);
        for (int i = 1; i < begun.size(); i++) {
            assertEquals(later, nextEnd());
        }
        assertEquals(Set.of("OK"), others(host));
        disk.goOn();
        assertEquals("OK", nextEnd());
        hang(host, 1, true);
        while (nextEnd().equals(later)) {
            // It was found before it went on.
            hang(host, 1, true);
        }
    }

    /** The kernel makes one move at a time, and locks no directory while one waits for another. */
    @ParameterizedTest
    @CsvSource({"TCP, 3, JUKEBOX", "TCP, 4, DELAY", "RDMA, 3, JUKEBOX", "RDMA, 4, DELAY"})
    void thatMoveFilesKeepNobodyFromTheirDirectories(
            HostServer.Transport transport, int version, String later) throws Exception {
        var disk = new HangingDisk();
        serve(transport, on(disk), disk::goOn);
        var host = connect("127.0.0.2", version);
        var second = connect("127.0.0.3", version);
        disk.hangMoves(MOVES);
        move(host);
        disk.awaitMoves(MOVES);
        awaitHang(second, disk, later);
        assertEquals(Set.of("OK"), others(second));
        assertEquals(Set.of("OK"), answers(second::making));
        assertEquals(later, second.moving(0).call());
        disk.goOn();
        awaitEnds(MOVES + 1);
    }

    private void move(Asking host) throws Exception {
        for (int i = 0; i < MOVES; i++) {
            ended.submit(host.moving(i));
        }
    }

    private static StoreChooser on(HangingDisk disk) {
        return (export, number, verifier) ->
                disk.open(export.directory().orElseThrow(), number, verifier);
    }

    /** Waits until all that hangs has hung for so long that others do not wait for it. */
    private void awaitHang(Asking host, HangingDisk disk, String later) throws Exception {
        disk.hangCreations(1);
        hang(host, 2, true);
        // The second one waited for the first one, which hangs.
        assertEquals(later, nextEnd());
    }

    private void awaitEnds(int calls) throws Exception {
        for (int i = 0; i < calls; i++) {
            assertEquals("OK", nextEnd());
        }
    }

    /** A link cannot be opened, so its whole file system is forced to storage. */
    @ParameterizedTest
    @EnumSource(HostServer.Transport.class)
    void thatForceAFileSystemHoldUpNoOthersAndShareThat(HostServer.Transport transport)
            throws Exception {
        var disk = new HangingDisk();
        serve(transport, on(disk), disk::goOn);
        for (int i = 0; i < OF_CONNECTION; i++) {
            Files.createSymbolicLink(slow.root().resolve("other/link" + i), Path.of("file"));
        }
        var host = (Version3) connect("127.0.0.2", 3);
        var second = connect("127.0.0.3", 3);
        assertEquals("OK", host.touching(0, new SetAttributes.TimeChange.Keep()).call());
        assertEquals(0, disk.syncs());
        disk.hangSyncs(OF_CONNECTION);
        for (int i = 0; i < OF_CONNECTION; i++) {
            ended.submit(host.touching(i, new SetAttributes.TimeChange.ToServerTime()));
        }
        disk.awaitSyncs(1);
        awaitHang(second, disk, "JUKEBOX");
        assertEquals(Set.of("OK"), others(second));
        assertEquals(Set.of("OK"), answers(second::making));
        disk.goOn();
        awaitEnds(OF_CONNECTION + 1);
        assertTrue(disk.syncs() <= OF_CONNECTION / 2, () -> disk.syncs() + " times");
    }
}
