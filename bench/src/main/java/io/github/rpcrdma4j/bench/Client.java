package io.github.rpcrdma4j.bench;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The active process: measures both stacks in turn and prints medians and ratios. */
public final class Client {
    private static final int ROUNDS = 7;
    private static final int QUICK_ROUNDS = 3;
    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    /** What is measured. */
    private record Work(String name, int operation, int length, int outstanding) {}

    private static final List<Work> WORKS =
            List.of(
                    new Work("null", PlainTcp.NULL, 0, 1),
                    new Work("read-1m", PlainTcp.READ, BenchProgram.LONGEST, 1),
                    new Work("read-1m", PlainTcp.READ, BenchProgram.LONGEST, 8),
                    new Work("write-1m", PlainTcp.WRITE, BenchProgram.LONGEST, 1),
                    new Work("write-1m", PlainTcp.WRITE, BenchProgram.LONGEST, 8));

    private Client() {}

    public static void main(String[] args) throws Exception {
        boolean quick = Arrays.asList(args).contains("--quick");
        int rounds = quick ? QUICK_ROUNDS : ROUNDS;
        long nanos = quick ? QUICK_NANOS : ROUND_NANOS;
        var provider = new IwarpProvider();
        var address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[1]));
        try (var tcp = PlainTcp.connect(Integer.parseInt(args[0]));
                var rdma =
                        RpcRdmaClient.connect(
                                provider,
                                address,
                                new Credential.None(),
                                List.of(BenchProgram.BINDING),
                                RpcRdmaOptions.DEFAULT)) {
            System.out.printf(
                    "%-10s %4s  %14s  %14s  %6s%n",
                    "work", "out", "plain tcp", "rpcrdma4j", "ratio");
            for (var work : WORKS) {
                measure(work, tcp, rdma, rounds, nanos);
            }
        }
    }

    private static void measure(Work work, PlainTcp tcp, RpcRdmaClient rdma, int rounds, long nanos)
            throws Exception {
        var plain = new double[rounds];
        var ours = new double[rounds];
        var loop = new RdmaLoop(rdma, work.operation, work.length, work.outstanding);
        // The compiler needs its time with ours; both get the same.
        tcpRate(work, tcp, WARM_UP_NANOS);
        loop.rate(WARM_UP_NANOS);
        for (int i = 0; i < rounds; i++) {
            plain[i] = tcpRate(work, tcp, nanos);
            ours[i] = loop.rate(nanos);
        }
        double plainMedian = median(plain);
        double oursMedian = median(ours);
        if (work.length == 0) {
            System.out.printf(
                    "%-10s %4d  %11.1f us  %11.1f us  %6.2f  (round trip, less is better)%n",
                    work.name,
                    work.outstanding,
                    1e6 / plainMedian,
                    1e6 / oursMedian,
                    plainMedian / oursMedian);
        } else {
            double gigabytes = work.length / 1e9;
            System.out.printf(
                    "%-10s %4d  %9.2f GB/s  %9.2f GB/s  %6.2f%n",
                    work.name,
                    work.outstanding,
                    plainMedian * gigabytes,
                    oursMedian * gigabytes,
                    oursMedian / plainMedian);
        }
    }

    private static double tcpRate(Work work, PlainTcp tcp, long nanos) throws Exception {
        long start = System.nanoTime();
        long done = 0;
        int inFlight = 0;
        while (System.nanoTime() - start < nanos) {
            tcp.send(work.operation, work.length);
            if (++inFlight == work.outstanding) {
                tcp.receive(work.operation, work.length);
                inFlight--;
                done++;
            }
        }
        for (; inFlight > 0; inFlight--) {
            tcp.receive(work.operation, work.length);
            done++;
        }
        return done * 1e9 / (System.nanoTime() - start);
    }

    private static double median(double[] values) {
        var sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
