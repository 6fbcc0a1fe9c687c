package io.github.rpcrdma4j.bench.types;

import io.github.rpcrdma4j.bench.stack.Exchange.Setting;
import io.github.rpcrdma4j.bench.stack.SlotMemory;
import io.github.rpcrdma4j.bench.stack.Stack;
import io.github.rpcrdma4j.bench.stack.Work;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code bench/types}, which lists the types that a call passes through. */
@Command(
        name = "bench/types",
        mixinStandardHelpOptions = true,
        description = {
            "Lists the types that a READ and a WRITE of 1 MiB pass through.",
            "",
            "Client and server are in one process and call each other by NFSv3 over RDMA. A type"
                    + " is listed if one of its methods or constructors runs: at the client until"
                    + " the caller waits (down), there from then on (up), and at the server."
        },
        footer = {"", "Example:", "  bench/types"})
public final class TypesTouched implements Callable<Integer> {
    private static final int WARM_UP = 50;

    /** The simple name of the class, and the method, in which the caller waits for its reply. */
    static final String WAITING_TYPE = "IwarpCompletionQueue";

    static final String WAITING_METHOD = "progress";

    @Spec private CommandSpec spec;

    /** Runs the command and ends the process with its status. */
    public static void main(String[] args) {
        System.exit(
                new CommandLine(new TypesTouched())
                        .setExecutionExceptionHandler(TypesTouched::failed)
                        .execute(args));
    }

    private static int failed(
            Exception failure, CommandLine command, CommandLine.ParseResult arguments) {
        command.getErr().println("bench/types: " + failure.getMessage());
        return CommandLine.ExitCode.SOFTWARE;
    }

    @Override
    public Integer call() throws Exception {
        var directory = Files.createTempDirectory("rpcrdma4j-types-");
        try {
            trace(directory);
        } finally {
            try (var files = Files.list(directory)) {
                for (var file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(directory);
        }
        return CommandLine.ExitCode.OK;
    }

    private void trace(Path directory) throws Exception {
        var setting = Setting.plain(false);
        var exchange = Stack.NFS_RDMA.exchange();
        try (var service = exchange.serve(setting, directory);
                var session = exchange.connect(service.port(), setting, directory)) {
            for (var work : List.of(Work.READ_1M, Work.WRITE_1M)) {
                var call = session.call(work, new SlotMemory().of(0, work.length()));
                for (int i = 0; i < WARM_UP; i++) {
                    call.make();
                }
                print(work, Trace.of(call::make));
            }
        }
    }

    private void print(Work work, List<Trace.Entry> entries) throws IOException {
        var caller = Thread.currentThread().getName();
        var own = entries.stream().filter(entry -> entry.thread().equals(caller)).toList();
        var others = entries.stream().filter(entry -> !entry.thread().equals(caller)).toList();
        int waits = firstWait(own);
        print(work, "client, down", own.subList(0, waits));
        print(work, "client, up", own.subList(waits, own.size()));
        print(work, "server", others);
    }

    /**
     * Returns the index of the method in which the caller waits first.
     *
     * @throws IOException if there is none, so that the trace cannot be divided into its two halves
     */
    static int firstWait(List<Trace.Entry> ofCaller) throws IOException {
        for (int at = 0; at < ofCaller.size(); at++) {
            var entry = ofCaller.get(at);
            if (entry.type().equals(WAITING_TYPE) && entry.method().equals(WAITING_METHOD)) {
                return at;
            }
        }
        throw new IOException(
                "the trace of the caller has no " + WAITING_TYPE + "." + WAITING_METHOD);
    }

    private void print(Work work, String where, List<Trace.Entry> entries) {
        var types = entries.stream().map(Trace.Entry::type).distinct().toList();
        PrintWriter out = spec.commandLine().getOut();
        out.printf("%s, %s: %d types%n", work.label(), where, types.size());
        out.printf("  %s%n", String.join(", ", types));
        out.flush();
    }
}
