package io.github.rpcrdma4j.cli.crowd;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that calls GETATTR at a steady rate. It uses one lasting connection per transport, and
 * newcomers that connect, mount, call once and disconnect. It answers each line of input with the
 * measurements since the previous line.
 *
 * <p>Each call is made when it is due, even if earlier calls have no reply yet. So a server that
 * stops for a second delays all calls of that second, as it would for independent programs. If this
 * process itself wakes up late, that does not count.
 */
final class HonestClient {
    static final String EXPORT = "/crowd";

    private static final long PERIOD_NANOS = Duration.ofMillis(4).toNanos();
    private static final long NEWCOMER_NANOS = Duration.ofMillis(250).toNanos();
    private static final ClientOptions OPTIONS =
            ClientOptions.DEFAULT
                    .withVersion(NfsVersion.VERSION_3)
                    .withTimeout(Duration.ofSeconds(20))
                    .withRetry(Duration.ofSeconds(10));

    /** The options of a newcomer, which makes a single attempt. */
    private static final ClientOptions ONCE = OPTIONS.withRetry(Duration.ZERO);

    /**
     * The most calls without a reply. The latency of a call that has to wait counts from its due
     * time.
     */
    private static final int OUTSTANDING_MAX = 256;

    private final IwarpProvider provider = new IwarpProvider();
    private final Credential caller = ProcessCredential.read();
    private final InetSocketAddress rdma;
    private final InetSocketAddress tcp;
    private final ExecutorService threads =
            Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());
    private final AtomicInteger lost = new AtomicInteger();

    /** The reason of the last failure. */
    private volatile String failure = "";

    private HonestClient(InetSocketAddress rdma, InetSocketAddress tcp) {
        this.rdma = rdma;
        this.tcp = tcp;
    }

    /**
     * The measurements of one phase.
     *
     * @param lost connections that were lost and had to be reconnected
     * @param failure the last failure; empty if there was none
     */
    record Phase(
            Latencies rdma,
            Latencies tcp,
            Latencies newOverRdma,
            Latencies newOverTcp,
            int lost,
            String failure) {
        private static final String BETWEEN = ";";

        String encode() {
            return String.join(
                    BETWEEN,
                    rdma.encode(),
                    tcp.encode(),
                    newOverRdma.encode(),
                    newOverTcp.encode(),
                    Integer.toString(lost),
                    failure.replace(BETWEEN, ",").replace('\n', ' '));
        }

        static Phase decode(String encoded) {
            var parts = encoded.split(BETWEEN, -1);
            return new Phase(
                    Latencies.decode(parts[0]),
                    Latencies.decode(parts[1]),
                    Latencies.decode(parts[2]),
                    Latencies.decode(parts[3]),
                    Integer.parseInt(parts[4]),
                    parts[5]);
        }
    }

    /** One call, or one newcomer, that is repeated at a steady rate. */
    private interface Step {
        void take() throws IOException, InterruptedException;
    }

    /** Takes the address of the server, its RDMA port and its TCP port. */
    public static void main(String[] args) throws Exception {
        var client =
                new HonestClient(
                        new InetSocketAddress(args[0], Integer.parseInt(args[1])),
                        new InetSocketAddress(args[0], Integer.parseInt(args[2])));
        client.answer();
        // End the threads that still wait for a reply.
        System.exit(0);
    }

    private void answer() throws Exception {
        var overRdma = new Latencies.Meter();
        var overTcp = new Latencies.Meter();
        var newOverRdma = new Latencies.Meter();
        var newOverTcp = new Latencies.Meter();
        start(PERIOD_NANOS, overRdma, lasting(this::connectRdma));
        start(PERIOD_NANOS, overTcp, lasting(this::connectTcp));
        start(NEWCOMER_NANOS, newOverRdma, () -> comeAndGo(this::connectRdma));
        start(NEWCOMER_NANOS, newOverTcp, () -> comeAndGo(this::connectTcp));
        var lines = new BufferedReader(new InputStreamReader(System.in));
        while (lines.readLine() != null) {
            var phase =
                    new Phase(
                            overRdma.take(),
                            overTcp.take(),
                            newOverRdma.take(),
                            newOverTcp.take(),
                            lost.getAndSet(0),
                            failure);
            System.out.println(phase.encode());
            failure = "";
        }
    }

    private RpcClient connectRdma() throws RpcException, InterruptedException {
        return RpcRdmaClient.builder()
                .provider(provider)
                .credential(caller)
                .binding(Nfs3Binding.BINDING)
                .connect(rdma);
    }

    private RpcClient connectTcp() throws RpcException, InterruptedException {
        return TcpRpcClient.connect(tcp, caller, OPTIONS.timeout());
    }

    private Step lasting(Connector transport) throws IOException, InterruptedException {
        Connector connector =
                new Connector() {
                    @Override
                    public RpcClient connect() throws RpcException, InterruptedException {
                        return transport.connect();
                    }

                    @Override
                    public void lost(RpcException why) {
                        lost.incrementAndGet();
                    }
                };
        var client = new Nfs3Client(connector, connector, OPTIONS, NfsVersion.VERSION_3);
        var root = client.mount(EXPORT);
        return () -> ask(client, root);
    }

    private static void ask(Nfs3Client client, FileHandle root)
            throws IOException, InterruptedException {
        client.call(new Nfs3Call.GetAttributes(root));
    }

    private void comeAndGo(Connector transport) throws IOException, InterruptedException {
        try (var client = new Nfs3Client(transport, transport, ONCE, NfsVersion.VERSION_3)) {
            ask(client, client.mount(EXPORT));
        }
    }

    private void start(long period, Latencies.Meter meter, Step step) {
        Thread.ofPlatform().daemon().start(() -> takeForEver(period, meter, step));
    }

    private void takeForEver(long period, Latencies.Meter meter, Step step) {
        var free = new Semaphore(OUTSTANDING_MAX);
        long due = System.nanoTime();
        try {
            while (true) {
                due += period;
                while (due - System.nanoTime() > 0) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
                boolean isLate = !free.tryAcquire();
                if (isLate) {
                    free.acquire();
                }
                long start = due;
                threads.execute(
                        () -> {
                            try {
                                take(step, meter, isLate ? start : System.nanoTime());
                            } finally {
                                free.release();
                            }
                        });
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void take(Step step, Latencies.Meter meter, long start) {
        try {
            step.take();
            meter.answered(System.nanoTime() - start);
        } catch (IOException | RuntimeException failed) {
            failure = failed.toString();
            meter.failed();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
