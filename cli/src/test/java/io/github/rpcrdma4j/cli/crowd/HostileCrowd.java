package io.github.rpcrdma4j.cli.crowd;

import io.github.rpcrdma4j.cli.crowd.HostilePeer.Kind;
import io.github.rpcrdma4j.cli.crowd.HostilePeer.State;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * A process with a crowd of peers that try to occupy a server. They connect at a limited rate, or
 * slower if the server is slower. Peers that the server ends reconnect. The process answers each
 * line of input with the current counts.
 */
final class HostileCrowd {
    /** The most connection attempts in progress, about the size of a backlog. */
    private static final int CONNECTING_MAX = 256;

    private static final int RETURNS_PER_SECOND = 100;
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long PATIENCE_NANOS = 12 * SECOND;
    private static final long TURN_MILLIS = 10;
    private static final long PUBLISH_NANOS = SECOND / 10;

    private final Selector selector = Selector.open();
    private final List<HostilePeer> peers = new ArrayList<>();
    private final ArrayDeque<HostilePeer> waiting = new ArrayDeque<>();
    private final List<HostilePeer> connecting = new ArrayList<>();

    /**
     * Established connections per kind, then the peers that have not tried yet, then the ended
     * connections.
     */
    private final AtomicIntegerArray counts = new AtomicIntegerArray(Kind.values().length + 2);

    private int firsts;
    private int perSecond;
    private int ended;

    private HostileCrowd() throws IOException {}

    /**
     * The composition of a crowd.
     *
     * @param port for RDMA
     * @param sources number of source addresses, counted up from the first
     * @param perSecond the most connection attempts per second
     */
    record Wanted(
            String server,
            int port,
            int tcpPort,
            String firstSource,
            int sources,
            int silent,
            int stalled,
            int halfOpen,
            int tcp,
            int perSecond) {
        List<Object> arguments() {
            return List.of(
                    server,
                    port,
                    tcpPort,
                    firstSource,
                    sources,
                    silent,
                    stalled,
                    halfOpen,
                    tcp,
                    perSecond);
        }

        private static Wanted of(String[] args) {
            return new Wanted(
                    args[0],
                    Integer.parseInt(args[1]),
                    Integer.parseInt(args[2]),
                    args[3],
                    Integer.parseInt(args[4]),
                    Integer.parseInt(args[5]),
                    Integer.parseInt(args[6]),
                    Integer.parseInt(args[7]),
                    Integer.parseInt(args[8]),
                    Integer.parseInt(args[9]));
        }

        int count() {
            return silent + stalled + halfOpen + tcp;
        }

        private int count(Kind kind) {
            return switch (kind) {
                case SILENT -> silent;
                case STALLED -> stalled;
                case HALF_OPEN -> halfOpen;
                case TCP -> tcp;
            };
        }
    }

    /**
     * The state of a crowd.
     *
     * @param left peers that have not tried yet
     * @param ended how often a peer was ended or rejected
     */
    record Standing(int silent, int stalled, int halfOpen, int tcp, int left, int ended) {
        static Standing decode(String encoded) {
            var words = encoded.split(" ");
            return new Standing(
                    Integer.parseInt(words[0]),
                    Integer.parseInt(words[1]),
                    Integer.parseInt(words[2]),
                    Integer.parseInt(words[3]),
                    Integer.parseInt(words[4]),
                    Integer.parseInt(words[5]));
        }
    }

    /** Runs a crowd; takes the arguments of {@link Wanted#arguments}. */
    public static void main(String[] args) throws Exception {
        var wanted = Wanted.of(args);
        var crowd = new HostileCrowd();
        crowd.gather(wanted);
        Thread.ofPlatform().daemon().start(crowd::press);
        var lines = new BufferedReader(new InputStreamReader(System.in));
        while (lines.readLine() != null) {
            var words = new StringBuilder();
            for (int i = 0; i < crowd.counts.length(); i++) {
                words.append(crowd.counts.get(i)).append(' ');
            }
            System.out.println(words);
        }
        // The exit of the process closes all connections.
        System.exit(0);
    }

