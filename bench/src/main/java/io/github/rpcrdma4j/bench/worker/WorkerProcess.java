package io.github.rpcrdma4j.bench.worker;

import io.github.rpcrdma4j.bench.stack.Meter;
import java.io.File;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A worker process, from the side that gives it orders. For use by one thread. */
public final class WorkerProcess implements AutoCloseable {
    private static final int START_MILLIS = 60_000;
    private static final long END_SECONDS = 10;

    /** The Java options of all stacks, with those that other stacks need. */
    private static final List<String> JAVA_OPTIONS =
            List.of(
                    "-XX:+UseParallelGC",
                    "-Xmx1g",
                    "-XX:MaxDirectMemorySize=6g",
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "--add-opens=java.base/java.nio=ALL-UNNAMED",
                    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                    "-Dio.grpc.netty.shaded.io.netty.tryReflectionSetAccessible=true");

    private final Process process;
    private final ObjectOutputStream orders;
    private final ObjectInputStream answers;

    private WorkerProcess(Process process, ObjectOutputStream orders, ObjectInputStream answers) {
        this.process = process;
        this.orders = orders;
        this.answers = answers;
    }

    /**
     * Starts a process with the Java and the class path of this one.
     *
     * @param directory the directory for the worker's files
     * @param javaOptions Java options besides the default ones
     */
    public static WorkerProcess start(Path directory, List<String> javaOptions) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JAVA_OPTIONS);
        command.addAll(javaOptions);
        command.add("-classpath");
        command.add(absolute(System.getProperty("java.class.path")));
        command.add(Worker.class.getName());
        command.add(directory.toString());
        // Orders do not use its standard output, because Java and profilers print there.
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            command.add(Integer.toString(listener.getLocalPort()));
            var process =
                    new ProcessBuilder(command).directory(directory.toFile()).inheritIO().start();
            try {
                return connected(process, listener);
            } catch (IOException failure) {
                process.destroyForcibly();
                throw failure;
            }
        }
    }

    /** Accepts the connection of a worker and reads the header of its stream. */
    static WorkerProcess connected(Process process, ServerSocket listener) throws IOException {
        listener.setSoTimeout(START_MILLIS);
        var socket = listener.accept();
        try {
            socket.setTcpNoDelay(true);
            var orders = new ObjectOutputStream(socket.getOutputStream());
            orders.flush();
            return new WorkerProcess(
                    process, orders, new ObjectInputStream(socket.getInputStream()));
        } catch (IOException failure) {
            socket.close();
            throw failure;
        }
    }

    private static String absolute(String classPath) {
        return String.join(
                File.pathSeparator,
                List.of(classPath.split(File.pathSeparator)).stream()
                        .map(entry -> Path.of(entry).toAbsolutePath().toString())
                        .toList());
    }

    public long pid() {
        return process.pid();
    }

    /** Gives an order and returns the number in its answer. */
    public int number(Order order) throws IOException {
        return ((Answer.Number) give(order)).value();
    }

    /** Gives an order and returns the round in its answer. */
    public Meter.Round measure(Order order) throws IOException {
        return ((Answer.Measured) give(order)).round();
    }

    /** Closes the connections of a session. */
    public void disconnect(int session) throws IOException {
        give(new Order.Disconnect(session));
    }

    /** Returns what the process has used so far. */
    public Usage usage() throws IOException {
        return ((Answer.Used) give(new Order.ReportUsage())).usage();
    }

    private Answer give(Order order) throws IOException {
        orders.writeObject(order);
        orders.flush();
        orders.reset();
        try {
            var answer = (Answer) answers.readObject();
            if (answer instanceof Answer.Failed(var why)) {
                throw new IOException(order + " failed: " + why);
            }
            return answer;
        } catch (ClassNotFoundException broken) {
            throw new IOException("a worker sent an answer of an unknown class", broken);
        }
    }

    @Override
    public void close() {
        try {
            orders.close();
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException _) {
            process.destroyForcibly();
        } catch (InterruptedException _) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