    private void gather(Wanted wanted) throws IOException, InterruptedException {
        var rdma = new InetSocketAddress(wanted.server, wanted.port);
        var tcp = new InetSocketAddress(wanted.server, wanted.tcpPort);
        var reads = wanted.stalled == 0 ? null : new StalledReads(file(rdma));
        var first = InetAddress.getByName(wanted.firstSource);
        for (var kind : Kind.values()) {
            for (int i = 0; i < wanted.count(kind); i++) {
                var source = plus(first, i % wanted.sources);
                peers.add(new HostilePeer(kind, source, kind == Kind.TCP ? tcp : rdma, reads));
            }
        }
        Collections.shuffle(peers, new Random(1));
        waiting.addAll(peers);
        firsts = peers.size();
        perSecond = wanted.perSecond;
        publishCounts();
    }

    private static InetAddress plus(InetAddress address, int more) throws IOException {
        byte[] bytes = address.getAddress();
        byte[] sum = new BigInteger(1, bytes).add(BigInteger.valueOf(more)).toByteArray();
        for (int i = 1; i <= bytes.length; i++) {
            bytes[bytes.length - i] = i <= sum.length ? sum[sum.length - i] : 0;
        }
        return InetAddress.getByAddress(bytes);
    }

    private static FileHandle file(InetSocketAddress server)
            throws IOException, InterruptedException {
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider())
                                .credential(ProcessCredential.read())
                                .binding(Nfs3Binding.BINDING)
                                .connect(server);
        try (var client =
                new Nfs3Client(
                        connector,
                        connector,
                        ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3),
                        NfsVersion.VERSION_3)) {
            var place = new Nfs3Call.DirOpArgs(client.mount(HonestClient.EXPORT), CrowdServer.FILE);
            return client.call(new Nfs3Call.Lookup(place)).handle();
        }
    }

    private void press() {
        long start = System.nanoTime();
        long nextMaintenance = start + SECOND;
        long nextPublication = System.nanoTime();
        try {
            while (true) {
                while (firsts > 0 && connecting.size() < CONNECTING_MAX && isTime(start)) {
                    firsts--;
                    connectNext();
                }
                selector.select(HostileCrowd::progress, TURN_MILLIS);
                connecting.removeIf(this::isDecided);
                if (System.nanoTime() - nextMaintenance >= 0) {
                    nextMaintenance += SECOND;
                    maintain();
                }
                if (System.nanoTime() - nextPublication >= 0) {
                    nextPublication = System.nanoTime() + PUBLISH_NANOS;
                    publishCounts();
                }
            }
        } catch (IOException broken) {
            throw new AssertionError(broken);
        }
    }

    /** Returns whether the next peer may connect. */
    private boolean isTime(long start) {
        long begun = peers.size() - firsts;
        return begun * SECOND / perSecond <= System.nanoTime() - start;
    }

    private static void progress(SelectionKey key) {
        if (key.isValid()) {
            ((HostilePeer) key.attachment()).progress();
        }
    }

    private void connectNext() {
        var peer = waiting.removeFirst();
        peer.connect(selector);
        connecting.add(peer);
    }

    private boolean isDecided(HostilePeer peer) {
        if (peer.state() == State.CONNECTING && System.nanoTime() - peer.since() > PATIENCE_NANOS) {
            peer.close();
        }
        return peer.state() != State.CONNECTING;
    }

    /** Reconnects ended peers, and lets stalled ones make further calls. Runs once a second. */
    private void maintain() {
        if (firsts > 0) {
            return;
        }
        waiting.clear();
        for (var peer : peers) {
            peer.callAgain();
            if (peer.state() == State.CLOSED) {
                waiting.addLast(peer);
            }
        }
        for (int i = 0; i < RETURNS_PER_SECOND && !waiting.isEmpty(); i++) {
            ended++;
            connectNext();
        }
    }

    private void publishCounts() {
        int[] there = new int[Kind.values().length];
        for (var peer : peers) {
            if (peer.state() == State.ESTABLISHED) {
                there[peer.kind().ordinal()]++;
            }
        }
        for (int i = 0; i < there.length; i++) {
            counts.set(i, there[i]);
        }
        counts.set(there.length, firsts > 0 ? firsts : ended == 0 ? connecting.size() : 0);
        counts.set(there.length + 1, ended);
    }
}
